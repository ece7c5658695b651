package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "defender-exclusions-missing",
	Title:    "the virus scanner watches the folders of the container runtime",
	Category: checks.CategorySecurity,
	Doc: `Real-time protection opens files while the runtime unpacks, renames and removes image
layers. Windows then answers "Access is denied" or "in use", pulls take minutes longer, sandboxes
run into their deadline, and layers that cannot be removed fill the disk. The runtime's data folder
is to be excluded, and better its program and the kubelet's folder too.

The check compares the exclusions of Microsoft Defender with the runtime's data folder and program.
None for either is a warning. What is known of the exclusions is only known to administrators, so a
recording made without their rights tells nothing; nor does this check know of scanners by others.`,
	Fix: checks.Steps(
		checks.Run(`Add-MpPreference -ExclusionPath 'C:\ProgramData\{runtime}', 'C:\var\lib\kubelet'`, "exclude the runtime's data folder, the kubelet's and the CNI plugins', and the programs of the runtime, in keeping with the security policy of the house").
			Costs("files below the excluded folders are no longer scanned when they are opened; images should be scanned in the registry"),
		checks.Run("Add-MpPreference -ExclusionProcess 'containerd.exe', 'containerd-shim-runhcs-v1.exe', 'dockerd.exe', 'kubelet.exe', 'kube-proxy.exe'", ""),
		checks.Inspect("Get-MpPreference | Select-Object ExclusionPath, ExclusionProcess", "")),
	Links: []string{
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/troubleshooting",
		"https://learn.microsoft.com/en-us/defender-endpoint/configure-exclusions-microsoft-defender-antivirus",
	},
	Explains: []string{"sandbox-name-reserved"},
	Needs:    []evidence.Need{evidence.SecurityInfo, node.NeedRuntime},
	Uses:     []evidence.Need{evidence.CRI},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		d := evidence.SecurityInfo.In(s).Defender
		if d == nil {
			return nil, checks.Unknown(evidence.NotShown.Gap("the state of Microsoft Defender"))
		}
		if !d.Running {
			return nil, checks.Skip("Microsoft Defender does not run on this node")
		}
		paths, processes := d.Exclusions.Paths, d.Exclusions.Processes
		if elevated, known := s.Elevated(); known && !elevated && len(paths)+len(processes) == 0 {
			return nil, checks.Unknown(evidence.NeedsAdministrator.Gap())
		}
		root, runtime := runtimeRoot(s)
		if excludes(paths, root) || node.EqualsAny(runtime, programs(processes)) {
			return nil, nil
		}
		return []checks.Finding{checks.Findingf(checks.Warn, root,
			"Microsoft Defender scans %s while %s works in it: neither the folder nor the program is excluded", root, runtime).
			At(evidence.SecurityInfo.Field(s, "defender", "exclusions", "paths"),
				"defender.exclusions.paths: %s", orNone(paths)).
			At(evidence.SecurityInfo.Field(s, "defender", "exclusions", "processes"),
				"defender.exclusions.processes: %s", orNone(processes))}, nil
	},
})

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
