package faults

import (
	"slices"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "os-version-unsupported",
	Title:    "this Windows version is not supported by this Kubernetes version",
	Category: checks.CategoryNode,
	FAQ:      []int{12},
	Doc: `Each Kubernetes release is tested on a short list of Windows builds. Outside of it
pause images are missing, HNS lacks what kube-proxy and the CNI plugins ask for, and nobody looks at
the bug reports. Builds before 17763 (Windows Server 2019) were never supported for production.

Windows builds that only lack a test upstream are a warning; those that cannot work are a fault.`,
	Fix: checks.Steps(
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"move the node's workloads to a node with a supported Windows version: {node} cannot be brought there by an update of Kubernetes alone").
			Costs("draining evicts every pod of this node")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/windows/intro/#windows-os-version-support"},
	Explains: []string{"pause-os-version-mismatch", "app-image-os-version-mismatch",
		"overlay-update-missing"},
	Needs: []evidence.Need{node.NeedBuild, node.NeedKubelet},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		build, kubelet := n.Build.Value, n.Kubelet.Value
		supported := evidence.SupportedBuilds(kubelet)
		if len(supported) == 0 {
			return nil, checks.Skip(
				"Kubernetes %d.%d had Windows nodes as a preview only, without a list of supported builds", kubelet.Major, kubelet.Minor)
		}
		if slices.Contains(supported, build.Number) {
			return nil, nil
		}
		level := checks.Warn
		if build.Number < supported[0] {
			level = checks.Fail
		}
		var list []string
		for _, b := range supported {
			list = append(list, strconv.Itoa(b))
		}
		return []checks.Finding{checks.Findingf(level, n.OS.Value,
			"Kubernetes %d.%d supports the Windows builds %s, and this is %s", kubelet.Major,
			kubelet.Minor, strings.Join(list, ", "), build).
			With(n.Build.From, n.Kubelet.From)}, nil
	},
})
