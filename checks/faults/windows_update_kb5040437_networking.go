package faults

import (
	"fmt"
	"net/netip"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "windows-update-kb5040437-networking",
	Title:    "Windows update KB5040437 makes the firewall block pods",
	Healthy:  "Windows update KB5040437 does not block pods",
	Category: checks.CategoryNetwork,
	FAQ:      []int{3},
	Doc: `The cumulative updates of Windows Server 2022 from July 2024 (KB5040437, 20348.2582) to
September 2024 enable a change of HNS's firewall rules by default, FwPerfImprovementChange. With
Calico and other overlays the host's firewall then drops pod traffic: the node itself is healthy,
but its pods reach nothing or get "an attempt was made to access a socket in a way forbidden by its
access permissions". The update of October 2024 (KB5044281, 20348.2762) fixes it.

The build alone is reported as info, because the registry may disable the change, which no recording
shows. It is a fault if pods reach nothing and the node does, or if pods log that error. AKS enables
the change itself. The error has other causes on other builds.`,
	Fix: checks.Steps(
		checks.Run(`reg add HKLM\SYSTEM\CurrentControlSet\Services\hns\State /v FwPerfImprovementChange /t REG_DWORD /d 0 /f; Restart-Service hns -Force`,
			"Switch the change off until %s or a later cumulative update is installed, and restart HNS.",
			october2024Patch).
			Costs("All pods of {node} lose their network. Services that depend on HNS stop, and may stay stopped."),
		startKubelet(),
		restartAgentAfterHNS(),
		restartProxyAfterHNS(),
		recreatePods(),
		checks.Do("Install %s or a later cumulative update.", october2024Patch).
			Costs("The reboot stops every pod of this node."),
		checks.Verify("kubectl exec POD -n NAMESPACE -- curl.exe -sS -m 5 https://HOST",
			"an answer of the host")),
	Links: []string{"https://github.com/microsoft/Windows-Containers/issues/516",
		"https://github.com/projectcalico/calico/issues/9019",
		"https://github.com/projectcalico/calico/issues/9043",
		"https://github.com/projectcalico/calico/issues/8529",
		"https://support.microsoft.com/help/5040437", "https://support.microsoft.com/help/5044281"},
	Breaks:   []*checks.Effect{effectPodTraffic, effectServiceRules, effectPodStart},
	Explains: []string{"acl-or-networkpolicy-blocks", "wsaeacces-excluded-port"},
	Applies: func(n *node.Node) error {
		switch b := n.Build.Value; {
		case !n.Build.Known():
			return checks.Unknown(n.Build.Gap)
		case b.Number == ws2022 && b.UBR < 0:
			return checks.Unknown(evidence.NotShown.Gap("the revision of the Windows build"))
		case b.Number != ws2022 || b.UBR < july2024UBR || b.UBR >= october2024UBR:
			return checks.Skip("the node runs %s (affected: %d.%d up to, not including, %d.%d)", b,
				ws2022, july2024UBR, ws2022, october2024UBR)
		case n.Platform.Value == node.AKS:
			return checks.Skip("AKS enables this change and supports it")
		}
		return nil
	},
	Needs: []evidence.Need{node.NeedBuild},
	Uses: []evidence.Need{evidence.ReachProbes, evidence.Pods, evidence.HNSEndpoints,
		node.NeedServiceCIDRs},
	Signs: []checks.Sign{
		// Excluded ports and ACLs say the same, so the build must be known.
		{Text: "access a socket in a way forbidden by its access permissions",
			Not: []string{"listen tcp", "listen udp", "bind:"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		b := n.Build.Value
		reached, lost, fromNode := podProbes(s, n)
		switch {
		case len(reached) > 0:
			return []*checks.Finding{checks.Findingf(checks.Info, b.String(),
					"Build %s has the firewall change of %s; pods reach %s, so it is harmless here",
					b, july2024Update, reached[0].Target).
					With(n.Build.From).At(reached[0].Field("outcome"), "%s",
					probeText(reached[0]))},
				nil
		case len(lost) > 0 && len(fromNode) > 0 && len(podsWithoutEndpoint(s)) == 0:
			return []*checks.Finding{checks.Findingf(checks.Fail, b.String(),
					"Pods reach no host, the node does: build %s has %s, which makes the firewall block pods", b, july2024Update).
					With(n.Build.From).At(lost[0].Field("outcome"), "%s",
					probeText(lost[0])).At(fromNode[0].Field("outcome"), "%s",
					probeText(fromNode[0]))},
				nil
		}
		for _, m := range s.Signs("windows-update-kb5040437-networking") {
			if m.Over == "" {
				f := checks.Findingf(checks.Fail, b.String(),
					"Pods are denied connections: build %s has %s, which makes the firewall block pods", b, july2024Update).With(n.Build.From, checks.Quote(m))
				f.Basis = checks.ByBoth
				return []*checks.Finding{f}, nil
			}
		}
		for _, p := range evidence.Pods.In(s) {
			if ownsAddress(p) && p.Ready() {
				return []*checks.Finding{checks.Findingf(checks.Info, b.String(),
					"Build %s has the firewall change of %s, which blocks pods on some networks (%s is Ready, not probed)", b, july2024Update, p.FullName()).
					With(n.Build.From)}, nil
			}
		}
		return []*checks.Finding{checks.Findingf(checks.Info, b.String(),
			"Build %s has the firewall change of %s, which blocks pods on some networks (no sign of it here)", b, july2024Update).With(n.Build.From)}, nil
	},
})

// podProbes are the TCP probes: those of pods that were answered, those to other
// hosts that were not, and those of the node that were answered. A Service or a
// name that does not answer may be kube-proxy's fault or that of DNS.
func podProbes(s evidence.Snapshot, n *node.Node) (reached, lost, fromNode []evidence.ReachProbe) {
	for _, p := range evidence.ReachProbes.In(s) {
		// somebody answered
		ok := p.Outcome == "ok" || p.Outcome == "refused" || p.Outcome == "reset"
		switch {
		case p.Protocol == "icmp":
		case p.From == "node" && ok:
			fromNode = append(fromNode, p)
		case p.From != "node" && ok:
			reached = append(reached, p)
		case p.From != "node" && p.From != "" && wasSent(p):
			target, err := netip.ParseAddrPort(p.Target)
			if err == nil && n.ServiceCIDRs.Known() && !node.AnyContains(n.ServiceCIDRs.Value,
				target.Addr()) {
				lost = append(lost, p)
			}
		}
	}
	return reached, lost, fromNode
}

// wasSent tells a probe that somebody kept from its target from one that never
// left: a pod without curl.exe says nothing of the network.
func wasSent(p evidence.ReachProbe) bool {
	switch p.Outcome {
	case "error":
		return false
	case "denied":
		// WSAEACCES, as the update has it
		return p.Why == "" || strings.Contains(p.Why, "forbidden by its access permissions")
	}
	return true
}

func probeText(p evidence.ReachProbe) string {
	return fmt.Sprintf("%s to %s from %s: %s", p.Protocol, p.Target, p.From, p.Outcome)
}
