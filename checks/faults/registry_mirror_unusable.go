package faults

import (
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "registry-mirror-unusable",
	Title:    "Registry mirror does not give an image, and its registry does not answer",
	Healthy:  "Image pulls get an answer from a mirror or the registry",
	Category: checks.CategoryImages,
	Doc: `containerd asks the mirrors of a registry first (hosts.toml, or registries.yaml of RKE2 and K3s), and
then the registry itself. On a network without a way to the registry a pull fails with the timeout of the
registry, and only containerd's log has the error of the mirror. Usual causes: the image is not in the
mirror; the path of the mirror does not begin with /v2, or override_path is not set, so that containerd requests
another name; the mirror needs credentials or has a certificate that the node does not trust.

The check looks for pods whose pull gets no answer from the registry while containerd has asked another
host before. A mirror that does not have every image is ordinary where the registry answers: this is a
warning.`,
	Fix: checks.Steps(
		checks.Inspect("Get-ChildItem -Recurse -Filter hosts.toml C:\\ProgramData\\containerd, C:\\etc\\containerd, C:\\k, C:\\var\\lib\\rancher -ErrorAction SilentlyContinue | Get-Content",
			"Read the address of the mirror. With a path it must end in /v2/PATH, with override_path = true."),
		checks.Do("Copy the image to the mirror under the name that containerd requests, or correct the address, the credentials or the certificate of the mirror."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://github.com/containerd/containerd/blob/main/docs/hosts.md",
		"https://github.com/k0sproject/k0s/issues/5478",
		"https://github.com/containerd/containerd/issues/7321",
		"https://github.com/openshift/windows-machine-config-operator/pull/2799",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"proxy-not-configured", "proxy-env-not-seen-by-runtime", "registry-name-not-resolved"},
	Needs:    []evidence.Need{evidence.PodEvents},
	Uses:     []evidence.Need{evidence.Logs("containerd"), evidence.Pods, evidence.ReachProbes, evidence.Node},
	Signs:    []checks.Sign{{Text: "trying next host", In: []string{"containerd"}, ConfirmOnly: true}},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		pulls := unansweredPulls(s, nil)
		for _, m := range s.Signs("registry-mirror-unusable") {
			if m.Over != "" || !m.Last.IsZero() && s.Now().Sub(m.Last) > checks.Recently {
				continue
			}
			for _, line := range []string{m.Found, m.Tail} { // the registry itself is the last that is asked
				asked := nextHost.FindStringSubmatch(line)
				at := slices.IndexFunc(pulls, func(p runtimeText) bool { return asked != nil && isMirrorFor(asked[1], p.text) })
				if at >= 0 {
					return []*checks.Finding{checks.Findingf(checks.Warn, asked[1],
						"mirror %s does not give an image, and the registry itself does not answer", asked[1]).
						With(checks.Quote(m), pulls[at].from)}, nil
				}
			}
		}
		if gap := checks.Heard(s, evidence.Logs("containerd")); gap.Kind != "" && len(pulls) > 0 {
			return nil, checks.Unknown(gap)
		}
		return nil, nil
	},
})

// nextHost is the host that containerd leaves for the next one: core/remotes/docker/resolver.go.
var nextHost = regexp.MustCompile(`trying next host.*\bhost="?([a-zA-Z0-9.-]+(?::\d+)?)`)

// isMirrorFor tells whether a host is another than the registry of a pull.
func isMirrorFor(host, pull string) bool {
	registry := ""
	for _, said := range []*regexp.Regexp{askedHost, pulledFrom} {
		if m := said.FindStringSubmatch(pull); m != nil && registry == "" {
			registry = m[1]
		}
	}
	of := func(name string) string {
		return strings.TrimPrefix(strings.ToLower(probed.HostOf(name)), "registry-1.")
	}
	return registry != "" && of(registry) != of(host)
}
