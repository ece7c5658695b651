package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "defender-exclusions-missing",
	Title:    "Antivirus scans the container runtime's folders",
	Healthy:  "Antivirus excludes the container runtime's folders",
	Category: checks.CategorySecurity,
	Doc: `Real-time protection opens files while the runtime unpacks, renames and removes image
layers. Windows then reports "Access is denied" or "in use", pulls take minutes longer, sandboxes
time out, and layers that cannot be removed fill the disk. Writes of many small files to an emptyDir volume
take several times as long as in the container itself, while MsMpEng uses the processors. Exclude the runtime's data folder, and
also its program and the kubelet's folder.

The check compares the exclusions of Microsoft Defender with the runtime's data folder and program.
If neither is excluded, this is reported as info, since the setup scripts of most platforms exclude nothing and such nodes work. It
is a warning if a log shows that a file was in use or denied while a layer was unpacked, or that a pull made no progress. Only administrators can read the exclusions, so evidence collected
without administrator rights does not show them. Antivirus programs of other vendors are not
covered.`,
	Fix: checks.Steps(
		checks.Run(`Add-MpPreference -ExclusionPath 'C:\ProgramData\{runtime}', 'C:\var\lib\kubelet'`,
			"Exclude the folders of the runtime and the kubelet from scans.").
			Costs("Files in these folders are not scanned when they are opened. Scan images in the registry."),
		checks.Run("Add-MpPreference -ExclusionProcess 'containerd.exe', 'containerd-shim-runhcs-v1.exe', 'dockerd.exe', 'kubelet.exe', 'kube-proxy.exe'",
			"Exclude the programs of the runtime and the kubelet from scans."),
		checks.Verify("Get-MpPreference | Select-Object ExclusionPath, ExclusionProcess",
			"the folders and programs")),
	Links: []string{
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/troubleshooting",
		"https://github.com/microsoft/Windows-Containers/issues/345",
		"https://github.com/Azure/AKS/issues/3647",
		"https://learn.microsoft.com/en-us/defender-endpoint/configure-exclusions-microsoft-defender-antivirus",
	},
	Explains: []string{"sandbox-name-reserved"},
	Needs:    []evidence.Need{evidence.SecurityInfo, node.NeedRuntime},
	FromPart: []evidence.Need{evidence.SecurityInfo},
	Uses:     []evidence.Need{evidence.CRI},
	Signs:    scannedLayerSigns(),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		d := evidence.SecurityInfo.In(s).Defender
		if d == nil {
			return nil, checks.Unknown(evidence.NotShown.Gap("the state of Microsoft Defender"))
		}
		if !d.Running {
			return nil, checks.Skip("Microsoft Defender is not running on this node")
		}
		paths, processes := d.Exclusions.Paths, d.Exclusions.Processes
		if elevated, known := s.Elevated(); known && !elevated && len(paths)+len(processes) == 0 {
			return nil, checks.Unknown(evidence.NeedsAdministrator.Gap())
		}
		root, runtime := runtimeRoot(s)
		if excludes(paths, root) || node.EqualsAny(runtime, programs(processes)) {
			return nil, nil
		}
		level := checks.Info
		for _, m := range s.Signs("defender-exclusions-missing") {
			if m.Over == "" {
				level = checks.Warn
			}
		}
		return []*checks.Finding{checks.Findingf(level, root,
			"Microsoft Defender scans %s: neither the folder nor the program %s is excluded", root,
			runtime).
			At(evidence.SecurityInfo.Field(s, "defender", "exclusions", "paths"),
				"defender.exclusions.paths: %s", orNone(paths)).
			At(evidence.SecurityInfo.Field(s, "defender", "exclusions", "processes"),
				"defender.exclusions.processes: %s", orNone(processes))}, nil
	},
})

// scannedLayerSigns are what scans lead to while a layer is unpacked. Other programs that open files do the same, so they only
// confirm. What fails when a snapshot is removed has other causes: microsoft/Windows-Containers, issue 358.
func scannedLayerSigns() []checks.Sign {
	signs := []checks.Sign{{Text: "cancel pulling image", Also: []string{"because of no progress"}, ConfirmOnly: true}}
	for _, call := range []string{"ProcessBaseLayer", "ImportLayer", "ProcessUtilityVMImage"} {
		signs = append(signs,
			checks.Sign{Text: "being used by another process", Also: []string{call}, ConfirmOnly: true},
			checks.Sign{Text: "Access is denied", Also: []string{call}, ConfirmOnly: true})
	}
	return signs
}

// runtimeRoot is where the runtime keeps layers, and the name of its program.
func runtimeRoot(s evidence.Snapshot) (folder, name string) {
	n := node.About(s)
	if n.Runtime.Value.Name == "docker" {
		return `C:\ProgramData\docker`, "dockerd"
	}
	if root := evidence.CRI.In(s).ConfigValue("containerdRootDir"); root != "" {
		return evidence.CleanWinPath(root), "containerd"
	}
	if n.Platform.Value == node.RKE2 {
		return `C:\var\lib\rancher\rke2\agent\containerd`, "containerd"
	}
	return `C:\ProgramData\containerd\root`, "containerd"
}

// excludes tells whether the folder or one above it is excluded.
func excludes(paths []string, folder string) bool {
	inside := strings.ToLower(folder) + `\`
	for _, p := range paths {
		p = strings.NewReplacer("%programdata%", `c:\programdata`, "%systemdrive%", "c:",
			"%allusersprofile%", `c:\programdata`).Replace(strings.ToLower(p))
		p = strings.TrimRight(strings.ToLower(evidence.CleanWinPath(p)), `\*`)
		if p != "" && strings.HasPrefix(inside, p+`\`) {
			return true
		}
	}
	return false
}

func programs(files []string) []string {
	var names []string
	for _, f := range files {
		names = append(names, node.Program(f))
	}
	return names
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return evidence.Clip(strings.Join(list, ", "), evidence.MaxText)
}
