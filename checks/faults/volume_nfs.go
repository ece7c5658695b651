package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "volume-nfs",
	Title:    "Pod mounts an NFS volume on Windows",
	Healthy:  "No pod on this node mounts an NFS volume",
	Category: checks.CategoryStorage,
	Doc: `Kubernetes does not support NFS volumes on Windows: the kubelet mounts only SMB shares
(cifs) on Windows nodes, and the NFS CSI driver and the drivers for Amazon EFS have no node plugin
for Windows. Windows itself has a client for NFS 3, which Kubernetes does not use. The pod stays in
ContainerCreating, and every retry fails.

The check looks for the answer of the kubelet at pods that do not start and in its log, and for the
kind of their volumes.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get pv -o custom-columns=NAME:.metadata.name,SERVER:.spec.nfs.server,PATH:.spec.nfs.path,CLAIM:.spec.claimRef.name",
			"Find the volumes with an NFS server."),
		checks.Do("Share the same files over SMB, and mount them with the SMB CSI driver. Or use a disk."),
		checks.Do("If the pod belongs on Linux, set nodeSelector kubernetes.io/os: linux."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/storage/windows-storage/",
		"https://github.com/kubernetes/kubernetes/issues/65060",
		"https://github.com/kubernetes/kubernetes/issues/56188",
		"https://github.com/kubernetes-csi/csi-driver-nfs/issues/287",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     []evidence.Need{evidence.PodEvents, evidence.PersistentVolumes},
	Signs:    volumeNfsSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, err := complain(volumeNfsSigns)(s)
		if len(findings) > 0 || err != nil {
			return findings, err
		}
		awaited, gap := awaitedVolumes(s)
		for _, w := range awaited {
			kind := "nfs"
			switch {
			case w.CSI != nil && slices.Contains([]string{"nfs.csi.k8s.io", "efs.csi.aws.com"}, w.CSI.Driver):
				kind = "csi"
			case w.NFS == nil:
				continue
			}
			findings = append(findings, checks.Findingf(checks.Fail, w.pod.FullName(),
				"%s waits: its volume %s is NFS, which Kubernetes does not support on Windows", w.pod.FullName(),
				w.name).At(w.at.At(kind), "%s: %s", w.name, kind))
		}
		if gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	},
})

var volumeNfsSigns = []checks.Sign{
	{Text: "only cifs mount is supported now",
		Says: "a pod mounts an NFS volume, which the kubelet does not support on Windows"},
	{Text: "driver name nfs.csi.k8s.io not found in the list of registered CSI drivers",
		Or:   []string{"driver name efs.csi.aws.com not found in the list of registered CSI drivers"},
		Says: "a pod mounts a volume of a CSI driver for NFS, which has no node plugin for Windows"},
	// the file shares of vSAN are NFS for the driver of vSphere (windows_os_utils.go)
	{Text: "vSAN file service volume can not be mounted on windows node",
		Says: "a pod mounts a file share of vSAN, which is an NFS volume"},
}
