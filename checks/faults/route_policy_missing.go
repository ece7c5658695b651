package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "route-policy-missing",
	Title:    "Pods have no route policy to Services or to their node",
	Healthy:  "Pods have route policies to Services and to their node",
	Category: checks.CategoryNetwork,
	Doc: `In addition to OutBoundNAT, the CNI configuration gives each pod a policy of type ROUTE
(SDNRoute in newer shapes) with NeedEncap for the service network, and on l2bridge networks one for
the node's own address. Without the first, packets to a Service take the default route and never
reach its load balancer; without the second, pods cannot reach their own node. On EKS, the plugin
makes the first from serviceCIDR of vpc-bridge.conf, for which the bootstrap script may assume
172.20.0.0/16 or 10.100.0.0/16.

The check reads the policies that HNS applied to the pods of this node. Azure's plugin omits the
route if DSR is used; Antrea, K2s and the NAT plugin need none.`,
	Fix: checks.Steps(
		checks.Edit("{cniFile}",
			"Add a policy of Type ROUTE (SDNROUTE in the newer format) with DestinationPrefix {serviceCIDR} and NeedEncap true; on l2bridge add another for {managementIP}/32."),
		checks.Do("If a start script writes this file, correct the script, too."),
		recreatePods(),
		checks.Verify("Get-HnsEndpoint | ConvertTo-Json -Depth 10",
			"a route policy for {serviceCIDR} on each new endpoint")),
	Links: []string{
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems", "https://www.cni.dev/plugins/current/main/win-bridge/",
		"https://github.com/aws/karpenter-provider-aws/issues/4088", "https://github.com/awslabs/amazon-eks-ami/issues/805", "https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"},
	Breaks: []*checks.Effect{effectServices},
	Applies: func(n *node.Node) error {
		if err := checks.RequireCNI(n, node.Flannel, node.Calico, node.VPC, node.GKE, node.OVN,
			node.WinCNI, node.Bridge, node.Overlay, node.Azure); err != nil {
			return err
		}
		if n.CNI.Value == node.Azure && n.Proxy().EnableDSR.On() {
			return checks.Skip("Azure CNI adds no route to Services if kube-proxy uses DSR")
		}
		return nil
	},
	Needs: []evidence.Need{evidence.HNSEndpoints, evidence.Any(node.NeedServiceCIDRs,
		evidence.KubeServices)},
	Uses: slices.Concat(node.CNISources, node.ClusterSources, node.ProxySources,
		[]evidence.Need{evidence.Adapters}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		if n.CNI.Value == node.Azure && !n.Proxy().EnableDSR.Set && n.Proxy().Gap.Kind != "" {
			return nil, checks.Unknown(n.Proxy().Gap) // whether it uses DSR decides
		}
		if conf := n.Intended(); conf != nil && conf.Config != nil && strings.EqualFold(conf.Config.EffectiveType(), k2sPlugin) {
			return nil, checks.Skip("plugin %s of K2s routes with VFP rules of its own", k2sPlugin)
		}
		var services, host []evidence.HNSEndpoint
		pods := 0
		for _, e := range evidence.HNSEndpoints.In(s) {
			if e.Remote || e.Truncated || len(e.OutBoundNAT()) == 0 || !onPodNetwork(n, s, e) {
				continue
			}
			pods++
			if !routesToServices(n, e) {
				services = append(services, e)
			}
			if !routesToHost(n, e) {
				host = append(host, e)
			}
		}
		if pods == 0 {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the HNS policies of any pod of this node"))
		}
		var findings []*checks.Finding
		if len(services) > 0 {
			// with DSR load balancers may well work without it, as they do on Azure
			level := cond(n.Proxy().EnableDSR.On(), checks.Warn, checks.Fail)
			f := checks.Findingf(level, "route to Services",
				"%d of %d pods with OutBoundNAT have no NeedEncap route for the service network: %s", len(services), pods, endpointNames(services)).
				At(services[0].Field("Policies"), "%s: %s", node.EndpointName(services[0]),
					routeList(services[0])).With(serviceNetwork(n))
			if conf := n.Intended(); n.CNI.Value == node.VPC && conf != nil && conf.Config != nil &&
				conf.Config.ServiceCIDR != "" && !n.ServiceCIDRs.Known() {
				f = f.At(conf.Field("serviceCIDR"), "%s: serviceCIDR is %s, outside of which the cluster has Services",
					conf.Name, conf.Config.ServiceCIDR).Cure(eksServiceCIDR(s, conf)).
					Explaining("outboundnat-exception-missing") // made from serviceCIDR, too
			}
			findings = append(findings, f)
		}
		if len(host) > 0 {
			findings = append(findings, checks.Findingf(checks.Warn, "route to the node",
				"%d of %d pods have no NeedEncap route for the node's address %s: they cannot reach their node", len(host), pods, n.ManagementIPs.Value[0]).
				At(host[0].Field("Policies"), "%s: %s", node.EndpointName(host[0]),
					routeList(host[0])).With(n.ManagementIPs.From))
		}
		if f, ok := configuredWithoutRoute(n); ok && len(findings) == 0 {
			findings = append(findings, f)
		}
		return findings, nil
	},
})

// k2sPlugin is Siemens K2s' own, which has the name of a plugin for Linux (k2s/cmd/bridge). Its vfprules.exe routes
// the traffic of pods and Services: https://github.com/Siemens-Healthineers/K2s/blob/main/docs/dev-guide/architecture.md
const k2sPlugin = "bridge"

// eksServiceCIDR corrects the service network from which Amazon's plugin makes routes: the
// bootstrap script assumes one if it does not know that of the cluster.
func eksServiceCIDR(s evidence.Snapshot, conf *node.CNIFile) checks.Fix {
	return checks.Steps(
		checks.Inspect("aws eks describe-cluster --name CLUSTER --query cluster.kubernetesNetworkConfig",
			"Read the service CIDR of the cluster."),
		checks.EditAt(s, conf.Field("serviceCIDR"), func(line string) string {
			return strings.Replace(line, conf.Config.ServiceCIDR, "SERVICE_CIDR", 1)
		}, "Set serviceCIDR to the service CIDR of the cluster."),
		checks.Do("Pass it to the bootstrap script of new nodes too (-ServiceCIDR)."),
		recreatePods(),
		checks.Verify("Get-HnsEndpoint | ConvertTo-Json -Depth 10",
			"a route policy for the service CIDR on each new endpoint"))
}

// configuredWithoutRoute finds a configuration that gives pods OutBoundNAT and
// no route to Services: those that run keep theirs, the next ones get none.
func configuredWithoutRoute(n *node.Node) (*checks.Finding, bool) {
	conf := n.Intended()
	if conf == nil || conf.Config == nil || len(conf.Config.Exceptions) == 0 ||
		checks.RequireCNI(n, node.Flannel, node.Bridge, node.Overlay, node.GKE) != nil {
		return nil, false
	}
	place, what := conf.Field("policies"), evidence.Phrasef("no route for a network")
	for _, r := range conf.Config.Routes {
		p, ok := node.ParsePrefix(r.Prefix)
		if !ok || p.IsSingleIP() {
			continue
		}
		part := n.CNI.Value == node.GKE && slices.ContainsFunc(n.ServiceCIDRs.Value,
			func(services node.Prefix) bool { return !node.Covers(p, services) })
		if r.NeedEncap && !part { // GKE lists no Service in the exceptions instead
			return nil, false
		}
		place, what = conf.File.At(r.Spot), evidence.Phrasef("the route %s, NeedEncap %t", p, r.NeedEncap)
	}
	return checks.Findingf(checks.Warn, conf.Name,
		"%s sets OutBoundNAT without a NeedEncap route for the service network: new pods cannot reach Services", conf.Name).
		At(place, "%d exceptions of OutBoundNAT, and %s",
			len(conf.Config.Exceptions), what).With(serviceNetwork(n)), true
}

// onPodNetwork leaves out the endpoints of NAT networks, which have OutBoundNAT too.
func onPodNetwork(n *node.Node, s evidence.Snapshot, e evidence.HNSEndpoint) bool {
	net, ok := n.PodNetwork(s)
	return !ok || e.NetworkID == net.ID || e.NetworkID == "" || net.ID == ""
}

func routesToServices(n *node.Node, e evidence.HNSEndpoint) bool {
	routed := func(inner node.Prefix) bool {
		return slices.ContainsFunc(e.SDNRoutes(), func(r evidence.HNSSDNRoute) bool {
			outer, ok := node.ParsePrefix(r.Prefix)
			return ok && r.NeedEncap && outer.Addr().Is4() == inner.Addr().Is4() &&
				node.Covers(outer, inner) || r.Truncated
		})
	}
	if cidrs := node.OfFamily(n.ServiceCIDRs.Value, true); len(cidrs) > 0 {
		return routed(cidrs[0])
	}
	for _, ip := range n.ServiceIPs.Value {
		if p, err := ip.Prefix(ip.BitLen()); err == nil && ip.Is4() && !routed(p) {
			return false
		}
	}
	return true
}

// routesToHost judges only the plugins whose documented configuration has that
// route: win-bridge below flannel's host-gw, and wincni.
func routesToHost(n *node.Node, e evidence.HNSEndpoint) bool {
	if len(n.ManagementIPs.Value) == 0 || !(n.CNI.Value == node.WinCNI ||
		n.CNI.Value == node.Flannel && n.Backend.Value == node.L2Bridge &&
			n.Generation.Value == node.Gen14) {
		return true
	}
	return slices.ContainsFunc(e.SDNRoutes(), func(r evidence.HNSSDNRoute) bool {
		p, ok := node.ParsePrefix(r.Prefix)
		return ok && r.NeedEncap && slices.ContainsFunc(n.ManagementIPs.Value, p.Contains) ||
			r.Truncated
	})
}

// serviceNetwork is where the check knows Services from.
func serviceNetwork(n *node.Node) evidence.Because {
	if n.ServiceCIDRs.Known() {
		return n.ServiceCIDRs.From
	}
	return n.ServiceIPs.From
}

func routeList(e evidence.HNSEndpoint) string {
	var list []string
	for _, r := range e.SDNRoutes() {
		list = append(list, r.Prefix+cond(r.NeedEncap, "", " without NeedEncap"))
	}
	if len(list) == 0 {
		return "no policy of type SDNRoute"
	}
	return "SDNRoute for " + strings.Join(list, ", ")
}

func endpointNames(list []evidence.HNSEndpoint) evidence.Phrase {
	var names []string
	for _, e := range list {
		names = append(names, strings.TrimPrefix(node.EndpointName(e), "endpoint "))
	}
	return firstThree(names)
}
