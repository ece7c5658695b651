package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const vmcomputeDLL = `C:\Windows\System32\vmcompute.dll`

var _ = register(&checks.Check{
	ID:       "containers-feature-missing",
	Title:    "Windows feature Containers is not installed",
	Healthy:  "Windows feature Containers is installed",
	Category: checks.CategoryNode,
	Doc: `Windows containers require the Windows feature Containers: it provides the host compute
service (vmcompute and its library), the host network service, and the filter drivers behind image
layers. Without it docker does not start at all, while containerd starts and then fails at the first
layer, because a module cannot be found. After the feature is added the node must be rebooted; until
then it is pending and does not work.

The check reads the state of the feature and looks for vmcompute.dll. A pod that runs in a container
of its own proves that the feature works, whatever state was recorded; HostProcess pods need less
and prove nothing.`,
	Fix: checks.Steps(
		checks.Run("Install-WindowsFeature -Name Containers -Restart",
			"Install the feature and reboot. If it is pending, reboot only.").
			Costs("The reboot stops every pod of this node."),
		checks.Verify("Get-WindowsFeature Containers", "Install State is Installed")),
	Links: []string{"https://github.com/microsoft/hcsshim/issues/1445",
		"https://github.com/moby/moby/issues/28327",
		"https://github.com/docker/for-win/issues/1082",
		"https://kubernetes.io/docs/setup/production-environment/container-runtimes/"},
	Breaks: []*checks.Effect{effectRuntime, effectHNSNetwork, effectFlanneld, effectKubeProxy,
		effectCNIConfig, effectPodStart, effectNodeReady},
	Needs:    []evidence.Need{evidence.Any(evidence.Features, evidence.FileIndex)},
	FromPart: []evidence.Need{evidence.Features},
	Uses:     []evidence.Need{evidence.File(vmcomputeDLL), evidence.Services, evidence.Pods},
	Signs: []checks.Sign{
		// install.ps1 of RKE2 and of rancher/wins end with it
		{Text: "Windows feature: 'Containers' is not installed. Please run",
			Says: "the installer stops: Windows feature Containers is not installed"},
		// pkg/windows of WMCO
		{Text: "failed to enable required Windows feature: Containers",
			Says: "the Windows Machine Config Operator cannot install Windows feature Containers"},
		{Text: "Failed to load vmcompute.dll",
			Says: "docker cannot load vmcompute.dll: the Containers feature is not installed"},
		// moby daemon/daemon_windows.go: hns or vmcompute is no service
		{Text: "ensure the Containers feature is installed", Not: []string{"Failed to load vmcompute.dll"},
			Says: "docker finds no service hns or vmcompute: the Containers feature is not installed"},
		// A program in a container may miss a library of its own, and an exporter of metrics in one
		// has no host compute service (windows_exporter 453).
		// The call is "hcs::GetComputeSystems" since hcsshim 0.8.17 (internal/hcs/system.go).
		{Text: "hcsshim::", Or: []string{"hcs::GetComputeSystems"},
			Also: []string{"The specified module could not be found"},
			Not:  []string{"CreateProcess", "collector", "Getting containers"}, // of windows_exporter 588
			Says: "the host compute service call found no vmcompute.dll: the Containers feature is not installed"},
		checks.SignOfCode("ERROR_MOD_NOT_FOUND",
			"the host compute service call found no vmcompute.dll: the Containers feature is not installed", "hcsshim::ProcessBaseLayer"),
		notOfExporter(checks.SignOfCode("ERROR_MOD_NOT_FOUND",
			"the host compute service call found no vmcompute.dll: the Containers feature is not installed", "::GetComputeSystems")),
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
			return podRuns(p) && !p.HostProcess()
		}) {
			return nil, nil
		}
		state := featureState(s, "Containers")
		dll, looked := s.File(vmcomputeDLL).Exists()
		var f *checks.Finding
		switch {
		case state == "pending":
			f = checks.Findingf(checks.Fail, "Containers",
				"Windows feature Containers is pending: a reboot is required")
		case state != "" && state != "installed":
			f = checks.Findingf(checks.Fail, "Containers",
				"Windows feature Containers is %s (expected: installed)", state)
		case looked && !dll:
			f = checks.Findingf(checks.Fail, "Containers",
				"%s is missing: Windows feature Containers is not installed", vmcomputeDLL)
		case state == "" && !looked:
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the state of the Windows feature Containers"))
		default:
			return nil, nil
		}
		if state != "" {
			f = f.At(evidence.Features.Field(s, "Containers"), "Containers is %s", state)
		}
		if looked && !dll {
			f = f.At(evidence.FileRecordField(s, vmcomputeDLL, "outcome"), "%s: absent",
				vmcomputeDLL)
		}
		if list := evidence.Services.In(s); len(list) >= fewProcesses &&
			!slices.ContainsFunc(list, func(v evidence.Service) bool {
				return node.EqualsAny(v.Name, []string{"vmcompute"})
			}) {
			f = f.At(evidence.Services.Field(s), "none of its %d services is vmcompute", len(list))
		}
		return []*checks.Finding{f}, nil
	},
})

// notOfExporter leaves out what an exporter of metrics says of itself.
func notOfExporter(s checks.Sign) checks.Sign {
	s.Not = append(s.Not, "collector", "Getting containers")
	return s
}
