package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "rke2-calico-race",
	Title:    "Calico never came up under RKE2, and the HNS network is not there",
	Category: checks.CategoryComponents,
	Doc: `On Windows RKE2 makes Calico's HNS networks itself as it starts, which takes the
node's adapter off the network for a moment. Before the end of 2025 this happened while RKE2 was
still unpacking its own runtime image over that adapter: the download broke, files were missing ever
after, and Calico, the kubelet and kube-proxy failed one after the other. Older releases also tried
Calico again and again over a node object that was not there yet, or an address that did not come
back.

The check looks at a node on which service rke2 has run for some minutes without a process of Calico
and without Calico's network in HNS.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-EventLog -LogName Application -Source rke2 -Newest 50`, ""),
		checks.Run("Stop-Service rke2",
			`upgrade RKE2 to a release of December 2025 or later; to come up with the present one, stop it, remove what was unpacked by halves, and start it once more`).
			Costs("the node's pods are off the network until RKE2 is up; it pulls its runtime image again"),
		checks.Run(`Remove-Item -Recurse C:\var\lib\rancher\rke2\data`, ""),
		checks.Run("Start-Service rke2", "")),
	Links: []string{"https://github.com/rancher/rke2/pull/9278",
		"https://github.com/rancher/rke2/issues/9276",
		"https://github.com/rancher/rke2/issues/5415",
		"https://github.com/rancher/rke2/pull/5335", "https://github.com/rancher/rke2/issues/4580"},
	Breaks: []*checks.Effect{effectRuntime, effectRuntimePipe, effectKubelet,
		effectNodeReports, effectNodeReady, effectHNSNetwork, effectKubeProxy, effectCNIConfig,
		effectPodStart, effectContainers},
	Explains: []string{"cni-binary-missing"},
	Applies:  checks.OnAll(checks.OnPlatform(node.RKE2), checks.OnCNI(node.Calico)),
	Needs:    []evidence.Need{evidence.Services, evidence.Processes, evidence.HNSNetworks},
	Signs: []checks.Sign{
		{Text: "Calico startup failed", In: []string{evidence.InEvents, "rke2"},
			Says: "RKE2 reports that Calico's start failed"},
		// it tries again
		{Text: "Calico exited: exit status", In: []string{evidence.InEvents, "rke2"},
			ConfirmOnly: true},
		{Text: "no interface has the ip:", In: []string{evidence.InEvents, "rke2"},
			ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		svc, settled, err := settledRKE2(s)
		if err != nil || !settled || processRuns(s, "calico-node") {
			return nil, err
		}
		if _, there := node.About(s).PodNetwork(s); there {
			return nil, nil // it came up, and Felix ended later: another fault
		}
		return []checks.Finding{checks.Findingf(checks.Fail, "calico",
			"service %s runs, and neither a process of Calico nor its network in HNS is there",
			svc.Name).
			At(svc.Field("state"), "%s: state %s", svc.Name, svc.State).
			At(evidence.Processes.Field(s), "none of its %d processes is calico-node.exe",
				len(evidence.Processes.In(s))).
			At(evidence.HNSNetworks.Field(s), "names: %s",
				networkNames(evidence.HNSNetworks.In(s)))}, nil
	},
})
