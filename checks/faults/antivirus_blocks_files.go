package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "antivirus-blocks-files",
	Title:    "Antivirus blocks files of a container image",
	Healthy:  "Antivirus blocks no file of container images",
	Category: checks.CategorySecurity,
	Doc: `Antivirus software scans the files of an image while the runtime unpacks it or starts a program
from it. If it takes one for malware, Windows answers error 225 (0xe1, ERROR_VIRUS_INFECTED), and
the layer is not imported or the container does not start. Base images of Microsoft were hit by
false alarms.

The check looks for the error at pods that do not start and in the logs of the runtime and the
kubelet.`,
	Fix: checks.Steps(
		checks.Inspect("Get-MpThreatDetection | Sort-Object InitialDetectionTime -Descending | Select-Object -First 5 -Property Resources, ProcessName",
			"See which file Microsoft Defender found; other products have logs of their own."),
		checks.Run(`Add-MpPreference -ExclusionPath C:\ProgramData\containerd`,
			"If it is a false positive, exclude the folder of the runtime from scans, in other products too."),
		checks.Do("If the file is malware, rebuild the image without it.").
			Costs("The pods of the workload are recreated."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://github.com/microsoft/nav-docker/issues/440",
		"https://github.com/microsoft/Windows-Containers/issues/568",
		"https://learn.microsoft.com/en-us/windows-hardware/drivers/ifs/anti-virus-optimization-for-windows-containers",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    []evidence.Need{evidence.Any(evidence.Pods, evidence.WindowsEvents)},
	FromPart: complaintNeeds,
	Uses:     slices.Concat(complaintNeeds, complaintUses, []evidence.Need{evidence.WindowsEvents}),
	Signs:    antivirusBlocksFilesSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		found, err := complain(antivirusBlocksFilesSigns)(s)
		found = append(found, removedByDefender(s)...)
		if len(found) == 0 && err == nil && !evidence.Pods.Known(s) {
			return nil, checks.Unknown(evidence.Pods.Gap(s))
		}
		return found, err
	},
})

var antivirusBlocksFilesSigns = []checks.Sign{
	{Text: "file contains a virus or potentially unwanted software",
		Or:   []string{"0x800700e1"},
		Says: "antivirus software blocks a file of the image"},
	// Windows in another language
	{Text: "ImportLayer", Also: []string{"(0xe1)"}, Says: "antivirus software blocks a file of the image"},
	{Text: "CreateProcess", Also: []string{"(0xe1)"}, Says: "antivirus software blocks a file of the image"},
	{Text: defenderActed, Also: imageFolders[:1], In: []string{evidence.InEvents},
		Says: "Microsoft Defender has removed a file of an image"},
	{Text: defenderActed, Also: imageFolders[1:], In: []string{evidence.InEvents},
		Says: "Microsoft Defender has removed a file of an image"},
}

// defenderRemoved are Defender's events about malware that it has removed. Their texts are in the
// language of Windows, the path of the file is in each.
var defenderRemoved = []int{1007, 1117}

// defenderActed is their text in English, for recorders that keep the message alone.
const defenderActed = "has taken action to protect this machine from malware"

// imageFolders are where the runtimes unpack images; what is found elsewhere does not concern them.
var imageFolders = []string{`\containerd\root\`, `\docker\windowsfilter\`}

// removedByDefender reports the last such event about a file of an image, on a Windows that is not English.
func removedByDefender(s evidence.Snapshot) []*checks.Finding {
	var found []*checks.Finding
	var last evidence.WindowsEvent
	for _, e := range evidence.WindowsEvents.In(s) {
		if strings.Contains(e.Provider, "Windows Defender") && slices.Contains(defenderRemoved, e.ID) &&
			anyIn(e.Message, imageFolders) && !strings.Contains(e.Message, defenderActed) &&
			!e.Time.Before(last.Time.Time) {
			last = e
			found = []*checks.Finding{checks.Findingf(checks.Fail, "Microsoft Defender",
				"Microsoft Defender has removed a file of an image").At(e.Field(), "%s", evidence.Clean(e.Message))}
		}
	}
	return found
}
