package session

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/collectors"
	"doctor/collectors/cluster"
	"doctor/collectors/probe"
)

// DNSTimeout is what all questions to DNS servers together may take.
const DNSTimeout = 5 * time.Second

// DefaultDomain is the domain of a cluster's names unless somebody chose another.
const DefaultDomain = "cluster.local"

// worldName is asked for to see whether names outside the cluster resolve: every
// Windows node needs it, for the pause image and the base images.
const worldName = "mcr.microsoft.com"

// DocumentedNames are those by which the documentation explains what resolves
// in a Windows pod and what does not.
func DocumentedNames(domain string) []string {
	full := clusterName(domain)
	return []string{"kubernetes", "kubernetes.default", "kubernetes.default.svc", full, full + ".",
		worldName}
}

func clusterName(domain string) string {
	return "kubernetes.default.svc." + cmp.Or(domain, DefaultDomain)
}

// The most servers of each kind that a live run asks.
const (
	maxPodServers  = 2 // the cluster's DNS, and another that the CNI configuration names
	maxBackends    = 2 // pods behind the cluster's DNS
	maxNodeServers = 2
)

// dnsPlan plans the questions of a live run: all forms of the documentation's
// names of the first server that pods ask, and of every other just what tells
// whether it answers, and the same.
func dnsPlan(s evidence.Snapshot) (probe.DNSPlan, error) {
	n := node.About(s)
	plan := probe.DNSPlan{Namespace: "default", Domain: n.ClusterDomain(s)}
	if !probe.IsDNSName(plan.Domain) {
		plan.Domain = DefaultDomain
	}
	plan.Names = DocumentedNames(plan.Domain)
	plan.System = []string{clusterName(plan.Domain), worldName}
	var asked []netip.Addr
	add := func(servers []netip.AddrPort, room int) {
		for _, server := range servers {
			a := server.Addr()
			if room == 0 || slices.Contains(asked, a) || !a.IsValid() || a.IsUnspecified() {
				continue
			}
			room--
			asked = append(asked, a)
			plan.Servers = append(plan.Servers, probe.DNSServer{Address: server.String(), Names: plan.System})
		}
	}
	add(onDNSPort(n.DNSServers(s)), maxPodServers)
	if len(plan.Servers) > 0 {
		plan.Servers[0].Names = nil // all of them, in all forms
	}
	add(n.DNSBackends(s), maxBackends)
	add(onDNSPort(nodeServers(s)), maxNodeServers)
	if len(plan.Servers) == 0 {
		return plan, collectors.GapError(evidence.NoDNSServer.Gap())
	}
	return plan, nil
}

func onDNSPort(addresses []netip.Addr) (servers []netip.AddrPort) {
	for _, a := range addresses {
		servers = append(servers, netip.AddrPortFrom(a, 53))
	}
	return servers
}

// nodeServers are the servers of the node's own adapters, those that lead out
// first; adapters of pods, in compartments of their own, are not the node's.
func nodeServers(s evidence.Snapshot) []netip.Addr {
	var out, other []netip.Addr
	for _, a := range evidence.Adapters.In(s) {
		if a.Compartment > 1 {
			continue
		}
		for _, server := range a.DNSServers {
			ip, err := netip.ParseAddr(server)
			switch {
			case err != nil || ip.IsLinkLocalUnicast() || siteLocal.Contains(ip):
			case len(a.Gateways) > 0:
				out = append(out, ip.Unmap())
			default:
				other = append(other, ip.Unmap())
			}
		}
	}
	return slices.Concat(out, other)
}

// siteLocal holds fec0:0:0:ffff::1 and its neighbours, which Windows lists where an adapter has no
// IPv6 server, and nobody answers at.
var siteLocal = netip.MustParsePrefix("fec0::/10")

// fromInside measures from inside the pod that the user names, once the
// collectors in told have recorded whom there is to ask. node names those that
// measure from the node.
func (o Options) fromInside(find cluster.Find, told, node []string) []collectors.Collector {
	if o.FromPod == "" {
		return nil
	}
	return probe.PodCollectors(func(ctx context.Context, s evidence.Snapshot) (probe.PodPlan,
		error) {
		plan, err := podPlan(s, o.FromPod, o.Targets)
		if err != nil {
			return plan, err
		}
		target, err := find(s)
		if err != nil {
			return plan, err
		}
		pod, err := target.Client.OpenPod(ctx, o.FromPod, target.Node)
		if err != nil {
			return plan, err
		}
		plan.Exec = pod.Exec
		return plan, nil
	}, told, node, probe.ReachTimeout)
}

// podPlan asks from the pod what the node is asked too, so that the two can be
// set beside each other, and pings the host outside: whether a ping comes back
// where TCP does is a question about pods.
func podPlan(s evidence.Snapshot, pod string, targets []string) (probe.PodPlan, error) {
	plan := probe.PodPlan{Pod: pod}
	reach, err := reachPlan(s, targets)
	if err != nil {
		return plan, err
	}
	for _, t := range reach.Targets {
		switch t.Purpose {
		case evidence.ForOtherNode, evidence.ForNodePort: // the kubelet's port is the node's affair
			continue
		case evidence.ForOutside, evidence.ForWhoeverAsks:
			if t.Port != 0 {
				plan.Targets = append(plan.Targets, t.Host)
			}
		}
		plan.Targets = append(plan.Targets, t.Name())
	}
	dns, _ := dnsPlan(s) // that no server is known is no matter: the pod asks its own
	plan.Names = []string{"kubernetes.default", clusterName(dns.Domain), worldName}
	return plan, nil
}

// OutsideTarget is the host of the internet that is asked where the user names
// no target: the one that Windows itself asks by HTTP to learn whether it is
// online (NCSI), so that a node meets nobody new.
const OutsideTarget = "http://www.msftconnecttest.com/connecttest.txt"

// reachPlan chooses whom the node should reach, from what is recorded of it. Of
// each sort one is enough, and what is not known is left out. The user's own
// targets take the place of the one outside.
func reachPlan(s evidence.Snapshot, extra []string) (probe.ReachPlan, error) {
	var plan probe.ReachPlan
	n := node.About(s)
	found := []struct{ purpose, target string }{
		{evidence.ForAPIServer, apiServer(s, n)},
		{evidence.ForServiceVIP, kubernetesVIP(s)},
		{evidence.ForClusterDNS, clusterDNS(n)},
		{evidence.ForOtherNode, otherKubelet(s, n)},
		{evidence.ForNodePort, ownNodePort(s, n)},
		{evidence.ForRegistry, pauseRegistry(s, n)},
	}
	for _, f := range found {
		// what a recording has for an address may be anything; it is no reason to probe nothing
		_ = addTarget(&plan, f.purpose, f.target)
	}
	if len(extra) == 0 {
		return plan, addTarget(&plan, evidence.ForOutside, OutsideTarget)
	}
	return plan, AddTargets(&plan, extra)
}

// AddTargets adds to a plan what a user names.
func AddTargets(plan *probe.ReachPlan, targets []string) error {
	for _, target := range targets {
		if err := addTarget(plan, evidence.ForWhoeverAsks, target); err != nil {
			return err
		}
	}
	return nil
}

func addTarget(plan *probe.ReachPlan, purpose, target string) error {
	t, err := probe.ParseReachTarget(target)
	if err != nil {
		return err
	}
	t.Purpose = purpose
	t.Sizes = purpose == evidence.ForOtherNode || purpose == evidence.ForWhoeverAsks
	if !slices.ContainsFunc(plan.Targets, func(o probe.ReachTarget) bool {
		return o.Name() == t.Name()
	}) {
		plan.Targets = append(plan.Targets, t)
	}
	return nil
}

// apiServer is where the kubelet's kubeconfig leads, or what stands behind the
// Service kubernetes.
func apiServer(s evidence.Snapshot, n *node.Node) string {
	paths := kubeletKubeconfigs
	if f, ok := n.KubeletFlag("kubeconfig"); ok && f.Value != "" {
		paths = append([]string{evidence.CleanWinPath(f.Value)}, paths...)
	}
	for _, path := range paths {
		if f := s.File(path); f.Gap.Kind == "" {
			if target := serverOf(f.Text); target != "" {
				return target
			}
		}
	}
	for _, slice := range evidence.EndpointSlices.In(s) {
		if !ofKubernetes(slice.Metadata.Namespace,
			slice.Metadata.Labels["kubernetes.io/service-name"]) || len(slice.Ports) == 0 {
			continue
		}
		for _, e := range slice.Endpoints {
			if e.Ready() && len(e.Addresses) > 0 {
				return "https://" + hostPort(e.Addresses[0], slice.Ports[0].Port)
			}
		}
	}
	return ""
}

// serverOf reads the server of the current context of a kubeconfig.
func serverOf(kubeconfig string) string {
	var c struct {
		Current  string `json:"current-context"`
		Contexts []struct {
			Name    string
			Context struct{ Cluster string }
		}
		Clusters []struct {
			Name    string
			Cluster struct{ Server string }
		}
	}
	if yaml.Unmarshal([]byte(kubeconfig), &c) != nil {
		return ""
	}
	cluster := ""
	for _, ctx := range c.Contexts {
		if ctx.Name == c.Current {
			cluster = ctx.Context.Cluster
		}
	}
	for _, k := range c.Clusters {
		u, err := url.Parse(k.Cluster.Server)
		if (k.Name == cluster || len(c.Clusters) == 1) && err == nil && u.Host != "" {
			// whatever path a proxy of Rancher's has, the host is the question
			return u.Scheme + "://" + u.Host
		}
	}
	return ""
}

func ofKubernetes(namespace, name string) bool {
	return namespace == "default" && name == "kubernetes"
}

func kubernetesVIP(s evidence.Snapshot) string {
	for _, svc := range evidence.KubeServices.In(s) {
		if ips := svc.ClusterIPs(); ofKubernetes(svc.Metadata.Namespace, svc.Metadata.Name) &&
			len(ips) > 0 {
			return "https://" + hostPort(ips[0], 443)
		}
	}
	return ""
}

func clusterDNS(n *node.Node) string {
	if len(n.ClusterDNS.Value) == 0 {
		return ""
	}
	return hostPort(n.ClusterDNS.Value[0].String(), 53)
}

// otherKubelet is one that the control plane hears: a Linux node's before a
// Windows node's, whose firewall drops pings unless somebody told it otherwise.
func otherKubelet(s evidence.Snapshot, n *node.Node) string {
	best := ""
	for _, o := range evidence.Nodes.In(s) {
		ready, _ := o.Condition("Ready")
		ips := o.InternalIPs()
		if ready.Status != "True" || len(ips) == 0 || strings.EqualFold(o.Metadata.Name,
			n.Name.Value) || slices.ContainsFunc(n.ManagementIPs.Value,
			func(own node.Address) bool { return own.String() == ips[0] }) {
			continue
		}
		port := cmp.Or(o.Status.DaemonEndpoints.KubeletEndpoint.Port, 10250)
		if target := hostPort(ips[0], port); o.Metadata.Labels["kubernetes.io/os"] == "linux" {
			return target
		} else if best == "" {
			best = target
		}
	}
	return best
}

// ownNodePort is a NodePort on the node's own address, of a Service that some
// pod stands behind, wherever it runs.
func ownNodePort(s evidence.Snapshot, n *node.Node) string {
	if len(n.ManagementIPs.Value) == 0 {
		return ""
	}
	ready := map[string]bool{}
	for _, slice := range evidence.EndpointSlices.In(s) {
		if slices.ContainsFunc(slice.Endpoints, evidence.ServiceEndpoint.Ready) {
			ready[slice.Metadata.Namespace+"/"+
				slice.Metadata.Labels["kubernetes.io/service-name"]] = true
		}
	}
	for _, svc := range evidence.KubeServices.In(s) {
		if svc.Spec.ExternalTrafficPolicy == "Local" || !ready[svc.FullName()] {
			continue
		}
		for _, p := range svc.Spec.Ports {
			if p.NodePort > 0 && (p.Protocol == "" || p.Protocol == "TCP") {
				return hostPort(n.ManagementIPs.Value[0].String(), p.NodePort)
			}
		}
	}
	return ""
}

// pauseRegistry is where the pause image comes from.
func pauseRegistry(s evidence.Snapshot, n *node.Node) string {
	host, _, ok := strings.Cut(strings.TrimSpace(node.SandboxImage(n, s).Value), "/")
	if !ok || !strings.ContainsAny(host, ".:") {
		return ""
	}
	if !strings.Contains(host, ":") {
		host += ":443"
	}
	return host
}

func hostPort(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
