package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// uninitializedTaint is what a kubelet with --cloud-provider=external gives its Node when it registers it.
const uninitializedTaint = "node.cloudprovider.kubernetes.io/uninitialized"

var _ = register(&checks.Check{
	ID:       "cloud-provider-uninitialized",
	Title:    "Cloud provider has not initialized the node",
	Healthy:  "Cloud provider has initialized the node",
	Category: checks.CategoryNode,
	Doc: `A kubelet with --cloud-provider=external registers its node with the taint
node.cloudprovider.kubernetes.io/uninitialized. The cloud controller manager looks for the machine of the
node, sets providerID, addresses and labels, and removes the taint. Until then no pod that does not
tolerate the taint is scheduled. It finds no machine if the node has another name than its machine, such
as the short name instead of the one with the domain.

The check reports the taint if the node registered more than five minutes before. If the pod
cloud-node-manager of this node is not running, it is reported as info: what stops that pod is the cause.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get nodes -o custom-columns=NAME:.metadata.name,MACHINE:.spec.providerID",
			"Compare the name of {node} with the name of its machine in the cloud, and with the names of nodes that have a providerID. The log of the cloud controller manager has the reason."),
		checks.Do("On vSphere, update the Windows Machine Config Operator to 10.16 or later, which uses the name with the domain.").
			Only(node.OpenShift),
		checks.Do("If the names differ, set --hostname-override of the kubelet to the name that the cloud has, delete the Node and restart the kubelet. Or rename the machine in the cloud.").
			Costs("The pods restart."),
		checks.Do("If the cluster has no cloud controller manager, install it, or remove --cloud-provider=external and the taint."),
		checks.Verify("kubectl get node {node} -o jsonpath='{.spec.taints}'",
			"no taint "+uninitializedTaint)),
	Links: []string{
		"https://kubernetes.io/docs/tasks/administer-cluster/running-cloud-controller/",
		"https://github.com/openshift/windows-machine-config-operator/pull/2186",
		"https://github.com/kubernetes/cloud-provider-vsphere/issues/484",
		"https://github.com/Azure/aks-engine/issues/3495",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{evidence.Node},
	Uses:   []evidence.Need{evidence.Pods},
	Signs:  []checks.Sign{{Text: "taint {" + uninitializedTaint, ConfirmOnly: true}},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := evidence.Node.In(s)
		at := slices.IndexFunc(n.Spec.Taints, func(t evidence.Taint) bool { return t.Key == uninitializedTaint })
		if at < 0 {
			return nil, nil
		}
		age := s.Now().Sub(n.Metadata.CreationTimestamp.Time)
		if age < podPatience {
			return nil, checks.Unknown(evidence.NotDecided.Gap("the node registered only %s before the recording",
				age.Round(time.Second)))
		}
		f := checks.Findingf(checks.Fail, n.Metadata.Name,
			"the cloud controller manager has not initialized the node: pods that do not tolerate %s are not scheduled",
			n.Spec.Taints[at]).At(n.Field("spec", "taints", at), "spec.taints: %s", n.Spec.Taints[at])
		if n.Spec.ProviderID == "" {
			f = f.At(n.Field("spec", "providerID"), "spec.providerID: not set")
		}
		for _, p := range evidence.Pods.In(s) {
			if strings.HasPrefix(p.Metadata.Name, "cloud-node-manager") && p.Spec.NodeName != "" && !podRuns(p) {
				f.Level = checks.Info
				f = f.At(p.Field("status"), "%s is not running", p.FullName())
			}
		}
		return []*checks.Finding{f}, nil
	},
})
