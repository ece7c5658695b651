package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "layer-import-access-denied",
	Title:    "Image layer unpacking fails: files in use",
	Healthy:  "Image layers can be unpacked",
	Category: checks.CategoryImages,
	Doc: `To unpack a Windows image, the runtime writes thousands of files and then passes the layer
to the system (ProcessBaseLayer, ImportLayer, ProcessUtilityVMImage). If an antivirus program or
another filter driver has one of the files open, the call fails with "access is denied" or "in use
by another process", and the pull is undone. Antivirus programs scan what a process writes, so
excluding the folder alone is often not enough: exclude the runtime's program, too. A data root
behind a symbolic link, or on a volume that is not NTFS, fails with the same errors.

The check looks for these errors at pods that wait for an image, and reports a Defender that
excludes neither. Drivers of other vendors are not collected: fltmc lists them. Newer runtimes
report these errors without a code; there the words of Windows in English, German, French, Chinese
and Japanese are found.`,
	Fix: checks.Steps(
		checks.Run(`Add-MpPreference -ExclusionPath C:\ProgramData\{runtime} -ExclusionProcess containerd.exe,containerd-shim-runhcs-v1.exe,dockerd.exe`,
			"Exclude the runtime's folder and programs from scanning, in other antivirus programs, too.").
			Costs("Files that these programs write are not scanned."),
		checks.Inspect("fltmc filters",
			"If pulls still fail, look for filter drivers of other vendors."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{"https://github.com/microsoft/hcsshim/issues/2380",
		"https://github.com/moby/moby/issues/35988", "https://github.com/moby/moby/issues/34807",
		"https://github.com/docker/for-win/issues/3491",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-docker/optimize-windows-dockerfile"},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"sandbox-name-reserved"},
	Partial:  true,
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses: slices.Concat(complaintUses, []evidence.Need{evidence.SecurityInfo, evidence.Node,
		evidence.CRI, evidence.Services}),
	Signs: layerSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
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
			if defender != nil && !defender.Running {
				fix := fixOf("layer-import-access-denied")
				fix.Steps[0], fix.Steps[1] = checks.Inspect("fltmc filters",
					"Microsoft Defender does not run: look for filter drivers of other vendors."),
					checks.Do("Exclude the runtime's folder and programs from scanning in that product.").
						Costs("Files that these programs write are not scanned.")
				f = f.Cure(fix)
			}
			findings = append(findings, f)
		}
		return findings, nil
	},
})

// Docker removes files of the Hyper-V part of a layer before it writes them: hcsshim 155.
var layerSigns = append(layerRefusals("ProcessBaseLayer", "ImportLayer", "ProcessUtilityVMImage"),
	layerRefusals("re-exec error: exit status 1: output: remove ")...)

func layerRefusals(calls ...string) []checks.Sign {
	const denied, held = "an image layer cannot be unpacked: access denied",
		"an image layer cannot be unpacked: a file is in use by another process"
	var signs []checks.Sign
	for _, call := range calls {
		for _, s := range []checks.Sign{
			{Text: "Access is denied", Also: []string{call}, Says: denied},
			{Text: "being used by another process", Also: []string{call}, Says: held}} {
			s.In = []string{evidence.InPodEvents}
			s.Until = sandboxRefused
			told := s
			told.In, told.Until = layerSources, pulledSince
			signs = append(signs, s, told)
		}
	}
	return signs
}

// The sandbox comes before the image: a pod that waits for a sandbox after a failed pull does not
// wait for its image any more.
var sandboxRefused = []string{"Failed to create pod sandbox"}

// layerSources are all others: a line of a log is not about the same pod.
var layerSources = []string{"containerd", "docker", "kubelet", "other", evidence.InEvents,
	evidence.InPods}
