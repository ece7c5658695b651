package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "windows-taint-not-tolerated",
	Title:    "Pods do not tolerate the taint of Windows nodes",
	Healthy:  "Pods tolerate the taint of Windows nodes",
	Category: checks.CategoryWorkloads,
	Doc: `Windows nodes often have a taint such as os=windows:NoSchedule, so that Linux pods without a node
selector stay away. A pod for Windows needs a toleration for it and a node selector; without the
toleration no node is left for the pod.

The check compares the taints of this node that name Windows with each DaemonSet that selects
Windows, and each taint of it with the pods for Windows that the scheduler has not placed. It also
looks for the event of the scheduler, and for pods that a NoExecute taint of the node deletes. The
scheduler counts the Windows nodes of a Linux pod in the same words, so an event that also names what the
other nodes lack, such as CPU, says nothing.`,
	Fix: checks.Steps(
		checks.Do("Add a toleration for the taint to the pod template, such as key os, value windows, effect NoSchedule.").
			Costs("The pods of the workload are recreated."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/windows/user-guide/#taints-and-tolerations",
		"https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("other"), evidence.DaemonSets)},
	Uses:   []evidence.Need{evidence.Node, evidence.DaemonSets, evidence.Pods},
	Signs:  windowsTaintSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		object := evidence.Node.In(s)
		var findings []*checks.Finding
		for i, taint := range object.Spec.Taints {
			if taint.Effect == "PreferNoSchedule" || !strings.Contains(strings.ToLower(taint.Key+taint.Value), "windows") {
				continue
			}
			for _, set := range evidence.DaemonSets.In(s) {
				name := set.Metadata.Namespace + "/" + set.Metadata.Name
				pod := set.Spec.Template.Spec
				if !staysOnWindows(pod) || !pod.Selects(object.Metadata.Labels) || pod.Tolerates(taint) || hasPodOf(s, set) {
					continue
				}
				at := object.Field("spec", "taints", i)
				findings = append(findings, checks.Findingf(checks.Warn, name,
					"DaemonSet %s selects Windows nodes and has no pod on this one: it does not tolerate the taint %s", name, taint).
					At(at, "spec.taints: %s", taint).
					At(set.Field("spec", "template", "spec", "tolerations"), "%s: no toleration of %s", name, taint))
			}
		}
		findings = append(append(findings, tooTainted(s, object)...), evicted(s, object)...)
		if len(findings) > 0 {
			return findings, nil
		}
		gap := cmp.Or(evidence.Node.Gap(s), evidence.DaemonSets.Gap(s), evidence.PodEvents.Gap(s))
		if slices.ContainsFunc(evidence.PodEvents.In(s), func(e evidence.Event) bool {
			_, refused := fits(windowsTaintSigns, e.Text())
			return refused
		}) { // the DaemonSets do not tell of that pod
			gap = evidence.NotShown.Gap("whether the pod still waits")
		}
		if gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		return nil, nil
	},
})

// tooTainted finds pods for Windows that wait because of a taint of this node, as the scheduler says.
func tooTainted(s evidence.Snapshot, object evidence.NodeObject) []*checks.Finding {
	var findings []*checks.Finding
	for _, p := range evidence.Pods.In(s) {
		if p.Spec.NodeName != "" || !staysOnWindows(p.Spec) || !p.Spec.Selects(object.Metadata.Labels) {
			continue
		}
		for j, c := range p.Status.Conditions {
			for i, taint := range object.Spec.Taints {
				if c.Type != "PodScheduled" || c.Status != "False" || taint.Effect == "PreferNoSchedule" ||
					p.Spec.Tolerates(taint) || ofState(taint) {
					continue
				}
				sign := windowsTaint("taint {" + taint.Key + ": " + taint.Value + "}")
				if _, refused := fits([]checks.Sign{sign}, c.Message); !refused {
					continue
				}
				findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
					"the scheduler finds no node for %s: it does not tolerate the taint %s", p.FullName(), taint).
					At(p.Field("status", "conditions", j, "message"), "%s", c.Message).
					At(object.Field("spec", "taints", i), "spec.taints: %s", taint))
			}
		}
	}
	return findings
}

// evicted finds pods that a NoExecute taint of this node drives off: pkg/controller/tainteviction of Kubernetes.
func evicted(s evidence.Snapshot, object evidence.NodeObject) []*checks.Finding {
	var findings []*checks.Finding
	for _, p := range evidence.Pods.In(s) {
		for j, c := range p.Status.Conditions {
			for i, taint := range object.Spec.Taints {
				if c.Type != "DisruptionTarget" || c.Reason != "DeletionByTaintManager" || p.Spec.NodeName != object.Metadata.Name ||
					taint.Effect != "NoExecute" || p.Spec.Tolerates(taint) || ofState(taint) ||
					!strings.Contains(strings.ToLower(taint.Key+taint.Value), "windows") {
					continue
				}
				findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
					"%s is deleted as soon as it is on the node: it does not tolerate the taint %s", p.FullName(), taint).
					At(p.Field("status", "conditions", j, "reason"), "%s: %s", c.Type, c.Reason).
					At(object.Field("spec", "taints", i), "spec.taints: %s", taint))
			}
		}
	}
	return findings
}

// ofState tells a taint that the control plane or an autoscaler sets for a while.
func ofState(t evidence.Taint) bool {
	return strings.HasPrefix(t.Key, "node.") && !strings.HasSuffix(t.Key, "/os") ||
		strings.HasPrefix(t.Key, "ToBeDeleted")
}

// hasPodOf tells whether the DaemonSet has a pod here: it was there before the taint.
func hasPodOf(s evidence.Snapshot, set evidence.DaemonSet) bool {
	return slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
		return p.Metadata.Namespace == set.Metadata.Namespace &&
			slices.ContainsFunc(p.Metadata.OwnerReferences, func(o evidence.OwnerReference) bool {
				return o.Kind == "DaemonSet" && o.Name == set.Metadata.Name
			})
	})
}

var windowsTaintSigns = []checks.Sign{
	windowsTaint("taint {os: windows}"),
	windowsTaint("taint {node.kubernetes.io/os: windows}"),
	windowsTaint("taint {kubernetes.io/os: windows}"),
	windowsTaint("taint {cattle.io/os: windows}"), // Rancher's
}

// windowsTaint is the scheduler's refusal of a pod that only its toleration keeps from Windows nodes.
func windowsTaint(taint string) checks.Sign {
	return checks.Sign{Text: "nodes are available", Also: []string{taint},
		Not: []string{"Insufficient ", "free ports", "volume", "topology spread", "affinity rules",
			"unschedulable", "pressure", "not-ready", "unreachable", "Too many pods"},
		Says: "the scheduler finds no node: pods do not tolerate the taint of Windows nodes"}
}
