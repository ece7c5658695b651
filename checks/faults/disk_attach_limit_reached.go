package faults

import "doctor/checks"

var _ = register(&checks.Check{
	ID:       "disk-attach-limit-reached",
	Title:    "Node cannot attach another disk",
	Healthy:  "Node can attach the disks of its pods",
	Category: checks.CategoryStorage,
	Doc: `The size of a virtual machine limits how many disks the cloud attaches to it, for example 4 or 8
on small sizes of Azure. The scheduler counts the disks of pods against the limit that the CSI driver
reports for the node. It does not count disks that were attached by hand, of pods that it did not
place, or above a limit that the driver reports too high. The cloud then refuses the disk, and the pod
stays in ContainerCreating.

The check looks for the answer of the cloud in the events of pods that do not start and in logs.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get volumeattachment -o custom-columns=NODE:.spec.nodeName,PV:.spec.source.persistentVolumeName,ATTACHED:.status.attached",
			"Count the disks of the node."),
		checks.Inspect("kubectl get csinode {node} -o jsonpath='{.spec.drivers[*].allocatable.count}'",
			"Compare them with the limit that the driver reports, and with that of the VM size."),
		checks.Run("kubectl cordon {node}; kubectl delete pod POD -n NAMESPACE; kubectl uncordon {node}",
			"Delete the pod while the node is cordoned, so that it is created on another node.").
			Costs("The pod is created again."),
		checks.Do("Use a larger VM size for the node pool. Detach disks that no pod uses."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/CodeValet/codevalet/issues/54",
		"https://github.com/kubernetes-sigs/azuredisk-csi-driver/issues/1097",
		"https://github.com/kubernetes/kubernetes/issues/77225",
		"https://kubernetes.io/docs/concepts/storage/storage-limits/",
		"https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/storage/fail-to-mount-azure-disk-volume",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    diskAttachLimitSigns,
	Run:      complain(diskAttachLimitSigns),
})

const machineIsFull = "the cloud refuses to attach another disk: the machine has as many as its size allows"

var diskAttachLimitSigns = []checks.Sign{
	// the answers of Azure, of Google Cloud and of OpenStack
	{Text: "maximum number of data disks allowed to be attached",
		Or: []string{"Exceeded limit 'maximum_persistent_disks'",
			"disks count should be less than or equal to [",
			"maximum allowed number of disk devices",
			"Attachment limit exceeded for volume "}, // the EBS driver since 2024
		Until: []string{attached}, Says: machineIsFull},
	// AWS, which says it of network interfaces, too
	{Text: "AttachmentLimitExceeded", Also: []string{"attach volume"},
		Until: []string{attached}, Says: machineIsFull},
	// plugins/nodevolumelimits of the scheduler: the pod is on no node
	{Text: "node(s) exceed max volume count",
		Says: "the scheduler finds no node that can attach another disk",
		Fix: checks.Steps(
			checks.Inspect("kubectl get csinode -o custom-columns=NODE:.metadata.name,DRIVER:.spec.drivers[*].name,LIMIT:.spec.drivers[*].allocatable.count",
				"Read how many disks each node can attach."),
			checks.Do("Add a node to the node pool, or use a larger VM size for it."),
			checks.Do("Delete pods and disks that are not used."),
			checks.Verify("kubectl get pods -A --field-selector status.phase=Pending",
				"no pod waits for a node"))},
}
