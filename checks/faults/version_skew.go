package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// mostMinorsBehind is how far a kubelet may be behind its API server, since Kubernetes 1.28; before
// that it was two.
const mostMinorsBehind = 3

var _ = register(&checks.Check{
	ID:       "version-skew",
	Title:    "kubelet version does not fit the API server version",
	Healthy:  "kubelet version fits the API server version",
	Category: checks.CategoryComponents,
	Doc: `A kubelet must not be newer than the API server, and may be three minor versions older. A
newer kubelet uses fields and APIs that the server does not know; an old one misses APIs that were
removed. Node pools that were forgotten in upgrades, and a node that was upgraded before the control
plane, are the usual reasons.

A kubelet of 1.31 or later starts no container with an API server before 1.31, which does not know its query
for Services.

The check compares the version in the Node object with that of the API server.`,
	Fix: checks.Steps(
		checks.Do("Upgrade the control plane first if the kubelet is newer. Otherwise upgrade the node.").
			Costs("Drain the node before its upgrade: its pods move to other nodes."),
		checks.Verify("kubectl get nodes", "VERSION fits that of the API server")),
	Links: []string{"https://kubernetes.io/releases/version-skew-policy/",
		"https://github.com/kubernetes/kubernetes/issues/127316"},
	Explains: []string{"pods-stuck-creating"},
	Needs:    []evidence.Need{node.NeedKubelet, evidence.APIVersion},
	Signs: []checks.Sign{
		{Text: "is not a known field selector", Also: []string{"spec.clusterIP"}, In: []string{"kubelet", "other"},
			Until: []string{"Caches populated … v1.Service"},
			Says:  "the API server is older than the kubelet: it does not know the query for Services, and no container starts"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		kubelet := node.About(s).Kubelet
		text := evidence.APIVersion.In(s).GitVersion
		server, ok := evidence.ParseVersion(text)
		if !ok || server.Major != kubelet.Value.Major {
			return nil, checks.Unknown(evidence.NotShown.Gap("the version of the API server"))
		}
		at := evidence.APIVersion.Field(s, "gitVersion")
		switch behind := server.Minor - kubelet.Value.Minor; {
		case behind < 0:
			level := checks.Warn // it often works
			if kubelet.Value.AtLeast(queriesServices) && !server.AtLeast(queriesServices) {
				level = checks.Fail
			}
			return []*checks.Finding{checks.Findingf(level, "kubelet",
				"the kubelet is %s, newer than the API server (%s)", kubelet.Value, server).
				With(kubelet.From).At(at, "gitVersion is %s", text).Cure(olderKubelet(kubelet.Value, server))}, nil
		case behind > mostMinorsBehind:
			return []*checks.Finding{checks.Findingf(checks.Warn, "kubelet",
				"the kubelet is %s, more than %d minor versions behind the API server (%s)",
				kubelet.Value, mostMinorsBehind, server).
				With(kubelet.From).At(at, "gitVersion is %s", text)}, nil
		}
		return nil, nil
	},
})

// queriesServices is the first Kubernetes whose kubelet lists Services by their clusterIP, and whose API server can.
var queriesServices = evidence.Version{Major: 1, Minor: 31}

// olderKubelet makes both fit: a control plane that somebody else runs can often not be upgraded at once.
func olderKubelet(kubelet, server evidence.Version) checks.Fix {
	return checks.Steps(
		checks.Do("Upgrade the control plane to %d.%d, one minor version at a time.", kubelet.Major, kubelet.Minor),
		checks.Do("Or drain the node, and install the kubelet and kube-proxy of %d.%d on it.", server.Major, server.Minor).
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Verify("kubectl get nodes", "VERSION fits that of the API server"))
}
