package faults

import (
	"cmp"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(checks.Check{
	ID:       "node-not-ready",
	Symptom:  true,
	Title:    "the node is not Ready",
	Category: checks.CategoryNode,
	FAQ:      []int{1},
	Doc: `The control plane does not count on this node: its Ready condition is False, or
Unknown because the kubelet has stopped reporting (node-not-ready-lost says more of that). This is a
symptom. Nearly everything else in the catalogue can lead to it, so it is named as a cause only
where nothing else was found.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl describe node {node}", ""),
		checks.Inspect("Get-Service kubelet", ""),
		checks.Run("{restart kubelet}",
			"read the condition's message; where the kubelet has stopped posting, look at its service and the end of its log on the node").
			Costs("restarting the kubelet does not touch running containers")),
	Links: []string{"https://kubernetes.io/docs/reference/node/node-status/",
		"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"},
	Shows: []*checks.Effect{effectNodeReady},
	Needs: []evidence.Need{evidence.Node},
	Signs: []checks.Sign{
		// every reboot leaves one
		{Text: "NodeNotReady", In: []string{evidence.InPodEvents}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		node := evidence.Node.In(s)
		ready, ok := node.Condition("Ready")
		if !ok {
			return nil, checks.Unknown(evidence.NotShown.Gap("the Node's Ready condition"))
		}
		if ready.Status == "True" {
			return nil, nil
		}
		since := ""
		if !ready.LastTransitionTime.IsZero() {
			since = ready.LastTransitionTime.Format(" since 2006-01-02 15:04 UTC")
		}
		return []checks.Finding{checks.Findingf(checks.Fail, cmp.Or(node.Metadata.Name, "node"),
			"Ready is %s: %s: %s", ready.Status, orUnknown(ready.Reason), orUnknown(ready.Message)).
			At(node.ConditionField("Ready", "status"), "status.conditions: Ready is %s%s",
				ready.Status, since)}, nil
	},
})
