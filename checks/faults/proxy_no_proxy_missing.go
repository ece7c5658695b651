package faults

import (
	"cmp"
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "proxy-no-proxy-missing",
	Title:    "NO_PROXY does not cover the cluster",
	Healthy:  "NO_PROXY covers the cluster",
	Category: checks.CategoryNetwork,
	FAQ:      []int{15},
	Doc: `HTTP_PROXY and HTTPS_PROXY, set for the whole machine as the documentation's FAQ advises
for image pulls, are inherited by the kubelet and by the CNI plugins that the runtime starts. Unless
NO_PROXY lists the service network, the pod network and the node network, requests to the API server
through its Service address go to the proxy, which answers "Service Unavailable" or "Forbidden".

The check reads the environment of the machine and of each service. It applies the rules of Go's
HTTP client to the API server's Service address and to a pod address. It is a fault if the CNI
plugin uses that Service address, as Calico's does, or if a log shows such a request answered by a
proxy; otherwise it is a warning. If only the pod network is missing, it is an info: the node's own programs send no requests to pods
through a proxy, and the list that OpenShift makes never has the pod network of Windows nodes. HTTP_PROXY alone does no harm: these
requests use https.`,
	Fix: checks.Steps(
		checks.Run(`[Environment]::SetEnvironmentVariable("NO_PROXY", "localhost,127.0.0.1,169.254.169.254,{serviceCIDR},{clusterCIDR},{managementIP},.svc,.cluster.local", "Machine")`,
			"Set NO_PROXY for the machine. If a service sets its own proxy, set NO_PROXY there, too.").
			Costs("Running services see the new value only after a restart, some only after a reboot."),
		checks.Run("{restart runtime}", "Restart the container runtime.").
			Costs("Running containers are not affected."),
		checks.Run("{restart kubelet}", "Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Verify(`[Environment]::GetEnvironmentVariable("NO_PROXY", "Machine")`,
			"a list with {serviceCIDR} and {clusterCIDR}")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/projectcalico/calico/issues/2941",
		"https://github.com/projectcalico/calico/issues/8426"},
	Breaks: []*checks.Effect{effectPodStart, effectNodeReports},
	Needs:  []evidence.Need{evidence.Env, evidence.Services},
	Uses:   []evidence.Need{evidence.KubeServices},
	Signs: []checks.Sign{
		{Text: "Service Unavailable", Also: []string{"error getting ClusterInformation"},
			Says: "a CNI plugin's call to the API server was answered by a proxy: Service Unavailable"},
		{Text: "Bad Gateway", Also: []string{"error getting ClusterInformation"},
			Says: "a CNI plugin's call to the API server was answered by a proxy: Bad Gateway"},
		// the API server itself says "is forbidden: User"
		{Text: ": Forbidden", Also: []string{"error getting ClusterInformation"},
			Says: "a CNI plugin's call to the API server was answered by a proxy: Forbidden"},
		// what Go says of a CONNECT that a proxy refuses
		{Text: ": Forbidden", Also: []string{":6443/api"}, Not: []string{"forbidden: ", "is forbidden"},
			Says: "a call to the API server was answered by a proxy: Forbidden"},
		// net/http returns the status of a CONNECT as its error; an API server sends a sentence
		{Text: "Proxy Authentication Required", Or: []string{"proxyconnect tcp: ", "/nodes: Service Unavailable",
			`/nodes\": Service Unavailable`, "/nodes: Bad Gateway", `/nodes\": Bad Gateway`,
			"/nodes: Gateway Timeout", `/nodes\": Gateway Timeout`},
			Also:  []string{"Unable to register node"},
			Until: nodeRegistered,
			Says:  "the kubelet's call to the API server goes to a proxy, which does not serve it"},
		{Text: "Proxy Authentication Required", Or: []string{"Gateway Timeout", "Gateway Time-out",
			"Tunnel Connection Failed"},
			Also: []string{"error getting ClusterInformation"},
			Says: "a CNI plugin's call to the API server was answered by a proxy"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		envs := node.ProxyEnvs(s, n)
		if len(envs) == 0 {
			return nil, nil
		}
		inside := insideAddresses(n)
		if len(inside) == 0 {
			return nil, checks.Unknown(cmp.Or(n.ServiceCIDRs.Gap, n.ServiceIPs.Gap))
		}
		var findings []*checks.Finding
		for _, env := range envs {
			if !env.HTTPS || env.Service == "" && overridden(n, envs) {
				continue
			}
			var missing []insideAddress
			for _, in := range inside {
				if !env.Bypasses(in.address) {
					missing = append(missing, in)
				}
			}
			because := []evidence.Because{env.From}
			if env.From2.Path != "" {
				because = append(because, env.From2)
			}
			if len(missing) > 0 {
				findings = append(findings, checks.Findingf(proxyHurts(n, s, missing),
					env.Of().String(),
					"NO_PROXY of %s does not cover %s: requests go to the proxy %s",
					env.Of(), namesOf(missing), env.Proxy).With(because...))
			} else if !env.BypassesDomain(".svc") &&
				!env.BypassesDomain(".default.svc.cluster.local") {
				findings = append(findings, checks.Findingf(checks.Info, env.Of().String(),
					"NO_PROXY of %s covers the cluster's addresses, but not its domains (.svc, .cluster.local)", env.Of()).With(because...))
			}
		}
		return findings, nil
	},
})

// proxyHurts tells whether somebody on this node is known to go the wrong way:
// a plugin that asks the API server at its service address, or a line in a log.
func proxyHurts(n *node.Node, s evidence.Snapshot, missing []insideAddress) checks.Level {
	if missing[0].services && n.CNI.Value == node.Calico ||
		len(s.Signs("proxy-no-proxy-missing")) > 0 {
		return checks.Fail
	}
	// The kubelet's probes use no proxy (kubernetes/kubernetes, pkg/probe/http), and OpenShift lists clusterNetwork without
	// hybridClusterNetwork (openshift/cluster-network-operator, pkg/util/proxyconfig/no_proxy.go).
	if !missing[0].services {
		return checks.Info
	}
	return checks.Warn
}

// overridden tells whether the kubelet and the runtime, which starts the CNI
// plugins, both have settings of their own, so that the machine's reach neither.
func overridden(n *node.Node, envs []node.ProxyEnv) bool {
	for _, name := range []string{"kubelet", "runtime"} {
		services := n.Components[name].Services
		if len(services) == 0 {
			return false
		}
		for _, svc := range services {
			if !slices.ContainsFunc(envs, func(e node.ProxyEnv) bool {
				return e.Service == svc.Name
			}) {
				return false
			}
		}
	}
	return true
}

type insideAddress struct {
	what     evidence.Phrase
	services bool
	address  node.Address
}

func namesOf(list []insideAddress) evidence.List {
	var names []evidence.Phrase
	for _, in := range list {
		names = append(names, in.what)
	}
	return evidence.Listed(names)
}

// insideAddresses are addresses that must be reached without a proxy: the API
// server's service, and one address of the pod network.
func insideAddresses(n *node.Node) []insideAddress {
	var list []insideAddress
	switch {
	case len(n.ServiceCIDRs.Value) > 0:
		p := n.ServiceCIDRs.Value[0]
		list = append(list, insideAddress{evidence.Phrasef("services (%s)", p), true,
			node.NthAddress(p, 1)})
	case len(n.ServiceIPs.Value) > 0:
		list = append(list, insideAddress{evidence.Phrasef("services (%s)", n.ServiceIPs.Value[0]),
			true, n.ServiceIPs.Value[0]})
	}
	if len(n.ClusterCIDRs.Value) > 0 && len(list) > 0 {
		p := n.ClusterCIDRs.Value[0]
		list = append(list, insideAddress{evidence.Phrasef("pods (%s)", p), false,
			node.NthAddress(p, 2)})
	}
	return list
}
