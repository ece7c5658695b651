package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

const noPartitionSize = "a volume cannot be resized: Windows does not report the largest size of its partition"

var _ = register(&checks.Check{
	ID:       "csi-resize-defragsvc-disabled",
	Title:    "Volume cannot be resized: service defragsvc is not available",
	Healthy:  "Service defragsvc is available for resizing volumes",
	Category: checks.CategoryStorage,
	Doc: `Before csi-proxy extends a volume it asks Windows for the largest size of the partition
(Get-PartitionSupportedSize). Windows answers this through the service Optimize Drives (defragsvc).
If an image or a hardening baseline has disabled it, or while it holds a lock on the volume, the
call fails with StorageWMI error 4. Every retry fails in the same way.

The check looks for the error at pods that do not start and in the logs of the driver and of
csi-proxy, and reads the start type of the service.`,
	Fix: checks.Steps(
		checks.Run("Set-Service defragsvc -StartupType Manual",
			"Enable the service Optimize Drives: Windows starts it when the size is requested."),
		checks.Inspect("Get-PartitionSupportedSize -DriveLetter C",
			"Check that Windows answers."),
		checks.Verify("Get-Service defragsvc | Format-List Name, Status, StartType", "StartType is Manual")),
	Links: []string{
		"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/2877",
		"https://learn.microsoft.com/en-us/powershell/module/storage/get-partitionsupportedsize",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs: []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("csi-driver"),
		evidence.Logs("csi-proxy"), evidence.Logs("kubelet"))},
	Uses: []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Moot: noDriver,
	Signs: []checks.Sign{
		{Text: "StorageWMI 4,Get-PartitionSupportedSize",
			Or: []string{"Get-PartitionSupportedSize : Failed"}, Says: noPartitionSize},
		// csi-proxy from 1.3, and drivers with its library
		{Text: "error getting sizeMin, sizeMax from volume", Also: []string{"result: 4, status: "},
			Until: []string{"FileSystemResizeSuccessful"}, Says: noPartitionSize},
		// pkg/os/wmi of the drivers that call WMI; the numbers of other reasons begin with a 4, too
		{Text: "MSFT_Partition.GetSupportedSize failed", Also: []string{"code=4"},
			Not: []string{"code=40", "code=41", "code=42"}, Says: noPartitionSize}},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		m, told := liveSign(s, "csi-resize-defragsvc-disabled")
		if !told {
			return nil, nil
		}
		f := checks.Findingf(checks.Fail, "defragsvc", "%s", evidence.Phrasef(noPartitionSize)).
			With(checks.Quote(m))
		f.Basis = checks.ByText
		for _, svc := range evidence.Services.In(s) {
			if strings.EqualFold(svc.Name, "defragsvc") &&
				strings.EqualFold(svc.StartType, "disabled") {
				f.Basis = checks.ByBoth
				f = f.At(svc.Field("startType"), "service %s has start type %s", svc.Name,
					svc.StartType)
			}
		}
		return []*checks.Finding{f}, nil
	},
})
