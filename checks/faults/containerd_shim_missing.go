package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "containerd-shim-missing",
	Title:    "containerd does not find its shim for Windows",
	Healthy:  "containerd finds its shim for Windows",
	Category: checks.CategoryComponents,
	Doc: `containerd starts each pod through containerd-shim-runhcs-v1.exe. It looks for the program on its
PATH and then in the folder of containerd.exe. If only containerd.exe was copied or updated, no pod starts.

The check looks for the error at pods that do not start and in the logs of the runtime and the
kubelet.`,
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
	Uses:     complaintUses,
	Signs:    containerdShimMissingSigns,
	Run:      complain(containerdShimMissingSigns),
})

var containerdShimMissingSigns = []checks.Sign{
	{Text: "containerd-shim-runhcs-v1",
		Also: []string{"binary not installed"},
		Says: "containerd does not find containerd-shim-runhcs-v1.exe"},
	{Text: "containerd-shim-runhcs-v1",
		Also: []string{"executable file not found in %PATH%"},
		Says: "containerd does not find containerd-shim-runhcs-v1.exe"},
}
