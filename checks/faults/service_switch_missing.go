package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "service-switch-missing",
	Title:    "Adapter for Service addresses is missing (Kubernetes 1.5)",
	Healthy:  "Adapter for Service addresses exists (Kubernetes 1.5)",
	Category: checks.CategoryNetwork,
	Doc: `The userspace kube-proxy of Kubernetes 1.5 to 1.8 puts the address of every Service on an
adapter of the Windows host, and listens there. The documentation creates an internal virtual switch
for it, KubeProxySwitch, whose adapter the environment variable INTERFACE_TO_ADD_SERVICE_IP names.
Without that adapter no Service address exists on the node, and kube-proxy logs an error for each
Service.

The check looks for the adapter that kube-proxy is configured with, or else for KubeProxySwitch.
Without it some releases of kube-proxy fall back to an adapter of the pod network, which is a
warning: Service addresses then share the adapter with pod addresses.`,
	Fix: checks.Steps(
		checks.Run("New-VMSwitch -Name KubeProxySwitch -SwitchType Internal",
			"Create the internal switch."),
		checks.Run(`[Environment]::SetEnvironmentVariable("INTERFACE_TO_ADD_SERVICE_IP", "vEthernet (KubeProxySwitch)", "Machine")`,
			"Set its adapter for kube-proxy."),
		checks.Run(`Get-Process kube-proxy | Stop-Process`,
			"Stop kube-proxy, and start it again the way this node starts it.").
			Costs("Services do not answer from this node until kube-proxy has programmed them again."),
		checks.Verify("Get-NetAdapter -Name 'vEthernet (KubeProxySwitch)'", "Status is Up")),
	Links: []string{
		"https://github.com/kubernetes/website/tree/release-1.5/docs/getting-started-guides/windows", "https://github.com/kubernetes/kubernetes/pull/41487"},
	Breaks:  []*checks.Effect{effectServices, effectNodePorts},
	Applies: checks.OnGeneration(node.Gen15),
	Needs:   []evidence.Need{evidence.Adapters},
	Uses:    gen15Sources,
	Signs: []checks.Sign{
		{Text: "The filename, directory name, or volume label syntax is incorrect",
			Also: []string{"netsh"}, In: []string{"kube-proxy"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if len(evidence.Adapters.In(s)) == 0 {
			return nil, checks.Unknown(noAdapters)
		}
		name, from, told := serviceAdapterName(node.About(s), s)
		if told {
			a, there := adapterCalled(s, name)
			switch {
			case !there:
				return []*checks.Finding{checks.Findingf(checks.Fail, name,
					"Adapter %s, which kube-proxy uses for Service addresses, is missing", name).
					With(from).At(evidence.Adapters.Field(s), "it has %s", adapterNames(s))}, nil
			case a.Status != "" && a.Status != "up":
				return []*checks.Finding{checks.Findingf(checks.Fail, name,
					"Adapter %s, which kube-proxy uses for Service addresses, is %s (expected: up)",
					name, a.Status).
					With(from).At(a.Field("status"), "%s: status is %s", a.Name, a.Status)}, nil
			}
			return nil, nil
		}
		if _, there := adapterCalled(s, serviceAdapter); there {
			return nil, nil
		}
		for _, name := range []string{transparentAdapter, "HNSTransparent",
			"vEthernet (HNS Internal NIC)"} {
			if _, there := adapterCalled(s, name); there {
				return []*checks.Finding{checks.Findingf(checks.Warn, serviceAdapter,
					"Adapter %s is missing: kube-proxy puts Service addresses on %s instead",
					serviceAdapter, name).
					At(evidence.Adapters.Field(s), "it has %s", adapterNames(s))}, nil
			}
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, serviceAdapter,
			"Adapter %s is missing, and so is every fallback of kube-proxy for Service addresses",
			serviceAdapter).
			At(evidence.Adapters.Field(s), "it has %s", adapterNames(s))}, nil
	},
})
