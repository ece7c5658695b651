package checks

import (
	"slices"
	"strings"

	"doctor/checks/evidence"
)

var _ = Register(Check{
	ID:       "kubelet-removed-flag",
	Title:    "the kubelet is started with a flag that its version no longer knows",
	Category: CategoryComponents,
	FAQ:      []int{2},
	Doc: `A kubelet exits at once on a flag it does not know. After an upgrade, start scripts, nssm parameters and kubeadm-flags.env often still hold flags that were removed: --network-plugin and the other dockershim flags in 1.24, --logtostderr and the other klog flags in 1.26, --container-runtime in 1.27, --pod-infra-container-image in 1.35.

The check compares the flags with the kubelet's version. The version of the Node object is the one that last registered, so a log line "unknown flag" about a flag that is still there counts as well. Flags that are only deprecated are no fault.`,
	Fix: Fix{
		Text:     "delete the removed flags from where they are written, then restart the kubelet",
		Commands: []string{"nssm edit kubelet", "Restart-Service kubelet"},
		Impact:   "running containers are not touched",
	},
	Links: []string{"https://github.com/kubernetes-sigs/sig-windows-tools/issues/218",
		"https://kubernetes.io/blog/2022/03/31/ready-for-dockershim-removal/"},
	Explains: []string{"kubelet-service-paused", "kubelet-not-running"},
	Needs:    []evidence.Need{NeedKubeletFlags, NeedKubelet},
	Uses:     append(kubeletSources, evidence.Node),
	Signs: []Sign{
		{Text: "failed to parse kubelet flag: unknown flag:", Says: "the kubelet exits because it does not know one of its flags"},
	},
	Run: func(s evidence.Snapshot) ([]Finding, error) {
		n := About(s)
		removed := evidence.RemovedKubeletFlags(n.Kubelet.Value)
		var findings []Finding
		var names, places []string
		seen := map[string]bool{}
		for _, f := range n.KubeletFlags {
			since, gone := removed[f.Name]
			line, refused := refusedFlag(s, f.Name)
			if seen[f.Name] || !gone && !refused {
				continue
			}
			seen[f.Name] = true
			finding := Findingf(Fail, "--"+f.Name, "the kubelet %s does not know --%s any more; it exits at once", n.Kubelet.Value, f.Name)
			if gone {
				finding = Findingf(Fail, "--"+f.Name, "--%s was removed in Kubernetes 1.%d, and the kubelet is %s; it exits at once", f.Name, since, n.Kubelet.Value)
			}
			finding = finding.With(f.From, n.Kubelet.From)
			if refused {
				finding = finding.With(quote(line))
				finding.Basis = ByBoth
			}
			findings = append(findings, finding)
			names = append(names, "--"+f.Name)
			if place := whereWritten(f); !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
		if len(findings) > 0 {
			findings[0] = findings[0].Cure(Fix{
				Text:     "delete " + strings.Join(names, ", ") + " from " + strings.Join(places, " and ") + ", then restart the kubelet",
				Commands: []string{"Restart-Service kubelet"},
				Impact:   "running containers are not touched",
			})
		}
		return findings, nil
	},
})

func whereWritten(f Flag) string {
	if f.From.Path == evidence.Services.Path() || f.From.Path == evidence.Processes.Path() {
		return "the command line of the kubelet's service (nssm edit kubelet, or sc.exe config kubelet binPath= …)"
	}
	if path, ok := evidence.WindowsPath(f.From.Path); ok {
		return path
	}
	return f.From.Path
}

// refusedFlag finds the log line in which the kubelet refuses this very flag.
func refusedFlag(s evidence.Snapshot, name string) (evidence.SignMatch, bool) {
	for _, m := range s.Signs("kubelet-removed-flag") {
		_, flag, _ := strings.Cut(m.Found, "unknown flag: --")
		if flag == name || strings.HasPrefix(flag, name) && !isFlagChar(flag[len(name)]) {
			return m, true
		}
	}
	return evidence.SignMatch{}, false
}

func isFlagChar(c byte) bool {
	return c == '-' || c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
