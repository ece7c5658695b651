package faults

import (
	"slices"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(checks.Check{
	ID:       "wsaeacces-excluded-port",
	Title:    "Windows keeps a port on which a component of the node must listen",
	Category: checks.CategoryComponents,
	Doc: `HNS, WinNAT and Hyper-V reserve whole ranges of ports when they start. Where the
dynamic range was moved down, as some installers and group policies do, such a range may cover the
kubelet's 10250 or kube-proxy's 10256, and whoever binds the port gets WSAEACCES. After the next
boot the ranges lie elsewhere, so the fault comes and goes.

The check compares the excluded ranges with the ports of the kubelet and kube-proxy, and with host
ports of pods that do not run. A port that is in use has nothing to fear: administrators exclude
single ports to protect them, and HNS those that it publishes itself. Without the list of listeners
nothing is said.`,
	Fix: checks.Steps(
		checks.Run("netsh int ipv4 show excludedportrange protocol=tcp",
			"move the dynamic range back to where Windows has it, keep the component's port for it, and reboot so that the ranges are handed out anew").
			Costs("the reboot stops every pod of this node: drain it first"),
		checks.Run("netsh int ipv4 set dynamicport tcp start=49152 num=16384", ""),
		checks.Run("Restart-Computer", "")),
	Links: []string{"https://github.com/kubernetes-sigs/sig-windows-dev-tools/issues/118",
		"https://learn.microsoft.com/en-us/troubleshoot/windows-server/networking/default-dynamic-port-range-tcpip-chang"},
	Breaks: []*checks.Effect{effectKubeletStart, effectNodeReports, effectKubeProxy,
		effectServices, effectPodStart, effectContainers},
	Partial: true,
	Needs:   []evidence.Need{evidence.Ports},
	Uses:    []evidence.Need{evidence.Pods},
	Signs: []checks.Sign{
		{Text: "bind: An attempt was made to access a socket in a way forbidden by its access permissions", Also: []string{"listen "},
			Says: "Windows does not let a component listen on its port: it is excluded, or another process holds it for itself"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		table := evidence.Ports.In(s)
		if len(table.Listener) == 0 {
			return nil, checks.Unknown(
				evidence.NotShown.Gap(
					"which ports are in use, and one of those may be in an excluded range"))
		}
		if table.Excluded == nil {
			return nil, checks.Unknown(evidence.NotShown.Gap("which ports Windows reserves"))
		}
		var findings []checks.Finding
		for _, w := range wantedPorts(s) {
			at := exclusionOf(table, w)
			if at < 0 || len(listenersOn(table, w.protocol, w.port)) > 0 {
				continue
			}
			e, level := table.Excluded[at], checks.Warn
			for _, m := range s.Signs("wsaeacces-excluded-port") {
				if strings.Contains(m.Found, ":"+strconv.Itoa(w.port)+":") {
					level = checks.Fail // it has been refused already
				}
			}
			findings = append(findings, checks.Findingf(level, w.owner.String(),
				"%s cannot listen on %s port %d: Windows keeps %d to %d", w.owner, w.protocol,
				w.port, e.Start, e.End).
				At(evidence.Ports.Field(s, "excluded", at),
					"excluded: %s %d to %d; nobody listens on %d", w.protocol, e.Start, e.End,
					w.port))
		}
		return findings, nil
	},
})

// A wantedPort is one that somebody must be able to bind.
type wantedPort struct {
	owner    evidence.Phrase
	protocol string
	port     int
}

// wantedPorts are the fixed ports of the node's components, and the host ports
// of pods that wait: HNS itself excludes the port of one that runs.
func wantedPorts(s evidence.Snapshot) []wantedPort {
	list := []wantedPort{{evidence.Phrasef("the kubelet"), "tcp", 10250},
		{evidence.Phrasef("the kubelet"), "tcp", 10248}, {verbatim("kube-proxy"), "tcp", 10249},
		{verbatim("kube-proxy"), "tcp", 10256}}
	for _, p := range evidence.Pods.In(s) {
		if p.Status.Phase == "Pending" {
			for _, h := range hostPortsOf(p) {
				list = append(list, wantedPort{verbatim("pod " + p.FullName()), h.protocol, h.port})
			}
		}
	}
	return list
}

func exclusionOf(table evidence.PortTable, w wantedPort) int {
	return slices.IndexFunc(table.Excluded, func(e evidence.ExcludedPorts) bool {
		return strings.EqualFold(e.Protocol, w.protocol) && e.Start <= w.port && w.port <= e.End
	})
}
