package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "powershell-scripts-refused",
	Title:    "PowerShell refuses scripts of node components",
	Healthy:  "PowerShell runs scripts of node components",
	Category: checks.CategoryComponents,
	Doc: `Start scripts of node components, and the network script of OpenShift's daemon WICD, run with the execution policy of
the machine unless their caller sets -ExecutionPolicy. Restricted refuses all scripts, AllSigned those without a
signature, and RemoteSigned only those that a browser marked as downloaded. A Group Policy overrides what the caller sets.

The check looks for the error in the logs of node components. Profiles of PowerShell are ignored: a command runs without them.`,
	Fix: checks.Steps(
		checks.Inspect("Get-ExecutionPolicy -List",
			"Read which scope sets the policy. If it is MachinePolicy or UserPolicy, change the Group Policy."),
		checks.Run("Set-ExecutionPolicy RemoteSigned -Scope LocalMachine -Force",
			"Otherwise allow scripts of this machine. Sign the script, or run Unblock-File on it if it was downloaded.").
			Costs("Everybody may run local scripts on this node."),
		checks.Do("Restart the component."),
		checks.Verify("Get-ExecutionPolicy", "the policy is RemoteSigned")),
	Links: []string{
		"https://github.com/openshift/openshift-docs/pull/80455",
		"https://github.com/ovn-kubernetes/ovn-kubernetes/pull/431",
		"https://learn.microsoft.com/en-us/powershell/module/microsoft.powershell.core/about/about_execution_policies",
	},
	Breaks: []*checks.Effect{effectNetworkAgent, effectKubeletStart, effectFlanneld, effectCNIConfig, effectKubeProxy},
	Needs:  []evidence.Need{evidence.Logs("kubelet"), evidence.Logs("kube-proxy")},
	Signs: []checks.Sign{
		// the name of the help topic is the same in all languages
		{Text: "running scripts is disabled", Or: []string{"about_Execution_Policies"}, Also: []string{".ps1"},
			Not: []string{"profile.ps1"}, In: scriptRunners, Until: scriptsRan,
			Says: "the execution policy of this machine does not let a component run its script"},
		{Text: "is not digitally signed", Also: []string{".ps1", "cannot be loaded"},
			Not: []string{"profile.ps1"}, In: scriptRunners, Until: scriptsRan,
			Says: "the execution policy of this machine does not let a component run its script"},
	},
})

// scriptRunners leaves the pods out: a container has a policy of its own.
var scriptRunners = []string{"kubelet", "kube-proxy", "flanneld", "calico-node", "antrea-agent", "wicd", "other"}

// scriptsRan is what the kubelet and kube-proxy say once they run.
var scriptsRan = []string{"Started kubelet", "Caches are synced"}
