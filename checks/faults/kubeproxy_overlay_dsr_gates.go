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

var _ = register(&checks.Check{
	ID:       "kubeproxy-overlay-dsr-gates",
	Title:    "kube-proxy feature gates are wrong for its version",
	Healthy:  "kube-proxy feature gates are right for its version",
	Category: checks.CategoryComponents,
	Doc: `kube-proxy exits at its start when it uses an overlay network without the feature gate
WinOverlay, or DSR without WinDSR. WinOverlay is on by default from 1.20, WinDSR from 1.33; earlier
versions require them to be set. From 1.34 both are locked, and turning one off is an error. A
release that has removed a gate does not start when the gate is set. IPv6DualStack cannot be turned
off from 1.23.

The check compares the gates, the DSR setting and the type of the pod network with kube-proxy's
version. For a removed gate it uses kube-proxy's own message.`,
	Fix: checks.Steps(
		checks.Do("Set WinOverlay=true (overlay, before 1.20) or WinDSR=true (--enable-dsr, before 1.33); from 1.34 remove both gates. From 1.23 remove IPv6DualStack=false."),
		checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
			Costs("Services are not reachable from this node until kube-proxy has programmed them."),
		checks.Verify("Get-Process kube-proxy", "one process kube-proxy")),
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
		{Text: "WinOverlay feature gate not enabled", Until: proxyStarted,
			Says: "kube-proxy exits: an overlay network requires feature gate WinOverlay"},
		// flanneld says so too, of the build or of an HNS that does not answer: overlay-update-missing
		{Text: "platform does not support feature Remote Subnet", ConfirmOnly: true},
		{Text: "WinDSR feature gate not enabled", Until: proxyStarted,
			Says: "kube-proxy exits: DSR requires feature gate WinDSR"},
		{Text: "cannot set feature gate WinOverlay to false", Until: proxyStarted,
			Says: "kube-proxy exits: feature gate WinOverlay cannot be turned off"},
		{Text: "cannot set feature gate WinDSR to false", Until: proxyStarted,
			Says: "kube-proxy exits: feature gate WinDSR cannot be turned off"},
		{Text: "cannot set feature gate IPv6DualStack to false", Until: proxyStarted,
			Says: "feature gate IPv6DualStack cannot be turned off"},
		{Text: "unrecognized feature gate: WinOverlay", Not: gateWarning, Until: proxyStarted,
			Says: "this version does not know feature gate WinOverlay", Fix: unknownGateFix},
		{Text: "unrecognized feature gate: WinDSR", Not: gateWarning, Until: proxyStarted,
			Says: "this version does not know feature gate WinDSR", Fix: unknownGateFix},
		{Text: "unrecognized feature gate: IPv6DualStack", Not: gateWarning, Until: proxyStarted,
			Says: "this version does not know feature gate IPv6DualStack", Fix: unknownGateFix},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		v, from, ok := n.ProxyVersion()
		if !ok {
			return nil, checks.Unknown(n.Kubelet.Gap)
		}
		var findings []*checks.Finding
		for _, gate := range windowsGates {
			set := n.Proxy().Gates[gate.name]
			off := set.Set && !set.On()
			wanted, why, reason := gate.wanted(n)
			switch {
			case off && v.Minor >= gate.locked:
				findings = append(findings, checks.Findingf(checks.Fail, "kube-proxy",
					"kube-proxy %s has feature gate %s=false, which is an error from v1.%d", v,
					gate.name,
					gate.locked).With(set.From, from).
					Cure(proxyFix(n, set.From, evidence.Phrasef("Remove the feature gate %s=false.",
						gate.name))))
			case wanted && off:
				findings = append(findings, checks.Findingf(checks.Fail, "kube-proxy",
					"kube-proxy has feature gate %s=false, but %s", gate.name,
					reason).With(set.From, why).
					Cure(proxyFix(n, set.From, evidence.Phrasef("Set the feature gate %s=true.",
						gate.name))))
			case wanted && !set.Set && v.Minor < gate.on && n.UnseenProxy().Kind == "" &&
				!proxyStays(n, s):
				findings = append(findings, checks.Findingf(checks.Fail, "kube-proxy",
					"kube-proxy %s requires feature gate %s=true, because %s (on by default from v1.%d)", v, gate.name, reason, gate.on).With(n.Proxy().From, why, from).
					Cure(proxyFix(n, n.Proxy().From,
						evidence.Phrasef("Set the feature gate %s=true.", gate.name))))
			}
		}
		if gap := n.UnseenProxy(); len(findings) == 0 && gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	},
})

var unknownGateFix = checks.Steps(
	checks.Do("Remove the feature gate that the error names from the flags or the configuration of kube-proxy, on AKS from kubeclusterconfig.json."),
	checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
		Costs("Services are not reachable from this node until kube-proxy has programmed them."),
	checks.Verify("Get-Process kube-proxy", "one process kube-proxy"))

// wanted tells whether kube-proxy needs the gate on this node, and why.
func (g windowsGate) wanted(n *node.Node) (bool, evidence.Because, evidence.Phrase) {
	switch {
	case g.name == "WinOverlay" && n.Backend.Known() && n.Backend.Value == node.OverlayNet:
		return true, n.Backend.From, evidence.Phrasef("the pod network is an overlay")
	case g.name == "WinDSR" && n.Proxy().EnableDSR.On():
		return true, n.Proxy().EnableDSR.From, evidence.Phrasef("it uses DSR")
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

// gateWarning is where the kubelet and kube-proxy of OpenShift warn of a gate that they do not know
// and go on: staging/src/k8s.io/component-base/featuregate of openshift/kubernetes. The second is the
// kubelet's: kubelet-setting-rejected.
var gateWarning = []string{"feature_gate.go:", "initial flags-based config"}
