package faults

import (
	"cmp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// The taint that the control plane puts on a node that it has lost.
const unreachableTaint = "node.kubernetes.io/unreachable"

var _ = register(&checks.Check{
	ID:       "node-not-ready-lost",
	Title:    "Node is lost: kubelet stopped reporting",
	Healthy:  "kubelet reports to the control plane",
	Category: checks.CategoryNode,
	FAQ:      []int{1},
	Doc: `The kubelet renews a lease and the node's status every few seconds. If neither arrives
for a while, the control plane sets all conditions to Unknown, taints the node as unreachable and,
after five minutes, evicts its pods. The pods themselves may keep running.

This is a symptom, and differs from a kubelet that reports the node as not Ready. Either the kubelet
is not running, or the API server is unreachable or rejects it (expired certificate, proxy, changed
node name, network lost when the virtual switch was created). It is reported as a cause only if no
other fault is found.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get lease -n kube-node-lease {node}",
			"Check when the kubelet last renewed its lease. Check that the node can be reached."),
		checks.Run("{restart kubelet}", "Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{"https://kubernetes.io/docs/concepts/architecture/nodes/#condition",
		"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"},
	Judges:   effectNodeReports,
	Symptom:  true,
	Needs:    []evidence.Need{evidence.Node},
	FromPart: []evidence.Need{evidence.Node},
	Signs: []checks.Sign{
		{Text: "Kubelet stopped posting node status", In: []string{evidence.InPodEvents},
			Says: "the control plane reports that the kubelet stopped posting the node's status"},
		// the conditions out of kubectl describe node, without the rest of it
		{Text: "Kubelet stopped posting node status", Also: []string{"NodeStatusUnknown"},
			In:   []string{"other"},
			Says: "the control plane reports that the kubelet stopped posting the node's status"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
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
		return []*checks.Finding{f}, nil
	},
})
