package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "vsphere-csi-windows-off",
	Title:    "vSphere CSI driver has Windows support turned off",
	Healthy:  "vSphere CSI driver has Windows support turned on",
	Category: checks.CategoryStorage,
	Doc: `The vSphere CSI driver runs on Windows nodes only if csi-windows-support is "true" in the
ConfigMap internal-feature-states.csi.vsphere.vmware.com. Otherwise its node plugin exits when the
registrar requests the data of the node: the driver does not register, the registrar loses its connection, and
both containers restart.

The check looks for the words of the plugin in its log.`,
	Fix: checks.Steps(
		checks.Run(`kubectl -n vmware-system-csi patch configmap internal-feature-states.csi.vsphere.vmware.com --type merge -p 'data: {csi-windows-support: !!str true}'`,
			"Turn the feature on. The namespace is kube-system in older installations."),
		checks.Do("Delete the driver's pods on Windows nodes, so that they are created again."),
		checks.Verify("kubectl get csinode {node} -o jsonpath='{.spec.drivers[*].name}'",
			"csi.vsphere.vmware.com")),
	Links: []string{"https://github.com/kubernetes-sigs/vsphere-csi-driver/pull/1342",
		"https://github.com/kubernetes-sigs/vsphere-csi-driver/issues/2578",
		"https://knabben.github.io/2024/0201/"},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"csi-driver-not-registered"},
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("csi-driver"), evidence.Logs("pods"))},
	Uses:     []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Moot:     noDriver,
	Signs: []checks.Sign{
		// pkg/csi/service/osutils/windows_os_utils.go
		{Text: "csi plugin started on windows node without enabling feature switch",
			// k8sorchestrator.go
			Until: []string{"stored successfully: map[ … csi-windows-support:true"},
			Says:  "the vSphere CSI driver exits: its support for Windows is turned off"},
	},
})
