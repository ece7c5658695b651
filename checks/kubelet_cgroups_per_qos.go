package checks

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

var _ = Register(Check{
	ID:       "kubelet-cgroups-per-qos",
	Title:    "the kubelet's configuration asks for cgroups, which Windows does not have",
	Category: CategoryComponents,
	FAQ:      []int{2},
	Doc: `cgroupsPerQOS and enforceNodeAllocatable have Linux defaults. A kubelet before 1.30 refuses to start on Windows unless the first is false and the second is the empty list; even "none" is refused. Newer ones ignore both.

Flags win over the configuration file. Settings that are nowhere to be seen count only where the kubelet does not run.`,
	Fix: Fix{
		Text:     "set cgroupsPerQOS: false and enforceNodeAllocatable: [] in the kubelet's configuration, or give the kubelet --cgroups-per-qos=false --enforce-node-allocatable=\"\"; then restart it",
		Commands: []string{"Restart-Service kubelet"},
		Impact:   "running containers are not touched",
	},
	Links:    []string{"https://github.com/kubernetes/kubernetes/issues/78925", "https://github.com/kubernetes/kubernetes/issues/123173"},
	Explains: []string{"kubelet-service-paused", "kubelet-not-running"},
	Needs:    []evidence.Need{evidence.Any(NeedKubeletFlags, evidence.File(kubeletConfigs[0])), NeedKubelet},
	Uses:     append(kubeletSources, evidence.Node, evidence.Pods),
	Signs: []Sign{
		{Text: "CgroupsPerQOS (--cgroups-per-qos) true is not supported on Windows", Says: "the kubelet refuses cgroupsPerQOS: true on Windows"},
		{Text: "EnforceNodeAllocatable (--enforce-node-allocatable)", Also: []string{"is not supported on Windows"}, Says: "the kubelet refuses enforceNodeAllocatable on Windows"},
		{Text: "enforceNodeAllocatable (--enforce-node-allocatable) is not supported unless cgroupsPerQOS", Says: "the kubelet refuses enforceNodeAllocatable without cgroupsPerQOS"},
	},
	Run: func(s evidence.Snapshot) ([]Finding, error) {
		n := About(s)
		level, effect := Fail, "the kubelet refuses to start"
		if n.Kubelet.Value.AtLeast(evidence.Version{Major: 1, Minor: 30}) {
			level, effect = Info, "this version ignores it"
		}
		config, file, gap := n.kubeletConfig(s)
		var findings []Finding

		cgroups, from := setting(n, "cgroups-per-qos")
		if from.Path == "" && gap == "" && config.CgroupsPerQOS != nil {
			cgroups, from = fmt.Sprint(*config.CgroupsPerQOS), Because{Path: file.Path, Text: fmt.Sprintf("cgroupsPerQOS: %v", *config.CgroupsPerQOS)}
		}
		if strings.EqualFold(cgroups, "true") {
			findings = append(findings, Findingf(level, "cgroupsPerQOS", "cgroupsPerQOS is true, and Windows has no cgroups: %s", effect).With(from, n.Kubelet.From))
		}

		enforce, from2 := setting(n, "enforce-node-allocatable")
		if from2.Path == "" && gap == "" && config.EnforceNodeAllocatable != nil {
			enforce = strings.Join(config.EnforceNodeAllocatable, ",")
			from2 = Because{Path: file.Path, Text: fmt.Sprintf("enforceNodeAllocatable: [%s]", enforce)}
		}
		if strings.Trim(enforce, `"'[] `) != "" {
			findings = append(findings, Findingf(level, "enforceNodeAllocatable", "enforceNodeAllocatable is %s where Windows takes only the empty list: %s", enforce, effect).With(from2, n.Kubelet.From))
		}

		running, _ := n.Components["kubelet"].Running()
		if from.Path == "" && level == Fail && gap == "" && !running && len(n.KubeletFlags) > 0 && componentSources.Gap(s) == "" {
			findings = append(findings, Findingf(Fail, "cgroupsPerQOS", "nothing sets cgroupsPerQOS to false, its default is true, and the kubelet does not run").
				At(file.Path, "cgroupsPerQOS is not set").With(n.Kubelet.From))
		}
		return slices.Clip(findings), nil
	},
})

func setting(n *Node, flag string) (string, Because) {
	f, ok := n.KubeletFlag(flag)
	if !ok {
		return "", Because{}
	}
	return f.Value, f.From
}
