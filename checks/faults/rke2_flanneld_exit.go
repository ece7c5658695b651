package faults

import (
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// rke2Patience: RKE2 starts its parts one after the other, and the first start pulls images.
const rke2Patience = 10 * time.Minute

var _ = register(&checks.Check{
	ID:       "rke2-flanneld-exit",
	Title:    "flanneld exited under RKE2",
	Healthy:  "flanneld is running under RKE2",
	Category: checks.CategoryComponents,
	Doc: `On Windows RKE2 starts flanneld as a child process and does not restart it. The node's
network keeps working until the next pod is created or the next reboot. flanneld exits when it finds
no interface with the node's address, cannot connect to the API server, or another program removes
its network; the reason is in its log. kube-proxy fails next, because it needs an address that is
reserved on flannel's network.

The check looks for the process flanneld.exe where service rke2 is running.`,
	Fix: checks.Steps(
		checks.Run("Restart-Service rke2", "Restart RKE2, which starts flanneld.").
			Costs("The node's kubelet, kube-proxy and network agents restart. The network is interrupted for a few seconds."),
		checks.Inspect(
			`Get-Content C:\var\lib\rancher\rke2\agent\logs\flanneld.log -Tail 30 -ErrorAction SilentlyContinue`,
			"If flanneld exits again, read the error in its log and fix it."),
		checks.Verify("Get-Process flanneld", "one process flanneld")),
	Links: []string{"https://github.com/rancher/rke2/blob/master/pkg/windows/flannel.go",
		"https://github.com/rancher/rke2/pull/5703",
		"https://github.com/rancher/rke2/issues/7215",
		"https://github.com/rancher/rke2/issues/1762",
		"https://github.com/rancher/rke2/issues/9324"},
	Breaks: []*checks.Effect{effectFlanneld, effectSubnetEnv, effectHNSNetwork,
		effectKubeProxy, effectPodStart, effectNodeReady},
	Explains: []string{"source-vip-invalid", "vxlan-return-path-missing"},
	Applies:  checks.OnAll(checks.OnPlatform(node.RKE2), checks.OnCNI(node.Flannel)),
	Needs:    []evidence.Need{evidence.Services, evidence.Processes},
	Signs: []checks.Sign{
		// 0xc000013a is the end by Ctrl+C, as at a shutdown.
		{Text: "Flanneld has an error: exit status", Not: []string{"exit status 1.", "0xc000013a",
			"3221225786"}, In: []string{evidence.InEvents, "rke2"},
			Says: "RKE2 reports that flanneld exited with an error"},
		{Text: "Flanneld has an error: exit status 1.", Level: checks.Warn,
			In:   []string{evidence.InEvents, "rke2"},
			Says: "RKE2 reports that flanneld exited: a fault unless RKE2 itself was stopping"},
		// Since 1.34.3 RKE2 starts it again after a second, and is silent where it stops itself
		// (pkg/windows/flannel.go).
		{Text: "Flanneld exited, restarting", Also: []string{"exit status"},
			Not: []string{"0xc000013a", "3221225786"}, In: []string{evidence.InEvents, "rke2"},
			Lasts: time.Minute,
			Says:  "RKE2 reports that flanneld exited with an error"},
		{Text: "no source vip reserved", In: []string{evidence.InEvents, "rke2"},
			Says: "RKE2 could not reserve kube-proxy's source VIP on flannel's network"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		svc, settled, err := settledRKE2(s)
		if err != nil || !settled || processRuns(s, "flanneld") {
			return nil, err
		}
		if _, exited := liveSign(s, "rke2-flanneld-exit"); !exited && !processRuns(s, "kubelet") {
			return nil, checks.Skip("the kubelet is not running, and RKE2 starts flanneld after it")
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, "flanneld",
			"service %s is running, but its child flanneld is not: RKE2 does not restart it",
			svc.Name).
			At(svc.Field("state"), "%s: state %s", svc.Name, svc.State).
			At(evidence.Processes.Field(s), "none of its %d processes is flanneld.exe",
				len(evidence.Processes.In(s)))}, nil
	},
})

// settledRKE2 tells whether RKE2 has run for so long that what it starts should
// be there. A list of processes that somebody began by hand tells nothing.
func settledRKE2(s evidence.Snapshot) (evidence.Service, bool, error) {
	svc, there := node.ServiceNamed(s, "rke2")
	if !there {
		return svc, false, checks.Unknown(evidence.NotShown.Gap("the service rke2"))
	}
	list := evidence.Processes.In(s)
	if len(list) < fewProcesses {
		return svc, false, checks.Unknown(evidence.ListIncomplete.Gap("processes"))
	}
	for _, p := range list {
		if node.EqualsAny(node.Program(p.Name), []string{"rke2"}) &&
			s.Now().Sub(p.StartedAt.Time) < rke2Patience {
			return svc, false, nil
		}
	}
	return svc, svc.Running(), nil
}
