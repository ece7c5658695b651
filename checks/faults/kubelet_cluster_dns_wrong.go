package faults

import (
	"regexp"
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "kubelet-cluster-dns-wrong",
	Title:    "kubelet gives pods a wrong DNS server",
	Healthy:  "kubelet gives pods the cluster DNS",
	Category: checks.CategoryDNS,
	FAQ:      []int{13},
	Doc: `The kubelet gives the addresses of clusterDNS to each pod with the DNS policy ClusterFirst. One
of them must be the address of the cluster's DNS Service. Scripts and operators with an address of
another service network, such as 10.96.0.10 or 172.30.0.10, give pods a server that does not exist:
no name resolves in them.

The check compares clusterDNS with the addresses of all Services. Addresses of nodes and pods, and link-local ones of a cache on the node, are accepted, and so is each server that
answered a pod. Where HNS shows the servers of the pods, they must have the wrong one. It is a
fault if the address is in the service network, or a pod got no answer from it; otherwise a warning.`,
	Fix: checks.Steps(
		checks.Edit("{kubeletConfig}", "Set clusterDNS to {clusterDNS}."),
		checks.Do("Correct the script or operator that writes the setting, too."),
		checks.Run("{restart kubelet}", "Restart the kubelet.").
			Costs("Running containers are not affected."),
		recreatePods(),
		checks.Verify("Resolve-DnsName kubernetes.default.svc.cluster.local. -Server {clusterDNS}",
			"the address of the Service kubernetes")),
	Links: []string{
		"https://docs.openshift.com/container-platform/4.10/windows_containers/windows-containers-release-notes-5-x.html",
		"https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/",
		"https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#dns-windows"},
	Breaks:   []*checks.Effect{effectClusterDNS},
	Explains: []string{"cni-nameserver-mismatch", "dns-servers-disagree"},
	Applies: func(n *node.Node) error {
		if n.Generation.Value == node.Gen15 {
			return checks.Skip("kube-proxy in userspace mode answers DNS at the node's address")
		}
		return nil
	},
	Needs: []evidence.Need{evidence.KubeServices, node.NeedKubeletFlags},
	Uses: slices.Concat(node.AsFiles(node.KubeletConfigs), node.KubeletSources, node.ClusterSources,
		[]evidence.Need{evidence.DNSProbes, evidence.HNSEndpoints, evidence.EndpointSlices, evidence.Nodes,
			evidence.Node, evidence.Pods}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		given := node.KubeletDNS(n, s)
		if len(given) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("clusterDNS of the kubelet"))
		}
		var good []node.Address
		for _, svc := range evidence.KubeServices.In(s) {
			good = append(good, node.ParseAddresses(svc.ClusterIPs()...)...)
		}
		if !anyOf(n.ClusterDNS.Value, good) {
			return nil, checks.Unknown(evidence.NotShown.Gap("the Service of the cluster DNS"))
		}
		right := n.ClusterDNS.Value[0]
		good = append(good, n.ManagementIPs.Value...)
		for _, other := range evidence.Nodes.In(s) {
			good = append(good, node.ParseAddresses(other.InternalIPs()...)...)
		}
		for _, b := range n.DNSBackends(s) {
			good = append(good, b.Addr())
		}
		level := checks.Warn
		for _, a := range given {
			if slices.Contains(good, a) || a.IsLinkLocalUnicast() || a.IsLoopback() ||
				node.AnyContains(n.ClusterCIDRs.Value, a) {
				return nil, nil
			}
			if node.AnyContains(n.ServiceCIDRs.Value, a) {
				level = checks.Fail
			}
		}
		var lost []evidence.Because
		for _, t := range probed.DNSTalks(evidence.DNSProbes.In(s)) {
			a, ok := node.ParseAddress(probed.HostOf(t.Server))
			switch {
			case !ok || !slices.Contains(given, a) || !t.Asked():
			case t.Answered():
				return nil, nil
			case t.From != "node":
				level, lost = checks.Fail, t.Quotes()
			}
		}
		if used := serversOfPods(s); len(used) > 0 && !anyOf(used, given) {
			return nil, nil // the CNI configuration has servers of its own
		}
		from := kubeletDNSFrom(n, s)
		return []*checks.Finding{checks.Findingf(level, "clusterDNS",
			"clusterDNS of the kubelet is %s, expected the cluster DNS %s: no Service has that address",
			given[0], right).With(from, n.ClusterDNS.From).With(lost[:min(len(lost), 1)]...).
			Cure(withFirst(fixOf("kubelet-cluster-dns-wrong"), changeKubelet(s, n, from, "clusterDNS",
				evidence.Phrasef("Set %s to %s.", "clusterDNS", right.String()),
				regexp.MustCompile(`\b`+regexp.QuoteMeta(given[0].String())+`\b`), right.String())))}, nil
	},
})

// kubeletDNSFrom is where the kubelet has its DNS servers from.
func kubeletDNSFrom(n *node.Node, s evidence.Snapshot) evidence.Because {
	if f, ok := n.KubeletFlag("cluster-dns"); ok && f.Live {
		return f.From // it goes before the file
	}
	if c := n.KubeletConfig(s); c.Gap.Kind == "" && len(c.ClusterDNS) > 0 {
		return c.Field("clusterDNS").Because("clusterDNS is %s", c.ClusterDNS[0])
	}
	f, _ := n.KubeletFlag("cluster-dns")
	return f.From
}
