package faults

import (
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "hostname-override-mismatch",
	Title:    "kube-proxy node name differs from the Node object",
	Healthy:  "kube-proxy uses the name of the Node object",
	Category: checks.CategoryNetwork,
	FAQ:      []int{6},
	Doc: `kube-proxy treats an endpoint as local if the endpoint's node name is its own node name.
If its name differs from the Node object, it treats the pods of its own node as remote, and deletes
their HNS endpoints when it cleans up: pods lose their network adapter minutes or hours after they
started.

kube-proxy converts its name to lower case, so case makes no difference. Without --hostname-override
it uses the name of the machine, which never contains a dot.`,
	Fix: checks.Steps(
		checks.Do("Set --hostname-override={node} for kube-proxy."),
		checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
			Costs("Connections to Services break for a few seconds."),
		checks.Do("Recreate the pods without a network."),
		checks.Verify(
			`Get-CimInstance Win32_Process -Filter "Name='kube-proxy.exe'" | Select-Object CommandLine`,
			"--hostname-override={node}")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/kubernetes/kubernetes/issues/71799"},
	Breaks:   []*checks.Effect{effectServiceRules, effectPodTraffic, effectPodStart},
	Explains: []string{"flanneld-node-unknown", "local-and-remote-endpoint-same-ip"},
	Needs:    []evidence.Need{node.NeedProxySettings, evidence.Node},
	Uses:     slices.Concat(node.ProxySources, node.KubeletSources),
	Signs: []checks.Sign{
		// At the first boot kube-proxy may come before the kubelet has registered the node. The second
		// form is of Kubernetes 1.22 and later: pkg/util/node.
		{Text: "Failed to retrieve node info: nodes", Or: []string{
			`"Failed to retrieve node info" err="nodes`}, Also: []string{"not found"},
			In:    []string{"kube-proxy", "other", evidence.InEvents},
			Until: []string{"Successfully retrieved node IP", "Successfully retrieved NodeIPs"},
			Says:  "kube-proxy requests a Node that does not exist: its node name is wrong"},
		// Kubernetes 1.34 and later wait 30 seconds for it, say so once and go on: pkg/proxy/node.go. The
		// placeholder is printed as it stands.
		{Text: "Timed out waiting for node %q to exist", Or: []string{"timeout waiting for node \"",
			`timeout waiting for node \"`},
			In:    []string{"kube-proxy", evidence.InEvents},
			Until: []string{"Successfully retrieved NodeIPs"}, Level: checks.Warn,
			Says: "kube-proxy waited for a Node that does not exist: its node name is wrong, or it started before the kubelet"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
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
			return []*checks.Finding{checks.Findingf(checks.Fail, "kube-proxy",
				"kube-proxy uses the node name %s, but the Node object is %s", value, name).
				With(override.From).At(evidence.Node.Field(s, "metadata", "name"),
				"metadata.name is %s", name).
				Cure(hostnameFix(changeProxy(s, n, override.From, setsHostname, name,
					evidence.Phrasef("Set the node name of kube-proxy to %s.", name))))}, nil
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
			return []*checks.Finding{checks.Findingf(checks.Fail, "kube-proxy",
				"kube-proxy has no --hostname-override; the machine name that it uses cannot be %s",
				name).
				With(n.Proxy().From).At(evidence.Node.Field(s, "metadata", "name"),
				"metadata.name is %s", name).Cure(addHostname(n, name))}, nil
		}
		if f, ok := n.KubeletFlag("hostname-override"); ok && f.Live && f.Value != "" &&
			!strings.ContainsAny(f.Value, "$%(") {
			return []*checks.Finding{checks.Findingf(checks.Warn, "kube-proxy",
				"the kubelet uses the name %s, but kube-proxy has no --hostname-override", f.Value).
				With(n.Proxy().From, f.From).Cure(addHostname(n, name))}, nil
		}
		return nil, nil
	},
})

// setsHostname is the setting in a configuration file or in a start script.
var setsHostname = regexp.MustCompile(`(?i)(hostname-?override["']?\s*[:=]\s*["']?)[^\s"',]+`)

func hostnameFix(first *checks.Step) checks.Fix {
	return withFirst(fixOf("hostname-override-mismatch"), first)
}

// addHostname adds the flag where kube-proxy's other settings are.
func addHostname(n *node.Node, name string) checks.Fix {
	return hostnameFix(changeSetting(n.Components["kube-proxy"], n.Proxy().From,
		evidence.Phrasef("Add --hostname-override=%s for kube-proxy.", name), "--hostname-override="+name))
}
