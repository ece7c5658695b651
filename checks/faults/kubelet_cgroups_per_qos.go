package faults

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "kubelet-cgroups-per-qos",
	Title:    "the kubelet's configuration asks for cgroups, which Windows does not have",
	Category: checks.CategoryComponents,
	FAQ:      []int{2},
	Doc: `cgroupsPerQOS and enforceNodeAllocatable have Linux defaults. A kubelet before 1.30
refuses to start on Windows unless the first is false and the second is the empty list; even "none"
is refused. Newer ones ignore both.

Flags win over the configuration file. Settings that are nowhere to be seen count only where the
kubelet does not run; what a kubelet that runs was started with, it has accepted.`,
	Fix: checks.Steps(
		checks.Run("{restart kubelet}",
			"set cgroupsPerQOS: false and enforceNodeAllocatable: [] in the kubelet's configuration, or give the kubelet --cgroups-per-qos=false --enforce-node-allocatable=\"\"; then restart it").
			Costs("running containers are not touched")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/78925",
		"https://github.com/kubernetes/kubernetes/issues/123173"},
	Breaks: []*checks.Effect{effectKubeletStart},
	Needs: []evidence.Need{evidence.Any(node.NeedKubeletFlags,
		evidence.File(node.KubeletConfigs[0])), node.NeedKubelet},
	Uses: append(slices.Clone(node.KubeletSources), evidence.Node, evidence.Pods),
	Signs: []checks.Sign{
		{Text: "CgroupsPerQOS (--cgroups-per-qos) true is not supported on Windows",
			Says: "the kubelet refuses cgroupsPerQOS: true on Windows"},
		{Text: "EnforceNodeAllocatable (--enforce-node-allocatable)",
			Also: []string{"is not supported on Windows"},
			Says: "the kubelet refuses enforceNodeAllocatable on Windows"},
		{Text: "enforceNodeAllocatable (--enforce-node-allocatable) is not supported unless cgroupsPerQOS", Says: "the kubelet refuses enforceNodeAllocatable without cgroupsPerQOS"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		level, effect := checks.Fail, evidence.Phrasef("the kubelet refuses to start")
		up := kubeletUp(n, s)
		switch {
		case n.Kubelet.Value.AtLeast(evidence.Version{Major: 1, Minor: 30}):
			level, effect = checks.Info, evidence.Phrasef("this version ignores it")
		case up != nil:
			level, effect = checks.Warn,
				evidence.Phrasef(
					"the kubelet that runs does not have it, and will refuse it at its next start")
		}
		config, file, gap := n.KubeletConfig(s)
		if f, ok := n.KubeletFlag("config"); up != nil && (!ok || f.Value == "") {
			// a file in the usual place that this kubelet does not read
			gap = evidence.NotShown.Gap("the kubelet's configuration")
		}
		var findings []checks.Finding

		cgroups, from := setting(n, "cgroups-per-qos", up)
		if from.Path == "" && gap.Kind == "" && config.CgroupsPerQOS != nil {
			cgroups, from = fmt.Sprint(*config.CgroupsPerQOS),
				file.Field("cgroupsPerQOS").Because("cgroupsPerQOS: %v", *config.CgroupsPerQOS)
		}
		if strings.EqualFold(cgroups, "true") {
			findings = append(findings, checks.Findingf(level, "cgroupsPerQOS",
				"cgroupsPerQOS is true, and Windows has no cgroups: %s", effect).With(from,
				n.Kubelet.From))
		}

		enforce, from2 := setting(n, "enforce-node-allocatable", up)
		if from2.Path == "" && gap.Kind == "" && config.EnforcesNodeAllocatable {
			enforce = strings.Join(config.EnforceNodeAllocatable, ",")
			from2 = file.Field("enforceNodeAllocatable").Because("enforceNodeAllocatable: [%s]",
				enforce)
		}
		if enforce = strings.Trim(enforce, `"'[] `); enforce != "" {
			findings = append(findings, checks.Findingf(level, "enforceNodeAllocatable",
				"enforceNodeAllocatable is %s, and Windows takes only the empty list: %s", enforce,
				effect).With(from2, n.Kubelet.From))
		}

		running, _ := n.Components["kubelet"].Running()
		if from.Path == "" && level == checks.Fail && gap.Kind == "" && !running &&
			len(n.KubeletFlags) > 0 && node.ComponentSources.Gap(s).Kind == "" {
			findings = append(findings, checks.Findingf(checks.Fail, "cgroupsPerQOS",
				"nothing sets cgroupsPerQOS to false, its default is true, and the kubelet does not run").
				At(file.Field("cgroupsPerQOS"),
					"cgroupsPerQOS is not set").With(n.KubeletFlags[0].From, n.Kubelet.From))
		}
		if len(findings) == 0 && from2.Path == "" && level == checks.Fail && gap.Kind == "" &&
			!running && len(n.KubeletFlags) > 0 && node.ComponentSources.Gap(s).Kind == "" {
			findings = append(findings, checks.Findingf(checks.Fail, "enforceNodeAllocatable",
				"nothing sets enforceNodeAllocatable to the empty list, its default is pods, and the kubelet does not run").
				At(file.Field("enforceNodeAllocatable"),
					"enforceNodeAllocatable is not set").With(n.KubeletFlags[0].From,
				n.Kubelet.From))
		}
		if len(findings) == 0 && level == checks.Fail && gap.Kind != "" && !running &&
			(from.Path == "" || from2.Path == "") {
			// the file that was not seen may hold what this kubelet refuses
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	},
})

// setting is what the command line says of a flag. A kubelet that runs has
// accepted what it was given, and a script may hold what it was not given.
func setting(n *node.Node, flag string, up map[string]bool) (string, evidence.Because) {
	f, ok := n.KubeletFlag(flag)
	switch {
	case !ok:
		return "", evidence.Because{}
	case up[flag], f.Conditional:
		return "", f.From
	}
	return f.Value, f.From
}
