package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/sorted"
)

var _ = register(&checks.Check{
	ID:       "local-and-remote-endpoint-same-ip",
	Title:    "HNS remote endpoint has the address of a local pod",
	Healthy:  "No HNS remote endpoint has the address of a local pod",
	Category: checks.CategoryNetwork,
	Doc: `kube-proxy creates a remote endpoint in HNS for every backend on another node. If that pod
is deleted, and a pod of this node gets its address before the endpoint is removed, HNS has the
address twice. Traffic to a Service may then go to the wrong node: DNS times out sometimes. Some
releases of kube-proxy then removed the wrong one of the two, and the pod lost its adapter.

The check looks for an address that belongs to a local and to a remote endpoint of one network, and
for a running pod of this node whose address HNS has only as a remote endpoint.`,
	Fix: remoteEndpointFix("POD_IP"),
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
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
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
		var findings []*checks.Finding
		sorted.By(order, node.Address.Compare)
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
					"HNS has %s as a local and as a remote endpoint: Service traffic may go to the wrong node", ip).
					At(l.Field("ID"), "%s: %s is local", ip, l.ID).At(remote[ip][at].Field("ID"),
					"%s: %s is remote", ip, remote[ip][at].ID).
					Cure(remoteEndpointFix(ip.String())))
			}
		}
		for _, p := range evidence.Pods.In(s) {
			ip, ok := node.ParseAddress(p.Status.PodIP)
			if !ok || p.Spec.HostNetwork || p.HostProcess() || p.Status.Phase != "Running" ||
				len(remote[ip]) == 0 || len(local[ip]) > 0 {
				continue
			}
			findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
				"HNS has the address of pod %s, %s, only as a remote endpoint: the pod lost its adapter", p.FullName(), ip).
				At(p.Field("status", "podIP"), "%s has %s", p.FullName(),
					p.Status.PodIP).At(remote[ip][0].Field("ID"),
				"%s: %s is remote, and no local endpoint has the address", ip, remote[ip][0].ID).
				Cure(remoteEndpointFix(ip.String(),
					checks.Run("kubectl -n "+p.Metadata.Namespace+" delete pod "+p.Metadata.Name,
						"Recreate the pod: it has no local endpoint.").
						Costs("The pod is down for a short time. A pod without a controller is not created again."))))
		}
		return findings, nil
	},
})

// remoteEndpointFix removes the remote endpoint of an address; then come the steps of more.
func remoteEndpointFix(ip string, more ...*checks.Step) checks.Fix {
	endpoint := `Get-HnsEndpoint | Where-Object { $_.IPAddress -eq "` + ip +
		`" -and $_.IsRemoteEndpoint }`
	steps := []*checks.Step{
		checks.Run(endpoint+" | Remove-HnsEndpoint", "Remove the stale remote endpoint.").
			Costs("Connections to this address through Services break for a few seconds."),
		checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
			Costs("Connections to Services break for a few seconds."),
	}
	return checks.Fix{Steps: append(append(steps, more...),
		checks.Do("Update kube-proxy to a release with Kubernetes pull requests 131138 and 138000."),
		checks.Verify(endpoint, "no remote endpoint"))}
}
