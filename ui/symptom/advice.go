package symptom

import "doctor/checks/evidence"

// Advice is what to do about checks that could not run.
type Advice struct {
	Reason   string // why they could not run, in general
	Text     string // what to do; it continues "First", so it is an imperative
	Commands []string
}

// advices are what a reader does about each remedy. {node} stands for the node's name.
var advices = map[evidence.Remedy]Advice{
	evidence.Elevate: {"administrator rights are required",
		"run doctor on the node as Administrator", []string{"doctor"}},
	evidence.ClusterRights: {"the cluster denied access",
		"use a role that may read the cluster, or log in again",
		[]string{"doctor explain rbac"}},
	evidence.ViaAPI: {"no Kubernetes objects were collected",
		"read them through the Kubernetes API, or save them in the recording as api/KIND.json",
		[]string{"doctor --node {node}", "kubectl get KIND -A -o json"}},
	evidence.FromPod: {"the required probes were not run",
		"run doctor on the node, and probe from one of its pods too",
		[]string{"doctor --from-pod NAMESPACE/POD"}},
	evidence.OnNode: {"the data was not collected on the node",
		"run doctor on the node, or collect a bundle there",
		[]string{"doctor", "doctor bundle"}},
	evidence.MoreTime: {"the time limit was reached",
		"run doctor again with more time; what times out again is likely the fault",
		[]string{"doctor --timeout 60s"}},
	evidence.WithoutPassive: {"--passive sends no probes", "run doctor again without --passive",
		[]string{"doctor"}},
	evidence.ReadFile: {"some data could not be read",
		"check why the file or the data could not be read", nil},
	evidence.ByHand: {"this Windows version does not provide the data",
		"check it by hand on the node", nil},
	evidence.RunCommand: {"the files do not show what the checks need",
		"run these commands, and give doctor their output too", nil},
	evidence.WindowsNode: {"the Node object is of a node without Windows",
		"give doctor the Node object of a Windows node", []string{"kubectl get node NODE -o yaml"}},
	evidence.WholeLog: {"a part of a log can show that a fault is there, never that it is not",
		"give doctor the whole log, from the last start of its component: run doctor on the node, or collect a bundle there",
		[]string{"doctor", "doctor bundle"}},
	evidence.OpenCheck: {"the recording does not show what the checks need",
		"open the check to see what is missing; -o wide shows it for all checks", nil},
}

// AdviceOn is the advice on a remedy, with the node's name in its commands.
func AdviceOn(remedy evidence.Remedy, node string) Advice {
	advice := advices[remedy]
	advice.Commands = forNode(advice.Commands, node)
	return advice
}
