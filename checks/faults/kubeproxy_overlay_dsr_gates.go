package faults

import (
	"slices"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// A windowsGate is a feature gate of kube-proxy with the releases that changed it.
type windowsGate struct {
	name string
	on   int // minor release from which it is on by default
	// minor release from which it cannot be turned off; setting it on is allowed until it is removed
	locked int
}

var windowsGates = []windowsGate{{"WinOverlay", 20, 34}, {"WinDSR", 33, 34},
	{"IPv6DualStack", 21, 23}}

var _ = register(checks.Check{
	ID:       "kubeproxy-overlay-dsr-gates",
	Title:    "kube-proxy's feature gates do not fit its release and what it is to do",
	Category: checks.CategoryComponents,
	Doc: `kube-proxy exits at once where it is to use an overlay network without the gate
WinOverlay, or DSR without WinDSR: WinOverlay is on by default from 1.20 on, WinDSR from 1.33 on,
before that they must be set. From 1.34 on both are fixed, so that turning one off is an error, and
a release that has removed a gate does not start with it at all. IPv6DualStack cannot be turned off
from 1.23 on.

The check compares the gates, the DSR setting and the type of the pod network with kube-proxy's
release; for a gate that has been removed it goes by kube-proxy's own message.`,
	Fix: checks.Steps(
		checks.Run("nssm get kube-proxy AppParameters",
			"set the gates that this release wants: WinOverlay=true on an overlay before 1.20, WinDSR=true with --enable-dsr before 1.33, neither from 1.34 on; then start kube-proxy again").
			Costs("Services do not answer from this node until kube-proxy has programmed them"),
		checks.Run("nssm edit kube-proxy", ""),
		checks.Run("{restart kube-proxy}", ""),
		checks.Run("kubectl -n kube-system edit daemonset kube-proxy-windows    # where it runs as a pod", "")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/windows-networking/",
		"https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/",
		"https://github.com/kubernetes-sigs/sig-windows-tools/pull/207",
		"https://github.com/kubernetes/kubernetes/pull/142125",
	},
	Breaks:  []*checks.Effect{effectKubeProxy, effectServiceRules, effectContainers},
	Partial: true,
	Needs:   []evidence.Need{node.NeedProxySettings, evidence.Node},
	Uses:    slices.Concat(node.ProxySources, node.CNISources),
	Signs: []checks.Sign{
		{Text: "WinOverlay feature gate not enabled",
			Says: "kube-proxy exits: an overlay network needs its gate WinOverlay"},
		{Text: "platform does not support feature Remote Subnet",
			Says: "kube-proxy exits: this build of Windows lacks what an overlay network needs"},
		{Text: "WinDSR feature gate not enabled",
			Says: "kube-proxy exits: DSR needs its gate WinDSR"},
		{Text: "cannot set feature gate WinOverlay to false",
			Says: "kube-proxy exits: its gate WinOverlay can no longer be turned off"},
		{Text: "cannot set feature gate WinDSR to false",
			Says: "kube-proxy exits: its gate WinDSR can no longer be turned off"},
		{Text: "cannot set feature gate IPv6DualStack to false",
			Says: "the gate IPv6DualStack can no longer be turned off"},
		{Text: "unrecognized feature gate: WinOverlay",
			Says: "this release no longer knows the gate WinOverlay"},
		{Text: "unrecognized feature gate: WinDSR",
			Says: "this release no longer knows the gate WinDSR"},
		{Text: "unrecognized feature gate: IPv6DualStack",
			Says: "this release no longer knows the gate IPv6DualStack"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		v, from, ok := n.ProxyVersion()
		if !ok {
			return nil, checks.Unknown(n.Kubelet.Gap)
		}
		var findings []checks.Finding
		for _, gate := range windowsGates {
			set := n.Proxy().Gates[gate.name]
			off := set.Set && !set.On()
			wanted, why, reason := gate.wanted(n)
			switch {
			case off && v.Minor >= gate.locked:
				findings = append(findings, checks.Findingf(checks.Fail, "kube-proxy",
					"kube-proxy %s is told %s=false, which it refuses from v1.%d on", v, gate.name,
					gate.locked).With(set.From, from))
			case wanted && off:
				findings = append(findings, checks.Findingf(checks.Fail, "kube-proxy",
					"kube-proxy is told %s=false, and %s", gate.name, reason).With(set.From, why))
			case wanted && !set.Set && v.Minor < gate.on && n.UnseenProxy().Kind == "" &&
				!proxyStays(n, s):
				findings = append(findings, checks.Findingf(checks.Fail, "kube-proxy",
					"kube-proxy %s is not told %s=true, and %s; it is on by default from v1.%d on only", v, gate.name, reason, gate.on).With(n.Proxy().From, why, from))
			}
		}
		if gap := n.UnseenProxy(); len(findings) == 0 && gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	},
})

// wanted tells whether kube-proxy needs the gate on this node, and why.
func (g windowsGate) wanted(n *node.Node) (bool, evidence.Because, evidence.Phrase) {
	switch {
	case g.name == "WinOverlay" && n.Backend.Known() && n.Backend.Value == node.OverlayNet:
		return true, n.Backend.From, evidence.Phrasef("the pod network is an overlay")
	case g.name == "WinDSR" && n.Proxy().EnableDSR.On():
		return true, n.Proxy().EnableDSR.From, evidence.Phrasef("it is to use DSR")
	}
	return false, evidence.Because{}, evidence.Phrase{}
}

// proxyStays tells whether a kube-proxy has been up for longer than it takes to
// exit over a gate: then the gate is set where nobody looked.
func proxyStays(n *node.Node, s evidence.Snapshot) bool {
	return slices.ContainsFunc(n.Components["kube-proxy"].Processes, func(p evidence.Process) bool {
		return !p.StartedAt.IsZero() && s.Now().Sub(p.StartedAt.Time) > time.Minute
	}) && len(liveSigns(s, "kubeproxy-overlay-dsr-gates")) == 0
}
