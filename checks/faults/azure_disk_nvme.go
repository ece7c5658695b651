package faults

import (
	"regexp"
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "azure-disk-nvme",
	Title:    "Azure disk driver does not find an NVMe disk",
	Healthy:  "Azure disk driver finds the attached disks",
	Category: checks.CategoryStorage,
	Doc: `The Azure disk driver finds an attached disk by its LUN. Virtual machine sizes of version
6 and 7 attach disks by NVMe, and Windows reports no LUN for them. Older releases of the driver then
answer "could not find disk id for lun", although Get-Disk shows the disk. Pull request 3632 (May
2026) derives the LUN from the NVMe namespace. With other sizes the same words mean that the disk is
not attached yet, or was detached.

The check looks for the error at pods that do not start, and reads the size of the machine from the
label of the node.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Disk | Format-Table Number, FriendlyName, Location, OperationalStatus",
			"Check whether the disk is there: MSFT NVMe Accelerator."),
		checks.Do("Update the Azure disk CSI driver to a release with pull request 3632. On AKS, upgrade the cluster."),
		checks.Do("Or use a size of version 5 with the SCSI controller for pools with disks.").
			Costs("The nodes of the pool are replaced."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/kubernetes-sigs/azuredisk-csi-driver/issues/2365",
		"https://github.com/kubernetes-sigs/azuredisk-csi-driver/pull/3632",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     slices.Concat(complaintUses, []evidence.Need{evidence.Node}),
	Signs:    azureDiskNvmeSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		const label = "node.kubernetes.io/instance-type"
		machine := evidence.Node.In(s)
		size := machine.Metadata.Labels[label]
		var findings []*checks.Finding
		for _, c := range complaints(s, azureDiskNvmeSigns) {
			f := checks.Findingf(c.level, c.pod.FullName(), "%s is not running: %s",
				c.pod.FullName(), c.says).With(c.from)
			if nvmeSize.MatchString(size) {
				f.Level = checks.Fail
				f = f.At(machine.Field("metadata", "labels", label), "%s: %s", label, size)
			}
			findings = append(findings, f)
		}
		return findings, nil
	},
})

// nvmeSize are the sizes of Azure that attach disks by NVMe only.
var nvmeSize = regexp.MustCompile(`_v[6-9]$`)

var azureDiskNvmeSigns = []checks.Sign{
	{Text: "could not find disk id for lun", Also: []string{"findDiskByLun"},
		Level: checks.Warn,
		Says:  "the Azure disk driver finds no disk with the LUN of the volume"},
}
