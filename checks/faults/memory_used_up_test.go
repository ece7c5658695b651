package faults_test

import (
	"slices"
	"strings"
	"testing"
)

// Azure/AKS issue 1941: pods without limits use all memory of a node. The page file is the fault only where
// memory is free, or where somebody fixed its size.
func TestWhatUsesUpMemoryExplainsTheCommitLimit(t *testing.T) {
	memory := func(available, automatic string) string {
		return `-- memory.json --
{"totalBytes":17179869184,"availableBytes":` + available + `,"commitLimitBytes":21474836480,"commitUsedBytes":21401436160,
"pageFiles":[{"path":"C:\\pagefile.sys","sizeBytes":4294967296,"automatic":` + automatic + `}]}
`
	}
	const used = "141557760"
	pods := podsJSON(`{"metadata":{"name":"web","namespace":"shop"},"spec":{"containers":[{"name":"c","resources":{"requests":{"memory":"1Gi"}}}]},"status":{"phase":"Running"}}`)
	limited := podsJSON(`{"metadata":{"name":"web","namespace":"shop"},"spec":{"containers":[{"name":"c","resources":{"requests":{"memory":"1Gi"},"limits":{"memory":"1Gi"}}}]},"status":{"phase":"Running"}}`)
	kubelet := func(args string) string {
		return onFlannel + "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"binPath\":\"C:\\\\k\\\\kubelet.exe\",\"args\":[" + args + "]}]\n"
	}
	const version = "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"status\":{\"nodeInfo\":{\"kubeletVersion\":\"v1.25.3\",\"operatingSystem\":\"windows\"}}}\n"
	const reserved = `"--system-reserved=memory=2Gi"`
	for _, row := range []struct{ name, tree, want string }{
		{"a pod without a limit", kubelet(reserved) + pods + memory(used, "true"), "pod-limits-unequal"},
		{"a pod without a limit that has not started", kubelet(reserved) + strings.Replace(pods, "Running", "Pending", 1) + memory(used, "true"),
			"paging-file-too-small"},
		{"nothing is reserved", kubelet(`"--v=2"`) + limited + memory(used, "true"), "system-reserved-too-low"},
		{"an eviction that does not work", kubelet(reserved+`,"--eviction-hard=memory.available<500Mi"`) + version + limited + memory(used, "true"),
			"eviction-flags-ignored"},
		{"neither", kubelet(reserved) + limited + memory(used, "true"), "paging-file-too-small"},
		{"memory is free", kubelet(`"--v=2"`) + pods + memory("8589934592", "true"), "paging-file-too-small"},
		{"the page file has a fixed size", kubelet(reserved) + pods + memory(used, "false"), "paging-file-too-small"},
	} {
		t.Run(row.name, func(t *testing.T) {
			causes := causesOf(t, row.tree, "pod-limits-unequal", "system-reserved-too-low",
				"eviction-flags-ignored", "paging-file-too-small", "node-under-pressure")
			if len(causes) == 0 || causes[0].ID != row.want {
				t.Fatalf("the causes are %v, want %s first", causes, row.want)
			}
			if explains := slices.Contains(causes[0].Consequences, "paging-file-too-small"); explains == (row.want == "paging-file-too-small") {
				t.Errorf("it explains %v", causes[0].Consequences)
			}
		})
	}
}
