package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// How many drops of one kind are more than what a boot or a change of the network leaves, and from
// which number on the AKS log analysis reports all of them together.
const (
	dropsOfComponent = 10
	dropsTogether    = 100
)

var componentPrograms = []string{"kubelet", "kube-proxy", "kubeproxy", "containerd", "flanneld",
	"calico-node", "azure-vnet", "csi-proxy", "rke2", "k3s"}

var _ = register(&checks.Check{
	ID:       "wfp-drops",
	Title:    "Windows drops packets of node components",
	Healthy:  "Windows drops no packets of node components",
	Category: checks.CategoryNetwork,
	Doc: `The Windows Filtering Platform (WFP) applies the rules of the firewall, of other security
products and of HNS, and keeps the last packets that a filter dropped. Drops of the kubelet's or
kube-proxy's packets, or of packets to the kubelet's port or the VXLAN port, mean that a rule keeps
the node from working: the API server does not reach the kubelet, or pods do not reach other nodes.

The check counts the drops of the last day: doctor asks netsh on a live node, collectlogs.ps1
records them in netevents.xml. Ten of one kind that concern a component are a warning. Any machine
drops broadcasts and probes; from 100 on the number is reported as info.`,
	Fix: checks.Steps(
		checks.Inspect("netsh wfp show netevents file=-",
			"Read the drops and the ID of their filter."),
		checks.Inspect("netsh wfp show filters file=-",
			"Find the filter with that ID: its name is the one of the rule."),
		checks.Do("Allow the traffic in that rule, or in the product that made it."),
		checks.Verify("netsh wfp show netevents file=-", "no new drop of the same kind")),
	Links: []string{
		"https://learn.microsoft.com/en-us/windows/win32/fwp/auditing-and-logging",
		"https://github.com/Azure/AgentBaker/blob/dev/.github/skills/windows-log-analysis/sub-skills/analyze-hns.md"},
	Explains: []string{"firewall-blocks-10250", "component-port-closed"},
	Needs:    []evidence.Need{evidence.WFPInfo},
	Uses: slices.Concat([]evidence.Need{evidence.Node}, node.KubeletSources,
		node.ProxySources),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		w, n := evidence.WFPInfo.In(s), node.About(s)
		ports := []int{n.KubeletPort(s).Number, n.ProxyHealthPort().Number, 4789}
		var findings []*checks.Finding
		for i, d := range w.Drops {
			if !ofNode(d, ports) || d.Count < dropsOfComponent ||
				!d.Last.IsZero() && s.Now().Sub(d.Last.Time) > checks.LongAgo {
				continue
			}
			findings = append(findings, checks.Findingf(checks.Warn,
				orPhrase(d.Program, verbatim("port")).String(),
				"Windows dropped %d packets %s %s (%s), filter %s", d.Count, directionOf(d),
				peerOf(d), orUnknown(d.Program), orUnknown(d.Filter)).
				At(evidence.WFPInfo.Field(s, "drops", i), "%s %s port %d, %s port %d: %d packets",
					d.Protocol, d.LocalAddress, d.LocalPort, d.RemoteAddress, d.RemotePort,
					d.Count))
		}
		if len(findings) == 0 && w.Total >= dropsTogether {
			findings = append(findings, checks.Findingf(checks.Info, "WFP",
				"Windows dropped %d packets; none is known to concern a node component",
				w.Total).
				At(evidence.WFPInfo.Field(s, "drops"), "%d kinds", len(w.Drops)))
		}
		return findings, nil
	},
})

// ofNode tells whether packets are those of a component, or are for a port of the node.
func ofNode(d evidence.WFPDrop, ports []int) bool {
	return node.EqualsAny(node.Program(d.Program), componentPrograms) ||
		!strings.EqualFold(d.Direction, "out") && slices.Contains(ports, d.LocalPort)
}

func directionOf(d evidence.WFPDrop) evidence.Phrase {
	switch d.Direction {
	case "in":
		return evidence.Phrasef("from")
	case "out":
		return evidence.Phrasef("to")
	}
	return evidence.Phrasef("from or to")
}

// peerOf is the other side of the packets, and the port that they were for.
func peerOf(d evidence.WFPDrop) evidence.Phrase {
	if d.Direction == "out" {
		return evidence.Phrasef("%s port %d/%s", d.RemoteAddress, d.RemotePort, d.Protocol)
	}
	return evidence.Phrasef("%s to port %d/%s", d.RemoteAddress, d.LocalPort, d.Protocol)
}
