package faults

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "subnet-env-stale",
	Title:    "flannel subnet.env does not match this node",
	Healthy:  "flannel subnet.env matches this node",
	Category: checks.CategoryNetwork,
	FAQ:      []int{7, 9},
	Doc: `flannel's CNI plugin reads the pod subnet from subnet.env. A node that was deleted and
joined again has another podCIDR; with the old file pods get addresses that belong to a different
node. The plugin also refuses a file without FLANNEL_NETWORK, FLANNEL_SUBNET, FLANNEL_MTU or
FLANNEL_IPMASQ.

FLANNEL_SUBNET is the first usable address with the length of the CIDR: 10.244.2.1/24 for the
podCIDR 10.244.2.0/24.`,
	Fix: checks.Steps(
		checks.Run(`Remove-Item C:\run\flannel\subnet.env`,
			"Delete the file: flanneld writes it again for {podCIDR}."),
		checks.Run("{restart flanneld}", "Restart flanneld.").
			Costs("If flanneld recreates the HNS network, the node loses its network for a few seconds."),
		recreatePods(),
		checks.Verify(`Get-Content C:\run\flannel\subnet.env`,
			"FLANNEL_SUBNET is in {podCIDR}")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/flannel-io/cni-plugin"},
	Breaks:   []*checks.Effect{effectPodStart, effectPodTraffic},
	Explains: []string{"source-vip-invalid"},
	Applies:  checks.OnFlannel,
	Needs:    []evidence.Need{evidence.File(node.SubnetEnv)},
	Uses: slices.Concat([]evidence.Need{node.NeedPodCIDRs, evidence.Node, evidence.Services,
		evidence.Processes}, node.CNISources),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		f := s.File(node.About(s).SubnetFile()) // one at the usual place may be left over
		switch f.Gap.Kind {
		case evidence.Absent:
			return nil, checks.Skip("subnet.env is missing (see flannel-subnet-env-missing)")
		case evidence.NotCollected:
			return nil, checks.Unknown(f.Gap)
		}
		env := evidence.DecodeFlannelSubnet(f.Text)
		var findings []*checks.Finding
		if len(env.Missing) > 0 {
			findings = append(findings, checks.Findingf(checks.Fail, node.SubnetEnv,
				"%s does not set %s: the CNI plugin refuses the file", node.SubnetEnv,
				strings.Join(env.Missing, ", ")).
				At(evidence.InFile(f.Path), "missing: %s", strings.Join(env.Missing, ", ")))
		}
		if f.BOM {
			findings = append(findings, checks.Findingf(checks.Fail, node.SubnetEnv,
				"%s begins with a byte order mark: the CNI plugin ignores its first line",
				node.SubnetEnv).
				At(evidence.InLine(f.Path, 1), "a byte order mark is in front"))
		}
		subnet, ok := node.ParsePrefix(env.Subnet)
		if !ok {
			if env.Subnet != "" {
				findings = append(findings, checks.Findingf(checks.Fail, "FLANNEL_SUBNET",
					"FLANNEL_SUBNET %q is not a CIDR", env.Subnet).At(evidence.InLine(f.Path,
					env.Lines["FLANNEL_SUBNET"]), "FLANNEL_SUBNET=%s", env.Subnet))
			}
			return findings, nil
		}
		if networks := node.ParsePrefixes(env.Network); len(networks) > 0 &&
			!node.AnyCovers(networks, subnet) {
			outside := checks.Findingf(checks.Fail, "FLANNEL_SUBNET",
				"FLANNEL_SUBNET %s is outside FLANNEL_NETWORK %s", env.Subnet, env.Network).
				At(evidence.InLine(f.Path, env.Lines["FLANNEL_NETWORK"]),
					"FLANNEL_NETWORK=%s FLANNEL_SUBNET=%s", env.Network, env.Subnet)
			if slices.Contains(node.About(s).PodCIDRs.Value, subnet) { // flannel's own configuration names another network
				outside = outside.Explaining("outboundnat-exception-missing").Cure(flannelNetworkFix())
			}
			findings = append(findings, outside)
		}
		pod := node.OfFamily(node.About(s).PodCIDRs.Value, subnet.Addr().Is4())
		if len(pod) > 0 && !slices.Contains(pod, subnet) && !flannelOnEtcd(node.About(s)) {
			findings = append(findings, checks.Findingf(checks.Fail, "FLANNEL_SUBNET",
				"FLANNEL_SUBNET is %s (expected: the node's podCIDR %s)", env.Subnet, pod[0]).
				At(evidence.InLine(f.Path, env.Lines["FLANNEL_SUBNET"]), "FLANNEL_SUBNET=%s",
					env.Subnet).With(node.About(s).PodCIDRs.From).
				Cure(withFirst(fixOf("subnet-env-stale"), checks.EditAt(s,
					evidence.InLine(f.Path, env.Lines["FLANNEL_SUBNET"]), func(string) string {
						return fmt.Sprintf("FLANNEL_SUBNET=%s/%d", node.NthAddress(pod[0], 1),
							pod[0].Bits())
					}, "Set FLANNEL_SUBNET to the node's podCIDR."))))
		}
		if len(findings) == 0 && len(pod) == 0 {
			return nil, checks.Unknown(cmp.Or(node.About(s).PodCIDRs.Gap,
				evidence.NotDecided.Gap("the node's podCIDR is of the other address family")))
		}
		return findings, nil
	},
})
