package session

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/collectors/probe"
)

// OutsideTarget is the host of the internet that is asked where the user names
// no target: the one that Windows itself asks by HTTP to learn whether it is
// online (NCSI), so that a node meets nobody new.
const OutsideTarget = "http://www.msftconnecttest.com/connecttest.txt"

const kubeletPort = 10250

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
		if target := hostPort(ips[0],
			kubeletPort); o.Metadata.Labels["kubernetes.io/os"] == "linux" {
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
