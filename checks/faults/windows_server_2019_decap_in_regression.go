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

var _ = register(&checks.Check{
	ID:       "windows-server-2019-decap-in-regression",
	Title:    "Windows update breaks the path from pods to Services",
	Healthy:  "Windows build has no regression on the path to Services",
	Category: checks.CategoryNetwork,
	Doc: `The cumulative updates of Windows Server 2019 of August and September 2020 have a
regression: when HNS is restarted, which a reboot does as well, the virtual switch loses the layer
DECAP_IN, and pods may no longer reach Services. HNS does not show it: networks, endpoints and load
balancers all exist. The update of the third week of October 2020 (KB4580390) fixes it.

No log line and no object shows the fault, so the check uses the build's revision and the probes: it
is a fault if a pod cannot reach a Service, and a warning if no Service was probed or all answered.`,
	Fix: checks.Steps(
		checks.Run("wusa.exe UPDATE.msu /quiet /norestart",
			"Download the current cumulative update of Windows Server 2019 (KB4580390 or later) and install it."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Move the pods to other nodes.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Run("Restart-Computer", "Reboot the node."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Verify(`(Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion').UBR`,
			"1554 or more")),
	Links: []string{"https://github.com/microsoft/Windows-Containers/issues/61",
		"https://support.microsoft.com/help/4580390"},
	Breaks: []*checks.Effect{effectServices},
	Applies: func(n *node.Node) error {
		if n.Build.Known() && n.Build.Value.Number != 17763 {
			return checks.Skip("the regression affects build 17763 only (found: %d)",
				n.Build.Value.Number)
		}
		return nil
	},
	Needs: []evidence.Need{node.NeedBuild},
	Uses: append(append([]evidence.Need{}, node.ClusterSources...), evidence.ReachProbes,
		evidence.OSInfo, evidence.Node, evidence.EndpointSlices),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
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
				return []*checks.Finding{checks.Findingf(checks.Fail, b.Value.String(),
					"%s cannot reach the Service address %s: Windows build %s has the DECAP_IN regression", p.From, p.Target, b.Value).
					With(b.From, probed.ReachBecause(p))}, nil
			}
		}
		return []*checks.Finding{checks.Findingf(checks.Warn, b.Value.String(),
			"Windows build %s breaks pod access to Services when HNS restarts (fixed in 10.0.17763.%d, KB4580390)", b.Value, decapFixed).With(b.From)}, nil
	},
})
