package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "csi-registration-missed",
	Title:    "kubelet missed the registration of a CSI driver",
	Healthy:  "CSI drivers are registered with the kubelet",
	Category: checks.CategoryStorage,
	Doc: `The node-driver-registrar creates a socket in the plugins_registry folder, and the kubelet
must notice it and call back. On Windows the kubelet sometimes misses the new socket, so the driver
runs without being registered and its volumes are not mounted. From version 2.3.0 the registrar has
a probe that notices this and restarts the container. If the probe fails again and again, restarting
does not help: then the kubelet is the side that does not answer.

The check looks for the words of this probe in events and in the logs of the driver.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get csinode {node} -o jsonpath='{.spec.drivers[*].name}'",
			"Read which drivers are registered on this node."),
		checks.Run("{restart kubelet}",
			"Restart the kubelet: it reads the folder of sockets again at its start.").
			Costs("Running containers are not affected."),
		checks.Do("If the driver is still missing, delete the pod of the driver on this node, so that its socket is created again.").
			Costs("Mounted volumes stay."),
		checks.Do("Update the node-driver-registrar to 2.3.0 or later, and set its probe --mode=kubelet-registration-probe."),
		checks.Verify("kubectl get csinode {node} -o jsonpath='{.spec.drivers[*].name}'",
			"the name of the driver")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/104584",
		"https://github.com/kubernetes-csi/node-driver-registrar/issues/143",
		"https://github.com/Azure/secrets-store-csi-driver-provider-azure/issues/639",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"csi-driver-not-registered"},
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("csi-driver"), evidence.Logs("pods"), evidence.PodEvents)},
	Uses:     []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Moot:     noDriver,
	Signs: []checks.Sign{
		// One failed probe is normal while a driver starts, so this only warns.
		{Text: "Kubelet plugin registration hasn't succeeded yet", Level: checks.Warn,
			Says: "a CSI driver runs, but the kubelet has not registered it"},
	},
})
