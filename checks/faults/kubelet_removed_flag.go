package faults

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/sorted"
)

var _ = register(&checks.Check{
	ID:       "kubelet-removed-flag",
	Title:    "kubelet exits: unknown command-line flag",
	Healthy:  "kubelet knows all its command-line flags",
	Category: checks.CategoryComponents,
	FAQ:      []int{2},
	Doc: `A kubelet exits at its start when it does not know a flag. After an upgrade, start scripts,
nssm parameters and kubeadm-flags.env often still contain removed flags: --network-plugin and the
other dockershim flags (removed in 1.24), --logtostderr and the other klog flags (1.26),
--container-runtime (1.27), --pod-infra-container-image (1.35).

The check compares the flags with the kubelet's version. The Node object shows the version that last
registered, which may be the one before the upgrade. Therefore a log line "unknown flag" about a
flag that is still set counts as well, and shows how old the kubelet is at least. Where kubelet.exe
was replaced after the kubelet last reported its status, and the API server is newer than the
registered version, the check takes the kubelet to be of the version of the API server. Deprecated
flags are not a fault, nor are flags that a script sets for older versions only. A running kubelet
has accepted its flags.`,
	Fix: checks.Steps(
		checks.Do("Delete the removed flags from the kubelet's start script, service or kubeadm-flags.env."),
		checks.Run("{restart kubelet}", "Restart the kubelet."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{"https://github.com/kubernetes-sigs/sig-windows-tools/issues/218",
		"https://github.com/kubernetes/website/issues/45499",
		"https://kubernetes.io/blog/2022/03/31/ready-for-dockershim-removal/"},
	Breaks:   []*checks.Effect{effectKubeletStart},
	Needs:    []evidence.Need{node.NeedKubeletFlags, node.NeedKubelet},
	FromPart: []evidence.Need{evidence.Processes},
	Uses:     append(slices.Clone(node.KubeletSources), evidence.Node, evidence.FileIndex, evidence.APIVersion),
	Signs: []checks.Sign{
		// klog's quotes of 1.21 to 1.23, and the plain line before them
		{Text: "failed to parse kubelet flag: unknown flag:",
			Or:    []string{`"Failed to parse kubelet flag" err="unknown flag:`},
			Until: nodeRegistered, Says: "the kubelet exits: unknown flag"},
		{Text: "] unknown flag: --", Or: []string{`"command failed" err="unknown flag: --`}, In: kubeletSays, Until: nodeRegistered,
			Says: "the kubelet exits: unknown flag"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		refused, newest := refusedFlags(s), n.Kubelet.Value
		for name := range refused { // who refuses a flag is at least as new as its removal
			if since := evidence.RemovedKubeletFlags(anyKubelet)[name]; !newest.AtLeast(
				evidence.Version{Major: 1, Minor: since}) {
				newest = evidence.Version{Major: 1, Minor: since}
			}
		}
		up := kubeletUp(n, s)
		replaced, server := evidence.Because{}, evidence.Version{}
		if up == nil && node.ComponentSources.Gap(s).Kind == "" {
			if replaced, server = replacedKubelet(n, s); replaced.Path != "" && !newest.AtLeast(server) {
				newest = server
			}
		}
		removed := evidence.RemovedKubeletFlags(newest)
		var findings []*checks.Finding
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
			found := removedFlag(n, f, since, up != nil).With(f.From, n.Kubelet.From)
			if gone && !log && !n.Kubelet.Value.AtLeast(evidence.Version{Major: 1, Minor: since}) {
				found = found.With(replaced).At(evidence.APIVersion.Field(s, "gitVersion"),
					"the API server is %s", server)
			}
			findings = append(findings, found)
			if log {
				at := len(findings) - 1
				findings[at] = findings[at].With(checks.Quote(line))
				findings[at].Basis = checks.ByBoth
			}
		}
		if len(findings) > 0 {
			findings[0] = findings[0].Cure(cureFlags(s, n, culprits))
		} else if up == nil && node.ComponentSources.Gap(s).Kind == "" {
			findings = unseenFlags(s, refused)
		}
		return findings, nil
	},
})

// anyKubelet is newer than every removal on record.
var anyKubelet = evidence.Version{Major: 1, Minor: 1000}

func removedFlag(n *node.Node, f node.Flag, since int, up bool) *checks.Finding {
	version := n.Kubelet.Value
	switch {
	case up:
		return checks.Findingf(checks.Warn, "--"+f.Name,
			"--%s was removed in Kubernetes 1.%d (kubelet: %s): the kubelet will exit at its next start", f.Name, since, version)
	case since == 0:
		return checks.Findingf(checks.Fail, "--"+f.Name,
			"the kubelet exits: unknown flag --%s", f.Name)
	case version.AtLeast(evidence.Version{Major: 1, Minor: since}):
		return checks.Findingf(checks.Fail, "--"+f.Name,
			"--%s was removed in Kubernetes 1.%d (kubelet: %s): the kubelet exits at its start",
			f.Name,
			since, version)
	}
	return checks.Findingf(checks.Fail, "--"+f.Name,
		"--%s was removed in Kubernetes 1.%d; the kubelet (newer than the registered %s) exits at its start", f.Name, since, version)
}

// replacedKubelet is the program of a kubelet that was replaced after the kubelet last reported its
// status, and the version of the API server, which the registered one does not reach.
func replacedKubelet(n *node.Node, s evidence.Snapshot) (evidence.Because, evidence.Version) {
	ready, _ := evidence.Node.In(s).Condition("Ready")
	server, ok := evidence.ParseVersion(evidence.APIVersion.In(s).GitVersion)
	if !ok || ready.LastHeartbeatTime.IsZero() || n.Kubelet.Value.AtLeast(server) {
		return evidence.Because{}, server
	}
	for _, r := range evidence.FileIndex.In(s) {
		if strings.HasSuffix(strings.ToLower(evidence.CleanWinPath(r.Path)), `\kubelet.exe`) &&
			r.ModifiedAt.After(ready.LastHeartbeatTime.Time) {
			return r.Field("modifiedAt").Because("%s was replaced after the kubelet last reported its status", r.Path), server
		}
	}
	return evidence.Because{}, server
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
func unseenFlags(s evidence.Snapshot, refused map[string]evidence.SignMatch) []*checks.Finding {
	var findings []*checks.Finding
	for name, m := range refused {
		if m.Over != "" || m.Last.IsZero() || s.Now().Sub(m.Last) > 24*time.Hour {
			continue
		}
		f := checks.Findingf(checks.Fail, "--"+name,
			"the kubelet exits: unknown flag --%s (where it is set was not collected)",
			name).With(checks.Quote(m))
		f.Basis = checks.ByText
		findings = append(findings, f)
	}
	sorted.By(findings, func(a, b *checks.Finding) int {
		return cmp.Compare(a.Subject, b.Subject)
	})
	return findings
}

// cureFlags says where to delete the flags, and what waits for the kubelet.
func cureFlags(s evidence.Snapshot, n *node.Node, flags []node.Flag) checks.Fix {
	var steps []*checks.Step
	places := map[evidence.Place]int{} // the step of each place
	together := map[evidence.Place][]node.Flag{}
	for _, f := range flags {
		key := evidence.InLine(f.From.Path, f.From.Line)
		if _, ok := places[key]; !ok {
			places[key] = len(steps)
			steps = append(steps, &checks.Step{})
		}
		together[key] = append(together[key], f)
		steps[places[key]] = deleteFlags(s, n, key, together[key])
	}
	steps = append(steps, checks.Run("{restart kubelet}", "Restart the kubelet."))
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
	return checks.Fix{Steps: append(steps, checks.Verify("kubectl get node {node}",
		"STATUS is Ready"))}
}

// deleteFlags is the step that deletes flags from the place where they are written.
func deleteFlags(s evidence.Snapshot, n *node.Node, place evidence.Place,
	flags []node.Flag) *checks.Step {
	var list []string
	for _, f := range flags {
		list = append(list, "--"+f.Name)
	}
	names := strings.Join(list, ", ")
	if _, ok := evidence.WindowsPath(place.Path); ok {
		return checks.EditAt(s, place, func(line string) string {
			for _, f := range flags {
				line = withoutFlag(line, f.Name)
			}
			return line
		}, "Delete %s.", names)
	}
	return changeArgs(n.Components["kubelet"], evidence.Because{},
		evidence.Phrasef("Delete %s from the parameters of the kubelet's service.", names),
		func(whole string) string {
			args := whole
			for _, f := range flags {
				args = withoutFlag(args, f.Name)
				if strings.Contains(args+" ", "--"+f.Name+" ") {
					return whole // its value is a word of its own: left to a person
				}
			}
			return strings.TrimSpace(args)
		})
}

// withoutFlag is a line of a start script without --name=value; a line that holds nothing else is
// deleted. A flag whose value is a word of its own is left to a person.
func withoutFlag(line, name string) string {
	flag := "--" + regexp.QuoteMeta(name)
	if regexp.MustCompile(`^\s*['"]` + flag + `(=[^'"]*)?(""|'')?['"],?\s*$`).MatchString(line) {
		return ""
	}
	return regexp.MustCompile(flag+`=("[^"]*"|'[^']*'|[^\s"']*) ?`).ReplaceAllString(line, "")
}
