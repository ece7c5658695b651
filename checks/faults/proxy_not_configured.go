package faults

import (
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

// How a connection attempt that nobody answers ends, in the words of Windows and of Go.
var unanswered = []string{
	"A connection attempt failed because the connected party did not properly respond",
	"i/o timeout", "TLS handshake timeout", "Client.Timeout exceeded", "no such host",
}

var _ = register(&checks.Check{
	ID:       "proxy-not-configured",
	Title:    "Image pulls time out and no proxy is configured",
	Healthy:  "Registries answer, or a proxy is configured",
	Category: checks.CategoryImages,
	FAQ:      []int{15},
	Doc: `On networks that reach the internet only through an HTTP proxy, the runtime needs HTTP_PROXY
and HTTPS_PROXY in its environment. Programs written in Go ignore the proxy settings of Windows
(WinHTTP, Internet Options). Without these variables pulls time out.

The check combines two facts: pulls or probes of a registry timed out, and neither the machine nor
the runtime's service has a proxy in its environment. No evidence shows whether the network has a
proxy, so this is a warning.`,
	Fix: checks.Steps(
		checks.Run(`Set-ItemProperty HKLM:\SYSTEM\CurrentControlSet\Services\{runtime} -Name Environment -Type MultiString -Value "HTTPS_PROXY=http://PROXY:PORT","NO_PROXY={serviceCIDR},{clusterCIDR},.svc,.cluster.local"`,
			"If this network has a proxy, set it for the runtime's service.").
			Costs("Other variables in the environment of the service are replaced: name them, too."),
		checks.Run("{restart runtime}", "Restart the container runtime.").
			Costs("Running containers are not affected."),
		checks.Do("If it has none, allow the node to connect to the registry."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/containerd/containerd/issues/8846"},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{evidence.Env, evidence.Any(evidence.PodEvents, evidence.ReachProbes)},
	Uses: []evidence.Need{evidence.Services, evidence.Pods, evidence.PodEvents,
		evidence.ReachProbes, evidence.Node},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		// registries are asked over https
		if slices.ContainsFunc(node.ProxyEnvs(s, n), func(e node.ProxyEnv) bool {
			return e.HTTPS
		}) {
			return nil, nil
		}
		answered := map[string]bool{} // registries inside the network need no proxy
		for _, p := range evidence.ReachProbes.In(s) {
			if p.Protocol != "icmp" && p.Outcome == "ok" {
				answered[strings.ToLower(probed.HostOf(p.Target))] = true
			}
		}
		var because []evidence.Because
		var silent []string
		for _, pull := range unansweredPulls(s, answered) {
			because = append(because, pull.from)
			// the layers of an image may come from another host than its name tells
			if m := askedHost.FindStringSubmatch(pull.text); m != nil {
				silent = append(silent, strings.ToLower(m[1]))
			} else if m := pulledFrom.FindStringSubmatch(pull.text); m != nil {
				silent = append(silent, strings.ToLower(m[1]))
			}
		}
		for _, p := range evidence.ReachProbes.In(s) {
			host := strings.ToLower(probed.HostOf(p.Target))
			if p.Protocol != "icmp" && p.Outcome == "timeout" && isRegistry(p.Target) &&
				!answered[host] {
				because = append(because, p.Field("outcome").Because("%s to %s from %s: timeout",
					p.Protocol, p.Target, p.From))
				silent = append(silent, host)
			}
		}
		if len(because) == 0 {
			return nil, nil
		}
		if gap := evidence.Services.Gap(s); gap.Kind != "" {
			// a service may have a proxy of its own, as the fix here advises
			return nil, checks.Unknown(gap)
		}
		slices.Sort(silent)
		silent = slices.Compact(silent)
		who := orPhrase(strings.Join(silent[:min(len(silent), checks.MaxQuotes)], ", "),
			evidence.Phrasef("the registry"))
		return []*checks.Finding{checks.Findingf(checks.Warn, who.String(),
			"no answer from %s, and HTTPS_PROXY is not set for the machine or a service", who).
			With(because[:min(len(because), checks.MaxQuotes)]...).At(evidence.Env.Field(s,
			"HTTPS_PROXY"), "HTTPS_PROXY is not set")}, nil
	},
})

// pulledFrom finds the registry in the image of a pull that failed.
var pulledFrom = regexp.MustCompile(`image "([a-zA-Z0-9.-]+\.[a-zA-Z0-9.-]+(?::\d+)?)/`)

// askedHost finds the host of the request that got no answer.
var askedHost = regexp.MustCompile(`(?:Get|Head|Post) \\?"https?://([a-zA-Z0-9.-]+\.[a-zA-Z0-9.-]+(?::\d+)?)/[^"]*\\?": `)

// unansweredPulls lists the pull events that ended in a timeout, of pods that
// have not come up since. The kubelet repeats a pull within five minutes, so an older one of a pod that
// is gone says nothing of now.
func unansweredPulls(s evidence.Snapshot, answered map[string]bool) []runtimeText {
	up, there := map[string]bool{}, map[string]bool{}
	for _, p := range evidence.Pods.In(s) {
		up[p.FullName()], there[p.FullName()] = podRuns(p), true
	}
	var list []runtimeText
	for _, e := range evidence.PodEvents.In(s) {
		text, pod := e.Text(), e.About().Namespace+"/"+e.About().Name
		gone := len(there) > 0 && !there[pod] && !e.At().IsZero() &&
			s.Now().Sub(e.At().Time) > checks.Recently
		if up[pod] || gone || mentions(text, answered) ||
			e.OfOtherNode(evidence.Node.In(s).Metadata.Name) {
			continue
		}
		pull := strings.Contains(text, "pull") ||
			strings.Contains(text, "failed to resolve reference") ||
			strings.Contains(text, "failed to resolve image: ") ||
			strings.Contains(e.Reason, "ErrImagePull")
		for _, words := range unanswered {
			if pull && strings.Contains(text, words) {
				list = append(list, runtimeText{text, e.Field().Because("%s: %s", e.About().Name,
					text)})
				break
			}
		}
	}
	return list
}

func mentions(text string, hosts map[string]bool) bool {
	text = strings.ToLower(text)
	for host := range hosts {
		if host != "" && strings.Contains(text, host) {
			return true
		}
	}
	return false
}

// isRegistry tells a registry among probe targets by its name.
func isRegistry(target string) bool {
	for _, part := range []string{"registry", "mcr.microsoft.com", "gcr.io", "ecr.", "quay.io",
		"docker.io", "azurecr.io", "ghcr.io"} {
		if strings.Contains(strings.ToLower(target), part) {
			return true
		}
	}
	return false
}
