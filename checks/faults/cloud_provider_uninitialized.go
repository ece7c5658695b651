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

A node that registered without the taint is passed over. It runs pods, but it gets no providerID: a load
balancer does not use it, and its Machine in Cluster API does not become ready.

The check reports the taint if the node registered more than five minutes before. If the pod
cloud-node-manager of this node is not running, it is reported as info: what stops that pod is the cause.
Without the taint it reports a kubelet with --cloud-provider=external whose node has no providerID, if
another node has one or the pod cloud-node-manager of this node is running.

Until Kubernetes 1.30 a kubelet may have a cloud provider of its own. If that does not find the machine,
the kubelet cannot register the node or report its status; the check looks for this error in its log,
and where the Node is recorded, for a Node that is not Ready.`,
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
		"https://github.com/kubernetes-sigs/cluster-api-provider-azure/pull/6293",
		"https://github.com/kubernetes/cloud-provider-aws/issues/72",
		"https://github.com/kubernetes/kubernetes/pull/60623",
		"https://github.com/kubernetes/kubernetes/issues/74888",
		"https://github.com/kubernetes/kubernetes/issues/39926",
	},
	Needs: []evidence.Need{evidence.Node},
	Uses:  append(slices.Clone(node.KubeletSources), evidence.Nodes, evidence.Pods),
	Signs: []checks.Sign{
		// pkg/kubelet/kubelet_node_status.go with a provider of its own, until Kubernetes 1.30
		ownProvider("Unable to construct", "object for kubelet"),
		ownProvider("Kubelet failed to get node info"), // kubelet.go; it exits
		{Text: "taint {" + uninitializedTaint, ConfirmOnly: true},
		// said of each Node that is initialized, too
		{Text: "Node has no cloud taint, skipping initialization", ConfirmOnly: true},
		{Text: "is registered without the cloud taint. Will not process", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := evidence.Node.In(s)
		at := slices.IndexFunc(n.Spec.Taints, func(t evidence.Taint) bool { return t.Key == uninitializedTaint })
		age := s.Now().Sub(n.Metadata.CreationTimestamp.Time)
		external, gap := externalProvider(node.About(s))
		if found := withoutMachine(s, n); at < 0 && len(found) > 0 {
			return found, nil
		}
		switch {
		case at < 0 && (n.Spec.ProviderID != "" || !external && gap.Kind == ""):
			return nil, nil
		case age < podPatience:
			return nil, checks.Unknown(evidence.NotDecided.Gap("the node registered only %s before the recording",
				age.Round(time.Second)))
		case at < 0:
			findings, err := passedOver(s, n)
			if gap.Kind != "" && len(findings) > 0 {
				return nil, checks.Unknown(gap)
			}
			return findings, err
		}
		f := checks.Findingf(checks.Fail, n.Metadata.Name,
			"the cloud controller manager has not initialized the node: pods that do not tolerate %s are not scheduled",
			n.Spec.Taints[at]).At(n.Field("spec", "taints", at), "spec.taints: %s", n.Spec.Taints[at])
		if n.Spec.ProviderID == "" {
			f = f.At(n.Field("spec", "providerID"), "spec.providerID: not set")
		}
		for _, p := range evidence.Pods.In(s) {
			if isNodeManager(p) && !podRuns(p) {
				f.Level = checks.Info
				f = f.At(p.Field("status"), "%s is not running", p.FullName())
			}
		}
		return []*checks.Finding{f}, nil
	},
})

// externalProvider tells whether the kubelet leaves its Node to a cloud controller manager; the gap says
// why that is not known.
func externalProvider(n *node.Node) (bool, evidence.Gap) {
	flag, _ := n.KubeletFlag("cloud-provider")
	if flag.Value == "external" && !flag.Live {
		return false, evidence.NotShown.Gap("a command line, flags file or start script of the kubelet")
	}
	return flag.Value == "external", n.KubeletGap()
}

// passedOver finds a Node that the cloud controller manager never looked at. Some providers set no
// providerID at all: then no other node has one. That of Azure, cloud-node-manager, always sets one.
func passedOver(s evidence.Snapshot, n evidence.NodeObject) ([]*checks.Finding, error) {
	flag, _ := node.About(s).KubeletFlag("cloud-provider")
	f := checks.Findingf(checks.Warn, n.Metadata.Name,
		"%s has no providerID and no taint %s: the cloud controller manager does not initialize it",
		n.Metadata.Name, uninitializedTaint).
		At(n.Field("spec", "providerID"), "spec.providerID: not set").With(flag.From).Cure(taintFix)
	for _, other := range evidence.Nodes.In(s) {
		if other.Spec.ProviderID != "" {
			return []*checks.Finding{f.At(other.Field("spec", "providerID"), "%s: %s", other.Metadata.Name,
				other.Spec.ProviderID)}, nil
		}
	}
	for _, p := range evidence.Pods.In(s) {
		if isNodeManager(p) && podRuns(p) && !onOtherNode(s, p) {
			return []*checks.Finding{f.At(p.Field("status"), "%s is running", p.FullName())}, nil
		}
	}
	if !evidence.Nodes.Known(s) {
		return nil, checks.Unknown(evidence.Nodes.Gap(s))
	}
	return nil, nil
}

// isNodeManager tells the pod of Azure that initializes its node.
func isNodeManager(p evidence.Pod) bool {
	return strings.HasPrefix(p.Metadata.Name, "cloud-node-manager") && p.Spec.NodeName != ""
}

// ownProvider is what a kubelet with a cloud provider of its own says of a machine that this does not
// find, whatever it asks for: its ID, its type, its zone.
func ownProvider(also ...string) checks.Sign {
	return checks.Sign{Text: "from cloud provider: instance not found",
		Or:   []string{"from cloud provider: not a vmss instance", "from cloud provider: No VM found"},
		Also: also, In: []string{"kubelet", "other"},
		Until: []string{"Successfully registered node"},
		Says:  "the kubelet cannot register the node: its cloud provider does not find the machine", Fix: ownProviderFix}
}

// withoutMachine finds a Node that was registered before, and of which the kubelet reports nothing until
// its cloud provider finds the machine.
func withoutMachine(s evidence.Snapshot, n evidence.NodeObject) []*checks.Finding {
	ready, known := n.Condition("Ready")
	for _, m := range s.Signs("cloud-provider-uninitialized") {
		if m.Over != "" || !strings.Contains(m.Text, "from cloud provider") || !known || ready.Status == "True" {
			continue
		}
		f := checks.Findingf(checks.Fail, n.Metadata.Name,
			"the kubelet does not report the status of %s: its cloud provider does not find the machine", n.Metadata.Name).
			At(n.ConditionField("Ready", "status"), "status.conditions: Ready is %s", ready.Status).With(checks.Quote(m)).
			Cure(ownProviderFix).Explaining("node-not-ready-lost", "kubelet-not-running", "component-crash-loop")
		f.Basis = checks.ByBoth
		return []*checks.Finding{f}
	}
	return nil
}

var ownProviderFix = checks.Steps(
	checks.Do("On Azure, set vmType in azure.json (--cloud-config of the kubelet): vmss for a machine of a scale set, standard for another."),
	checks.Do("On vSphere, compare the UUID of the machine in vCenter with the one in the log. A kubelet of 1.13 or 1.14.0 reads another one on Windows for some hardware versions of the VM: update it."),
	checks.Do("Compare the name of the node with the name of its machine in the cloud. Set --hostname-override of the kubelet to the name that the cloud has."),
	checks.Run("{restart kubelet}", "Restart the kubelet."),
	checks.Verify("kubectl get node {node}", "STATUS is Ready"))

var taintFix = checks.Steps(
	checks.Run("kubectl taint node {node} "+uninitializedTaint+"=true:NoSchedule",
		"Set the taint: the cloud controller manager initializes the node and removes it.").
		Costs("Until then no pod that does not tolerate the taint is scheduled on the node."),
	checks.Do("For new nodes, set --register-with-taints=node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule of the kubelet."),
	checks.Verify("kubectl get node {node} -o jsonpath='{.spec.providerID}'", "a providerID"))
