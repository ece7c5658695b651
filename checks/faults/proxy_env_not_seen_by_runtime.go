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

const noRegistryAnswer = "the runtime gets no answer from a registry: a firewall, no route to it, or no proxy setting"

const registryRefuses = "a connection to a registry is refused or cut: a firewall, a wrong port, or no proxy setting"

// pulledSince is what containerd and the kubelet say of a pull that worked: slow networks recover.
var pulledSince = []string{"returns image reference", "Successfully pulled image"}

var _ = register(&checks.Check{
	ID:       "proxy-env-not-seen-by-runtime",
	Title:    "Runtime pulls images without the configured proxy",
	Healthy:  "Runtime uses the configured proxy",
	Category: checks.CategoryImages,
	FAQ:      []int{15},
	Doc: `The documentation sets HTTP_PROXY and HTTPS_PROXY for the whole machine. A service gets its
environment at its start from the service manager, which reads the machine's variables when Windows
starts. A runtime that was running before, or was only restarted since, may not have the proxy. A
proxy in the environment of the kubelet's service has no effect on pulls, because the runtime pulls.

The evidence does not contain the environment of running processes, so the check infers it:
HTTPS_PROXY is set somewhere, the registry is not in NO_PROXY, and the pull failed while connecting
to the registry or resolving its name. A pull through the proxy would fail with "proxyconnect" and
would not resolve the registry's name.`,
	Fix: checks.Steps(
		checks.Run(`Set-ItemProperty HKLM:\SYSTEM\CurrentControlSet\Services\{runtime} -Name Environment -Type MultiString -Value "HTTPS_PROXY=http://PROXY:PORT","NO_PROXY={serviceCIDR},{clusterCIDR},{managementIP},.svc,.cluster.local"`,
			"Set HTTPS_PROXY and NO_PROXY in the environment of the runtime's service.").
			Costs("Other variables in the environment of the service are replaced: name them, too."),
		checks.Run("{restart runtime}", "Restart the container runtime.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/containerd/containerd/issues/8846",
		"https://github.com/containerd/containerd/issues/6609",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/339",
		"https://github.com/moby/moby/issues/42112"},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{evidence.Env, evidence.Services, evidence.PodEvents},
	Uses:   []evidence.Need{evidence.Pods, evidence.ReachProbes, evidence.Node},
	Signs: []checks.Sign{
		{Text: "failed to do request",
			Also: []string{"/v2/", "connectex: A connection attempt failed"},
			Not:  []string{"proxyconnect", "trying next host"}, Level: checks.Warn,
			Says: noRegistryAnswer},
		// docker: rancher 23000
		{Text: "Error response from daemon: Get ",
			Also: []string{"/v2/", "request canceled while waiting for connection"},
			Not:  []string{"proxyconnect", pausePulled}, Level: checks.Warn, Says: noRegistryAnswer},
		{Text: "Error response from daemon: Get ",
			Also: []string{"/v2/", "connectex: A connection attempt failed"},
			Not:  []string{"proxyconnect", "failed to do request", pausePulled}, Level: checks.Warn, Says: noRegistryAnswer},
		{Text: "Error response from daemon: Get ", Also: []string{"/v2/", "TLS handshake timeout"},
			Not:   []string{"proxyconnect", "request canceled while waiting for connection", pausePulled},
			Until: pulledSince, Level: checks.Warn, Says: noRegistryAnswer},
		{Text: "TLS handshake timeout", Or: []string{": i/o timeout"},
			Also: []string{"failed to do request", "/v2/"},
			Not:  []string{"proxyconnect", "lookup ", "trying next host"}, Until: pulledSince, Level: checks.Warn,
			Says: noRegistryAnswer},
		// the log of docker
		{Text: "request canceled while waiting for connection",
			Or:   []string{"connectex: A connection attempt failed", "TLS handshake timeout"},
			Also: []string{"returned error: Get ", "/v2/"}, Not: []string{"proxyconnect"},
			Level: checks.Warn, Says: noRegistryAnswer},
		// a firewall that refuses or cuts connections: docker/for-win 166
		{Text: "connectex: No connection could be made because the target machine actively refused it",
			Or: []string{"connectex: A socket operation was attempted to an unreachable network",
				"wsarecv: An existing connection was forcibly closed by the remote host"},
			Also: []string{"failed to do request", "/v2/"},
			Not:  []string{"proxyconnect", eksPauseImage, "trying next host"}, Until: pulledSince, Level: checks.Warn,
			Says: registryRefuses},
		{Text: "connectex: No connection could be made because the target machine actively refused it",
			Or: []string{"connectex: A socket operation was attempted to an unreachable network",
				"wsarecv: An existing connection was forcibly closed by the remote host"},
			Also: []string{"Error response from daemon: Get ", "/v2/"},
			Not:  []string{"proxyconnect", "failed to do request"}, Until: pulledSince,
			Level: checks.Warn, Says: registryRefuses},
		// the server that gives the token: remotes/docker/authorizer.go of containerd
		{Text: "connectex: A connection attempt failed", Or: []string{"TLS handshake timeout", ": i/o timeout"},
			Also:  []string{"failed to authorize: failed to fetch "},
			Not:   []string{"proxyconnect", "lookup ", "failed to do request", "trying next host"},
			Until: pulledSince, Level: checks.Warn, Says: noRegistryAnswer},
		// RKE2 pulls the image of its own programs before any pod: pkg/bootstrap
		{Text: "failed to get runtime image",
			Also: []string{"connectex: A connection attempt failed"},
			Not:  []string{"proxyconnect"}, Level: checks.Warn, Says: noRegistryAnswer},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
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
			"runtime connects to %s directly, but %s has proxy %s",
			orPhrase(registry, evidence.Phrasef("the registry")), env.Of(), env.Proxy).
			With(env.From).With(because[:min(len(because), checks.MaxQuotes)]...)
		if !strings.ContainsAny(env.Proxy, "@\"'`$ ") {
			fix := fixOf("proxy-env-not-seen-by-runtime")
			fix.Steps[0].Command = strings.Replace(fix.Steps[0].Command, "http://PROXY:PORT",
				env.Proxy, 1)
			f = f.Cure(fix)
		}
		f.Basis = checks.ByBoth
		return []*checks.Finding{f}, nil
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
