package checks

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

var _ = Register(Check{
	ID:       "outboundnat-exception-missing",
	Title:    "pod traffic inside the cluster is translated to the node's address",
	Category: CategoryNetwork,
	FAQ:      []int{4},
	Doc: `Windows translates what pods send to the node's address (OutBoundNAT), except to the destinations of an exception list. The cluster CIDR and the service CIDR must be on it: otherwise pod to pod and pod to Service traffic arrives with the node's address, and replies and network policies break.

The documentation also asks for the node's own subnet. That is right only where the subnet holds nothing but nodes, because hosts on the list cannot answer pods unless they have a route back; so its absence is only told. Calico adds networks at run time, and Azure CNI routes the service CIDR another way. The VPC CNI makes the list of its vpcCIDRs and serviceCIDR, so there only what HNS applies to pods is judged.`,
	Fix: Fix{
		Text:     "add the missing CIDR to the exceptions of the OutBoundNAT policy in the CNI configuration, in the start script too if one rewrites the file, and recreate the pods",
		Commands: []string{`notepad "{cniFile}"`},
		Impact:   "running pods keep the old list until they are recreated",
	},
	Links:    []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/", "https://github.com/Azure/AKS/issues/1859"},
	Explains: []string{"node-cannot-use-cluster-ip", "cluster-dns-unreachable", "dns-pqdn-with-dots"},
	Applies:  func(n *Node) error { return n.on(Flannel, Bridge, Overlay, WinCNI, GKE, Azure, VPC) },
	Needs:    []evidence.Need{evidence.Any(NeedCNIFiles, evidence.HNSEndpoints), evidence.Any(NeedClusterCIDRs, NeedServiceCIDRs)},
	Uses:     append(slices.Clone(clusterSources), evidence.HNSEndpoints, evidence.Node, evidence.HNSNetworks, evidence.Adapters),
	Run: func(s evidence.Snapshot) ([]Finding, error) {
		n := About(s)
		if f := n.Intended(); f != nil && f.Config != nil {
			if finding, bad := wrongShape(f); bad {
				return []Finding{finding}, nil
			}
		}
		lists := n.exceptionLists(s)
		if gap := evidence.HNSEndpoints.Gap(s); n.CNI.Value == VPC && gap != "" {
			return nil, Unknown(gap)
		}
		if len(lists) == 0 {
			return nil, Skip("neither the CNI configuration nor an endpoint has an OutBoundNAT policy")
		}
		required := []requiredPrefix{{"cluster CIDR", n.ClusterCIDRs}}
		if n.CNI.Value == VPC {
			required[0] = requiredPrefix{"VPC CIDR", n.vpcCIDRs()}
		}
		if n.CNI.Value != Azure {
			required = append(required, requiredPrefix{"service CIDR", n.ServiceCIDRs})
		}
		var findings []Finding
		blamed := map[string]bool{}
		for _, list := range lists {
			for _, r := range required {
				for _, want := range r.fact.Value {
					dualStack := want.Addr().Is4() || len(ofFamily(list.Prefixes, false)) > 0
					if !dualStack || anyHolds(list.Prefixes, want) || blamed[want.String()] {
						continue // the file and each of its pods lack the same CIDR: one finding
					}
					blamed[want.String()] = true
					f := Findingf(Fail, list.Of, "the %s %s is not among the OutBoundNAT exceptions of %s", r.name, want, list.Of)
					if list.Live && !lists[0].Live { // the file is right: pods from before the change keep the old list
						f = Findingf(Warn, list.Of, "%s still has OutBoundNAT exceptions without the %s %s, which the configuration now holds: recreate its pod", list.Of, r.name, want)
					}
					findings = append(findings, f.With(list.From, r.fact.From))
				}
			}
		}
		if pods := required[0].fact; len(findings) == 0 && !pods.Known() {
			return nil, Unknown(cmp.Or(pods.Gap, evidence.NotCollected+": the "+evidence.Gap(required[0].name)+" is not known"))
		}
		if len(findings) == 0 && n.CNI.Value != Azure && !n.ServiceCIDRs.Known() {
			return n.judgeServicesWithoutCIDR(lists)
		}
		return append(findings, n.managementHint(lists)...), nil
	},
})

type requiredPrefix struct {
	name string
	fact Fact[[]Prefix]
}

// vpcCIDRs are the networks that Amazon's plugin is told not to translate to: pods
// have addresses of the VPC.
func (n *Node) vpcCIDRs() (f Fact[[]Prefix]) {
	if file := n.Intended(); file != nil && file.Config != nil && len(file.Config.VPCCIDRs) > 0 {
		f.learn(parsePrefixes(file.Config.VPCCIDRs...), file.File.Path, "vpcCIDRs is %s", strings.Join(file.Config.VPCCIDRs, ", "))
	}
	return f
}

// judgeServicesWithoutCIDR falls back to the services that are known: an
// address of theirs outside the list convicts, all inside acquits.
func (n *Node) judgeServicesWithoutCIDR(lists []ExceptionList) ([]Finding, error) {
	ips := append(slices.Clone(n.ServiceIPs.Value), n.ClusterDNS.Value...)
	if len(ips) == 0 {
		return nil, Unknown(cmp.Or(n.ServiceCIDRs.Gap, evidence.NotCollected+": the service CIDR is not known"))
	}
	for _, ip := range ips {
		if !anyContains(lists[0].Prefixes, ip) {
			from := n.ServiceIPs.From
			if from.Path == "" {
				from = n.ClusterDNS.From
			}
			return []Finding{Findingf(Fail, lists[0].Of, "the service address %s is not among the OutBoundNAT exceptions of %s", ip, lists[0].Of).With(lists[0].From, from)}, nil
		}
	}
	return n.managementHint(lists), nil
}

// managementHint tells, on l2bridge, that the node's own subnet is not on the list.
func (n *Node) managementHint(lists []ExceptionList) []Finding {
	if n.Backend.Value != L2Bridge || len(n.ManagementIPs.Value) == 0 || n.CNI.Value == Azure || n.CNI.Value == GKE || lists[0].Live {
		return nil
	}
	ip := n.ManagementIPs.Value[0]
	if anyContains(lists[0].Prefixes, ip) {
		return nil
	}
	return []Finding{Findingf(Info, lists[0].Of, "the node's own subnet (%s) is not among the exceptions: pods reach nodes under the node's address, which is right where the subnet holds other hosts too", ip).
		With(lists[0].From, n.ManagementIPs.From)}
}

// wrongShape finds exceptions that win-bridge and win-overlay drop without a
// word, because they are written for the other version of the HNS interface.
func wrongShape(f *CNIFile) (Finding, bool) {
	switch strings.ToLower(strings.TrimSuffix(f.Config.EffectiveType(), ".exe")) {
	case "win-bridge", "win-overlay":
	default:
		return Finding{}, false
	}
	for _, e := range f.Config.Exceptions {
		if len(e.Exceptions) == 0 {
			continue
		}
		if v2 := f.Config.APIVersion == 2; v2 && e.Shape == "v1" || !v2 && e.Shape == "v2" {
			return Findingf(Fail, f.Name, "%s drops the OutBoundNAT exceptions: they are written for apiVersion %d, and the configuration says %d", f.Config.EffectiveType(), cond(v2, 1, 2), max(f.Config.APIVersion, 1)).
				AtLine(f.File.Path, e.Line, "exceptions "+strings.Join(e.Exceptions, ", ")), true
		}
	}
	return Finding{}, false
}
