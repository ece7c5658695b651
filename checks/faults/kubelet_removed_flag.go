package faults

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "kubelet-removed-flag",
	Title:    "the kubelet is started with a flag that its version no longer knows",
	Category: checks.CategoryComponents,
	FAQ:      []int{2},
	Doc: `A kubelet exits at once on a flag it does not know. After an upgrade, start scripts,
nssm parameters and kubeadm-flags.env often still hold flags that were removed: --network-plugin and
the other dockershim flags in 1.24, --logtostderr and the other klog flags in 1.26,
--container-runtime in 1.27, --pod-infra-container-image in 1.35.

The check compares the flags with the kubelet's version. The Node object shows the version that last
registered, which may be the one before the upgrade; so a log line "unknown flag" about a flag that
is still there counts as well, and tells how old the kubelet is at least. Flags that are only
deprecated are no fault, nor are those that a script gives to older versions only. A kubelet that
runs has accepted its flags, whatever the table of removals says.`,
	Fix: checks.Steps(
		checks.Run("nssm edit kubelet",
			"delete the removed flags from where they are written, then restart the kubelet").
			Costs("running containers are not touched"),
		checks.Run("{restart kubelet}", "")),
	Links: []string{"https://github.com/kubernetes-sigs/sig-windows-tools/issues/218",
		"https://kubernetes.io/blog/2022/03/31/ready-for-dockershim-removal/"},
	Breaks: []*checks.Effect{effectKubeletStart},
	Needs:  []evidence.Need{node.NeedKubeletFlags, node.NeedKubelet},
	Uses:   append(slices.Clone(node.KubeletSources), evidence.Node),
	Signs: []checks.Sign{
		{Text: "failed to parse kubelet flag: unknown flag:",
			Says: "the kubelet exits because it does not know one of its flags"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		refused, newest := refusedFlags(s), n.Kubelet.Value
		for name := range refused { // who refuses a flag is at least as new as its removal
			if since := evidence.RemovedKubeletFlags(anyKubelet)[name]; !newest.AtLeast(
				evidence.Version{Major: 1, Minor: since}) {
				newest = evidence.Version{Major: 1, Minor: since}
			}
		}
		removed := evidence.RemovedKubeletFlags(newest)
		up := kubeletUp(n, s)
		var findings []checks.Finding
		var culprits []node.Flag
		seen := map[string]bool{}
		for _, f := range n.KubeletFlags {
			line, log := refused[f.Name]
			since, gone := removed[f.Name]
			if seen[f.Name] || !gone && !log || f.Conditional && !log || up != nil &&
				(!f.Live || up[f.Name]) {
				continue
			}
			seen[f.Name] = true
			culprits = append(culprits, f)
			findings = append(findings, removedFlag(n, f, since, up != nil).With(f.From,
				n.Kubelet.From))
			if log {
				at := len(findings) - 1
				findings[at] = findings[at].With(checks.Quote(line))
				findings[at].Basis = checks.ByBoth
			}
		}
		if len(findings) > 0 {
			findings[0] = findings[0].Cure(cureFlags(n, culprits))
		} else if up == nil && node.ComponentSources.Gap(s).Kind == "" {
			findings = unseenFlags(s, refused)
		}
		return findings, nil
	},
})

// anyKubelet is newer than every removal on record.
var anyKubelet = evidence.Version{Major: 1, Minor: 1000}

func removedFlag(n *node.Node, f node.Flag, since int, up bool) checks.Finding {
	version := n.Kubelet.Value
	switch {
	case up:
		return checks.Findingf(checks.Warn, "--"+f.Name,
			"--%s was removed in Kubernetes 1.%d, and the kubelet is %s; it runs without the flag now, and will exit at its next start", f.Name, since, version)
	case since == 0:
		return checks.Findingf(checks.Fail, "--"+f.Name,
			"the kubelet does not know --%s; it exits at once", f.Name)
	case version.AtLeast(evidence.Version{Major: 1, Minor: since}):
		return checks.Findingf(checks.Fail, "--"+f.Name,
			"--%s was removed in Kubernetes 1.%d, and the kubelet is %s; it exits at once", f.Name,
			since, version)
	}
	return checks.Findingf(checks.Fail, "--"+f.Name,
		"--%s was removed in Kubernetes 1.%d, and the kubelet is newer than the %s that last registered; it exits at once", f.Name, since, version)
}

// kubeletUp returns the flags of a kubelet that stays up, and nil where none
// does: one that is about to exit may be caught alive, too.
func kubeletUp(n *node.Node, s evidence.Snapshot) map[string]bool {
	for _, p := range n.Components["kubelet"].Processes {
		if !p.StartedAt.IsZero() && s.Now().Sub(p.StartedAt.Time) < time.Minute {
			continue
		}
		accepted := map[string]bool{}
		for _, name := range evidence.ParseFlags(p.Args).Names() {
			accepted[name] = true
		}
		return accepted
	}
	return nil
}

// refusedFlags are the flags that the kubelet's log calls unknown.
func refusedFlags(s evidence.Snapshot) map[string]evidence.SignMatch {
	refused := map[string]evidence.SignMatch{}
	for _, m := range s.Signs("kubelet-removed-flag") {
		_, name, _ := strings.Cut(m.Found, "unknown flag: --")
		if end := strings.IndexFunc(name, func(r rune) bool {
			return !strings.ContainsRune(flagRunes, r)
		}); end >= 0 {
			name = name[:end]
		}
		if _, seen := refused[name]; name != "" && !seen {
			refused[name] = m
		}
	}
	return refused
}

const flagRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// unseenFlags convicts by the log alone where the kubelet is down and the flag
// stands where nobody looked. An old line may tell of an upgrade long mended.
func unseenFlags(s evidence.Snapshot, refused map[string]evidence.SignMatch) []checks.Finding {
	var findings []checks.Finding
	for name, m := range refused {
		if m.Over != "" || m.Last.IsZero() || s.Now().Sub(m.Last) > 24*time.Hour {
			continue
		}
		f := checks.Findingf(checks.Fail, "--"+name,
			"the kubelet does not know --%s and exits at once; where the flag is written is not recorded", name).With(checks.Quote(m))
		f.Basis = checks.ByText
		findings = append(findings, f)
	}
	slices.SortFunc(findings, func(a, b checks.Finding) int {
		return cmp.Compare(a.Subject, b.Subject)
	})
	return findings
}

// cureFlags says where to delete the flags, and what waits for the kubelet.
func cureFlags(n *node.Node, flags []node.Flag) checks.Fix {
	var steps []checks.Step
	places := map[string]int{} // the step of each place
	names := map[string][]string{}
	for _, f := range flags {
		key := f.From.Path
		if _, ok := places[key]; !ok {
			places[key] = len(steps)
			steps = append(steps, checks.Step{})
		}
		names[key] = append(names[key], "--"+f.Name)
		steps[places[key]] = deleteFlags(n, f, strings.Join(names[key], ", "))
	}
	steps = append(steps, checks.Run("{restart kubelet}", "Restart the kubelet.").
		Costs("Running containers are not affected."))
	var waiting []string
	for _, name := range []string{"flanneld", "kube-proxy"} {
		for _, svc := range n.Components[name].Services {
			if !svc.Running() {
				waiting = append(waiting, svc.Name)
			}
		}
	}
	if len(waiting) > 0 {
		steps = append(steps, checks.Run("Start-Service "+strings.Join(waiting, ", "),
			"Start the services that wait for the kubelet.").Costs(
			"When flanneld creates its network, the node's connections drop for a few seconds."))
	}
	return checks.Fix{Steps: steps}
}

// deleteFlags is the step that deletes flags from where one of them is written.
func deleteFlags(n *node.Node, f node.Flag, names string) checks.Step {
	if path, ok := evidence.WindowsPath(f.From.Path); ok {
		return checks.Edit(path, "Delete %s.", names)
	}
	for _, svc := range n.Components["kubelet"].Services {
		if svc.Wrapper == "nssm" {
			return checks.Run("nssm edit "+svc.Name,
				"Delete %s from the parameters of service %s.", names, svc.Name)
		}
	}
	return checks.Run("sc.exe qc kubelet",
		"Delete %s from the command line of the kubelet's service.",
		names)
}
