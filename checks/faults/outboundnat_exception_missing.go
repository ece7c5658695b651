package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "outboundnat-exception-missing",
	Title:    "pod traffic inside the cluster is translated to the node's address",
	Category: checks.CategoryNetwork,
	FAQ:      []int{4},
	Doc: `Windows translates what pods send to the node's address (OutBoundNAT), except to the
destinations of an exception list. The cluster CIDR and the service CIDR must be on it: otherwise
pod to pod and pod to Service traffic arrives with the node's address, and replies and network
policies break.

The documentation also asks for the node's own subnet. That is right only where the subnet holds
nothing but nodes, because hosts on the list cannot answer pods unless they have a route back; so
its absence is only told. Calico adds networks at run time, and Azure CNI routes the service CIDR
another way. The VPC CNI makes the list of its vpcCIDRs and serviceCIDR, so there only what HNS
applies to pods is judged.`,
	Fix: checks.Steps(
		checks.Run(`notepad "{cniFile}"`,
			"add the missing CIDR to the exceptions of the OutBoundNAT policy in the CNI configuration, in the start script too if one rewrites the file, and recreate the pods").
			Costs("running pods keep the old list until they are recreated")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/Azure/AKS/issues/1859"},
	Breaks: []*checks.Effect{effectServices},
	Applies: func(n *node.Node) error {
		return checks.RequireCNI(n, node.Flannel, node.Bridge, node.Overlay, node.WinCNI, node.GKE,
			node.Azure, node.VPC)
	},
	Needs: []evidence.Need{evidence.Any(node.NeedCNIFiles, evidence.HNSEndpoints),
		evidence.Any(node.NeedClusterCIDRs, node.NeedServiceCIDRs)},
	Uses: append(slices.Clone(node.ClusterSources), evidence.HNSEndpoints, evidence.Node,
		evidence.HNSNetworks, evidence.Adapters),
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		if f := n.Intended(); f != nil && f.Config != nil {
			if finding, bad := wrongShape(f); bad {
				return []checks.Finding{finding}, nil
			}
		}
		lists := exceptionLists(n, s)
		if gap := evidence.HNSEndpoints.Gap(s); n.CNI.Value == node.VPC && gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		if len(lists) == 0 {
			return nil, checks.Skip(
				"neither the CNI configuration nor an endpoint has an OutBoundNAT policy")
		}
		required := []requiredPrefix{{evidence.Phrasef("cluster CIDR"), n.ClusterCIDRs}}
		if n.CNI.Value == node.VPC {
			required[0] = requiredPrefix{evidence.Phrasef("VPC CIDR"), vpcCIDRs(n)}
		}
		if n.CNI.Value != node.Azure {
			required = append(required, requiredPrefix{evidence.Phrasef("service CIDR"),
				n.ServiceCIDRs})
		}
		var findings []checks.Finding
		blamed := map[string]bool{}
		for _, list := range lists {
			for _, r := range required {
				for _, want := range r.fact.Value {
					dualStack := want.Addr().Is4() || len(node.OfFamily(list.prefixes, false)) > 0
					if !dualStack || node.AnyCovers(list.prefixes, want) || blamed[want.String()] {
						continue // the file and each of its pods lack the same CIDR: one finding
					}
					blamed[want.String()] = true
					f := checks.Findingf(checks.Fail, list.of,
						"the %s %s is not among the OutBoundNAT exceptions of %s", r.name, want,
						list.of)
					// the file is right: pods from before the change keep the old list
					if list.live && !lists[0].live {
						f = checks.Findingf(checks.Warn, list.of,
							"%s still has OutBoundNAT exceptions without the %s %s, which the configuration now holds: recreate its pod", list.of, r.name, want)
					}
					findings = append(findings, f.With(list.from, r.fact.From))
				}
			}
		}
		if pods := required[0].fact; len(findings) == 0 && !pods.Known() {
			return nil, checks.Unknown(cmp.Or(pods.Gap,
				evidence.NotShown.Gap("the "+required[0].name.String())))
		}
		if len(findings) == 0 && n.CNI.Value != node.Azure && !n.ServiceCIDRs.Known() {
			return judgeServicesWithoutCIDR(n, lists)
		}
		return append(findings, managementHint(n, lists)...), nil
	},
})

type requiredPrefix struct {
	name evidence.Phrase
	fact node.Fact[[]node.Prefix]
}

// vpcCIDRs are the networks that Amazon's plugin is told not to translate to: pods
// have addresses of the VPC.
func vpcCIDRs(n *node.Node) (f node.Fact[[]node.Prefix]) {
	if file := n.Intended(); file != nil && file.Config != nil && len(file.Config.VPCCIDRs) > 0 {
		f.Learn(node.ParsePrefixes(file.Config.VPCCIDRs...), file.Field("vpcCIDRs"),
			"vpcCIDRs is %s", strings.Join(file.Config.VPCCIDRs, ", "))
	}
	return f
}

// judgeServicesWithoutCIDR falls back to the services that are known: an
// address of theirs outside the list convicts, all inside acquits.
func judgeServicesWithoutCIDR(n *node.Node, lists []exceptionList) ([]checks.Finding, error) {
	ips := append(slices.Clone(n.ServiceIPs.Value), n.ClusterDNS.Value...)
	if len(ips) == 0 {
		return nil, checks.Unknown(cmp.Or(n.ServiceCIDRs.Gap,
			evidence.NotShown.Gap("the service CIDR")))
	}
	for _, ip := range ips {
		if !node.AnyContains(lists[0].prefixes, ip) {
			from := n.ServiceIPs.From
			if from.Path == "" {
				from = n.ClusterDNS.From
			}
			return []checks.Finding{checks.Findingf(checks.Fail, lists[0].of,
				"the service address %s is not among the OutBoundNAT exceptions of %s", ip,
				lists[0].of).With(lists[0].from, from)}, nil
		}
	}
	return managementHint(n, lists), nil
}

// managementHint tells, on l2bridge, that the node's own subnet is not on the list.
func managementHint(n *node.Node, lists []exceptionList) []checks.Finding {
	if n.Backend.Value != node.L2Bridge || len(n.ManagementIPs.Value) == 0 ||
		n.CNI.Value == node.Azure || n.CNI.Value == node.GKE || lists[0].live {
		return nil
	}
	ip := n.ManagementIPs.Value[0]
	if node.AnyContains(lists[0].prefixes, ip) {
		return nil
	}
	return []checks.Finding{checks.Findingf(checks.Info, lists[0].of,
		"the node's own subnet (%s) is not among the exceptions: pods reach nodes under the node's address, which is right where the subnet holds other hosts too", ip).
		With(lists[0].from, n.ManagementIPs.From)}
}

// wrongShape finds exceptions that win-bridge and win-overlay drop without a
// word, because they are written for the other version of the HNS interface.
func wrongShape(f *node.CNIFile) (checks.Finding, bool) {
	switch strings.ToLower(strings.TrimSuffix(f.Config.EffectiveType(), ".exe")) {
	case "win-bridge", "win-overlay":
	default:
		return checks.Finding{}, false
	}
	for _, e := range f.Config.Exceptions {
		if len(e.Exceptions) == 0 {
			continue
		}
		if v2 := f.Config.APIVersion == 2; v2 && e.Shape == "v1" || !v2 && e.Shape == "v2" {
			return checks.Findingf(checks.Fail, f.Name,
				"%s drops the OutBoundNAT exceptions: they are written for apiVersion %d, and the configuration says %d", f.Config.EffectiveType(), cond(v2, 1, 2), max(f.Config.APIVersion, 1)).
				At(f.File.At(e.Spot), "exceptions %s", strings.Join(e.Exceptions, ", ")), true
		}
	}
	return checks.Finding{}, false
}
