package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "component-port-closed",
	Title:    "kubelet or kube-proxy does not listen on its port",
	Healthy:  "kubelet and kube-proxy listen on their ports",
	Category: checks.CategoryComponents,
	Doc: `The API server reaches the kubelet at port 10250 for kubectl logs, exec and metrics. Probes of
load balancers ask kube-proxy at 10256. A component can run without its port: another program has
it, Windows has reserved it, or it listens on an address that others cannot reach.

The check reads the listeners of a node whose kubelet or kube-proxy has been running for two
minutes, and the ports from the Node object, the kubelet's configuration and the flags. A port that
is switched off (0 or an empty address) does not count. Components that run inside of another
program, such as that of k3s, are judged by the port alone.`,
	Fix: checks.Steps(
		checks.Inspect("Get-NetTCPConnection -State Listen | Where-Object LocalPort -in 10248,10249,10250,10256 | Select-Object LocalAddress, LocalPort, OwningProcess",
			"See which program has the port."),
		checks.Do("Free the port, or correct the address in the configuration."),
		checks.Run("{restart kubelet}", "Restart the kubelet if it is about its port."),
		checks.Verify("kubectl get --raw /api/v1/nodes/{node}/proxy/healthz", "ok")),
	Links: []string{"https://kubernetes.io/docs/reference/networking/ports-and-protocols/"},
	Needs: []evidence.Need{evidence.Ports, evidence.Processes},
	Uses: slices.Concat([]evidence.Need{evidence.Node, evidence.HNSNetworks}, node.KubeletSources,
		node.ProxySources),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		// Windows always listens on its RPC port; a list without it was chosen by hand
		if !slices.ContainsFunc(evidence.Ports.In(s).Listener, func(l evidence.PortListener) bool {
			return l.Port == rpcPort && strings.EqualFold(l.Protocol, "tcp")
		}) {
			return nil, checks.Unknown(evidence.NotShown.Gap("the ports on which programs listen"))
		}
		looked := false
		var findings []*checks.Finding
		for _, want := range portsWanted(node.About(s), s) {
			looked = true
			findings = append(findings, want.look(s)...)
		}
		if proxy := node.About(s).Components["kube-proxy"]; !looked && settled(s, proxy) && !evidence.HNSNetworks.Known(s) {
			return nil, checks.Unknown(evidence.HNSNetworks.Gap(s)) // it opens its ports behind the network
		}
		if !looked {
			return nil, checks.Skip("kubelet and kube-proxy have not been running for two minutes")
		}
		return findings, nil
	},
})

// rpcPort is that of the RPC endpoint mapper.
const rpcPort = 135

// An openPort is a TCP port on which a component listens.
type openPort struct {
	component string
	port      int
	outside   bool // others must reach it
	from      evidence.Because
}

// settled tells whether a component runs and had time to open its ports.
func settled(s evidence.Snapshot, c *node.Component) bool {
	return len(c.Processes) > 0 && !slices.ContainsFunc(c.Processes, func(p evidence.Process) bool {
		return p.StartedAt.IsZero() || s.Now().Sub(p.StartedAt.Time) < 2*time.Minute
	})
}

// portsWanted lists the ports of components that run and had time to open them.
func portsWanted(n *node.Node, s evidence.Snapshot) []openPort {
	var list []openPort
	add := func(component string, port node.OwnPort, outside bool) {
		if port.Gap.Kind != "" || port.Number == 0 {
			return
		}
		if port.From.Path == "" {
			p := n.Components[component].Processes[0]
			port.From = p.Field("pid").Because("process %s", p.Name)
		}
		list = append(list, openPort{component, port.Number, outside, port.From})
	}
	if settled(s, n.Components["kubelet"]) {
		add("kubelet", n.KubeletPort(s), true)
		add("kubelet", n.KubeletHealthPort(s), false)
	}
	if settled(s, n.Components["kube-proxy"]) {
		if _, there := n.PodNetwork(s); !there {
			return list // kube-proxy waits for the network before it opens ports
		}
		if len(n.Proxy().Flags) > 0 {
			add("kube-proxy", n.ProxyMetricsPort(), false)
			add("kube-proxy", n.ProxyHealthPort(), false)
		}
	}
	return list
}

// look finds the listener of the port.
func (w openPort) look(s evidence.Snapshot) []*checks.Finding {
	closed := true
	var only evidence.Because
	for i, l := range evidence.Ports.In(s).Listener {
		if l.Port != w.port || !strings.EqualFold(l.Protocol, "tcp") {
			continue
		}
		closed = false
		place := evidence.Ports.Field(s, "listeners", i)
		if l.Process != "" && !strings.EqualFold(node.Program(l.Process), w.component) &&
			(strings.EqualFold(node.Program(l.Process), "kubelet") ||
				strings.EqualFold(node.Program(l.Process), "svchost") ||
				strings.EqualFold(node.Program(l.Process), "kube-proxy")) {
			return []*checks.Finding{checks.Findingf(checks.Warn, w.component,
				"%s does not have its port %d: %s listens on it", w.component, w.port, l.Process).
				At(place, "%s listens on %s", l.Process, l.Address).With(w.from)}
		}
		ip, ok := node.ParseAddress(l.Address)
		if !w.outside || !ok || !ip.IsLoopback() {
			return nil
		}
		only = place.Because("%s listens on %s", l.Process, l.Address)
	}
	if closed {
		return []*checks.Finding{checks.Findingf(checks.Warn, w.component,
			"%s runs, but nothing listens on its port %d", w.component, w.port).
			At(evidence.Ports.Field(s, "listeners"), "%d listeners, none on TCP port %d",
				len(evidence.Ports.In(s).Listener), w.port).With(w.from)}
	}
	return []*checks.Finding{checks.Findingf(checks.Warn, w.component,
		"%s listens on port %d of the loopback address only: the API server cannot reach it",
		w.component, w.port).With(only, w.from)}
}
