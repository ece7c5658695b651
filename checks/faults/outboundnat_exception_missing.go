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
	ID:       "outboundnat-exception-missing",
	Title:    "Pod traffic inside the cluster is NATed to the node address",
	Healthy:  "Pod traffic inside the cluster is not NATed",
	Category: checks.CategoryNetwork,
	FAQ:      []int{4},
	Doc: `Windows translates outgoing pod traffic to the node's address (OutBoundNAT), except for
the destinations in an exception list. The cluster CIDR and the service CIDR must be on it:
otherwise pod to pod and pod to Service traffic arrives with the node's address, and replies and
network policies break.

The documentation also requires the node's own subnet. That is right only if the subnet contains
nothing but nodes, because hosts on the list cannot answer pods without a route back; so a missing
entry is reported as info only. Calico adds networks at run time, and Azure CNI routes the service
CIDR in another way; there, the subnets of all nodes must be on the list. The VPC CNI builds the list from its vpcCIDRs and serviceCIDR, so there only
the policies that HNS applies to pods are checked. Of two exceptions with the same address and other prefix
lengths, Windows Server 2019 applied only the first: the second is reported as info if it is larger.`,
	Fix: checks.Steps(
		checks.Edit("{cniFile}",
			"Add the missing CIDR to the exceptions of the OutBoundNAT policy."),
		checks.Do("If a start script writes this file, correct the script, too."),
		recreatePods(),
		checks.Verify("Get-HnsEndpoint | ConvertTo-Json -Depth 10",
			"an OutBoundNAT policy with the missing CIDR on each new endpoint")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/Azure/AKS/issues/1859",
		"https://github.com/Azure/application-gateway-kubernetes-ingress/issues/535",
		"https://github.com/Azure/aks-engine/pull/901"},
	Breaks: []*checks.Effect{effectServices},
	Applies: func(n *node.Node) error {
		return checks.RequireCNI(n, node.Flannel, node.Bridge, node.Overlay, node.WinCNI, node.GKE,
			node.Azure, node.VPC)
	},
	Needs: []evidence.Need{evidence.Any(node.NeedCNIFiles, evidence.HNSEndpoints),
		evidence.Any(node.NeedClusterCIDRs, node.NeedServiceCIDRs)},
	Uses: append(slices.Clone(node.ClusterSources), evidence.HNSEndpoints, evidence.Node,
		evidence.HNSNetworks, evidence.Adapters, evidence.Nodes),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		if f := n.Intended(); f != nil && f.Config != nil {
			if finding, bad := wrongShape(f); bad {
				return []*checks.Finding{finding}, nil
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
		exempt := n.CNI.Value == node.Azure || gkeRoutesServices(n, s) || acsEngineRoutesServices(n)
		if !exempt {
			required = append(required, requiredPrefix{evidence.Phrasef("service CIDR"),
				n.ServiceCIDRs})
		}
		var findings []*checks.Finding
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
						"The %s %s is missing from the OutBoundNAT exceptions of %s", r.name, want,
						list.of)
					// the file is right: pods from before the change keep the old list
					if list.live && !lists[0].live {
						f = checks.Findingf(checks.Warn, list.of,
							"%s has outdated OutBoundNAT exceptions without the %s %s: recreate its pod", list.of, r.name, want)
					}
					if !list.live {
						f = f.Cure(withFirst(fixOf("outboundnat-exception-missing"),
							addException(s, n.Intended(), want.String())))
					}
					findings = append(findings, f.With(list.from, r.fact.From))
				}
			}
		}
		if f, err := otherSubnet(n, s, lists[0]); len(findings) == 0 && (f != nil || err != nil) {
			return f, err
		}
		if pods := required[0].fact; len(findings) == 0 && !pods.Known() {
			return nil, checks.Unknown(cmp.Or(pods.Gap,
				evidence.NotShown.Gap("the "+required[0].name.String())))
		}
		if len(findings) == 0 && !exempt && !n.ServiceCIDRs.Known() {
			return judgeServicesWithoutCIDR(n, lists)
		}
		return append(findings, managementHint(n, lists)...), nil
	},
})

// otherSubnet finds a node of the cluster in a subnet of the VNet that is not on the list, where the
// node's own subnet is: with Azure CNI, pods have addresses of the VNet and answer with them.
func otherSubnet(n *node.Node, s evidence.Snapshot, list exceptionList) ([]*checks.Finding, error) {
	own := node.ParseAddresses(evidence.Node.In(s).InternalIPs()...)
	if n.CNI.Value != node.Azure || len(own) == 0 || !node.AnyContains(list.prefixes, own[0]) {
		return nil, nil
	}
	if gap := evidence.Nodes.Gap(s); gap.Kind != "" {
		return nil, checks.Unknown(gap)
	}
	for _, other := range evidence.Nodes.In(s) {
		for _, ip := range node.ParseAddresses(other.InternalIPs()...) {
			if ip.Is4() && !node.AnyContains(list.prefixes, ip) {
				return []*checks.Finding{checks.Findingf(checks.Warn, list.of,
					"the OutBoundNAT exceptions of %s have the subnet of this node, but not the one of node %s (%s)",
					list.of, other.Metadata.Name, ip).
					With(list.from).At(other.AddressField(ip.String()), "%s: InternalIP %s", other.Metadata.Name, ip).
					Cure(withFirst(fixOf("outboundnat-exception-missing"),
						checks.Do("Use the address range of the whole VNet instead of the subnet of the nodes.")))}, nil
			}
		}
	}
	return nil, nil
}

// gkeRoutesServices tells whether the node's configuration is that of GKE's node-setup script, which
// lists GKE's non-masquerade ranges and puts the service CIDR into a route policy only, for which
// route-policy-missing looks: kubernetes/kubernetes, cluster/gce/windows/k8s-node-setup.psm1,
// Configure_Containerd_CniNetworking.
func gkeRoutesServices(n *node.Node, s evidence.Snapshot) bool {
	if n.CNI.Value != node.GKE {
		return false
	}
	f := n.Intended()
	if f == nil || f.Config == nil {
		return !slices.ContainsFunc(evidence.HNSEndpoints.In(s), func(e evidence.HNSEndpoint) bool {
			return !e.Remote && len(e.OutBoundNAT()) > 0 && !routesToServices(n, e)
		})
	}
	return slices.ContainsFunc(f.Config.Routes, func(r evidence.CNIRoute) bool { return r.NeedEncap })
}

// acsEngineRoutesServices tells whether acs-engine or aks-engine wrote the configuration: the service
// CIDR is in a route policy only.
func acsEngineRoutesServices(n *node.Node) bool {
	f := n.Intended()
	return f != nil && f.Config != nil && slices.ContainsFunc(f.Config.IPAM.Routes, func(r evidence.CNIGateway) bool {
		gw, ok := node.ParseAddress(r.GW)
		return ok && byACSEngine(f.Config, gw)
	})
}

// byACSEngine tells whether acs-engine or aks-engine wrote a configuration with that gateway for its mode
// kubenet: pods use the gateway of the node's own subnet, which is an exception, and services have a
// route policy (Azure/aks-engine, kubeletstart.ps1, Update-CNIConfigKubenetDocker).
func byACSEngine(c *evidence.CNIConfig, gw node.Address) bool {
	subnet, ok := node.ParsePrefix(c.IPAM.Subnet)
	return ok && !subnet.Contains(gw) &&
		slices.ContainsFunc(c.Exceptions, func(e evidence.CNIExceptions) bool {
			return node.AnyContains(node.ParsePrefixes(e.Exceptions...), gw)
		}) &&
		slices.ContainsFunc(c.Routes, func(r evidence.CNIRoute) bool { return r.NeedEncap })
}

// addException is the edit of the line that holds an exception already.
func addException(s evidence.Snapshot, f *node.CNIFile, cidr string) *checks.Step {
	known := ""
	for _, e := range f.Config.Exceptions {
		if len(e.Exceptions) > 0 {
			known = e.Exceptions[0]
		}
	}
	return editException(s, f, known, `"`+known+`", "`+cidr+`"`,
		"Add %s to the OutBoundNAT exceptions.", cidr)
}

// editException puts other entries in place of one entry of the exception list.
func editException(s evidence.Snapshot, f *node.CNIFile, entry, by, format string,
	args ...any) *checks.Step {
	line, listed := 0, false
	for i, text := range strings.Split(f.File.Text, "\n") {
		listed = listed || strings.Contains(strings.ToLower(text), "exception")
		if listed && line == 0 && strings.Contains(text, `"`+entry+`"`) {
			line = i + 1
		}
	}
	return checks.EditAt(s, evidence.InLine(f.File.Path, line), func(text string) string {
		head, tail := "", text
		if at := strings.Index(strings.ToLower(text), "exception"); at >= 0 {
			head, tail = text[:at], text[at:]
		}
		return head + strings.Replace(tail, `"`+entry+`"`, by, 1)
	}, format, args...)
}

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
func judgeServicesWithoutCIDR(n *node.Node, lists []exceptionList) ([]*checks.Finding, error) {
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
			return []*checks.Finding{checks.Findingf(checks.Fail, lists[0].of,
				"The Service address %s is missing from the OutBoundNAT exceptions of %s", ip,
				lists[0].of).With(lists[0].from, from)}, nil
		}
	}
	return managementHint(n, lists), nil
}

// managementHint tells that Windows may leave an exception out, and, on l2bridge, that the node's own
// subnet is not on the list.
func managementHint(n *node.Node, lists []exceptionList) []*checks.Finding {
	for _, list := range lists {
		for i, p := range list.prefixes {
			at := slices.IndexFunc(list.prefixes[:i], func(q node.Prefix) bool {
				return q.Addr() == p.Addr() && q.Bits() > p.Bits()
			})
			if at >= 0 {
				return []*checks.Finding{checks.Findingf(checks.Info, list.of,
					"exceptions %s and %s of %s begin with the same address: Windows may apply only the first",
					list.prefixes[at], p, list.of).With(list.from)}
			}
		}
	}
	if n.Backend.Value != node.L2Bridge || len(n.ManagementIPs.Value) == 0 ||
		n.CNI.Value == node.Azure || n.CNI.Value == node.GKE || lists[0].live {
		return nil
	}
	ip := n.ManagementIPs.Value[0]
	if node.AnyContains(lists[0].prefixes, ip) {
		return nil
	}
	return []*checks.Finding{checks.Findingf(checks.Info, lists[0].of,
		"The node's subnet (%s) is not among the exceptions: normal if the subnet contains hosts outside the cluster", ip).
		With(lists[0].from, n.ManagementIPs.From)}
}

// wrongShape finds exceptions that win-bridge and win-overlay drop without a
// word, because they are written for the other version of the HNS interface.
func wrongShape(f *node.CNIFile) (*checks.Finding, bool) {
	switch strings.ToLower(strings.TrimSuffix(f.Config.EffectiveType(), ".exe")) {
	case "win-bridge", "win-overlay":
	default:
		return nil, false
	}
	for _, e := range f.Config.Exceptions {
		if len(e.Exceptions) == 0 {
			continue
		}
		if v2 := f.Config.APIVersion == 2; v2 && e.Shape == "v1" || !v2 && e.Shape == "v2" {
			return checks.Findingf(checks.Fail, f.Name,
				"%s ignores the OutBoundNAT exceptions: their format is for apiVersion %d, the configuration sets %d", f.Config.EffectiveType(), cond(v2, 1, 2), max(f.Config.APIVersion, 1)).
				At(f.File.At(e.Spot), "exceptions %s", strings.Join(e.Exceptions, ", ")), true
		}
	}
	return nil, false
}
