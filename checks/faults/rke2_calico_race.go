package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "rke2-calico-race",
	Title:    "Calico did not start under RKE2",
	Healthy:  "Calico started under RKE2",
	Category: checks.CategoryComponents,
	Doc: `On Windows RKE2 creates Calico's HNS networks at its start, which interrupts the node's
connections for a moment. Before December 2025 this happened while RKE2 was still pulling and
unpacking its own runtime image: the pull failed, files were missing, and Calico, the kubelet and
kube-proxy failed. Older releases also retried Calico again and again because the Node object did
not exist yet, or because an address was not restored.

The check looks for a node on which service rke2 has run for some minutes without a Calico process
and without Calico's network in HNS, and for the connection that broke during the extraction.`,
	Fix: checks.Steps(
		checks.Run("Stop-Service rke2; Remove-Item -Recurse C:\\var\\lib\\rancher\\rke2\\data; Start-Service rke2",
			"Remove the incomplete files and start RKE2 again.").
			Costs("Pods on this node have no network until RKE2 has started. RKE2 pulls its runtime image again."),
		checks.Do("Upgrade RKE2 to a release of December 2025 or later."),
		checks.Verify("Get-Process calico-node", "a process calico-node")),
	Links: []string{"https://github.com/rancher/rke2/pull/9278",
		"https://github.com/rancher/rke2/issues/9276",
		"https://github.com/rancher/rke2/issues/5415",
		"https://github.com/rancher/rke2/pull/5335", "https://github.com/rancher/rke2/issues/4580"},
	Breaks: []*checks.Effect{effectNetworkAgent, effectRuntime, effectRuntimePipe, effectKubelet,
		effectNodeReports, effectNodeReady, effectHNSNetwork, effectKubeProxy, effectCNIConfig,
		effectPodStart, effectContainers},
	Explains: []string{"rke2-programs-not-in-path", "cni-binary-missing"},
	Applies:  checks.OnAll(checks.OnPlatform(node.RKE2), checks.OnCNI(node.Calico)),
	Needs:    []evidence.Need{evidence.Services, evidence.Processes, evidence.HNSNetworks},
	Signs: []checks.Sign{
		// pkg/bootstrap of RKE2: folders that are there are taken for complete at the next start
		// (rke2 9278), so only another extraction ends it.
		{Text: extractionFailed, Also: []string{"wsarecv: "}, In: []string{evidence.InEvents, "rke2"},
			Until: extractsAgain,
			Says:  "the connection broke while RKE2 extracted its runtime image: programs such as containerd.exe are missing"},
		// It tries again every five seconds for five minutes (pkg/windows/calico.go of RKE2), and
		// most often succeeds.
		{Text: "Calico startup failed", In: []string{evidence.InEvents, "rke2"},
			Level: checks.Warn, Says: "RKE2 reports that Calico failed to start"},
		// it tries again
		{Text: "Calico exited: exit status", In: []string{evidence.InEvents, "rke2"},
			ConfirmOnly: true},
		{Text: "no interface has the ip:", In: []string{evidence.InEvents, "rke2"},
			ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		svc, settled, err := settledRKE2(s)
		if err != nil || !settled || processRuns(s, "calico-node") {
			return nil, err
		}
		if _, there := node.About(s).PodNetwork(s); there {
			return nil, nil // it came up, and Felix ended later: another fault
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, "calico",
			"service %s is running, but Calico's process and HNS network are missing",
			svc.Name).
			At(svc.Field("state"), "%s: state %s", svc.Name, svc.State).
			At(evidence.Processes.Field(s), "none of its %d processes is calico-node.exe",
				len(evidence.Processes.In(s))).
			At(evidence.HNSNetworks.Field(s), "names: %s",
				networkNames(evidence.HNSNetworks.In(s)))}, nil
	},
})
