package faults

import (
	"encoding/json"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "vxlan-return-path-missing",
	Title:    "the overlay network does not know the way to the pods of another node",
	Category: checks.CategoryNetwork,
	Doc: `On an overlay network flanneld gives HNS a policy of type RemoteSubnetRoute for each
other node: its podCIDR, its address and the MAC of its tunnel. Where one is missing or out of date,
packets from those pods arrive, and the answers leave this node without being encapsulated and are
lost: connections hang although every component is well.

The check compares the policies with the podCIDR of each other node that flannel has joined, and
with the address and MAC in that node's annotations. Calico gives nodes address blocks of its own,
so that their podCIDRs tell nothing, and is left out.`,
	Fix: checks.Steps(
		checks.Run("Get-HnsNetwork | Where-Object Name -eq '{network}' | ConvertTo-Json -Depth 10",
			"restart flanneld, which adds what is missing; where it does not, look at the flannel annotations of the other node and at flanneld's log").
			Costs("flanneld leaves an existing network as it is; where it has to create it anew, the node is off the network for some seconds"),
		checks.Inspect(
			"kubectl get nodes -o custom-columns=NAME:.metadata.name,CIDR:.spec.podCIDR,IP:.metadata.annotations.flannel\\.alpha\\.coreos\\.com/public-ip", ""),
		checks.Run("Restart-Service flanneld    # where it is a pod: kubectl -n kube-flannel delete pod -l app=flannel --field-selector spec.nodeName={node}", "")),
	Links: []string{"https://github.com/flannel-io/flannel/issues/1394",
		"https://github.com/flannel-io/flannel/issues/1944"},
	Breaks:   []*checks.Effect{effectServices},
	Explains: []string{"vxlan-4789-conflict"},
	Applies:  checks.OnAll(checks.OnFlannel, checks.OnBackend(node.OverlayNet)),
	Needs:    []evidence.Need{evidence.HNSNetworks, evidence.Nodes, node.NeedNetworks},
	Uses:     slices.Concat(node.CNISources, []evidence.Need{evidence.Node}),
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		net, ok := n.PodNetwork(s)
		switch {
		case !ok:
			return nil, checks.Skip("HNS does not have the network of pods")
		case net.Truncated:
			return nil, checks.Unknown(evidence.CutByRecorder.Gap("the policies of %s", net.Name))
		case !n.Name.Known():
			return nil, checks.Unknown(n.Name.Gap)
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
		if others == 0 {
			return nil, checks.Skip("no other node has joined flannel's overlay")
		}
		var findings []checks.Finding
		if len(missing) > 0 {
			findings = append(findings, checks.Findingf(checks.Fail, net.Name,
				"HNS network %s has no route to the pods of %s: answers to them are lost", net.Name,
				firstThree(missing)).
				At(net.Field("Policies"), "%s: %d policies of type RemoteSubnetRoute", net.Name,
					len(ways)).
				At(evidence.Nodes.Field(s), "%d podCIDRs on other nodes of the overlay", others))
		}
		if len(stale) > 0 {
			findings = append(findings, checks.Findingf(checks.Fail, net.Name,
				"HNS network %s has an old route to the pods of %s", net.Name, firstThree(stale)).
				At(net.Field("Policies"), "%s: RemoteSubnetRoute of %s", net.Name,
					firstThree(stale)).
				At(evidence.Nodes.Field(s),
					"the annotations flannel.alpha.coreos.com/public-ip and backend-data say otherwise"))
		}
		return findings, nil
	},
})

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
