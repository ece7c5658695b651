package faults

import "doctor/checks"

var _ = register(&checks.Check{
	ID:       "csi-resize-size-not-supported",
	Title:    "Volume cannot be resized: it has its full size already",
	Healthy:  "Volumes are resized only where they can grow",
	Category: checks.CategoryStorage,
	Doc: `A volume was extended before its disk was formatted, or the driver compares the partition with the
size of the disk. The partition has the largest size that the disk allows, and the kubelet still
requests the missing kilobytes. Windows refuses to grow a partition by less than 1 MB ("Size Not
Supported"), and the pod stays in ContainerCreating.

csi-proxy with pull request 364 (of December 2024) skips such a step, and so do the drivers that
include its library. The check looks for the error of Resize-Partition at pods that do not start.`,
	Fix: checks.Steps(
		checks.Do("Update csi-proxy, and the CSI driver if it runs as a HostProcess container, to a release of 2025 or later."),
		checks.Run("kubectl patch pvc CLAIM -n NAMESPACE -p 'spec: {resources: {requests: {storage: SIZE}}}'",
			"Or request at least 1 GiB more than now: Windows can then grow the partition."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/kubernetes-csi/csi-proxy/issues/195",
		"https://github.com/kubernetes-csi/csi-proxy/pull/364",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    smallExtentSigns,
	Run:      complain(smallExtentSigns),
})

const smallExtent = "Windows refuses to resize a volume: less than 1 MB is left to grow"

var smallExtentSigns = []checks.Sign{
	{Text: "Resize-Partition : Size Not Supported", Says: smallExtent},
	// The rest of the message where the line is cut or Windows speaks another language.
	{Text: "StorageWMI 4097,Resize-Partition", Not: []string{"Size Not Supported"},
		Says: smallExtent},
	// pkg/os/wmi of the drivers that call WMI
	{Text: "MSFT_Partition.Resize failed", Also: []string{"code=4097"}, Says: smallExtent},
}
