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

The check compares the version in the Node object with that of the API server.`,
	Fix: checks.Steps(
		checks.Do("Upgrade the control plane first if the kubelet is newer. Otherwise upgrade the node.").
			Costs("Drain the node before its upgrade: its pods move to other nodes."),
		checks.Verify("kubectl get nodes", "VERSION fits that of the API server")),
	Links:   []string{"https://kubernetes.io/releases/version-skew-policy/"},
	Symptom: true,
	Needs:   []evidence.Need{node.NeedKubelet, evidence.APIVersion},
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
			return []*checks.Finding{checks.Findingf(checks.Warn, "kubelet",
				"the kubelet is %s, newer than the API server (%s)", kubelet.Value, server).
				With(kubelet.From).At(at, "gitVersion is %s", text)}, nil
		case behind > mostMinorsBehind:
			return []*checks.Finding{checks.Findingf(checks.Warn, "kubelet",
				"the kubelet is %s, more than %d minor versions behind the API server (%s)",
				kubelet.Value, mostMinorsBehind, server).
				With(kubelet.From).At(at, "gitVersion is %s", text)}, nil
		}
		return nil, nil
	},
})
