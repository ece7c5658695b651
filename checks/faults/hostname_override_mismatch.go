package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "hostname-override-mismatch",
	Title:    "kube-proxy goes by another name than the Node object",
	Category: checks.CategoryNetwork,
	FAQ:      []int{6},
	Doc: `kube-proxy takes an endpoint for its own when the endpoint's node name is its own host
name. If it goes by another name than the Node object, it takes the pods of its own node for remote
ones, and when it cleans up it deletes their HNS endpoints: pods lose their adapter minutes or hours
after they started well.

kube-proxy lowers the case of its name, so a difference in case is none. Without --hostname-override
its name is the machine's, which never holds a dot.`,
	Fix: checks.Steps(
		checks.Run("nssm edit kube-proxy",
			"give kube-proxy --hostname-override={node} (or hostnameOverride in its configuration), restart it, and recreate the pods that lost their adapter").
			Costs("connections to Services may break for some seconds while kube-proxy rebuilds its load balancers"),
		checks.Run("{restart kube-proxy}", "")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/kubernetes/kubernetes/issues/71799"},
	Breaks:   []*checks.Effect{effectServiceRules, effectPodTraffic, effectPodStart},
	Explains: []string{"local-and-remote-endpoint-same-ip"},
	Needs:    []evidence.Need{node.NeedProxySettings, evidence.Node},
	Uses:     slices.Concat(node.ProxySources, node.KubeletSources),
	Signs: []checks.Sign{
		{Text: "Failed to retrieve node info: nodes", Also: []string{"not found"},
			Says: "kube-proxy asks for a Node that does not exist: it goes by another name"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		name := evidence.Node.In(s).Metadata.Name
		if name == "" {
			return nil, checks.Unknown(evidence.NotShown.Gap("the name of the Node"))
		}
		override := n.Proxy().HostnameOverride
		value := strings.TrimSpace(override.Value)
		switch {
		case override.Set && (evidence.Placeholder(value) || strings.ContainsAny(value, "$%(")):
			// a variable that the start script fills in, with the node's name in every recipe
			return nil, nil
		case override.Set && !strings.EqualFold(value, name):
			return []checks.Finding{checks.Findingf(checks.Fail, "kube-proxy",
				"kube-proxy goes by the name %s, and the Node object is called %s", value, name).
				With(override.From).At(evidence.Node.Field(s, "metadata", "name"),
				"metadata.name is %s", name)}, nil
		case override.Set:
			return nil, nil
		case n.Proxy().Hidden.Kind != "":
			return nil, checks.Unknown(n.Proxy().Hidden)
		case len(n.Components["kube-proxy"].Pods) > 0 &&
			n.Proxy().From.Path == evidence.Pods.Path():
			return nil, checks.Unknown(
				evidence.NotShown.Gap(
					"kube-proxy's node name: the start script of its DaemonSet sets it"))
		case strings.Contains(name, "."):
			return []checks.Finding{checks.Findingf(checks.Fail, "kube-proxy",
				"kube-proxy has no --hostname-override, so it goes by the machine's name, which cannot be %s", name).
				With(n.Proxy().From).At(evidence.Node.Field(s, "metadata", "name"),
				"metadata.name is %s", name)}, nil
		}
		if f, ok := n.KubeletFlag("hostname-override"); ok && f.Live && f.Value != "" &&
			!strings.ContainsAny(f.Value, "$%(") {
			return []checks.Finding{checks.Findingf(checks.Warn, "kube-proxy",
				"the kubelet is told to be %s, and kube-proxy is told nothing: it goes by the machine's name", f.Value).
				With(n.Proxy().From, f.From)}, nil
		}
		return nil, nil
	},
})
