package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kubelet-perf-counter-missing",
	Title:    "kubelet cannot open a performance counter of Windows",
	Healthy:  "kubelet opens the performance counters of Windows",
	Category: checks.CategoryComponents,
	Doc: `At its start the kubelet opens counters of Windows for processor and memory. If their registration
is damaged, PDH answers 0xc0000bb8 (PDH_CSTATUS_NO_OBJECT) and the kubelet exits. Kubelets before
1.16.3 look for English names and fail in the same way on Windows in another language.

The check looks for the error in the log of the kubelet.`,
	Fix: checks.Steps(
		checks.Run("lodctr /R",
			"Rebuild the registration of the performance counters."),
		checks.Run("{restart kubelet}",
			"Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Do("If Windows is not English and the kubelet is older than 1.16.3, update the kubelet."),
		checks.Verify("Get-Service kubelet", "Status is Running")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/74173",
		"https://github.com/kubernetes/kubernetes/pull/106644",
		"https://learn.microsoft.com/en-us/troubleshoot/windows-server/performance/rebuild-performance-counter-library-values",
	},
	Breaks: []*checks.Effect{effectKubeletStart},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "unable to add process counter", // newer ones name it: pkg/kubelet/winstats
			Also:  []string{"Error code is"},
			Until: nodeRegistered,
			Says:  "the kubelet exits: Windows has no such performance counter"},
		{Text: "unable to valid path to counter. Error code is",
			Until: nodeRegistered,
			Says:  "the kubelet exits: Windows has no such performance counter"},
	},
})
