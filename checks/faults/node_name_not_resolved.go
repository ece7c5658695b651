package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "node-name-not-resolved",
	Title:    "API server, metrics-server or an agent cannot resolve the name of the node",
	Healthy:  "Name of the node resolves where it is used",
	Category: checks.CategoryComponents,
	Doc: `The API server connects to the kubelet for kubectl logs, exec, attach and port-forward, and
metrics-server for statistics. Both use the first address of the Node object whose type they prefer,
which is Hostname by default. A Windows node may have a name that no DNS server has: the kubelet has
another name than the machine (--hostname-override), or DNS registers no Windows machines. The node is
Ready and its pods run, but these requests fail with "no such host".

Monitoring agents in pods, such as the Datadog agent or the OpenTelemetry Collector, connect to the kubelet
of their own node. If they use its name (spec.nodeName), the name must resolve inside the pod, which it
does not on Windows nodes of AKS, for instance.

The check looks for these requests in logs and outputs. Requests to another node are ignored if the
name of this node is known.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get node {node} -o jsonpath='{.status.addresses}'",
			"Read the addresses of the node. The name that the error contains has the type Hostname or InternalDNS."),
		checks.Do("Set --kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname for the component that reports the error, if it is kube-apiserver or metrics-server.").
			Costs("The component restarts."),
		checks.Do("If an agent in a pod reports the error, configure it with the address of its node: status.hostIP in place of spec.nodeName, such as DD_KUBERNETES_KUBELET_HOST of Datadog.").
			Costs("The pods of the agent are recreated. The certificate of the kubelet must have this address, or the agent must not verify it."),
		checks.Do("Or add the name of the node to the DNS servers of this program, or start the kubelet under the name of the machine."),
		checks.Verify("kubectl logs POD -n NAMESPACE", "the log of a pod of this node")),
	Links: []string{
		"https://github.com/Azure/acs-engine/issues/105",
		"https://github.com/kubernetes-sigs/metrics-server/issues/617",
		"https://github.com/kubernetes-sigs/metrics-server/pull/229",
		"https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/",
		"https://docs.datadoghq.com/containers/kubernetes/distributions/",
	},
	Needs: []evidence.Need{evidence.Any(evidence.Logs("metrics-server"), evidence.Logs("pods"), evidence.Logs("other"))},
	Uses:  []evidence.Need{evidence.Node},
	// those who connect to the kubelet run elsewhere: a node does not show it
	Moot: func(s evidence.Snapshot) error {
		if !evidence.Node.Known(s) {
			return nil
		}
		return checks.Skip("nothing that connects to the kubelet by its name is recorded")
	},
	Signs: []checks.Sign{
		{Text: ":10250/", Also: []string{"dial tcp: lookup ", ": no such host"}, Level: checks.Warn,
			Says: "the API server, metrics-server or an agent cannot resolve the name of a node to connect to its kubelet"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		name := strings.ToLower(evidence.Node.In(s).Metadata.Name)
		for _, m := range s.Signs("node-name-not-resolved") {
			_, asked, _ := strings.Cut(strings.ToLower(m.Found), "dial tcp: lookup ")
			asked, _, _ = strings.Cut(asked, " ")
			asked = strings.TrimSuffix(asked, ":")
			if m.Over != "" || name != "" && asked != name && !strings.HasPrefix(asked, name+".") &&
				!strings.HasPrefix(name, asked+".") {
				continue
			}
			f := checks.Findingf(checks.Warn, asked,
				"the API server, metrics-server or an agent cannot resolve the name of a node to connect to its kubelet").
				With(checks.Quote(m))
			f.Basis = checks.ByText
			return []*checks.Finding{f}, nil
		}
		return nil, nil
	},
})
