package faults

import "doctor/checks"

var _ = register(&checks.Check{
	ID:       "container-program-incompatible",
	Title:    "Container command is no program for this Windows",
	Healthy:  "Container commands are programs for this Windows",
	Category: checks.CategoryWorkloads,
	Doc: `Windows found the file that the container starts, and cannot run it: it is no program for Windows, is
built for another processor, or is damaged. Usual reasons are a program for Linux that a build put into
a Windows image, a script without its interpreter, a program for 32 bits in nanoserver, which runs
64-bit programs only, one for arm64 on amd64, and a download that is not complete.

The check looks for errors 193 and 216 of Windows at pods that are not running and in the logs of the
runtime and the kubelet.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.containers[*].command}'",
			"Read which program the container starts."),
		checks.Do("Build the program for the image: for Windows, amd64, 64 bits. If it is a script, start its interpreter: cmd /c or powershell -File.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If the program is right, compare its size and hash in the image with the original."),
		checks.Verify("kubectl get pods -n NAMESPACE", "the pod is Running")),
	Links: []string{
		"https://github.com/microsoft/windows-container-tools/issues/75",
		"https://learn.microsoft.com/en-us/windows/win32/debug/system-error-codes--0-499-",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/container-base-images",
	},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    containerProgramIncompatibleSigns,
	Run:      complain(containerProgramIncompatibleSigns),
})

var containerProgramIncompatibleSigns = []checks.Sign{
	{Text: "is not a valid Win32 application", Or: []string{"0x800700c1", "(0xc1)"}, Also: []string{"CreateProcess"},
		Says: "the program of the container is not for Windows, or is damaged"},
	{Text: "is not compatible with the version of Windows you're running", Or: []string{"0x800700d8", "(0xd8)"},
		Also: []string{"CreateProcess"},
		Says: "the program of the container is built for another processor or version of Windows"},
}
