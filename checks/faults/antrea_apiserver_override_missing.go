package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const apiserverOverride = "kubeAPIServerOverride"

var _ = register(&checks.Check{
	ID:       "antrea-apiserver-override-missing",
	Title:    "Antrea agent uses the Service address of the API server",
	Healthy:  "Antrea agent can reach the API server",
	Category: checks.CategoryComponents,
	Doc: `From 1.13 on, Antrea handles the traffic to Services itself on Windows (proxyAll), and
kube-proxy is not to run there. The agent then needs the address of the API server in
kubeAPIServerOverride: without it, it uses the address of the Service kubernetes, which only the
agent itself could serve. It ends after 30 seconds, and its log says that the Node has no podCIDR.

The check looks for an agent that does not run, on a node without kube-proxy, whose configuration in the
ConfigMap has no address.`,
	Fix: checks.Steps(
		checks.Run("kubectl -n kube-system edit configmap antrea-windows-config",
			"Set kubeAPIServerOverride in antrea-agent.conf to the address of the API server, such as 10.10.1.1:6443."),
		checks.Run("{restart antrea-agent}", "Restart Antrea's agent.").
			Costs("The node loses its network for a few seconds."),
		checks.Verify("kubectl get pods -n kube-system -o wide --field-selector spec.nodeName={node}",
			"the pod of Antrea's agent is Running")),
	Links: []string{"https://github.com/antrea-io/antrea/blob/main/docs/windows.md",
		"https://github.com/antrea-io/antrea/blob/main/docs/antrea-proxy.md",
		"https://github.com/antrea-io/antrea/issues/7472"},
	Breaks:   []*checks.Effect{effectNetworkCreation, effectServices},
	Explains: []string{"podcidr-not-assigned", "antrea-ovs-problem"},
	Applies:  checks.OnCNI(node.Antrea),
	Needs:    []evidence.Need{evidence.ConfigMaps, evidence.Pods, node.ComponentSources},
	Uses:     []evidence.Need{evidence.Services, evidence.Processes},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if running, _ := node.About(s).Components["kube-proxy"].Running(); running {
			return nil, nil // it serves the address
		}
		for _, cm := range evidence.ConfigMaps.In(s) {
			settings, there := cm.Data["antrea-agent.conf"]
			if !there || !strings.HasPrefix(cm.Metadata.Name, "antrea-windows-config") {
				continue // that for Linux has the same file
			}
			address, err := evidence.InYAML(settings, apiserverOverride)
			if err != nil {
				break
			}
			if address != nil && address != "" {
				return nil, nil
			}
			for _, p := range evidence.Pods.In(s) {
				if strings.HasPrefix(p.Metadata.Name, "antrea-agent-windows") && node.PodDown(p) {
					return []*checks.Finding{checks.Findingf(checks.Fail, cm.Metadata.Name,
						"Antrea's agent does not run: %s has no %s, and no kube-proxy serves the address of the Service kubernetes", cm.Metadata.Name, apiserverOverride).
						At(cm.Field("data", "antrea-agent.conf"), "%s is not set", apiserverOverride).
						At(p.Field("status"), "%s: %s", p.FullName(), podState(p))}, nil
				}
			}
			return nil, nil
		}
		return nil, checks.Unknown(evidence.NotShown.Gap("the configuration of Antrea's agent"))
	},
})
