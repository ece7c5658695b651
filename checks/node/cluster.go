package node

import (
	"encoding/json"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

const aksClusterConfig = `C:\k\kubeclusterconfig.json`

// ClusterSources is the evidence from which the CIDRs of pods and Services and the DNS address are learned.
var ClusterSources = slices.Concat(
	[]evidence.Need{evidence.ServiceCIDRs, evidence.KubeServices, evidence.ConfigMaps,
		evidence.Services, evidence.Processes, evidence.HNSEndpoints,
		evidence.File(aksClusterConfig), evidence.File(SubnetEnv)},
	AsFiles(NetConfs), KubeletSources, CNIFolders)

// learnCluster finds the CIDRs and the DNS address. A CNI configuration is what
// checks compare with them, so it is the last to be believed.
func (n *Node) learnCluster(s evidence.Snapshot) {
	n.learnAddresses(s)
	if node := evidence.Node.In(s); len(node.Spec.PodCIDRList()) > 0 {
		n.PodCIDRs.Learn(ParsePrefixes(node.Spec.PodCIDRList()...), node.PodCIDRField(),
			"spec.podCIDR is %s", strings.Join(node.Spec.PodCIDRList(), ","))
	}
	n.PodCIDRs.Miss(s, "the node's podCIDR", evidence.Node)

	n.learnServiceCIDRs(s)
	n.learnFromKubeadm(s)
	n.learnFromAKS(s)
	n.learnFromFlannel(s)
	proxied := n.proxy.ClusterCIDR
	learnSome(&n.ClusterCIDRs, ParsePrefixes(proxied.Value), proxied.From.Place(), "%s", proxied.From.Text)
	n.learnDNS(s)

	var ips []Address
	for _, svc := range evidence.KubeServices.In(s) {
		ips = append(ips, ParseAddresses(svc.ClusterIPs()...)...)
	}
	learnSome(&n.ServiceIPs, ips, evidence.KubeServices.Field(s), "%d services have a clusterIP", len(ips))
	n.ServiceIPs.Miss(s, "any Service address", evidence.KubeServices)
	n.learnFromCNI()
	n.learnFromEndpoints(s)
	n.ClusterCIDRs.Miss(s, "the cluster CIDR", ClusterSources...)
	n.ServiceCIDRs.Miss(s, "the service CIDR", ClusterSources...)
	n.ClusterDNS.Miss(s, "the address of the cluster DNS", ClusterSources...)
}

func (n *Node) learnAddresses(s evidence.Snapshot) {
	if node := evidence.Node.In(s); len(ParseAddresses(node.InternalIPs()...)) > 0 {
		ips := ParseAddresses(node.InternalIPs()...)
		n.ManagementIPs.Learn(ips, node.AddressField(ips[0].String()), "InternalIP is %s", ips[0])
	}
	for _, net := range evidence.HNSNetworks.In(s) {
		if ip, ok := ParseAddress(net.ManagementIP); ok && !ip.IsLinkLocalUnicast() {
			n.ManagementIPs.Learn([]Address{ip}, net.Field(), "ManagementIP of %s is %s", net.Name,
				ip)
		}
	}
	for _, a := range evidence.Adapters.In(s) {
		if ips := ParseAddresses(a.Addresses...); len(a.Gateways) > 0 && len(ips) > 0 {
			n.ManagementIPs.Learn(ips, a.Field("addresses"), "%s has a gateway and %s", a.Name,
				ips[0])
		}
	}
	n.ManagementIPs.Miss(s, "the node's own addresses", evidence.Node, evidence.HNSNetworks,
		evidence.Adapters)
}

// learnServiceCIDRs asks the objects that newer API servers keep: what they say is so.
func (n *Node) learnServiceCIDRs(s evidence.Snapshot) {
	var cidrs, names []string
	for _, c := range evidence.ServiceCIDRs.In(s) {
		cidrs, names = append(cidrs, c.Spec.CIDRs...), append(names, c.Metadata.Name)
	}
	learnSome(&n.ServiceCIDRs, ParsePrefixes(cidrs...), evidence.ServiceCIDRs.Field(s),
		"%s: spec.cidrs is %s", strings.Join(names, ", "), strings.Join(cidrs, ", "))
}

func (n *Node) learnFromKubeadm(s evidence.Snapshot) {
	for _, cm := range evidence.ConfigMaps.In(s) {
		if cm.Metadata.Name != "kubeadm-config" {
			continue
		}
		pods, services := evidence.KubeadmSubnets(cm.Data["ClusterConfiguration"])
		at := cm.Field("data", "ClusterConfiguration")
		learnSome(&n.ClusterCIDRs, ParsePrefixes(pods), at, "kubeadm-config: podSubnet is %s", pods)
		learnSome(&n.ServiceCIDRs, ParsePrefixes(services), at,
			"kubeadm-config: serviceSubnet is %s", services)
	}
}

func (n *Node) learnFromAKS(s evidence.Snapshot) {
	f := s.File(aksClusterConfig)
	if f.Gap.Kind != "" {
		return
	}
	var c struct {
		Kubernetes struct {
			Network struct{ ClusterCidr, ServiceCidr, DnsIp string }
		}
	}
	if json.Unmarshal([]byte(f.Text), &c) != nil {
		return
	}
	net := c.Kubernetes.Network
	learnSome(&n.ClusterCIDRs, ParsePrefixes(net.ClusterCidr), f.Field("Kubernetes", "Network",
		"ClusterCidr"), "Kubernetes.Network.ClusterCidr is %s", net.ClusterCidr)
	learnSome(&n.ServiceCIDRs, ParsePrefixes(net.ServiceCidr), f.Field("Kubernetes", "Network",
		"ServiceCidr"), "Kubernetes.Network.ServiceCidr is %s", net.ServiceCidr)
	learnSome(&n.ClusterDNS, ParseAddresses(net.DnsIp), f.Field("Kubernetes", "Network", "DnsIp"),
		"Kubernetes.Network.DnsIp is %s", net.DnsIp)
}

// learnFromFlannel reads flannel's network, which is the cluster CIDR on a flannel node.
func (n *Node) learnFromFlannel(s evidence.Snapshot) {
	for f, c := range FlannelNetConfs(s) {
		learnSome(&n.ClusterCIDRs, ParsePrefixes(c.Network, c.IPv6Network), f.Field("Network"),
			"Network is %s", c.Network)
	}
	for _, cm := range evidence.ConfigMaps.In(s) {
		if c, err := evidence.DecodeFlannelNetConf([]byte(cm.Data["net-conf.json"])); err == nil &&
			len(ParsePrefixes(c.Network)) > 0 {
			n.ClusterCIDRs.Learn(ParsePrefixes(c.Network, c.IPv6Network),
				cm.Field("data", "net-conf.json"), "%s: Network is %s", cm.Metadata.Name, c.Network)
		}
	}
	if f := s.File(SubnetEnv); f.Gap.Kind == "" {
		env := evidence.DecodeFlannelSubnet(f.Text)
		learnSome(&n.ClusterCIDRs, ParsePrefixes(env.Network),
			evidence.InLine(f.Path, env.Lines["FLANNEL_NETWORK"]), "FLANNEL_NETWORK is %s", env.Network)
	}
}

// IsClusterDNS tells whether a Service is that of the cluster DNS.
func IsClusterDNS(svc evidence.KubeService) bool {
	m := svc.Metadata
	return m.Labels["k8s-app"] == "kube-dns" || m.Name == "kube-dns" || m.Name == "coredns" ||
		m.Name == "rke2-coredns-rke2-coredns" || m.Name == "dns-default"
}

func (n *Node) learnDNS(s evidence.Snapshot) {
	for _, svc := range evidence.KubeServices.In(s) {
		m := svc.Metadata
		if ips := ParseAddresses(svc.ClusterIPs()...); IsClusterDNS(svc) && len(ips) > 0 {
			n.ClusterDNS.Learn(ips, svc.Field("spec", "clusterIP"),
				"service %s/%s has clusterIP %s", m.Namespace, m.Name, ips[0])
		}
	}
	flag, _ := n.KubeletFlag("cluster-dns")
	learnSome(&n.ClusterDNS, ParseAddresses(flag.Value), flag.From.Place(), "--cluster-dns=%s", flag.Value)
	if c := n.KubeletConfig(s); c.Gap.Kind == "" {
		if ips := ParseAddresses(c.ClusterDNS...); len(ips) > 0 {
			n.ClusterDNS.Learn(ips, c.Field("clusterDNS"), "clusterDNS is %s", ips[0])
		}
	}
}

// learnFromCNI takes from a configuration only what it states as a fact of the
// cluster and not as an exception: a route into the service network, and EKS's serviceCIDR.
func (n *Node) learnFromCNI() {
	f := n.Intended()
	if f == nil || f.Config == nil {
		return
	}
	if p, ok := ParsePrefix(f.Config.ServiceCIDR); ok && holdsAll(p, n.ServiceIPs.Value) {
		n.ServiceCIDRs.Learn([]Prefix{p}, f.Field("serviceCIDR"), "serviceCIDR is %s", p)
	}
	for _, r := range f.Config.Routes {
		if p, ok := ParsePrefix(r.Prefix); ok && r.NeedEncap && !p.IsSingleIP() &&
			n.holdsServices(p) {
			n.ServiceCIDRs.Learn([]Prefix{p}, f.File.At(r.Spot), "route %s needs encapsulation",
				r.Prefix)
		}
	}
}

// learnFromEndpoints takes the service network from a route that HNS applies to
// a pod: what needs encapsulation, and is no single host, is where Services are.
func (n *Node) learnFromEndpoints(s evidence.Snapshot) {
	for _, e := range evidence.HNSEndpoints.In(s) {
		for _, r := range e.SDNRoutes() {
			p, ok := ParsePrefix(r.Prefix)
			own := slices.ContainsFunc(ParseAddresses(e.Addresses...), p.Contains)
			if ok && r.NeedEncap && !e.Remote && !p.IsSingleIP() && !own && n.holdsServices(p) {
				n.ServiceCIDRs.Learn([]Prefix{p}, e.Field("Policies"),
					"%s: route %s needs encapsulation", EndpointName(e), r.Prefix)
			}
		}
	}
}

// holdsServices tells whether all services that are known lie in p, so that a
// template's leftover 10.96.0.0/12, or a default of EKS, is not believed on a cluster that uses another range.
func (n *Node) holdsServices(p Prefix) bool {
	return holdsAll(p, slices.Concat(n.ServiceIPs.Value, n.ClusterDNS.Value))
}

func holdsAll(p Prefix, list []Address) bool {
	return !slices.ContainsFunc(list, func(ip Address) bool {
		return ip.Is4() == p.Addr().Is4() && !p.Contains(ip)
	})
}
