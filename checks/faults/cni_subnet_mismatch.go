package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "cni-subnet-mismatch",
	Title:    "CNI configuration uses the wrong subnet",
	Healthy:  "CNI configuration uses the node's podCIDR",
	Category: checks.CategoryNetwork,
	FAQ:      []int{7},
	Doc: `Configurations that name their subnet themselves (ipam.subnet: wincni, win-bridge,
win-overlay, sdnbridge) must name the podCIDR of the node, and their gateway must be in it. After a
node was joined again, or where a template was not filled in, pods get addresses that other nodes do
not route here.

flannel writes the subnet into its delegate itself; there subnet.env counts.`,
	Fix: checks.Steps(
		checks.Edit("{cniFile}",
			"Set ipam.subnet to {podCIDR}, and the gateway to an address in it."),
		recreatePods(),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"pod addresses in {podCIDR}")),
	Links: []string{"https://www.cni.dev/plugins/current/ipam/host-local/",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems"},
	Breaks:   []*checks.Effect{effectPodStart, effectPodTraffic},
	Explains: []string{"endpoint-address-rejected"},
	Needs:    []evidence.Need{node.NeedCNIFiles},
	Uses:     []evidence.Need{node.NeedPodCIDRs, evidence.Node},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		f := n.Intended()
		if f == nil || f.Config == nil {
			return nil, checks.Unknown(noConfig(f))
		}
		ipam, family := f.Config.IPAM, node.FamilyOf(f.Config)
		subnets := node.ParsePrefixes(append(ipam.Ranges, ipam.Subnet)...)
		switch {
		case len(subnets) == 0 || family == node.NAT ||
			strings.EqualFold(strings.TrimSuffix(f.Config.Type, ".exe"), "flannel"):
			return nil, checks.Skip("the CNI configuration sets no subnet")
		case slices.Contains([]node.CNI{node.Azure, node.VPC, node.Antrea, node.OVN}, family):
			return nil, checks.Skip(
				"%s does not take the addresses of pods from the node's podCIDR", family)
		}
		var findings []*checks.Finding
		compared := false
		for _, subnet := range subnets {
			pod := node.OfFamily(n.PodCIDRs.Value, subnet.Addr().Is4())
			compared = compared || len(pod) > 0
			if len(pod) > 0 && !slices.Contains(pod, subnet) {
				findings = append(findings, checks.Findingf(checks.Fail, f.Name,
					"ipam.subnet is %s, and the node's podCIDR is %s", subnet, pod[0]).
					At(f.File.At(ipam.Spot), "ipam.subnet: %s", subnet).With(n.PodCIDRs.From).
					Cure(withFirst(fixOf("cni-subnet-mismatch"),
						checks.EditAt(s, lineFrom(f.File, ipam.Line, subnet.String()),
							func(line string) string {
								return strings.Replace(line, subnet.String(), pod[0].String(), 1)
							},
							"Set ipam.subnet to %s, the podCIDR of the node.", pod[0]))))
			}
		}
		for _, r := range ipam.Routes {
			gw, ok := node.ParseAddress(r.GW)
			same := node.OfFamily(subnets, gw.Is4())
			switch {
			case !ok || len(same) == 0, byACSEngine(f.Config, gw):
			case !node.AnyContains(same, gw):
				findings = append(findings, checks.Findingf(checks.Fail, f.Name,
					"the gateway %s of ipam.routes is outside ipam.subnet %s", gw, same[0]).
					At(f.File.At(ipam.Spot), "ipam.routes: GW %s", r.GW))
			case family == node.WinCNI && gw != node.NthAddress(same[0],
				2): // the first address is HNS's own, where nobody forwards
				findings = append(findings, checks.Findingf(checks.Fail, f.Name,
					"the gateway %s of ipam.routes is not %s, the address of the node's own endpoint", gw, node.NthAddress(same[0], 2)).
					At(f.File.At(ipam.Spot), "ipam.routes: GW %s", r.GW))
			}
		}
		if len(findings) == 0 && !compared {
			return nil, checks.Unknown(cmp.Or(n.PodCIDRs.Gap,
				evidence.NotDecided.Gap("the node's podCIDR is of the other address family")))
		}
		return findings, nil
	},
})
