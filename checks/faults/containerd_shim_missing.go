package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "containerd-shim-missing",
	Title:    "containerd does not find its shim for Windows",
	Healthy:  "containerd finds its shim for Windows",
	Category: checks.CategoryComponents,
	Doc: `containerd starts each pod through containerd-shim-runhcs-v1.exe. It looks for the program on its
PATH and then in the folder of containerd.exe. If only containerd.exe was copied or updated, no pod starts.

The check looks for the error at pods that do not start and in the logs of the runtime and the
kubelet. A configuration whose default runtime has another runtime_type than io.containerd.runhcs.v1, as on Linux, is
a warning.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-ChildItem "C:\Program Files\containerd\*.exe"`,
			"Check that containerd-shim-runhcs-v1.exe is in the folder of containerd.exe."),
		checks.Do("Copy containerd-shim-runhcs-v1.exe from the archive of the same containerd release into that folder."),
		checks.Run("Restart-Service containerd",
			"Restart containerd.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://github.com/moby/moby/pull/41479",
		"https://github.com/kubernetes-sigs/sig-windows-tools/pull/146",
		"https://github.com/containerd/containerd/blob/main/docs/getting-started.md#installing-containerd-on-windows",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     append(complaintUses[:len(complaintUses):len(complaintUses)], node.RuntimeConfigs...),
	Signs:    containerdShimMissingSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, err := complain(containerdShimMissingSigns)(s)
		if f := shimOfOtherSystem(s); f != nil && len(findings) == 0 {
			return []*checks.Finding{f}, nil
		}
		return findings, err
	},
})

// windowsRuntime is the one type of runtime that containerd has a shim for on Windows; a path names a shim itself.
const windowsRuntime = "io.containerd.runhcs.v1"

// shimOfOtherSystem finds a configuration whose default runtime is none of Windows.
func shimOfOtherSystem(s evidence.Snapshot) *checks.Finding {
	n := node.About(s)
	c, file, gap := n.ContainerdConfig(s)
	if gap.Kind != "" || c.RuntimeType == "" || c.RuntimeType == windowsRuntime ||
		strings.ContainsAny(c.RuntimeType, `\/`) || strings.HasPrefix(n.Runtime.Value.Name, "docker") {
		return nil
	}
	return checks.Findingf(checks.Warn, "containerd", "runtime %s of containerd has the type %s (expected: %s)",
		c.DefaultRuntime, c.RuntimeType, windowsRuntime).
		At(evidence.InLine(file.Path, lineWith(file.Text, c.RuntimeType)), "runtime_type is %s", c.RuntimeType).
		Cure(checks.Steps(
			checks.Edit("{runtimeConfig}", "Set runtime_type of the default runtime to io.containerd.runhcs.v1."),
			checks.Run("{restart runtime}", "Restart containerd: it reads the file at its start."),
			checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")))
}

var containerdShimMissingSigns = []checks.Sign{
	{Text: "containerd-shim-runhcs-v1",
		Also: []string{"binary not installed"},
		Says: "containerd does not find containerd-shim-runhcs-v1.exe"},
	{Text: "containerd-shim-runhcs-v1",
		Also: []string{"executable file not found in %PATH%"},
		Says: "containerd does not find containerd-shim-runhcs-v1.exe"},
}
