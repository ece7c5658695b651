package faults

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "wsaeacces-excluded-port",
	Title:    "Windows reserves a port of a node component",
	Healthy:  "Ports of node components are not reserved by Windows",
	Category: checks.CategoryComponents,
	Doc: `HNS, WinNAT and Hyper-V reserve ranges of ports at their start. Some installers and group
policies move the dynamic port range down. A reserved range can then include the kubelet's 10250 or
kube-proxy's 10256, and listening on the port fails with WSAEACCES. The ranges change with each
boot, so the fault comes and goes.

The check compares the excluded ranges with the ports of the kubelet and kube-proxy, with host
ports of pods that are not running, and with ports that were refused to HostProcess containers that are
down. Ports in use are not affected: administrators exclude single
ports to protect them, and HNS excludes the ports that it publishes. Without the list of listeners
the check cannot run.`,
	Fix: checks.Steps(
		checks.Run("netsh int ipv4 set dynamicport tcp start=49152 num=16384",
			"Restore the default dynamic port range."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Move the pods to other nodes.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Run("Restart-Computer",
			"Reboot the node: Windows reserves its port ranges at the boot."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Verify("netsh int ipv4 show excludedportrange protocol=tcp",
			"no range that includes the port")),
	Links: []string{"https://github.com/kubernetes-sigs/sig-windows-dev-tools/issues/118",
		"https://github.com/dotnet/dotnet-monitor/issues/147",
		"https://learn.microsoft.com/en-us/troubleshoot/windows-server/networking/default-dynamic-port-range-tcpip-chang"},
	Breaks: []*checks.Effect{effectKubeletStart, effectNodeReports, effectKubeProxy,
		effectServices, effectPodStart, effectContainers},
	Partial:  true,
	Explains: []string{"component-port-closed"},
	Needs:    []evidence.Need{evidence.Ports},
	Uses: slices.Concat([]evidence.Need{evidence.Pods, evidence.Node, evidence.Logs("pods")}, node.KubeletSources,
		node.ProxySources),
	Signs: []checks.Sign{
		{Text: "bind: An attempt was made to access a socket in a way forbidden by its", // a console may break the line here
			Also:  []string{"listen "},
			Not:   []string{"listen unix"},
			Until: slices.Concat(nodeRegistered, proxyStarted),
			Says:  "a component cannot listen on its port: it is reserved or used by another process"},
		// .NET, Python and Node.js; the first in Windows' language
		{Text: "SocketException (10013)", Or: []string{"forbidden by its access permissions", "[WinError 10013]", "listen EACCES: permission denied"},
			In: inContainers, ConfirmOnly: true},
		// Kestrel names the address in a line of its own
		{Text: "Failed to bind to address ", Not: []string{"address already in use"}, In: inContainers, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		table := evidence.Ports.In(s)
		if len(table.Listener) == 0 {
			return nil, checks.Unknown(
				evidence.NotShown.Gap(
					"which ports are in use, and one of those may be in an excluded range"))
		}
		if table.Excluded == nil {
			return nil, checks.Unknown(evidence.NotShown.Gap("which ports Windows reserves"))
		}
		var findings []*checks.Finding
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
			f := checks.Findingf(level, w.owner.String(),
				"%s cannot listen on %s port %d: Windows reserves ports %d to %d", w.owner,
				w.protocol,
				w.port, e.Start, e.End).
				At(evidence.Ports.Field(s, "excluded", at),
					"excluded: %s %d to %d; no process listens on %d", w.protocol, e.Start, e.End,
					w.port)
			if w.refused.Path != "" {
				f.Level, f.Basis = checks.Fail, checks.ByBoth
				f = f.With(checks.Quote(w.refused)).Cure(otherPortFix)
			}
			findings = append(findings, f)
		}
		return findings, nil
	},
})

// A wantedPort is one that somebody must be able to bind.
type wantedPort struct {
	owner    evidence.Phrase
	protocol string
	port     int
	refused  evidence.SignMatch // what a HostProcess container says
}

// otherPortFix is for programs whose port anybody may choose.
var otherPortFix = checks.Steps(
	checks.Inspect("netsh int ipv4 show excludedportrange protocol=tcp", "Read which ranges of ports Windows reserves."),
	checks.Do("Set another port in the pod, below 49152 and outside of these ranges: the default dynamic ports begin there.").
		Costs("The pods of the workload are recreated."),
	checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running"))

// refusedPort is the port in what Go, Kestrel, Node.js and asyncio say when they cannot listen.
var refusedPort = regexp.MustCompile(`listen (udp)?(?:tcp)?[46]? \S*:(\d+): bind|[Bb]ind (?:to|on) address ()(?:https?://\S*:|\('[^']*', )(\d+)|` +
	`listen EACCES: permission denied ()\S*:(\d+)`)

// refusedPorts are the ports that were refused to the containers of a HostProcess pod that are down.
func refusedPorts(s evidence.Snapshot, p evidence.Pod) (list []wantedPort) {
	for _, st := range p.Statuses() {
		if !p.HostProcess() || !node.ContainerDown(st) {
			continue
		}
		said := saidIn(s, "wsaeacces-excluded-port", p, st.Name)
		if !slices.ContainsFunc(said, func(m evidence.SignMatch) bool { return !strings.HasPrefix(m.Text, "Failed to bind") }) {
			continue
		}
		for _, m := range said {
			w := wantedPort{owner: verbatim("pod " + p.FullName()), protocol: "tcp", refused: m}
			parts := refusedPort.FindStringSubmatch(m.Found)
			if parts == nil {
				continue
			}
			if parts[1] != "" {
				w.protocol = parts[1]
			}
			w.port, _ = strconv.Atoi(parts[2] + parts[4] + parts[6])
			list = append(list, w)
		}
	}
	return list
}

// wantedPorts are the ports of the node's components, those that were refused to containers in the network
// of the host, and the host ports of pods that wait: HNS itself excludes the port of one that runs.
func wantedPorts(s evidence.Snapshot) []wantedPort {
	n, none := node.About(s), evidence.SignMatch{}
	list := []wantedPort{{evidence.Phrasef("the kubelet"), "tcp", n.KubeletPort(s).Number, none},
		{evidence.Phrasef("the kubelet"), "tcp", n.KubeletHealthPort(s).Number, none},
		{verbatim("kube-proxy"), "tcp", n.ProxyMetricsPort().Number, none},
		{verbatim("kube-proxy"), "tcp", n.ProxyHealthPort().Number, none}}
	for _, p := range evidence.Pods.In(s) {
		for _, w := range refusedPorts(s, p) {
			if !slices.ContainsFunc(list, func(o wantedPort) bool { return o.port == w.port && o.protocol == w.protocol }) {
				list = append(list, w) // kube-proxy may be a pod
			}
		}
		if p.Status.Phase == "Pending" {
			for _, h := range hostPortsOf(p) {
				list = append(list, wantedPort{verbatim("pod " + p.FullName()), h.protocol, h.port, none})
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
