package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "local-and-remote-endpoint-same-ip",
	Title:    "HNS takes the address of a pod of this node for one of another node",
	Category: checks.CategoryNetwork,
	Doc: `For every backend on another node kube-proxy makes a remote endpoint in HNS. When that
pod is gone and a pod of this node gets its address before the endpoint is removed, HNS has the
address twice, and traffic to a Service may leave for the wrong node: DNS times out now and then.
Some releases of kube-proxy then removed the wrong one of the two, and the pod lost its adapter.

The check looks for an address that belongs to a local and to a remote endpoint of one network, and
for a running pod of this node whose address HNS knows as remote only.`,
	Fix: checks.Steps(
		checks.Run(`Get-HnsEndpoint | Where-Object { $_.IPAddress -eq "POD-IP" -and $_.IsRemoteEndpoint } | Remove-HnsEndpoint`, "remove the remote endpoint that stands in for the local pod and restart kube-proxy; recreate a pod that has no local endpoint any more; update kube-proxy to a release with Kubernetes 131138 (deleted local endpoints) and 138000 (stale remote ones)").
			Costs("connections through Services that lead to this address break for some seconds"),
		checks.Run("{restart kube-proxy}", "")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/130963",
		"https://github.com/kubernetes/kubernetes/pull/131138",
		"https://github.com/kubernetes/kubernetes/pull/138000",
		"https://github.com/microsoft/Windows-Containers/issues/631",
		"https://github.com/kubernetes/kubernetes/issues/76316",
	},
	Breaks:   []*checks.Effect{effectPodTraffic},
	Explains: []string{"hns-lb-missing-or-stale"},
	Needs:    []evidence.Need{evidence.HNSEndpoints},
	Uses:     []evidence.Need{evidence.Pods},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		endpoints := evidence.HNSEndpoints.In(s)
		local, remote := map[node.Address][]evidence.HNSEndpoint{},
			map[node.Address][]evidence.HNSEndpoint{}
		var order []node.Address
		for _, e := range endpoints {
			for _, ip := range node.ParseAddresses(e.Addresses...) {
				if e.Remote {
					remote[ip] = append(remote[ip], e)
					order = append(order, ip)
				} else {
					local[ip] = append(local[ip], e)
				}
			}
		}
		var findings []checks.Finding
		slices.SortFunc(order, node.Address.Compare)
		for _, ip := range slices.Compact(order) {
			for _, l := range local[ip] {
				// Two networks may well use the same addresses, such as those of NAT.
				at := slices.IndexFunc(remote[ip], func(r evidence.HNSEndpoint) bool {
					return r.NetworkID == l.NetworkID || r.NetworkID == "" || l.NetworkID == ""
				})
				if at < 0 {
					continue
				}
				findings = append(findings, checks.Findingf(checks.Fail, ip.String(),
					"HNS has %s both as a local endpoint and as one of another node: traffic to a Service may go to the wrong node", ip).
					At(l.Field("ID"), "%s: %s is local", ip, l.ID).At(remote[ip][at].Field("ID"),
					"%s: %s is remote", ip, remote[ip][at].ID))
			}
		}
		for _, p := range evidence.Pods.In(s) {
			ip, ok := node.ParseAddress(p.Status.PodIP)
			if !ok || p.Spec.HostNetwork || p.HostProcess() || p.Status.Phase != "Running" ||
				len(remote[ip]) == 0 || len(local[ip]) > 0 {
				continue
			}
			findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
				"%s runs on this node with %s, and HNS has that address as one of another node only: the pod has lost its adapter", p.FullName(), ip).
				At(p.Field("status", "podIP"), "%s has %s", p.FullName(),
					p.Status.PodIP).At(remote[ip][0].Field("ID"),
				"%s: %s is remote, and no local endpoint has the address", ip, remote[ip][0].ID))
		}
		return findings, nil
	},
})
