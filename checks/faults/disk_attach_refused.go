package faults

import "doctor/checks"

var _ = register(&checks.Check{
	ID:       "disk-attach-refused",
	Title:    "Cloud refuses to attach a disk to the node",
	Healthy:  "Cloud attaches the disks of pods",
	Category: checks.CategoryStorage,
	Doc: `The CSI driver asks the cloud to attach the disk of a pod to the machine of its node. The cloud
refuses where the disk is in another availability zone than the machine, and where the identity of
the driver has no right to the disk. A volume that was created by hand has no node affinity, so that
the scheduler does not know its zone; a disk in another resource group or account needs a role of
its own. The pod stays in ContainerCreating.

The check looks for the answer of the cloud in the events of pods that do not start and in logs.`,
	Fix: diskZoneFix,
	Links: []string{
		"https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/storage/fail-to-mount-azure-disk-volume",
		"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/52",
		"https://github.com/aws/karpenter-provider-aws/issues/1775",
		"https://github.com/kubernetes-sigs/gcp-compute-persistent-disk-csi-driver/issues/85",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    diskAttachRefusedSigns,
	Run:      complain(diskAttachRefusedSigns),
})

var diskAttached = checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
	"all pods are Running")

var diskZoneFix = checks.Steps(
	checks.Inspect("kubectl get nodes -L topology.kubernetes.io/zone",
		"Compare the zone of the node with that of the disk."),
	checks.Do("Set a node affinity for the zone of the disk in the PersistentVolume, or in the pod template.").
		Costs("The pods of the workload are recreated."),
	checks.Do("If no node is in that zone, add one, or make a copy of the disk in a zone of the nodes. For new volumes use a StorageClass with volumeBindingMode WaitForFirstConsumer, or disks with zone redundancy."),
	diskAttached)

var diskRightsFix = checks.Steps(
	checks.Do("Give the identity that the error names the right to read and attach the disk: on Azure the role Contributor on the resource group of the disk, on AWS the policy AmazonEBSCSIDriverPolicy, on Google Cloud the role compute.storageAdmin."),
	checks.Do("If no identity of the cluster should have it, use a disk of the cluster's own resource group."),
	diskAttached)

var diskAttachRefusedSigns = []checks.Sign{
	// Azure, and AWS
	{Text: "cannot be attached to the VM because it is not in the same zone as the VM",
		Or:    []string{"cannot be attached to the VM because it is not in zone", "InvalidVolume.ZoneMismatch"},
		Until: []string{attached}, Says: "the disk is in another availability zone than the node"},
	{Text: "does not have authorization to perform action 'Microsoft.Compute/disks/read'",
		Until: []string{attached}, Says: noDiskRights, Fix: diskRightsFix},
	{Text: "UnauthorizedOperation", Also: []string{"attach volume"},
		Until: []string{attached}, Says: noDiskRights, Fix: diskRightsFix},
	// Google Cloud
	{Text: "Required 'compute.disks.get' permission",
		Or:    []string{"Required 'compute.disks.use' permission", "Required 'compute.instances.attachDisk' permission"},
		Until: []string{attached}, Says: noDiskRights, Fix: diskRightsFix},
}

const noDiskRights = "the cloud denies the identity of the cluster access to the disk"
