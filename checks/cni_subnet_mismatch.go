package checks

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

var _ = Register(Check{
	ID:       "cni-subnet-mismatch",
	Title:    "the CNI configuration hands out addresses of another subnet",
	Category: CategoryNetwork,
	FAQ:      []int{7},
	Doc: `Configurations that name their subnet themselves (ipam.subnet: wincni, win-bridge, win-overlay, sdnbridge) must name the podCIDR of the node, and their gateway must lie in it. After a node was joined again, or where a template was not filled in, pods get addresses that other nodes do not route here.

flannel writes the subnet into its delegate itself; there subnet.env counts.`,
	Fix: Fix{
		Text:     "set ipam.subnet in the CNI configuration to {podCIDR} and its gateway to an address in it, and recreate the pods",
		Commands: []string{`notepad "{cniDir}"`},
		Impact:   "pods with an address from the old subnet must be recreated",
	},
	Links:    []string{"https://www.cni.dev/plugins/current/ipam/host-local/", "https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems"},
	Explains: []string{"pods-stuck-creating", "vm-mac-spoofing-disabled", "node-cannot-use-cluster-ip", "dns-pqdn-with-dots"},
	Needs:    []evidence.Need{NeedCNIFiles},
	Uses:     []evidence.Need{NeedPodCIDRs, evidence.Node},
	Run: func(s evidence.Snapshot) ([]Finding, error) {
		n := About(s)
		f := n.Intended()
		if f == nil || f.Config == nil {
			return nil, Unknown(noConfig(f))
		}
		ipam := f.Config.IPAM
		subnet, ok := parsePrefix(ipam.Subnet)
		if !ok || strings.EqualFold(f.Config.Type, "flannel") || familyOf(f.Config) == NAT {
			return nil, Skip("the CNI configuration names no subnet of its own")
		}
		var findings []Finding
		pod := ofFamily(n.PodCIDRs.Value, subnet.Addr().Is4())
		if len(pod) > 0 && !slices.Contains(pod, subnet) {
			findings = append(findings, Findingf(Fail, f.Name, "ipam.subnet is %s, and the node's podCIDR is %s", ipam.Subnet, pod[0]).
				At(f.File.Path, "ipam.subnet: %s", ipam.Subnet).With(n.PodCIDRs.From))
		}
		for _, r := range ipam.Routes {
			if gw, ok := parseAddress(r.GW); ok && gw.Is4() == subnet.Addr().Is4() && !subnet.Contains(gw) {
				findings = append(findings, Findingf(Fail, f.Name, "the gateway %s of ipam.routes lies outside ipam.subnet %s", gw, ipam.Subnet).
					At(f.File.Path, "ipam.routes: GW %s", r.GW))
			}
		}
		if len(findings) == 0 && len(pod) == 0 {
			return nil, Unknown(cmp.Or(n.PodCIDRs.Gap, evidence.NotCollected+": the node's podCIDR is of the other address family"))
		}
		return findings, nil
	},
})
