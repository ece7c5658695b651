package faults

import (
	"slices"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "os-version-unsupported",
	Title:    "Windows version not supported by this Kubernetes version",
	Healthy:  "Windows version is supported by this Kubernetes version",
	Category: checks.CategoryNode,
	FAQ:      []int{12},
	Doc: `Each Kubernetes release is tested on a short list of Windows builds. On other builds
pause images are missing, HNS does not have features that kube-proxy and the CNI plugins require, and bug
reports are not handled. Builds before 17763 (Windows Server 2019) were never supported for
production.

Builds that are only untested upstream are a warning; builds that cannot work are a fault.`,
	Fix: checks.Steps(
		checks.Do("Add a node with a Windows build that this Kubernetes version supports."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Move the pods to other nodes.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Run("kubectl delete node {node}", "Remove this node from the cluster.")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/windows/intro/#windows-os-version-support"},
	Needs: []evidence.Need{node.NeedBuild, node.NeedKubelet},
	Uses:  []evidence.Need{evidence.Pods},
	Signs: []checks.Sign{
		// moby daemon/daemon_windows.go: 14393 until 20.10, then 17763
		{Text: "version of Windows does not support the docker daemon",
			Or:   []string{"The docker daemon requires build 14393 or later"},
			Says: "this Windows is too old for the installed version of docker"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		build, kubelet := n.Build.Value, n.Kubelet.Value
		supported := evidence.SupportedBuilds(kubelet)
		if len(supported) == 0 {
			return nil, checks.Skip(
				"Kubernetes %d.%d supports Windows nodes as a preview only and lists no supported builds", kubelet.Major, kubelet.Minor)
		}
		if slices.Contains(supported, build.Number) {
			return nil, nil
		}
		var list []string
		for _, b := range supported {
			list = append(list, strconv.Itoa(b))
		}
		f := checks.Findingf(checks.Warn, n.OS.Value,
			"Kubernetes %d.%d supports Windows builds %s (found: %s)", kubelet.Major,
			kubelet.Minor, strings.Join(list, ", "), build).
			With(n.Build.From, n.Kubelet.From)
		switch {
		case n.Build.Stated() || n.Kubelet.Stated(): // which is no more than what somebody writes of it
			f.Level = checks.Info
		case build.Number < supported[0]:
			f.Level = checks.Fail
			f = f.Explaining("pause-os-version-mismatch", "app-image-os-version-mismatch", "overlay-update-missing")
		case slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
			return slices.ContainsFunc(p.Statuses(), func(st evidence.ContainerStatus) bool {
				of, tagged := tagBuild(st.Image)
				return tagged && node.ContainerDown(st) && slices.Contains(supported, of)
			})
		}): // an image for a supported build does not run: the node is wrong, and not the image
			f = f.Explaining("app-image-os-version-mismatch")
		}
		return []*checks.Finding{f}, nil
	},
})
