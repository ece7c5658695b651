package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "node-address-mismatch",
	Title:    "Node address does not match its adapters",
	Healthy:  "Node address matches its adapters",
	Category: checks.CategoryNode,
	Doc: `The control plane reaches the kubelet at the InternalIP of the Node object, other nodes send
the packets of pods to the address that flannel or Calico announces, and HNS sends from the
ManagementIP of its network. When the machine gets another address (DHCP, a restored image, a new
adapter), these may keep the old one: kubectl logs times out, and pods of other nodes are not
reached.

The check compares the InternalIP, --node-ip, the announced addresses of flannel and Calico, and the
ManagementIP of the pod network with the addresses of all adapters of the host. A Node object
without an InternalIP has not been initialized by the cloud provider.

Without --node-ip the kubelet may also take an address that an adapter has but no other machine can
use: that of the host's endpoint on the pod network, or that of a Service, which kube-proxy in mode
userspace puts on an adapter. So the check also compares the InternalIP with the node's own podCIDR
and with the Services.`,
	Fix: checks.Steps(
		checks.Inspect("Get-NetIPAddress -AddressFamily IPv4 | Select-Object IPAddress, InterfaceAlias",
			"Find the address of the node now."),
		checks.Do("If the old address is right, give it back to the machine. Otherwise set --node-ip to the new one."),
		checks.Run("{restart kubelet}", "Restart the kubelet: it registers the address again."),
		checks.Run("{restart network agent}",
			"Restart the network agent: it announces the new address.").
			Costs("Pods on this node may lose their network while HNS creates it again."),
		checks.Verify("kubectl get node {node} -o wide", "INTERNAL-IP is an address of the node")),
	Links: []string{
		"https://kubernetes.io/docs/reference/node/node-status/#addresses",
		"https://github.com/flannel-io/flannel/blob/master/Documentation/kubernetes.md"},
	Breaks: []*checks.Effect{effectNodeReports, effectPodTraffic},
	Explains: []string{"kubeproxy-no-host-mac", "flannel-interface-not-found",
		"vxlan-return-path-missing", "route-policy-missing"},
	Needs: []evidence.Need{evidence.Any(evidence.Node, evidence.HNSNetworks)},
	Uses: slices.Concat([]evidence.Need{evidence.Adapters, evidence.Node, evidence.Nodes, evidence.HNSNetworks,
		evidence.KubeServices}, node.KubeletSources, node.CNISources),
	Signs: []checks.Sign{{Text: "not found in the host's network interfaces", Also: []string{"node IP"},
		Until: nodeRegistered, Says: "the address of --node-ip is on no adapter of the node"},
		{Text: antreaNoAddress, Until: antreaStarted, ConfirmOnly: true}},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		findings := takenForNode(s)
		own := hostAddresses(s)
		if len(own) == 0 {
			gap := evidence.Adapters.Gap(s)
			if gap.Kind == "" {
				gap = evidence.NotShown.Gap("any address of an adapter")
			}
			if len(findings) > 0 {
				return findings, nil
			}
			return nil, checks.Unknown(gap)
		}
		claim := func(subject, text string, from evidence.Because, what evidence.Phrase) {
			a, ok := node.ParseAddress(text)
			if !ok || a.IsUnspecified() || a.IsLinkLocalUnicast() || slices.Contains(own, a) ||
				!slices.ContainsFunc(own, func(have node.Address) bool {
					return have.Is4() == a.Is4()
				}) {
				return
			}
			findings = append(findings, checks.Findingf(checks.Warn, subject,
				"%s is %s, which no adapter of the node has", what, a).
				With(from).
				At(evidence.Adapters.Field(s), "%d addresses: %s", len(own), someOf(own)))
		}
		object := evidence.Node.In(s)
		if f := onOtherAdapter(s, n, object); f != nil {
			findings = append(findings, f)
		}
		if evidence.Node.Known(s) && len(object.Status.Addresses) > 0 &&
			len(node.ParseAddresses(object.InternalIPs()...)) == 0 {
			f := checks.Findingf(checks.Warn, object.Metadata.Name,
				"the Node object has no InternalIP").
				At(object.Field("status", "addresses"), "%d addresses",
					len(object.Status.Addresses))
			if slices.ContainsFunc(s.Signs("node-address-mismatch"), func(m evidence.SignMatch) bool {
				return m.Text == antreaNoAddress && m.Over == ""
			}) {
				f = f.Explaining("network-agent-not-running")
			}
			findings = append(findings, f)
		}
		for _, ip := range object.InternalIPs() {
			claim(object.Metadata.Name, ip, object.AddressField(ip).Because("InternalIP is %s", ip),
				evidence.Phrasef("the InternalIP of the Node object"))
		}
		if f, ok := n.KubeletFlag("node-ip"); ok && f.Live {
			for ip := range strings.SplitSeq(f.Value, ",") {
				claim("--node-ip", ip, f.From, evidence.Phrasef("--node-ip of the kubelet"))
			}
		}
		for _, name := range []string{"flannel.alpha.coreos.com/public-ip",
			"projectcalico.org/IPv4Address"} {
			claim(name, object.Metadata.Annotations[name],
				object.Field("metadata", "annotations", name).Because("%s",
					object.Metadata.Annotations[name]),
				evidence.Phrasef("the annotation %s", name))
		}
		switched := slices.ContainsFunc(evidence.Adapters.In(s), onSwitch) // else vethernet-missing
		for _, net := range evidence.HNSNetworks.In(s) {
			if switched && node.NeedNetworks.Gap(s).Kind == "" && slices.ContainsFunc(n.Networks.Value,
				func(want string) bool { return node.NameMatches(want, net.Name) }) {
				claim(net.Name, net.ManagementIP, net.Field().Because("network %s", net.Name),
					evidence.Phrasef("the ManagementIP of the HNS network %s", net.Name))
			}
		}
		return findings, nil
	},
})

// antreaNoAddress is the end of Antrea's agent on a node without an address: antrea 4327.
const antreaNoAddress = "has neither external ip nor internal ip"

// onOtherAdapter finds an InternalIP on an adapter without a default gateway, where the pod network is
// on the adapter that has one: the kubelet took the first address that it found.
// https://github.com/microsoft/SDN/issues/315
func onOtherAdapter(s evidence.Snapshot, n *node.Node, object evidence.NodeObject) *checks.Finding {
	net, ok := n.PodNetwork(s)
	_, set := n.KubeletFlag("node-ip")
	sends, known := node.ParseAddress(net.ManagementIP)
	if !ok || set || !known {
		return nil
	}
	for _, text := range object.InternalIPs() {
		ip, _ := node.ParseAddress(text)
		has, there := adapterOf(s, ip)
		other, elsewhere := adapterOf(s, sends)
		if !there || !elsewhere || has.Name == other.Name || has.Name == "" || ip.Is4() != sends.Is4() ||
			len(has.Gateways) > 0 || len(other.Gateways) == 0 || onSwitch(has) || nodesShare(s, has) {
			continue
		}
		return checks.Findingf(checks.Warn, object.Metadata.Name,
			"the InternalIP of the Node object is %s of adapter %s, which has no gateway; HNS network %s sends from %s", ip,
			has.Name, net.Name, sends).
			With(object.AddressField(text).Because("InternalIP is %s", text)).
			At(has.Field("gateways"), "%s: no gateway", has.Name).
			At(net.Field("ManagementIP"), "network %s: ManagementIP is %s", net.Name, sends)
	}
	return nil
}

// nodesShare tells whether another Node has its InternalIP in a subnet of the adapter, which then needs no gateway.
func nodesShare(s evidence.Snapshot, a evidence.Adapter) bool {
	subnets := node.ParsePrefixes(a.Addresses...)
	return slices.ContainsFunc(evidence.Nodes.In(s), func(o evidence.NodeObject) bool {
		return o.Metadata.Name != evidence.Node.In(s).Metadata.Name &&
			slices.ContainsFunc(node.ParseAddresses(o.InternalIPs()...), func(ip node.Address) bool {
				return node.AnyContains(subnets, ip)
			})
	})
}

func adapterOf(s evidence.Snapshot, ip node.Address) (evidence.Adapter, bool) {
	list := evidence.Adapters.In(s)
	at := slices.IndexFunc(list, func(a evidence.Adapter) bool {
		return slices.Contains(node.ParseAddresses(a.Addresses...), ip)
	})
	if at < 0 {
		return evidence.Adapter{}, false
	}
	return list[at], true
}

// takenForNode finds an InternalIP that belongs to the node's pods or to a Service:
// https://github.com/antrea-io/antrea/issues/1979
func takenForNode(s evidence.Snapshot) []*checks.Finding {
	var findings []*checks.Finding
	object := evidence.Node.In(s)
	for _, text := range object.InternalIPs() {
		ip, ok := node.ParseAddress(text)
		if !ok {
			continue
		}
		from := object.AddressField(text).Because("InternalIP is %s", text)
		for _, p := range node.ParsePrefixes(object.Spec.PodCIDRList()...) {
			if p.Contains(ip) {
				findings = append(findings, checks.Findingf(checks.Warn, object.Metadata.Name,
					"the InternalIP of the Node object is %s, an address of the node's pods (podCIDR %s)",
					ip, p).With(from).At(object.PodCIDRField(), "podCIDR is %s", p))
			}
		}
		for _, svc := range evidence.KubeServices.In(s) {
			if slices.Contains(svc.ClusterIPs(), text) {
				findings = append(findings, checks.Findingf(checks.Warn, object.Metadata.Name,
					"the InternalIP of the Node object is %s, the address of Service %s", ip,
					svc.FullName()).With(from, svc.Field("spec", "clusterIP").Because("clusterIP is %s", text)))
			}
		}
	}
	return findings
}

// hostAddresses are the addresses of all adapters that are up.
func hostAddresses(s evidence.Snapshot) []node.Address {
	var list []node.Address
	for _, a := range evidence.Adapters.In(s) {
		if strings.EqualFold(a.Status, "down") {
			continue // its addresses do not work
		}
		list = append(list, node.ParseAddresses(a.Addresses...)...)
	}
	return list
}

// someOf lists up to three addresses.
func someOf(list []node.Address) evidence.Phrase {
	var names []string
	for _, a := range list {
		names = append(names, a.String())
	}
	return firstThree(names)
}
