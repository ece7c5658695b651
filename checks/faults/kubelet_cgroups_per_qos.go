package faults

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kubelet-cgroups-per-qos",
	Title:    "kubelet configuration requires cgroups",
	Healthy:  "kubelet configuration does not require cgroups",
	Category: checks.CategoryComponents,
	FAQ:      []int{2},
	Doc: `cgroupsPerQOS and enforceNodeAllocatable have Linux defaults. A kubelet before 1.31 does not
start on Windows unless the first is false and the second is the empty list; even "none" is
rejected. Newer versions ignore both, but still reject the second, with its default "pods", where
the first is false.

Flags override the configuration file. Settings that are not visible count only where the kubelet is
not running: a running kubelet has accepted its settings, and so has one that has logged its version since
the file was written.`,
	Fix: checks.Steps(
		checks.Edit("{kubeletConfig}",
			"Set cgroupsPerQOS: false and enforceNodeAllocatable: []."),
		checks.Run("{restart kubelet}", "Restart the kubelet."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/78925",
		"https://github.com/kubernetes/kubernetes/issues/123173"},
	Explains: []string{"kubelet-setting-rejected"}, // the same line in other words
	Breaks:   []*checks.Effect{effectKubeletStart},
	Needs: []evidence.Need{evidence.Any(node.NeedKubeletFlags,
		evidence.File(node.KubeletConfigs[0])), node.NeedKubelet},
	FromPart: []evidence.Need{evidence.Processes},
	Uses:     append(slices.Clone(node.KubeletSources), evidence.Node, evidence.Pods),
	Signs: []checks.Sign{
		// From 1.31 the same words are a warning of every start: validation_windows.go of Kubernetes.
		{Text: "CgroupsPerQOS (--cgroups-per-qos) true is not supported on Windows",
			Not:  ignoredOption,
			Says: "the kubelet rejects cgroupsPerQOS: true on Windows"},
		{Text: "EnforceNodeAllocatable (--enforce-node-allocatable)",
			Also: []string{"is not supported on Windows"}, Not: ignoredOption,
			Says: "the kubelet rejects enforceNodeAllocatable on Windows"},
		// Until 1.30, and from 1.31 on: pkg/kubelet/apis/config/validation/validation.go.
		{Text: "enforceNodeAllocatable (--enforce-node-allocatable) is not supported unless cgroupsPerQOS",
			Or:   []string{"cgroupsPerQOS (--cgroups-per-qos) must be set to true when"},
			Says: "the kubelet rejects enforceNodeAllocatable without cgroupsPerQOS"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		level, effect := checks.Fail, evidence.Phrasef("the kubelet does not start")
		up := kubeletUp(n, s)
		config := n.KubeletConfig(s)
		if up != nil || toldItsVersion(s, config) {
			level, effect = checks.Warn,
				evidence.Phrasef(
					"the kubelet will reject it at its next start")
		}
		refused, refusal := level, effect
		newer := n.Kubelet.Value.AtLeast(evidence.Version{Major: 1, Minor: 31})
		if newer {
			level, effect = checks.Info, evidence.Phrasef("this version ignores the setting")
		}
		gap := config.Gap
		if up != nil && !config.Named {
			// a file in the usual place that this kubelet does not read
			gap = evidence.NotShown.Gap("the kubelet's configuration")
		}
		var findings []*checks.Finding
		var edits []*checks.Step

		cgroups, from := setting(n, "cgroups-per-qos", up)
		if from.Path == "" && gap.Kind == "" && config.CgroupsPerQOS != nil {
			cgroups, from = fmt.Sprint(*config.CgroupsPerQOS),
				config.Field("cgroupsPerQOS").Because("cgroupsPerQOS: %v", *config.CgroupsPerQOS)
		}
		if strings.EqualFold(cgroups, "true") {
			findings = append(findings, checks.Findingf(level, "cgroupsPerQOS",
				"cgroupsPerQOS is true (expected on Windows: false): %s", effect).With(from,
				n.Kubelet.From))
			edits = append(edits, changeKubelet(s, n, from, "cgroupsPerQOS", evidence.Phrasef(
				"Set %s to false.", "cgroupsPerQOS"), cgroupsOn, "${1}false"))
		}

		enforce, from2 := setting(n, "enforce-node-allocatable", up)
		if from2.Path == "" && gap.Kind == "" && config.EnforcesNodeAllocatable {
			enforce = strings.Join(config.EnforceNodeAllocatable, ",")
			from2 = config.Field("enforceNodeAllocatable").Because("enforceNodeAllocatable: [%s]",
				enforce)
		}
		clash := newer && strings.EqualFold(cgroups, "false")
		if enforce = strings.Trim(enforce, `"'[] `); enforce != "" {
			if clash && enforce != "none" {
				level, effect = refused, refusal
			}
			findings = append(findings, checks.Findingf(level, "enforceNodeAllocatable",
				"enforceNodeAllocatable is %s (expected on Windows: []): %s", enforce,
				effect).With(from2, n.Kubelet.From))
			edits = append(edits, changeKubelet(s, n, from2, "enforceNodeAllocatable",
				evidence.Phrasef("Set %s to the empty list.", "enforceNodeAllocatable"), enforceSet,
				"${1}[]"))
		}

		if len(findings) > 0 {
			fix := fixOf("kubelet-cgroups-per-qos")
			findings[0] = findings[0].Cure(checks.Steps(append(edits, fix.Steps[1:]...)...))
		}

		running, _ := n.Components["kubelet"].Running()
		if from.Path == "" && level == checks.Fail && gap.Kind == "" && !running &&
			len(n.KubeletFlags) > 0 && node.ComponentSources.Gap(s).Kind == "" {
			findings = append(findings, checks.Findingf(checks.Fail, "cgroupsPerQOS",
				"cgroupsPerQOS is not set (default: true, expected on Windows: false); the kubelet is not running").
				At(config.Field("cgroupsPerQOS"),
					"cgroupsPerQOS is not set").With(n.KubeletFlags[0].From, n.Kubelet.From))
		}
		if len(findings) == 0 && from2.Path == "" && gap.Kind == "" && !running &&
			(level == checks.Fail || clash && refused == checks.Fail) && len(n.KubeletFlags) > 0 && node.ComponentSources.Gap(s).Kind == "" {
			findings = append(findings, checks.Findingf(checks.Fail, "enforceNodeAllocatable",
				"enforceNodeAllocatable is not set (default: pods, expected on Windows: []); the kubelet is not running").
				At(config.Field("enforceNodeAllocatable"),
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

// toldItsVersion tells whether a kubelet has started with these settings: cmd/kubelet/app/server.go rejects
// settings before it logs the version.
func toldItsVersion(s evidence.Snapshot, config node.KubeletSettings) bool {
	written := config.ModifiedAt()
	return slices.ContainsFunc(s.Signs(node.LogStarts), func(m evidence.SignMatch) bool {
		return evidence.SameLog("kubelet", m.Source()) && !written.IsZero() && m.Last.After(written)
	})
}

var (
	cgroupsOn  = regexp.MustCompile(`(?i)(cgroupsPerQOS"?\s*:\s*|--cgroups-per-qos=)true`)
	enforceSet = regexp.MustCompile(`(?i)(enforceNodeAllocatable"?\s*:\s*)\[.*\]`)
)

// changeKubelet is the step that changes a setting of the kubelet in the line that sets it.
func changeKubelet(s evidence.Snapshot, n *node.Node, from evidence.Because, key string,
	what evidence.Phrase, old *regexp.Regexp, to string) *checks.Step {
	file, ok := evidence.WindowsPath(from.Path)
	if !ok {
		return changeArgs(n.Components["kubelet"], from, what, func(args string) string {
			return old.ReplaceAllString(args, to)
		})
	}
	line := from.Line
	for i, text := range strings.Split(s.File(file).Text, "\n") {
		if line == 0 && strings.HasPrefix(strings.TrimSpace(text), key) {
			line = i + 1
		}
	}
	return checks.EditAt(s, evidence.InLine(from.Path, line), func(text string) string {
		return old.ReplaceAllString(text, to)
	}, "%s", what)
}

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

// ignoredOption is how a kubelet from 1.31 begins its warnings, which stop nothing: the file that checks the
// configuration writes warnings only, and its errors stand in the last line of the kubelet.
var ignoredOption = []string{"ignored configuration option", "validation_windows.go"}
