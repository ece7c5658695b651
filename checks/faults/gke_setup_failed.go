package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "gke-setup-failed",
	Title:    "Start-up script of the GCE node failed",
	Healthy:  "Start-up script of the GCE node finished",
	Category: checks.CategoryComponents,
	Doc: `On Google Cloud a start-up script (configure.ps1 of cluster/gce/windows) sets a Windows node up
at each boot: the Containers feature, the runtime, the programs and certificates, HNS, the kubelet
and kube-proxy. If a step fails it prints "Kubernetes Windows node setup failed" with the error and
stops, and the node does not join. The error names the step: a download, the metadata of the
instance, the network adapter, or a service that did not start.

The check looks for these words in the log of the script (serial port 1, Application log of
GCEMetadataScripts).`,
	Fix: checks.Steps(
		checks.Inspect("gcloud compute instances get-serial-port-output INSTANCE --zone ZONE",
			"Read the error after the words and the lines before it."),
		checks.Do("If it names a download, allow the node to connect to the host of the URL. If it names a key of kube-env, correct the metadata of the instance template."),
		checks.Run("gcloud compute instances reset INSTANCE --zone ZONE",
			"Boot the node again: the script starts once more.").
			Costs("The pods of the node stop."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/124047",
		"https://github.com/kubernetes/kubernetes/pull/125119",
		"https://github.com/kubernetes-sigs/gcp-compute-persistent-disk-csi-driver/issues/880",
	},
	Breaks:   []*checks.Effect{effectKubeletStart, effectRuntime},
	Explains: []string{"hns-network-missing"},
	Applies:  checks.UnlessElsewhere(node.GKECloud),
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("gke-configure"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "Kubernetes Windows node setup failed: ",
			Until: []string{"Kubernetes components started successfully"},
			Says:  "the start-up script of the GCE node stopped with an error"},
		{Text: "CERT not present in kube-env", Or: []string{"KUBELET_KEY not present in kube-env"},
			Until: []string{"Kubernetes components started successfully"},
			Says:  "the start-up script of the GCE node stopped: the metadata of the instance has no certificate"},
	},
})
