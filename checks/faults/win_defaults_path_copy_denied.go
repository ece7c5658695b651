package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

const deniedNetConf = "the flannel image may not write net-conf.json where it wants it: it is older than containerd's way of mounting files for HostProcess containers"

var _ = register(checks.Check{
	ID:       "win-defaults-path-copy-denied",
	Title:    "the flannel pod may not copy its configuration on the host",
	Category: checks.CategoryComponents,
	Doc: `Older images of the flannel HostProcess pod copy net-conf.json and other defaults from
their mounts to C:\etc\kube-flannel when they start. From containerd 1.7 on, the volumes of a
HostProcess container appear at their own paths on the host, so the copy runs into the mount itself,
access is denied, and the script ends before flanneld starts.

No state of the node shows this: the check looks for the refusal in the log of flannel's pod.`,
	Fix: checks.Steps(
		checks.Run("kubectl -n kube-flannel get ds kube-flannel-ds-windows-amd64 -o yaml",
			"use a flannel image and manifest made for containerd 1.7 and later, and let the DaemonSet start the pod again; do not loosen the access list of the folder").
			Costs("flanneld restarts on all Windows nodes of the DaemonSet; running pods keep their network"),
		checks.Run("kubectl -n kube-flannel rollout restart ds kube-flannel-ds-windows-amd64", "")),
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
