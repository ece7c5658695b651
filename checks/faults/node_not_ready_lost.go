package faults

import (
	"cmp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// The taint that the control plane puts on a node that it has lost.
const unreachableTaint = "node.kubernetes.io/unreachable"

var _ = register(checks.Check{
	ID:       "node-not-ready-lost",
	Title:    "the control plane has lost the node: its kubelet no longer reports",
	Category: checks.CategoryNode,
	FAQ:      []int{1},
	Doc: `The kubelet renews a lease and the node's status every few seconds. When neither comes
for a while, the control plane sets all conditions to Unknown, taints the node unreachable and,
after five minutes, gives its pods up. The pods themselves may go on running.

This is a symptom, and a different one from a node whose kubelet reports that it is not Ready:
either the kubelet does not run, or it runs and cannot reach or convince the API server (an expired
certificate, a proxy, a name that changed, a network that went away when the virtual switch was
made). It is named as a cause only where nothing else was found.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl describe node {node}", ""),
		checks.Inspect("kubectl get lease -n kube-node-lease {node}", ""),
		checks.Inspect("Get-Service kubelet", ""),
		checks.Run("{restart kubelet}",
			"see whether the node is reachable at all; then look on it at the kubelet's service, at the end of its log, and at the way to the API server").
			Costs("restarting the kubelet does not touch running containers")),
	Links: []string{"https://kubernetes.io/docs/concepts/architecture/nodes/#condition",
		"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"},
	Judges:  effectNodeReports,
	Symptom: true,
	Needs:   []evidence.Need{evidence.Node},
	Signs: []checks.Sign{
		{Text: "Kubelet stopped posting node status", In: []string{evidence.InPodEvents},
			Says: "the control plane reports that the kubelet stopped posting the node's status"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		node := evidence.Node.In(s)
		ready, ok := node.Condition("Ready")
		if !ok {
			return nil, checks.Unknown(evidence.NotShown.Gap("the Node's Ready condition"))
		}
		if ready.Status != "Unknown" {
			return nil, nil
		}
		f := checks.Findingf(checks.Fail, cmp.Or(node.Metadata.Name, "node"),
			"Ready is Unknown: %s: %s", orUnknown(ready.Reason),
			orUnknown(strings.TrimSuffix(ready.Message, ".")))
		if !ready.LastTransitionTime.IsZero() {
			f = f.At(node.ConditionField("Ready", "status"),
				"status.conditions: Ready is Unknown since %s",
				ready.LastTransitionTime.Format("2006-01-02 15:04 UTC"))
		} else {
			f = f.At(node.ConditionField("Ready", "status"), "status.conditions: Ready is Unknown")
		}
		if !ready.LastHeartbeatTime.IsZero() {
			f = f.At(node.ConditionField("Ready", "lastHeartbeatTime"),
				"the last heartbeat came at %s",
				ready.LastHeartbeatTime.Format("2006-01-02 15:04 UTC"))
		}
		for i, t := range node.Spec.Taints {
			if t.Key == unreachableTaint {
				f = f.At(node.Field("spec", "taints", i), "spec.taints: %s:%s", t.Key, t.Effect)
			}
		}
		return []checks.Finding{f}, nil
	},
})
