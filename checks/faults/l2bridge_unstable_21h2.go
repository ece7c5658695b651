package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// The builds of Windows Server 2022 and its updates.
const (
	ws2022           = 20348
	july2024UBR      = 2582 // KB5040437
	october2024UBR   = 2762 // KB5044281
	july2024Update   = "KB5040437"
	october2024Patch = "KB5044281"
)

var _ = register(&checks.Check{
	ID:       "l2bridge-unstable-21h2",
	Title:    "Node connections are unstable with l2bridge (Server 2022)",
	Healthy:  "Node connections are stable with l2bridge",
	Category: checks.CategoryNetwork,
	Doc: `On Windows Server 2022 before the update of October 2024 the host's connections could
break for some seconds and come back, repeatedly, from the moment the first l2bridge network was
created. Microsoft reproduced it, and could not reproduce it with that update. No cause was
published.

No log shows it. The check requires repeated probes of one target: it warns if some were answered
and some timed out on such a build with an l2bridge network. A single failed probe concerns its
target.`,
	Fix: checks.Steps(
		checks.Do("Install the current cumulative update of Windows Server 2022: %s or later.",
			october2024Patch).
			Costs("The update reboots the node and stops its pods."),
		checks.Do("Until then, use an overlay network, which is not affected."),
		checks.Verify(
			`(Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion').UBR`,
			"%d or higher", october2024UBR)),
	Links: []string{"https://github.com/microsoft/Windows-Containers/issues/439",
		"https://support.microsoft.com/help/5044281"},
	Breaks: []*checks.Effect{effectNodeReady},
	Applies: func(n *node.Node) error {
		if !n.Build.Known() {
			return checks.Unknown(n.Build.Gap)
		}
		if b := n.Build.Value; b.Number != ws2022 || b.UBR >= october2024UBR {
			return checks.Skip(
				"the node runs %s; only Windows Server 2022 before %d.%d is affected", b, ws2022,
				october2024UBR)
		}
		return nil
	},
	Needs: []evidence.Need{node.NeedBuild, evidence.HNSNetworks, evidence.ReachProbes},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var bridge evidence.HNSNetwork
		for _, net := range evidence.HNSNetworks.In(s) {
			if net.Type == string(node.L2Bridge) {
				bridge = net
			}
		}
		if bridge.Name == "" {
			return nil, checks.Skip("HNS has no network of type L2Bridge")
		}
		type line struct{ from, target, protocol string }
		answered, lost := map[line]int{}, map[line]int{}
		for _, p := range evidence.ReachProbes.In(s) {
			l := line{p.From, p.Target, p.Protocol}
			switch p.Outcome {
			case "ok":
				answered[l]++
			case "timeout":
				lost[l]++
			}
			if answered[l] < repeated || lost[l] < repeated {
				continue
			}
			return []*checks.Finding{checks.Findingf(checks.Warn, p.Target,
				"connections to %s from %s fail intermittently, with L2Bridge network %s on %s",
				p.Target, p.From, bridge.Name, node.About(s).Build.Value).
				At(p.Field("outcome"), "%s to %s from %s: ok and timeout, at least %d times each",
					p.Protocol, p.Target, p.From, repeated).
				With(node.About(s).Build.From, bridge.Field("Type").Because("%s: type %s",
					bridge.Name, node.L2Bridge))}, nil
		}
		return nil, nil
	},
})

// repeated is how often each outcome must have been seen to be no chance.
const repeated = 2
