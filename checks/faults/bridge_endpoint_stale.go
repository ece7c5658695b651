package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "bridge-endpoint-stale",
	Title:    "Host endpoint on the pod network is not attached",
	Healthy:  "Host endpoint on the pod network is attached",
	Category: checks.CategoryNetwork,
	FAQ:      []int{11},
	Doc: `flannel host-gw and Calico give the host an endpoint of its own on the pod network:
cbr0_ep, Calico_ep. It is kept over restarts, and Windows newer than Server 2019 refuses to attach
an endpoint that it regards as attached already (0x803b0014). flanneld up to 0.13.0 and Calico 3.17
then give up; pods have no way to the host.

In HNS the fault shows as an endpoint of that name without the virtual adapter of the same name on
the host.`,
	Fix: checks.Steps(
		checks.Run("Get-HnsEndpoint | Where-Object Name -eq '{network}_ep' | Remove-HnsEndpoint",
			"Remove the stale endpoint of the host.").
			Costs("Pods of {node} cannot reach the host for a few seconds."),
		checks.Run("{restart network agent}",
			"Restart the program that creates the endpoint of the host."),
		checks.Verify("Get-NetAdapter -Name 'vEthernet ({network}_ep)*'",
			"an adapter with Status Up")),
	Links: []string{"https://github.com/flannel-io/flannel/issues/1391",
		"https://github.com/flannel-io/flannel/issues/1423",
		"https://github.com/flannel-io/flannel/issues/1112",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/94",
		"https://github.com/projectcalico/calico/issues/4280",
		"https://github.com/projectcalico/calico/issues/5192"},
	Breaks: []*checks.Effect{effectNetworkCreation, effectPodTraffic, effectNodePorts,
		effectKubeProxy},
	Applies: checks.OnCNI(node.Flannel, node.Calico),
	Needs:   []evidence.Need{evidence.HNSEndpoints, evidence.Adapters, node.NeedNetworks},
	Uses:    []evidence.Need{evidence.Node, evidence.Pods},
	Signs: []checks.Sign{
		// Whoever makes the endpoint tries again, flanneld at its next start.
		{Text: "failed to hot attach bridge HNSEndpoint", Not: wrongDisk, Until: bridgeAttached,
			Says: "flanneld cannot attach the host's endpoint on the pod network"},
		{Text: "Unable to hot attach bridge endpoint", Not: wrongDisk, Until: bridgeAttached,
			Says: "the host's endpoint on the pod network cannot be attached"},
		{Text: "failed to create bridge HNSEndpoint", Not: wrongDisk, Until: bridgeAttached,
			Says: "flanneld cannot create the host's endpoint on the pod network"},
		{Text: "Unable to create bridge endpoint", Not: wrongDisk, Until: bridgeAttached,
			Says: "the host's endpoint on the pod network cannot be created"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		adapters := evidence.Adapters.In(s)
		for _, e := range evidence.HNSEndpoints.In(s) {
			network, own := strings.CutSuffix(strings.ToLower(e.Name), "_ep")
			if !own || e.Remote || !slices.ContainsFunc(n.Networks.Value, func(want string) bool {
				return node.NameMatches(want, network)
			}) {
				continue
			}
			if len(adapters) == 0 {
				return nil, checks.Unknown(evidence.NotShown.Gap("any network adapter"))
			}
			name := "vEthernet (" + e.Name + ")"
			if slices.ContainsFunc(adapters, func(a evidence.Adapter) bool {
				return strings.HasPrefix(strings.ToLower(a.Name), strings.ToLower(name))
			}) {
				continue
			}
			// not every version of the plugins attaches it, and pods may do without
			level := checks.Info
			switch {
			case len(liveSigns(s, "bridge-endpoint-stale")) > 0:
				level = checks.Fail
			case n.Unhealthy(s): // of this or of another fault
				level = checks.Warn
			}
			return []*checks.Finding{checks.Findingf(level, e.Name,
				"HNS endpoint %s of the host is not attached: adapter %s is missing", e.Name, name).
				At(e.Field("Name"), "%s: %s", e.Name, strings.Join(e.Addresses, ", ")).
				At(evidence.Adapters.Field(s), "none of its %d adapters is %s", len(adapters),
					name)}, nil
		}
		return nil, nil
	},
})

// bridgeAttached is what flanneld and Calico's plugin say that have attached it.
var bridgeAttached = append([]string{"Attached bridge endpoint"}, subnetWritten...)

// wrongDisk marks objects that an update of Windows made unreadable.
var wrongDisk = []string{"(0x22)", "0x80070022", "diskette"}
