package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "service-switch-missing",
	Title:    "the adapter for Service addresses of a Kubernetes 1.5 node is not there",
	Category: checks.CategoryNetwork,
	Doc: `The userspace kube-proxy of Kubernetes 1.5 to 1.8 puts the address of every Service on
an adapter of the Windows host, and listens there. The documentation makes an internal virtual
switch for it, KubeProxySwitch, whose adapter the environment variable INTERFACE_TO_ADD_SERVICE_IP
names. Without that adapter no Service address exists on the node, and kube-proxy says so for each
Service.

The check looks for the adapter that kube-proxy is told, and where it is told none, for
KubeProxySwitch. Without it some releases of kube-proxy fall back on an adapter of the pod network,
which is a warning: the Service addresses then stand where the pods' own do.`,
	Fix: checks.Steps(
		checks.Run("New-VMSwitch -Name KubeProxySwitch -SwitchType Internal",
			"make the internal switch, tell kube-proxy its adapter, and start kube-proxy again").
			Costs("Services do not answer on this node until kube-proxy is started again"),
		checks.Run(`[Environment]::SetEnvironmentVariable("INTERFACE_TO_ADD_SERVICE_IP", "vEthernet (KubeProxySwitch)", "Machine")`, ""),
		checks.Run(`Get-Process kube-proxy | Stop-Process`, "")),
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
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		if len(evidence.Adapters.In(s)) == 0 {
			return nil, checks.Unknown(noAdapters)
		}
		name, from, told := serviceAdapterName(node.About(s), s)
		if told {
			a, there := adapterCalled(s, name)
			switch {
			case !there:
				return []checks.Finding{checks.Findingf(checks.Fail, name,
					"kube-proxy is to put Service addresses on adapter %s, which the host does not have", name).
					With(from).At(evidence.Adapters.Field(s), "it has %s", adapterNames(s))}, nil
			case a.Status != "" && a.Status != "up":
				return []checks.Finding{checks.Findingf(checks.Fail, name,
					"kube-proxy puts Service addresses on adapter %s, which is %s", name, a.Status).
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
				return []checks.Finding{checks.Findingf(checks.Warn, serviceAdapter,
					"the host has no adapter %s; kube-proxy, told of no other, puts Service addresses on %s", serviceAdapter, name).
					At(evidence.Adapters.Field(s), "it has %s", adapterNames(s))}, nil
			}
		}
		return []checks.Finding{checks.Findingf(checks.Fail, serviceAdapter,
			"the host has no adapter %s, and none that kube-proxy falls back on for Service addresses", serviceAdapter).
			At(evidence.Adapters.Field(s), "it has %s", adapterNames(s))}, nil
	},
})
