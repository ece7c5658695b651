package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(checks.Check{
	ID:       "proxy-env-not-seen-by-runtime",
	Title:    "a proxy is set, and the runtime pulls images past it",
	Category: checks.CategoryImages,
	FAQ:      []int{15},
	Doc: `The documentation sets HTTP_PROXY and HTTPS_PROXY for the whole machine. A service
gets its environment when it starts, and from a service manager that read the machine's variables
when Windows started: a runtime that was running before, or was merely restarted since, may know
nothing of the proxy. A proxy that was given to the kubelet's service alone serves nobody either,
for it is the runtime that pulls.

No recording holds the environment that a running process really has, so the check concludes it:
HTTPS_PROXY is set somewhere, the registry is not in NO_PROXY, and the pull ended in a connection or
a name lookup of the registry itself. A pull through the proxy would have failed with
"proxyconnect", and would not have asked for the registry's address at all.`,
	Fix: checks.Steps(
		checks.Run(`Set-ItemProperty HKLM:\SYSTEM\CurrentControlSet\Services\{runtime} -Name Environment -Type MultiString -Value "HTTPS_PROXY=http://PROXY:PORT","NO_PROXY={serviceCIDR},{clusterCIDR},{managementIP},.svc,.cluster.local"`, "give the proxy to the runtime's own service, with the cluster's networks in NO_PROXY, and restart the runtime (with nssm: nssm set {runtime} AppEnvironmentExtra HTTPS_PROXY=http://PROXY:PORT NO_PROXY=…)").
			Costs("running containers are not touched; machine-wide variables instead need a reboot of the node"),
		checks.Run("{restart runtime}", "")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/containerd/containerd/issues/8846",
		"https://github.com/containerd/containerd/issues/6609",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/339",
		"https://github.com/moby/moby/issues/42112"},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{evidence.Env, evidence.Services, evidence.PodEvents},
	Uses:   []evidence.Need{evidence.Pods, evidence.ReachProbes},
	Signs: []checks.Sign{
		{Text: "failed to do request",
			Also: []string{"/v2/", "connectex: A connection attempt failed"},
			Not:  []string{"proxyconnect"}, Level: checks.Warn,
			Says: "the runtime asks a registry directly and gets no answer; where the way out is a proxy, the runtime does not know of it"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		// registries are asked over https
		envs := slices.DeleteFunc(node.ProxyEnvs(s, n), func(e node.ProxyEnv) bool {
			return !e.HTTPS
		})
		env, ok := runtimeProxy(n, envs)
		if !ok {
			return nil, nil
		}
		answered := map[string]bool{}
		for _, p := range evidence.ReachProbes.In(s) {
			if p.Protocol != "icmp" && p.Outcome == "ok" {
				answered[strings.ToLower(probed.HostOf(p.Target))] = true
			}
		}
		var because []evidence.Because
		registry := ""
		for _, pull := range unansweredPulls(s, answered) {
			if !strings.Contains(pull.text, "dial tcp") ||
				strings.Contains(pull.text, "proxyconnect") {
				continue
			}
			host := ""
			if m := pulledFrom.FindStringSubmatch(pull.text); m != nil {
				host = strings.ToLower(probed.HostOf(m[1]))
			}
			if host != "" && env.BypassesDomain("."+host) {
				continue // it is meant to be reached directly
			}
			because, registry = append(because, pull.from), cmp.Or(registry, host)
		}
		if len(because) == 0 {
			return nil, nil
		}
		f := checks.Findingf(checks.Fail, cmp.Or(registry, "the runtime"),
			"the runtime asks %s directly, although %s has the proxy %s: it was not restarted since, or was never given it", orPhrase(registry, evidence.Phrasef("the registry")), env.Of(), env.Proxy).
			With(env.From).With(because[:min(len(because), checks.MaxQuotes)]...)
		f.Basis = checks.ByBoth
		return []checks.Finding{f}, nil
	},
})

// runtimeProxy is the proxy that the runtime is meant to use: its own, else the
// machine's, else the one that somebody gave to another service.
func runtimeProxy(n *node.Node, envs []node.ProxyEnv) (node.ProxyEnv, bool) {
	for _, svc := range n.Components["runtime"].Services {
		for _, e := range envs {
			if e.Service == svc.Name {
				return e, true
			}
		}
	}
	if len(envs) == 0 {
		return node.ProxyEnv{}, false
	}
	return envs[0], true // the machine comes first
}
