package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-settings-invalid",
	Title:    "Calico settings are not valid for Windows",
	Healthy:  "Calico accepts its settings",
	Category: checks.CategoryComponents,
	Doc: `The scripts of Calico for Windows validate config.ps1, or the ConfigMap
calico-windows-config, before they install or start anything: the CNI folders and the kubeconfig
must exist, the backend must be vxlan or windows-bgp, and the VNI of VXLAN 4096 or more. If a
setting is wrong, the script ends with an error, no service of Calico starts, and the node has no
pod network.

The check looks for the errors of these scripts and of calico-node.`,
	Fix: checks.Steps(
		checks.Edit(`C:\CalicoWindows\config.ps1`,
			"Correct the setting that the error names. In a HostProcess pod, set it in the ConfigMap calico-windows-config."),
		checks.Run(`C:\CalicoWindows\install-calico.ps1`,
			"Run the installation again. Where Calico is a pod, delete the pod of calico-node-windows instead.").
			Costs("Connections of the node can break for some seconds while the virtual switch is created."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"new pods get an address")),
	Links: []string{
		"https://github.com/kubernetes-sigs/sig-windows-dev-tools/issues/118",
		"https://github.com/projectcalico/calico/issues/6122",
		"https://github.com/projectcalico/calico/pull/6470",
		"https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/manual-install/standard",
	},
	Breaks:  []*checks.Effect{effectNetworkCreation},
	Applies: checks.UnlessOtherCNI(node.Calico),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("calico"), evidence.PodEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		// libs/calico/calico.psm1
		{Text: "doesn't exist.  Please create it and ensure kubelet",
			Says: "the scripts of Calico do not find the CNI folder of their settings"},
		{Text: "doesn't exist.  Please update the configuration",
			Says: "the scripts of Calico do not find the kubeconfig of their settings"},
		{Text: "Calico VXLAN requires IPAM type calico-ipam",
			Or: []string{"Please set datastore type to 'etcdv3' or 'kubernetes'; current value:",
				"Etcd endpoint not set, please update the configuration"},
			Says: "the scripts of Calico refuse a setting of config.ps1"},
		// libs/calico/calico.psm1 and config.ps1; PowerShell does not translate the id of an error
		{Text: ",Set-EnvVarIfNotSet", Also: []string{"FullyQualifiedErrorId"}, Says: calicoValueUnread},
		{Text: "Set-EnvVarIfNotSet : ", Says: calicoValueUnread},
		// install-calico-windows.ps1
		{Text: "Set CALICO_NETWORKING_BACKEND in calico-windows-config",
			Or:   []string{"Add KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT to calico-windows-config"},
			Says: "the installation of Calico ends: a setting in calico-windows-config is missing or not valid"},
		// node/pkg/lifecycle/startup/startup_windows.go
		{Text: "Invalid backend networking type",
			Says: "calico-node exits: CALICO_NETWORKING_BACKEND is not valid on Windows"},
		// the plugin, and install-calico.ps1
		{Text: "Windows does not support VXLANVNI < 4096", Fix: checks.Steps(
			checks.Run(`kubectl patch felixconfigurations default --type merge -p 'spec: {vxlanVNI: 4096}'`,
				"Set the VNI of Calico to 4096, and VXLAN_VNI of config.ps1 too.").
				Costs("Overlay connections between all nodes break until each node has the new VNI."),
			checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
				"new pods get an address")),
			Says: "Calico's VNI is below 4096, which Windows does not support"},
	},
})

const calicoValueUnread = "config.ps1 of Calico sets a variable with an empty or misquoted value"
