package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(checks.Check{
	ID:       "layer-import-access-denied",
	Title:    "image layers cannot be unpacked: another program holds their files",
	Category: checks.CategoryImages,
	Doc: `Unpacking a Windows image, the runtime writes thousands of files and then hands the
layer to the system (ProcessBaseLayer, ImportLayer, ProcessUtilityVMImage). A virus scanner or
another filter driver that has one of them open at that moment makes the call fail with "access is
denied" or "in use by another process", and the pull is undone. Scanners look at what a process
writes, so excluding the folder alone is often not enough: the runtime's program must be excluded
too. A data root behind a symlink or on a volume that is not NTFS fails in the same words.

The check looks for these words at pods that wait for an image, and names a Defender that excludes
neither. Other vendors' drivers are not recorded: fltmc lists them. Windows gives these messages
without a code in newer runtimes, so on a node in another language than English only those with a
code are seen.`,
	Fix: checks.Steps(
		checks.Run(`Add-MpPreference -ExclusionPath C:\ProgramData\{runtime} -ExclusionProcess containerd.exe,containerd-shim-runhcs-v1.exe,dockerd.exe`, "exclude the runtime's data folder and its programs from scanning, in Defender and in every other scanner of the node, then let the pull be tried again").
			Costs("what these programs write is no longer scanned on arrival; running containers are not touched"),
		checks.Inspect("Get-MpPreference | Select-Object ExclusionPath, ExclusionProcess", ""),
		checks.Run("fltmc filters", "")),
	Links: []string{"https://github.com/microsoft/hcsshim/issues/2380",
		"https://github.com/moby/moby/issues/35988", "https://github.com/moby/moby/issues/34807",
		"https://github.com/docker/for-win/issues/3491",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-docker/optimize-windows-dockerfile"},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"sandbox-name-reserved"},
	Partial:  true,
	Needs:    complaintNeeds,
	Uses: slices.Concat(complaintUses, []evidence.Need{evidence.SecurityInfo, evidence.Node,
		evidence.CRI, evidence.Services}),
	Signs: layerSigns,
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
		root, _ := runtimeRoot(s)
		defender := evidence.SecurityInfo.In(s).Defender
		for _, c := range complaints(s, layerSigns) {
			f := checks.Findingf(checks.Fail, c.pod.FullName(), "%s waits for its image: %s",
				c.pod.FullName(), c.says).With(c.from)
			if defender != nil && defender.Running && !excludes(defender.Exclusions.Paths, root) {
				f = f.At(evidence.SecurityInfo.Field(s, "defender", "exclusions", "paths"),
					"Defender runs, and none of its %d excluded paths covers %s",
					len(defender.Exclusions.Paths), root)
			}
			findings = append(findings, f)
		}
		return findings, nil
	},
})

var layerSigns = layerRefusals("ProcessBaseLayer", "ImportLayer", "ProcessUtilityVMImage")

func layerRefusals(calls ...string) []checks.Sign {
	const denied, held = "a layer of an image cannot be unpacked: access is denied",
		"a layer of an image cannot be unpacked: another process has a file of it open"
	var signs []checks.Sign
	for _, call := range calls {
		signs = append(signs,
			checks.Sign{Text: call, Also: []string{"Access is denied"}, Says: denied},
			checks.Sign{Text: call, Also: []string{"(0x5)"}, Not: []string{"Access is denied"},
				Says: denied},
			checks.Sign{Text: call, Also: []string{"being used by another process"}, Says: held},
			checks.Sign{Text: call, Also: []string{"(0x20)"},
				Not: []string{"being used by another process"}, Says: held})
	}
	return signs
}
