package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "program-not-in-path",
	Title:    "Node component does not find a program in its PATH",
	Healthy:  "Node components find the programs that they start",
	Category: checks.CategoryComponents,
	Doc: `Components of the node start other programs by their names: the kubelet and the CSI drivers start
powershell, csi-proxy before 1.3 starts wmic. A service has the PATH of the machine, or one that its
start script or nssm sets, and a container has that of its image. If the folder of the program is
missing there, the call fails. wmic.exe is in C:\Windows\System32\wbem and is not on Windows Server 2025,
where it is a feature on demand.

The check looks for the error in logs and events, which names the program.`,
	Fix: checks.Steps(
		checks.Inspect("where.exe NAME", "Find the program that the error names on the node."),
		checks.Do("If it is there, add its folder to the PATH of the component: of its service, of its start script or of its image."),
		checks.Do("If it is not there, install it, or update the component to a version that does without it."),
		checks.Do("Restart the component."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/358",
		"https://github.com/kubernetes-sigs/sig-windows-tools/pull/359",
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/976",
		"https://learn.microsoft.com/en-us/windows-server/get-started/removed-deprecated-features-windows-server-2025",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"csi-driver-not-registered"},
	// the kubelet repeats what a CSI driver returns
	Needs: []evidence.Need{evidence.Logs("kubelet"), evidence.Logs("kube-proxy")},
	Signs: []checks.Sign{
		// csi-proxy reads the serial number of the machine with it: pkg/os/system/api.go
		{Text: notInPath, Also: []string{"exec: ", "wmic", "rpc error"},
			Says: "csi-proxy or a CSI driver does not find wmic", Fix: wmicFix()},
		// csi-proxy's own log
		{Text: notInPath, Also: []string{"exec: ", "wmic"}, Not: []string{"rpc error"},
			In:   []string{"csi-proxy", "csi-driver"},
			Says: "csi-proxy or a CSI driver does not find wmic", Fix: wmicFix()},
		{Text: notInPath, Also: []string{"exec: ", "powershell"}, Not: []string{"rpc error"},
			In:   []string{"csi-proxy", "csi-driver"},
			Says: "csi-proxy or a CSI driver does not find powershell"},
		{Text: notInPath, Also: []string{"exec: ", "powershell", "rpc error"},
			Not:  []string{"failed to exec in container"},
			Says: "a CSI driver does not find powershell"},
		// iptables and nvidia-smi are looked for on every node
		{Text: notInPath, Also: []string{"exec: "},
			Not: []string{"wmic", "powershell", "iptables", "nvidia", "containerd", "docker-credential",
				"calico-node", "failed to exec in container", "kubectl", "failed to run Kubelet"},
			In: []string{evidence.InPodEvents, "kubelet", "kube-proxy", "csi-proxy", "flanneld",
				"node-driver-registrar"},
			Level: checks.Warn,
			Says:  "a component of the node does not find a program that it starts"},
		// its last words, also where nothing shows whose log it is
		{Text: notInPath, Also: []string{"exec: ", "failed to run Kubelet"}, Not: []string{"wmic", "powershell"},
			Says: "the kubelet ends: it does not find a program that it starts"},
		// pkg/volume/git_repo of the kubelet; Kubernetes 1.36 has no gitRepo volumes
		{Text: "failed to exec 'git ", Also: []string{"executable file not found"},
			Says: "the kubelet does not find git, which a gitRepo volume needs", Fix: gitRepoFix},
		// a script of PowerShell names itself first; what a user types does not
		{Text: ".ps1 : The term 'git' is not recognized", Or: []string{".ps1: The term 'git' is not recognized"},
			Says: "a script that sets up the node does not find git"},
	},
})

var gitRepoFix = checks.Steps(
	checks.Do("Replace the gitRepo volume: an emptyDir volume, and an init container whose image has git and clones into it."),
	checks.Do("Until then, install Git for Windows on the node and restart the kubelet, which must have git in its PATH."),
	checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
		"all pods are Running"))

// notInPath is how os/exec of Go says it. %PATH% is not in it: whoever takes the error for a format
// makes something else of that.
const notInPath = ": executable file not found in %"

func wmicFix() checks.Fix {
	return checks.Steps(
		checks.Inspect(`Get-Item C:\Windows\System32\wbem\wmic.exe`,
			"Check whether wmic is on the node."),
		checks.Do(`If it is there, add C:\Windows\System32\wbem to the PATH of csi-proxy's service.`),
		checks.Run("Add-WindowsCapability -Online -Name WMIC~~~~",
			"If it is not there, install it (Windows Server 2025), or update csi-proxy to 1.3 or later."),
		checks.Run("Restart-Service csi-proxy", "Restart csi-proxy."),
		checks.Verify("kubectl get csinode {node} -o jsonpath='{.spec.drivers[*].name}'",
			"the name of the driver"))
}
