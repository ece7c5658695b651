package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "hyperv-feature-missing",
	Title:    "Hyper-V isolation used without Hyper-V",
	Healthy:  "Hyper-V is available to the containers that use it",
	Category: checks.CategoryNode,
	Doc: `A container with Hyper-V isolation runs in a small virtual machine of its own, so the
node needs the Hyper-V feature, and a node that is itself a virtual machine needs nested
virtualization from its host. Without them the container fails to start: a required feature is not
installed, the request is not supported, or no hypervisor is present. Windows 10 and 11 use this
isolation by default; on Windows Server it is selected by a RuntimeClass with a handler such as
runhcs-wcow-hypervisor, or by the runtime's default.

The check compares the feature with the runtime classes of the pods that do not run and with the
runtime's default handler; handlers and classes are recognized by their names. An error of the
runtime is reported even if the feature is installed: then the hypervisor does not start, because
the firmware or the boot configuration turns it off. "The request is not supported" has other
reasons too, so it is a warning unless Hyper-V is recorded as not installed.`,
	Fix: checks.Steps(
		checks.Run("Install-WindowsFeature Hyper-V -IncludeManagementTools -Restart",
			"Install Hyper-V, or run these pods with process isolation (runhcs-wcow-process).").
			Costs("The reboot stops every pod of this node."),
		checks.Run("Set-VMProcessor -VMName {node} -ExposeVirtualizationExtensions $true",
			"If the node is a Hyper-V virtual machine, enable nested virtualization on its host.").
			Costs("The virtual machine must be off."),
		checks.Run("bcdedit /set hypervisorlaunchtype auto",
			"If Hyper-V is installed, start its hypervisor at boot, and reboot. On hardware, virtualization must be on in the firmware.").
			Costs("The reboot stops every pod of this node."),
		checks.Verify("Get-WindowsFeature Hyper-V", "Install State is Installed")),
	Links: []string{
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/hyperv-container", "https://kubernetes.io/docs/concepts/containers/runtime-class/",
		"https://github.com/MicrosoftDocs/Virtualization-Documentation/issues/1128",
		"https://github.com/moby/moby/issues/40792",
		"https://github.com/docker/for-win/issues/6253",
		"https://github.com/docker/for-win/issues/8414",
		"https://github.com/docker/for-win/issues/399",
		"https://github.com/docker/for-win/issues/552",
		"https://github.com/microsoft/navcontainerhelper/issues/1228",
		"https://github.com/moby/moby/issues/40720",
		"https://github.com/microsoft/Windows-Containers/pull/638",
		"https://github.com/kubernetes-sigs/sig-windows-dev-tools/pull/9",
		"https://github.com/antrea-io/antrea/blob/main/docs/windows.md"},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"container-request-unsupported", "runtime-pipe-missing"},
	Needs:    []evidence.Need{evidence.Features, evidence.Pods},
	Uses:     slices.Concat(complaintUses, node.RuntimeConfigs, []evidence.Need{evidence.CRI}),
	Signs:    hypervSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		feature := featureState(s, "Hyper-V")
		because := func(f *checks.Finding) *checks.Finding {
			return f.At(evidence.Features.Field(s, "Hyper-V"), "Hyper-V is %s", orUnknown(feature))
		}
		var findings []*checks.Finding
		refused := map[string]bool{}
		for _, c := range complaints(s, hypervSigns) {
			refused[c.pod.FullName()] = true
			level := c.level
			if feature != "" && feature != "installed" {
				level = checks.Fail
			}
			findings = append(findings,
				because(checks.Findingf(level, c.pod.FullName(), "%s is not running: %s",
					c.pod.FullName(), c.says).With(c.from)))
		}
		if feature == "installed" {
			return findings, nil
		}
		unsure := false
		if handler, from := defaultHandler(s); isHyperV(handler) {
			unsure = feature == ""
			findings = append(findings,
				because(checks.Findingf(checks.Fail, handler,
					"Container runtime isolates every pod with %s, but Hyper-V is %s (expected: installed)",
					handler, orUnknown(feature)).With(from)))
		}
		for _, p := range evidence.Pods.In(s) {
			if !isHyperV(p.Spec.RuntimeClassName) || !node.PodDown(p) || refused[p.FullName()] {
				continue
			}
			unsure = unsure || feature == ""
			findings = append(findings,
				because(checks.Findingf(checks.Fail, p.FullName(),
					"%s uses RuntimeClass %s (Hyper-V isolation), but Hyper-V is %s (expected: installed)", p.FullName(), p.Spec.RuntimeClassName, orUnknown(feature)).
					At(p.Field("spec", "runtimeClassName"), "%s: runtimeClassName is %s",
						p.FullName(),
						p.Spec.RuntimeClassName)))
		}
		if unsure && len(refused) == 0 {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the state of the Windows feature Hyper-V"))
		}
		return findings, nil
	},
})

const (
	noHypervisor      = "a Hyper-V isolated container failed: no hypervisor is running on this machine"
	hypervUnsupported = "a Hyper-V isolated container failed: the request is not supported, most often because Hyper-V is not installed"
)

// hypervIsolated are docker's and containerd's words for a container with Hyper-V isolation.
var hypervIsolated = []string{`HvPartition":true`, `HvPartition\":true`, "@vm: "}

var hypervSigns = []checks.Sign{
	{Text: "could not be started because a required feature is not installed",
		Says: "a Hyper-V isolated container failed: Hyper-V is not installed or not exposed to this machine"},
	{Text: "0xc0351000", Says: noHypervisor},
	{Text: "No hypervisor is present on this system", Not: []string{"0xc0351000"},
		Says: noHypervisor},
	{Text: "since the hypervisor is not running in the host",
		Not:  []string{"0xc0351000", "No hypervisor is present on this system"},
		Says: noHypervisor},
	{Text: hypervIsolated[0], Or: hypervIsolated[1:],
		Also:  []string{"CreateComputeSystem", requestUnsupported},
		Level: checks.Warn, Says: hypervUnsupported},
	// The script that prepares a node installs the feature; the second is the same in each language.
	{Text: "Hyper-V cannot be installed: ", Or: []string{"(Hyper-V:ServerComponentWrapper) [Install-WindowsFeature]"},
		Says: "Hyper-V cannot be installed: this machine does not offer the processor features that it requires",
		Fix: checks.Steps(
			checks.Run("Set-VMProcessor -VMName {node} -ExposeVirtualizationExtensions $true",
				"If the node is a virtual machine, enable nested virtualization on its host. On hardware, enable virtualization in the firmware.").
				Costs("The machine must be off."),
			checks.Run("Install-WindowsFeature Hyper-V -IncludeManagementTools -Restart",
				"Install Hyper-V. If only its PowerShell module is required, install Hyper-V-PowerShell instead.").
				Costs("The reboot stops every pod of this node."),
			checks.Verify("Get-WindowsFeature Hyper-V", "Install State is Installed"))},
	{Text: "Hypervisor launch failed", In: []string{evidence.InEvents}, ConfirmOnly: true},
}

// featureState is installed, available, pending or absent; empty where the
// recording does not speak of the feature.
func featureState(s evidence.Snapshot, name string) string {
	return strings.ToLower(evidence.Clean(evidence.Features.In(s)[name]))
}

// defaultHandler is how containerd runs pods that name no runtime class.
func defaultHandler(s evidence.Snapshot) (string, evidence.Because) {
	if v, at := evidence.CRIConfigValue(s, "defaultRuntimeName"); v != "" {
		return v, at.Because("defaultRuntimeName is %s", v)
	}
	if c, file, gap := node.About(s).ContainerdConfig(s); gap.Kind == "" && c.DefaultRuntime != "" {
		return c.DefaultRuntime, evidence.InFile(file.Path).Because("default_runtime_name is %s",
			c.DefaultRuntime)
	}
	return "", evidence.Because{}
}

// isHyperV tells the handlers and classes whose name says so: runhcs-wcow-hypervisor, windows-hyperv.
func isHyperV(name string) bool { return strings.Contains(strings.ToLower(name), "hyperv") }
