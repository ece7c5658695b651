package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// manyUnused is how many remote endpoints without a load balancer kube-proxy does not leave behind
// in a single change of a Service.
const manyUnused = 20

var _ = register(&checks.Check{
	ID:       "remote-endpoint-unused",
	Title:    "HNS has remote endpoints that no load balancer uses",
	Healthy:  "Each remote HNS endpoint belongs to a load balancer",
	Category: checks.CategoryNetwork,
	Doc: `kube-proxy creates an HNS endpoint for each backend of a Service that is not on this node,
and deletes it with the last load balancer that uses it. Where the delete fails, or kube-proxy was
replaced, remote endpoints stay behind. Their addresses are later given to other pods, on this node
too: HNS then rejects the endpoint of the new pod, or sends its traffic to another node.

The check compares the remote endpoints with the backends of all load balancers. A few can be left
while Services change, so they are only listed; 20 or more, or more than half, are a warning. It
does not run where HNS has no load balancer at all: that is another fault.`,
	Fix: checks.Steps(
		checks.Run("{restart kube-proxy}",
			"Restart kube-proxy: it deletes the load balancers and remote endpoints that it does not know.").
			Costs("New connections to Services fail until kube-proxy has programmed them."),
		checks.Do("Update Kubernetes: several releases of kube-proxy leave remote endpoints behind."),
		checks.Verify("Get-HnsEndpoint | Where-Object IsRemoteEndpoint | Measure-Object",
			"about as many as the backends of all Services")),
	Links: []string{
		"https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/debug/networkmonitor/networkhealth.ps1",
		"https://github.com/kubernetes/kubernetes/issues/112836"},
	Explains: []string{"local-and-remote-endpoint-same-ip"},
	Needs:    []evidence.Need{evidence.HNSEndpoints, evidence.HNSLoadBalancers},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		balancers := evidence.HNSLoadBalancers.In(s)
		if len(balancers) == 0 {
			return nil, checks.Skip("HNS has no load balancer")
		}
		used := map[string]bool{}
		for _, lb := range balancers {
			if lb.Truncated {
				return nil, checks.Unknown(
					evidence.CutByRecorder.Gap("inner values of HNS objects"))
			}
			for _, id := range lb.Endpoints {
				used[id] = true
			}
		}
		var unused []evidence.HNSEndpoint
		var addresses []string
		remote := 0
		for _, e := range evidence.HNSEndpoints.In(s) {
			if !e.Remote {
				continue
			}
			remote++
			if !used[e.ID] {
				unused = append(unused, e)
				addresses = append(addresses, node.EndpointName(e))
			}
		}
		if len(unused) == 0 {
			return nil, nil
		}
		level := checks.Info
		if len(unused) >= manyUnused || len(unused) >= 5 && len(unused)*2 > remote {
			level = checks.Warn
		}
		return []*checks.Finding{checks.Findingf(level, "hns",
			"%d of %d remote HNS endpoints belong to no load balancer: %s", len(unused), remote,
			firstThree(addresses)).
			At(unused[0].Field(), "%s: no load balancer uses it", node.EndpointName(unused[0])).
			At(evidence.HNSLoadBalancers.Field(s), "%d load balancers", len(balancers))}, nil
	},
})
