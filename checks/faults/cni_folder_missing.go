package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
)

const folderGone = "the start script of a network agent cannot write its CNI plugins or configuration: the folder is missing"

var _ = register(&checks.Check{
	ID:       "cni-folder-missing",
	Title:    "Folder of the CNI plugins is missing on the node",
	Healthy:  "Folders of the CNI plugins exist on the node",
	Category: checks.CategoryNetwork,
	Doc: `The pods of flannel and Antrea copy their CNI plugins to C:\opt\cni\bin on the node, and
write their configuration to C:\etc\cni\net.d. Scripts of containerd and PrepareNode.ps1 usually
create these folders. A node that was set up otherwise does not have them, and the start script of older
releases does not create them either: Copy-Item or Set-Content fails, and the network agent does not
start. Later scripts create the folders that the variables CNI_BIN_PATH and CNI_CONFIG_PATH of the
container name, and fail where a manifest does not set them.

The check looks for these errors of PowerShell, in English, German, French, Spanish, Chinese and
Japanese.`,
	Fix: checks.Steps(
		checks.Run(`New-Item -ItemType Directory -Force C:\opt\cni\bin, C:\etc\cni\net.d`,
			"Create the folders on the node."),
		checks.Run("{restart network agent}", "Restart the network agent.").
			Costs("The node loses its network for a few seconds if the agent creates the HNS network."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{"https://github.com/antrea-io/antrea/issues/4680",
		"https://github.com/antrea-io/antrea/pull/4685",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/129",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/264"},
	Breaks: []*checks.Effect{effectCNIConfig, effectFlanneld, effectSubnetEnv, effectHNSNetwork, effectPodStart},
	Needs: []evidence.Need{evidence.Any(evidence.Logs("flanneld"), evidence.Logs("antrea"),
		evidence.Logs("kube-proxy"), evidence.Logs("pods"), evidence.Logs("other"))},
	Signs: []checks.Sign{
		missingCNIFolder(`opt\cni\bin`), missingCNIFolder(`etc\cni\net.d`),
		{Text: "[Set-Content], DirectoryNotFoundException", Also: []string{`cni\net.d`}, Until: agentStarted, Says: folderGone},
		// The console of a container breaks lines at 80 columns. run.ps1 of flannel reads nothing from there.
		{Text: `ObjectNotFound: (C:\host\etc\cni\net.d\10-flanne`, Until: agentStarted,
			Says: folderGone},
		// the line of the script that PowerShell quotes in an error
		{Text: "+ mkdir -force $env:CNI_BIN_PATH", Or: []string{"+ mkdir -force $env:CNI_CONFIG_PATH"},
			Until: agentStarted,
			Says:  "a start script cannot create the folder of CNI_BIN_PATH or CNI_CONFIG_PATH: most often the variable is not set",
			Fix: checks.Steps(
				checks.Do("In the DaemonSets of the network agent and of kube-proxy, set the variables CNI_BIN_PATH and CNI_CONFIG_PATH to the folders bin_dir and conf_dir of containerd's configuration.").
					Costs("The node loses its network for a few seconds if the agent creates the HNS network."),
				checks.Verify("kubectl get node {node}", "STATUS is Ready"))},
	},
})

// agentStarted is what follows the scripts of flannel and Antrea.
var agentStarted = append(slices.Concat(nodeBecameReady, subnetWritten), "Starting Antrea agent")

// missingCNIFolder is a folder in which a script cannot write: .NET says so in the language of Windows.
func missingCNIFolder(folder string) checks.Sign {
	return checks.Sign{Text: "Could not find a part of the path", Or: []string{"Ein Teil des Pfades",
		"Impossible de trouver une partie du chemin", "No se puede encontrar una parte de la ruta",
		"未能找到路径", "の一部が見つかりませんでした"},
		Also: []string{folder}, Until: agentStarted,
		Says: folderGone}
}
