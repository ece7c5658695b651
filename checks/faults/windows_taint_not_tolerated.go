package faults

import (
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

The check looks for the event of the scheduler. It counts the Windows nodes of a Linux pod in the
same words, so an event that also names what the other nodes lack, such as CPU, says nothing.`,
	Fix: checks.Steps(
		checks.Do("Add a toleration for the taint to the pod template: key os, value windows, effect NoSchedule.").
			Costs("The pods of the workload are recreated."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/windows/user-guide/#taints-and-tolerations",
		"https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		windowsTaint("taint {os: windows}"),
		windowsTaint("taint {node.kubernetes.io/os: windows}"),
		windowsTaint("taint {kubernetes.io/os: windows}"),
	},
})

// windowsTaint is the scheduler's refusal of a pod that only its toleration keeps from Windows nodes.
func windowsTaint(taint string) checks.Sign {
	return checks.Sign{Text: "nodes are available", Also: []string{taint},
		Not: []string{"Insufficient ", "free ports", "volume", "topology spread", "affinity rules",
			"unschedulable", "pressure", "not-ready", "unreachable", "Too many pods"},
		Says: "the scheduler finds no node: pods do not tolerate the taint of Windows nodes"}
}
