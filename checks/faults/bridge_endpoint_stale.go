package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
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
the host. Some versions of the plugins do without the adapter: it is a fault if the endpoint is the
gateway of pods and no probe of theirs leaves the node, and a warning if nothing was probed.`,
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
	Explains: []string{"hns-object-inconsistent"}, // the gateway of pods is the host's endpoint
	Applies:  checks.OnCNI(node.Flannel, node.Calico),
	Needs:    []evidence.Need{evidence.HNSEndpoints, evidence.Adapters, node.NeedNetworks},
	Uses: append(slices.Clone(node.ClusterSources), evidence.Node, evidence.Pods,
		evidence.ReachProbes),
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
		e, detached := detachedHostEndpoint(s)
		if !detached {
			return nil, nil
		}
		adapters := evidence.Adapters.In(s)
		if len(adapters) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("any network adapter"))
		}
		// not every version of the plugins attaches it, and pods may do without
		level := checks.Info
		v := viewFromPods(n, evidence.ReachProbes.In(s))
		gateway := gatewayOfPods(s, e)
		switch {
		case len(liveSigns(s, "bridge-endpoint-stale")) > 0,
			gateway && !v.heard && !v.ownHeard && (len(v.lost) > 0 || v.ownLost):
			level = checks.Fail
		case gateway, n.Unhealthy(s): // of this or of another fault
			level = checks.Warn
		}
		name := "vEthernet (" + e.Name + ")"
		f := checks.Findingf(level, e.Name,
			"HNS endpoint %s of the host is not attached: adapter %s is missing", e.Name, name).
			At(e.Field("Name"), "%s: %s", e.Name, strings.Join(e.Addresses, ", ")).
			At(evidence.Adapters.Field(s), "none of its %d adapters is %s", len(adapters), name)
		for _, p := range v.lost[:min(len(v.lost), checks.MaxQuotes)] {
			if gateway {
				f = f.With(probed.ReachBecause(p))
			}
		}
		return []*checks.Finding{f}, nil
	},
})

// detachedHostEndpoint is the host's own endpoint on the pod network, without an adapter of its name.
func detachedHostEndpoint(s evidence.Snapshot) (evidence.HNSEndpoint, bool) {
	for _, e := range evidence.HNSEndpoints.In(s) {
		network, own := strings.CutSuffix(strings.ToLower(e.Name), "_ep")
		if own && !e.Remote && slices.ContainsFunc(node.About(s).Networks.Value, func(want string) bool {
			return node.NameMatches(want, network)
		}) && !slices.ContainsFunc(evidence.Adapters.In(s), func(a evidence.Adapter) bool {
			return strings.HasPrefix(strings.ToLower(a.Name), "vethernet ("+network+"_ep)")
		}) {
			return e, true
		}
	}
	return evidence.HNSEndpoint{}, false
}

// gatewayOfPods tells that pods of the node send what leaves their network to the host's endpoint.
func gatewayOfPods(s evidence.Snapshot, host evidence.HNSEndpoint) bool {
	ips := node.ParseAddresses(host.Addresses...)
	return slices.ContainsFunc(evidence.HNSEndpoints.In(s), func(e evidence.HNSEndpoint) bool {
		gateway, ok := node.ParseAddress(e.Gateway)
		return ok && !e.Remote && e.ID != host.ID && slices.Contains(ips, gateway)
	})
}

// bridgeAttached is what flanneld and Calico's plugin say that have attached it.
var bridgeAttached = append([]string{"Attached bridge endpoint"}, subnetWritten...)

// wrongDisk marks objects that an update of Windows made unreadable.
var wrongDisk = []string{"(0x22)", "0x80070022", "diskette"}
