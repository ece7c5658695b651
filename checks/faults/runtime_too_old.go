package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "runtime-too-old",
	Title:    "Container runtime version is not supported",
	Healthy:  "Container runtime version is supported",
	Category: checks.CategoryComponents,
	Doc: `Kubernetes on Windows requires containerd 1.4.0 or later, or Docker Engine 19.03 or later
(18.09 up to Kubernetes 1.17; Mirantis Container Runtime 20.10). Older versions lack calls of the
host compute and host network services, single-file mounts and fixes that the kubelet requires, and
pods fail in unrelated-looking ways. From 1.24 the kubelet uses docker only through cri-dockerd.

The check reads the versions that the node reports. It reports a missing cri-dockerd only where
services and processes were recorded.`,
	Fix: checks.Steps(
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Drain the node.").
			Costs("All pods of this node are evicted."),
		checks.Do("Install a current containerd, or Mirantis Container Runtime with cri-dockerd."),
		checks.Run("{restart kubelet}", "Restart the kubelet."),
		checks.Run("kubectl uncordon {node}", "Allow new pods on the node."),
		checks.Verify("kubectl get node {node} -o wide",
			"CONTAINER-RUNTIME shows the new version")),
	Links: []string{"https://kubernetes.io/docs/setup/production-environment/container-runtimes/",
		"https://kubernetes.io/docs/concepts/windows/intro/#container-runtime",
		"https://kubernetes.io/blog/2022/02/17/dockershim-faq/"},
	Breaks:   []*checks.Effect{effectKubeletStart},
	Explains: []string{"mount-path-invalid", "cri-not-served"},
	Needs:    []evidence.Need{node.NeedRuntime, node.NeedKubelet},
	Uses:     []evidence.Need{evidence.Node, evidence.CRI, evidence.Services, evidence.Processes},
	Signs: []checks.Sign{
		// pkg/kubelet/dockershim/docker_service.go of Kubernetes, core/docker_service.go of cri-dockerd
		{Text: "docker API version is older than ", In: []string{"kubelet", "cri-dockerd", "other"},
			Until: runtimeReached, Says: "the API of Docker is too old for the kubelet"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		rt, kubelet := n.Runtime.Value, n.Kubelet.Value
		if kubelet.Minor < 14 {
			return nil, checks.Skip(
				"the kubelet is %s; the requirements apply from Kubernetes 1.14", kubelet)
		}
		oldest, known := oldestRuntime[rt.Name]
		if rt.Name == "docker" && !kubelet.AtLeast(evidence.Version{Major: 1, Minor: 18}) {
			oldest = evidence.Version{Major: 18, Minor: 9}
		}
		if !known {
			return nil, checks.Unknown(
				evidence.NotDecided.Gap(
					"doctor does not know which versions of the runtime %s are supported", rt.Name))
		}
		if rt.Version == (evidence.Version{}) {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the version of the container runtime"))
		}
		var findings []*checks.Finding
		if !rt.Version.AtLeast(oldest) {
			findings = append(findings, checks.Findingf(checks.Warn, rt.Name,
				"%s version is %s (required: %s or later)", rt.Name, rt.Version,
				oldest).With(n.Runtime.From))
		}
		if rt.Name == "docker" && kubelet.AtLeast(noDockershim) && withoutCRIDockerd(s) {
			findings = append(findings, checks.Findingf(checks.Fail, rt.Name,
				"cri-dockerd is missing: kubelet %s uses docker only through it",
				kubelet).With(n.Kubelet.From, n.Runtime.From).
				At(evidence.Processes.Field(s), "none of its %d processes is cri-dockerd.exe",
					len(evidence.Processes.In(s))))
		}
		return findings, nil
	},
})

var oldestRuntime = map[string]evidence.Version{"containerd": {Major: 1, Minor: 4},
	"docker": {Major: 19, Minor: 3}}

// noDockershim is the first kubelet without the code that spoke to docker.
var noDockershim = evidence.Version{Major: 1, Minor: 24}

// withoutCRIDockerd is certain only where all processes and services were recorded.
func withoutCRIDockerd(s evidence.Snapshot) bool {
	name := []string{"cri-dockerd"}
	services, processes := evidence.Services.In(s), evidence.Processes.In(s)
	return evidence.Services.Known(s) && len(processes) >= fewProcesses &&
		!slices.ContainsFunc(services, func(v evidence.Service) bool {
			return node.EqualsAny(v.Name, name) || node.EqualsAny(node.Program(v.BinPath), name)
		}) &&
		!slices.ContainsFunc(processes, func(p evidence.Process) bool {
			return node.EqualsAny(node.Program(p.Name), name)
		})
}
