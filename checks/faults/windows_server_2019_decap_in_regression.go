package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

// The revisions of build 17763 with the regression: from the update of August
// 2020 (KB4571748) until the one of October 20th, 2020 (KB4580390).
const (
	decapFirst = 1432
	decapFixed = 1554
)

var _ = register(checks.Check{
	ID:       "windows-server-2019-decap-in-regression",
	Title:    "the Windows update of this node loses the way of pods to Services",
	Category: checks.CategoryNetwork,
	Doc: `The cumulative updates of Windows Server 2019 of August and September 2020 have a
regression: when HNS is restarted, which a reboot does as well, the virtual switch loses the layer
DECAP_IN, and pods may no longer reach Services. HNS shows nothing of it: networks, endpoints and
load balancers are all there. The update of the third week of October 2020 mends it.

No text and no object betrays the fault, so the check goes by the build's revision, and by probes
where there are any: it fails where a pod does not reach a Service, and warns where none was tried
or all are well so far.`,
	Fix: checks.Steps(
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"install the current cumulative update of Windows Server 2019 (KB4580390 or any later one); until then, before each restart of HNS or of the machine, stop kube-proxy and remove the load balancers").
			Costs("the reboot stops every pod of this node"),
		checks.Run("sconfig", ""),
		checks.Run("Stop-Service kube-proxy; Get-HnsPolicyList | Remove-HnsPolicyList; Restart-Computer", "")),
	Links: []string{"https://github.com/microsoft/Windows-Containers/issues/61",
		"https://support.microsoft.com/help/4580390"},
	Breaks: []*checks.Effect{effectServices},
	Applies: func(n *node.Node) error {
		if n.Build.Known() && n.Build.Value.Number != 17763 {
			return checks.Skip("the regression is one of build 17763, and this is %d",
				n.Build.Value.Number)
		}
		return nil
	},
	Needs: []evidence.Need{node.NeedBuild},
	Uses: append(append([]evidence.Need{}, node.ClusterSources...), evidence.ReachProbes,
		evidence.OSInfo, evidence.Node, evidence.EndpointSlices),
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		b := n.Build
		switch {
		case b.Value.UBR < 0:
			return nil, checks.Unknown(evidence.NotShown.Gap("the revision of the Windows build"))
		case b.Value.UBR < decapFirst || b.Value.UBR >= decapFixed:
			return nil, nil
		}
		for _, p := range evidence.ReachProbes.In(s) {
			dest, ok := probed.AddressOf(p)
			if ok && p.From != "node" && p.Protocol != "icmp" && isService(n, dest) &&
				probed.GotNoAnswer(p) && !noEndpoint(s, dest) {
				return []checks.Finding{checks.Findingf(checks.Fail, b.Value.String(),
					"%s does not reach the Service address %s, and %s has the regression that loses the way there when HNS restarts", p.From, p.Target, b.Value).
					With(b.From, probed.ReachBecause(p))}, nil
			}
		}
		return []checks.Finding{checks.Findingf(checks.Warn, b.Value.String(),
			"%s loses the way of pods to Services when HNS restarts; 10.0.17763.%d (KB4580390) or later does not", b.Value, decapFixed).With(b.From)}, nil
	},
})
