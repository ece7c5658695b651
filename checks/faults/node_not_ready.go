package faults

import (
	"cmp"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "node-not-ready",
	Symptom:  true,
	Title:    "Node is not Ready",
	Healthy:  "Node is Ready",
	Category: checks.CategoryNode,
	FAQ:      []int{1},
	Doc: `The control plane schedules no pods on this node: its Ready condition is False, or
Unknown because the kubelet has stopped reporting (see node-not-ready-lost). This is a symptom.
Nearly everything else in the catalogue can lead to it, so it is reported as a cause only if no
other fault is found.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl describe node {node}",
			"Read the message of the Ready condition: it names the component that fails."),
		checks.Run("{restart kubelet}", "Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{"https://kubernetes.io/docs/reference/node/node-status/",
		"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"},
	Shows:    []*checks.Effect{effectNodeReady},
	Needs:    []evidence.Need{evidence.Node},
	FromPart: []evidence.Need{evidence.Node},
	Signs: []checks.Sign{
		// every reboot leaves one
		{Text: "NodeNotReady", In: []string{evidence.InPodEvents}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
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
		return []*checks.Finding{checks.Findingf(checks.Fail, cmp.Or(node.Metadata.Name, "node"),
			"Ready is %s: %s: %s", ready.Status, orUnknown(ready.Reason), orUnknown(ready.Message)).
			At(node.ConditionField("Ready", "status"), "status.conditions: Ready is %s%s",
				ready.Status, since)}, nil
	},
})
