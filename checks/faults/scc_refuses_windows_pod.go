package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

const sccRefusal = "unable to validate against any security context constraint"

var _ = register(&checks.Check{
	ID:       "scc-refuses-windows-pod",
	Title:    "OpenShift refuses pods for Windows (security context constraints)",
	Healthy:  "OpenShift allows the pods for Windows",
	Category: checks.CategorySecurity,
	Doc: `OpenShift creates a pod only if one of the security context constraints (SCC) that its
service account may use allows all that it requires: hostPath volumes, hostNetwork, users. CSI
drivers, network agents and exporters for Windows need more than the default constraint allows. The
DaemonSet is there, and none of its pods is created, so the agent is missing on this node.

The check looks for the refusal among the events of DaemonSets that select Windows nodes.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl -n NAMESPACE describe daemonset DAEMONSET",
			"Read which field each constraint refuses."),
		checks.Do("If a product creates the constraint, update it: the one of older versions of Trident forbids hostPath."),
		checks.Run("oc adm policy add-scc-to-user privileged -z SERVICE-ACCOUNT -n NAMESPACE",
			"Otherwise allow its service account a constraint that permits these fields.").
			Costs("Pods of that service account may then be privileged."),
		checks.Verify("kubectl get pods -n NAMESPACE -o wide", "the pods of the DaemonSet are Running")),
	Links: []string{"https://github.com/NetApp/trident/issues/950",
		"https://docs.netapp.com/us-en/trident/trident-rn.html",
		"https://docs.openshift.com/container-platform/4.14/authentication/managing-security-context-constraints.html"},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"csi-driver-not-registered"},
	Needs:    []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("other"))},
	Uses:     []evidence.Need{evidence.PodEvents, evidence.DaemonSets, evidence.Pods},
	Signs: []checks.Sign{
		{Text: sccRefusal, Also: []string{"-windows-", "is forbidden"},
			Until: []string{"SuccessfulCreate"},
			Says:  "no security context constraint allows a pod for Windows"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, set := range evidence.DaemonSets.In(s) {
			m := set.Metadata
			events := evidence.PodEvents.In(s)
			at := slices.IndexFunc(events, func(e evidence.Event) bool {
				a := e.About()
				return a.Kind == "DaemonSet" && a.Name == m.Name && a.Namespace == m.Namespace &&
					strings.Contains(e.Text(), sccRefusal)
			})
			if at < 0 || !staysOnWindows(set.Spec.Template.Spec) || hasPodOf(s, set) {
				continue
			}
			findings = append(findings, checks.Findingf(checks.Fail, m.Namespace+"/"+m.Name,
				"DaemonSet %s has no pod on this node: no security context constraint allows its pods",
				m.Namespace+"/"+m.Name).With(events[at].Field().Because("%s: %s", m.Name, folded(events[at].Text()))))
		}
		if gap := cmp.Or(evidence.DaemonSets.Gap(s), evidence.PodEvents.Gap(s)); len(findings) == 0 && gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	},
})
