package faults

import (
	"encoding/json"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "vxlan-return-path-missing",
	Title:    "Overlay route to the pods of another node is missing or wrong",
	Healthy:  "Overlay routes to the pods of all other nodes are right",
	Category: checks.CategoryNetwork,
	Doc: `On an overlay network flanneld adds an HNS policy of type RemoteSubnetRoute for each
other node: its podCIDR, its address and its tunnel MAC. If one is missing or out of date, packets
from those pods arrive, but replies leave this node without encapsulation and are lost: connections
hang although every component is healthy.

The check compares the policies with the podCIDR of each other node that flannel has joined, and
with the address and MAC in that node's annotations. Calico assigns its own address blocks, so its
podCIDRs are not checked.

flannel or Calico may have chosen the address of another adapter on the other nodes, such as that of a
VPN, which this node does not reach. Such an address is a fault if no pod behind it answers.`,
	Fix: checks.Steps(
		checks.Run("{restart flanneld}",
			"Restart flanneld: it adds the missing routes.").
			Costs("If flanneld recreates the HNS network, the node loses its network for a few seconds."),
		checks.Inspect(
			`kubectl get nodes -o custom-columns='NAME:.metadata.name,CIDR:.spec.podCIDR,IP:.metadata.annotations.flannel\.alpha\.coreos\.com/public-ip'`,
			"If the route is still missing, compare the flannel annotations of the other node."),
		checks.Verify(
			"Get-HnsNetwork | Where-Object Name -eq '{network}' | ConvertTo-Json -Depth 10",
			"a RemoteSubnetRoute for the podCIDR of each other node")),
	Links: []string{"https://github.com/flannel-io/flannel/issues/1394",
		"https://github.com/flannel-io/flannel/issues/1944", "https://github.com/rancher/rke2/issues/4320"},
	Breaks:   []*checks.Effect{effectServices},
	Explains: []string{"vxlan-4789-conflict"},
	Applies: checks.OnAll(func(n *node.Node) error { return checks.RequireCNI(n, node.Flannel, node.Calico) },
		checks.OnBackend(node.OverlayNet)),
	Needs: []evidence.Need{evidence.HNSNetworks, evidence.Nodes, node.NeedNetworks},
	Uses:  slices.Concat(node.ClusterSources, remotePodSources, []evidence.Need{evidence.Node}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		net, ok := n.PodNetwork(s)
		switch {
		case !ok:
			return nil, checks.Skip("the HNS network of the pods is missing")
		case net.Truncated:
			return nil, checks.Unknown(evidence.CutByRecorder.Gap("the policies of %s", net.Name))
		case !n.Name.Known():
			return nil, checks.Unknown(n.Name.Gap)
		}
		if f := wrongInterface(s, n, net); f != nil {
			return []*checks.Finding{f}, nil
		}
		ways := map[node.Prefix]evidence.HNSRemoteSubnet{}
		for _, r := range net.RemoteSubnets() {
			if p, ok := node.ParsePrefix(r.Prefix); ok {
				ways[p] = r
			}
		}
		var missing, stale []string
		others := 0
		for _, other := range evidence.Nodes.In(s) {
			m := other.Metadata
			// A node without the annotation has no flanneld yet; one that has just joined may be on its way here.
			if strings.EqualFold(m.Name, n.Name.Value) ||
				!strings.EqualFold(m.Annotations["flannel.alpha.coreos.com/backend-type"],
					"vxlan") || s.Now().Sub(m.CreationTimestamp.Time) < flannelPatience {
				continue
			}
			for _, cidr := range node.OfFamily(node.ParsePrefixes(other.Spec.PodCIDRList()...),
				true) {
				others++
				way, ok := ways[cidr]
				if !ok {
					missing = append(missing, m.Name+" ("+cidr.String()+")")
					continue
				}
				if told := differs(way, m.Annotations); told != "" {
					stale = append(stale, m.Name+" ("+cidr.String()+"): "+told)
				}
			}
		}
		if err := checks.OnFlannel(n); others == 0 && err != nil {
			return nil, err // of Calico only the interface is judged
		}
		if others == 0 {
			return nil, checks.Skip("no other node has joined flannel's overlay")
		}
		var findings []*checks.Finding
		if len(missing) > 0 {
			findings = append(findings, checks.Findingf(checks.Fail, net.Name,
				"HNS network %s has no route to the pods of %s: replies to them are lost", net.Name,
				firstThree(missing)).
				At(net.Field("Policies"), "%s: %d policies of type RemoteSubnetRoute", net.Name,
					len(ways)).
				At(evidence.Nodes.Field(s), "%d podCIDRs on other nodes of the overlay", others))
		}
		if len(stale) > 0 {
			findings = append(findings, checks.Findingf(checks.Fail, net.Name,
				"HNS network %s has an outdated route to the pods of %s", net.Name,
				firstThree(stale)).
				At(net.Field("Policies"), "%s: RemoteSubnetRoute of %s", net.Name,
					firstThree(stale)).
				At(evidence.Nodes.Field(s),
					"the annotations flannel.alpha.coreos.com/public-ip and backend-data say otherwise"))
		}
		return findings, nil
	},
})

// wrongInterface finds routes to addresses that other nodes announce and that Kubernetes does not know
// them by, where no pod behind such a route answers the pods of this node.
func wrongInterface(s evidence.Snapshot, n *node.Node, net evidence.HNSNetwork) *checks.Finding {
	v := viewOfRemotePods(s, n)
	if v.heard || v.elsewhere == nil || !v.isPath(s) {
		return nil
	}
	var wrong []string
	var because []evidence.Because
	for _, other := range evidence.Nodes.In(s) {
		announced, internal := announcedAddresses(other), node.ParseAddresses(other.InternalIPs()...)
		var known []node.Address
		for _, a := range other.Status.Addresses {
			known = append(known, node.ParseAddresses(a.Address)...)
		}
		if other.Metadata.Annotations["flannel.alpha.coreos.com/public-ip-overwrite"] != "" {
			continue // somebody chose it
		}
		for _, way := range net.RemoteSubnets() {
			to, ok := node.ParseAddress(way.ProviderAddress)
			pods, valid := node.ParsePrefix(way.Prefix)
			lost := slices.IndexFunc(v.lost, func(p evidence.ReachProbe) bool {
				a, _ := probed.AddressOf(p)
				return valid && pods.Contains(a)
			})
			if !ok || lost < 0 || len(internal) == 0 || !slices.Contains(announced, to) || slices.Contains(known, to) {
				continue
			}
			wrong = append(wrong, other.Metadata.Name+" ("+internal[0].String()+") by "+to.String())
			because = append(because, probed.ReachBecause(v.lost[lost]),
				net.Field("Policies").Because("%s: RemoteSubnetRoute of %s to %s", net.Name, pods, to),
				other.Field("status", "addresses").Because("InternalIP of %s is %s", other.Metadata.Name, internal[0]))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return checks.Findingf(checks.Fail, net.Name,
		"HNS network %s reaches the pods of %s, and they do not answer", net.Name, firstThree(wrong)).
		With(because...).Cure(checks.Steps(
		checks.Inspect("kubectl get nodes -o yaml | Select-String 'projectcalico.org/IPv4Address|public-ip:|  address:'",
			"Compare the addresses that the other nodes announce with their InternalIP."),
		checks.Do("On the other nodes, set the address of the network plugin to the InternalIP: nodeAddressAutodetectionV4 of Calico, --iface of flannel, node-ip of RKE2."),
		checks.Do("Restart the network plugin on the other nodes.").
			Costs("Pods of these nodes lose their network for a few seconds."),
		checks.Verify("Get-HnsNetwork | Where-Object Name -eq '{network}' | ConvertTo-Json -Depth 10",
			"a RemoteSubnetRoute to the InternalIP of each other node")))
}

// differs compares a route with what flannel wrote on the other node; "" where they agree or nothing is written.
func differs(way evidence.HNSRemoteSubnet, annotations map[string]string) string {
	have, ok := node.ParseAddress(way.ProviderAddress)
	want, known := node.ParseAddress(annotations["flannel.alpha.coreos.com/public-ip"])
	if ok && known && have != want {
		return "it leads to " + have.String() + ", and the node is at " + want.String()
	}
	var data struct{ VtepMAC string }
	if json.Unmarshal([]byte(annotations["flannel.alpha.coreos.com/backend-data"]), &data) != nil {
		return ""
	}
	mac := func(s string) string { return strings.ToUpper(strings.ReplaceAll(s, ":", "-")) }
	if data.VtepMAC != "" && way.DRMAC != "" && mac(data.VtepMAC) != mac(way.DRMAC) {
		return "its MAC is " + mac(way.DRMAC) + ", and the node's is " + mac(data.VtepMAC)
	}
	return ""
}
