package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

const deniedNetConf = "flannel pod cannot write net-conf.json: the image is too old for this containerd"

var _ = register(&checks.Check{
	ID:       "win-defaults-path-copy-denied",
	Title:    "flannel pod cannot copy net-conf.json to the host",
	Healthy:  "flannel pod can copy net-conf.json to the host",
	Category: checks.CategoryComponents,
	Doc: `Older images of the flannel HostProcess pod copy net-conf.json and other defaults from their
mounts to C:\etc\kube-flannel at their start. From containerd 1.7 the volumes of a HostProcess
container appear at their own paths on the host. The target of the copy is then the mount itself,
access is denied, and the script exits before flanneld starts.

The node's state does not show this: the check looks for the error in the log of flannel's pod.`,
	Fix: checks.Steps(
		checks.Do("Update the flannel DaemonSet for Windows to an image and manifest for containerd 1.7 or later.").
			Costs("flanneld restarts on all Windows nodes of the DaemonSet. Running pods keep their network."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"the flannel pod is Running")),
	Links: []string{"https://github.com/kubernetes-sigs/sig-windows-tools/issues/316",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/277"},
	Breaks: []*checks.Effect{effectFlanneld, effectSubnetEnv, effectHNSNetwork, effectPodStart,
		effectContainers},
	Applies: checks.OnAll(checks.OnFlannel, checks.OnRuntime("containerd")),
	Needs:   []evidence.Need{evidence.Logs("flanneld")},
	Signs: []checks.Sign{
		{Text: `kube-flannel\net-conf.json' is denied`, Says: deniedNetConf},
		// Windows in another language: the sentence differs, its path and PowerShell's category do not.
		{Text: `kube-flannel\net-conf.json`, Also: []string{"PermissionDenied"},
			Says: deniedNetConf},
		{Text: "CopyFileInfoItemUnauthorizedAccessError", In: []string{"flanneld"},
			Says: deniedNetConf},
	},
})
