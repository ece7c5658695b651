package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "volume-multi-attach",
	Title:    "Disk of a pod is still attached to another node",
	Healthy:  "Disks of pods are attached to this node only",
	Category: checks.CategoryStorage,
	Doc: `A disk with access mode ReadWriteOnce can be attached to one node only. A new pod on this
node waits with "Multi-Attach error" as long as the old pod uses the disk elsewhere: a Deployment
with rolling updates starts the new pod first, or the old node is lost and its pods are not deleted.
The controller forces the detachment after six minutes if the pod is deleted. A stale
VolumeAttachment can block it for longer.

The check looks for this event at pods that do not start.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get volumeattachment -o custom-columns=NAME:.metadata.name,PV:.spec.source.persistentVolumeName,NODE:.spec.nodeName,DELETED:.metadata.deletionTimestamp",
			"Find the node to which the volume is attached."),
		checks.Do("If an old pod uses it, set strategy Recreate in the Deployment, or delete that pod.").
			Costs("The workload stops until the new pod runs."),
		checks.Run("kubectl taint nodes OLD-NODE node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
			"If the old node is off for good, mark it, so that its pods and attachments are removed.").
			Costs("Pods of that node are deleted by force. Never do this to a node that still runs."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/Azure/aks-engine/issues/978",
		"https://github.com/longhorn/longhorn/issues/5345",
		"https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    volumeMultiAttachSigns,
	Run:      complain(volumeMultiAttachSigns),
})

// attached is the event of the controller when the disk is free (aws-ebs-csi-driver 1001).
const attached = "AttachVolume.Attach succeeded for volume"

var volumeMultiAttachSigns = []checks.Sign{
	{Text: "Multi-Attach error for volume", Until: []string{attached},
		Says: "the disk of a pod is still attached to another node"},
}
