package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kubelet-state-file-invalid",
	Title:    "kubelet cannot use a state file of its earlier run",
	Healthy:  "kubelet can use the state files of its earlier run",
	Category: checks.CategoryComponents,
	Doc: `The kubelet keeps the state of some of its managers in files below its root directory: cpu_manager_state,
memory_manager_state, pod_status_manager_state and others. At its start it exits if it cannot read one
of them, as after a power loss, or if the policy in its configuration is not the one of the file.

The check looks for the error in the log of the kubelet, which names the file.`,
	Fix: checks.Steps(
		checks.Run("kubectl drain {node} --ignore-daemonsets", "Drain the node.").
			Costs("The pods of the node move to other nodes."),
		checks.Do("Delete the file that the error names."),
		checks.Run("{restart kubelet}", "Start the kubelet: it creates the file again."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		nodeReady),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/135711",
		"https://github.com/kubernetes/kubernetes/issues/86676",
		"https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/",
	},
	Breaks: []*checks.Effect{effectKubeletStart},
	Needs:  []evidence.Need{evidence.Logs("kubelet")},
	Signs: []checks.Sign{
		// pkg/kubelet/cm/*/state, pkg/kubelet/status; with a capital until 1.17
		{Text: "please drain this node and delete ", Also: []string{"before restarting Kubelet"}, Until: nodeRegistered,
			Says: "the kubelet exits: it cannot use one of its state files"},
	},
})
