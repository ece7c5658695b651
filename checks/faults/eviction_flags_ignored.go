package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// evictsByMemory is the first kubelet that evicts pods of a Windows node for want of memory.
var evictsByMemory = evidence.Version{Major: 1, Minor: 31}

var _ = register(&checks.Check{
	ID:       "eviction-flags-ignored",
	Title:    "kubelet ignores memory eviction thresholds",
	Healthy:  "kubelet supports the memory eviction thresholds that are set",
	Category: checks.CategoryNode,
	Doc: `Before Kubernetes 1.31 the kubelet does not evict pods of a Windows node when memory runs
short: memory.available in --eviction-hard and --eviction-soft is accepted, the hard threshold is
even subtracted from the allocatable memory, but nothing happens when it is reached; the
MemoryPressure condition never becomes True. Only reservations and limits protect such a node. From
1.31 on the thresholds work, measured by committed memory and not by the working set.

A threshold that was set on purpose is a warning, although this is a documented limitation; 100Mi,
the default of Linux that GKE writes too, is one only where the memory is used up, of which it is a
cause. Thresholds for disk space work in all versions, those for
inodes in none.`,
	Fix: checks.Steps(
		checks.Edit("{kubeletConfig}",
			"Reserve memory for Windows instead: set systemReserved: {memory: 2Gi}, or --system-reserved=memory=2Gi where flags are used.").
			Costs("The node's allocatable memory shrinks: running pods stay, fewer new ones fit."),
		checks.Run("{restart kubelet}", "Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Do("Set pod limits equal to requests. From Kubernetes 1.31 on, the kubelet evicts by memory."),
		checks.Verify(`kubectl get --raw "/api/v1/nodes/{node}/proxy/configz"`,
			"systemReserved with memory 2Gi or more")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/windows/intro/#kubelet-compatibility",
		"https://github.com/kubernetes/kubernetes/pull/122922",
		"https://github.com/kubernetes/kubernetes/issues/119184",
		"https://kubernetes.io/docs/concepts/configuration/windows-resource-management/",
	},
	Applies: func(n *node.Node) error {
		if n.Kubelet.Known() && n.Kubelet.Value.AtLeast(evictsByMemory) {
			return checks.Skip(
				"kubelet %s supports eviction by memory on Windows (from %s on)",
				n.Kubelet.Value, evictsByMemory)
		}
		return nil
	},
	Needs: []evidence.Need{node.NeedKubelet, evidence.Any(node.NeedKubeletFlags,
		evidence.File(node.KubeletConfigs[0]), evidence.File(node.KubeletConfigs[1]),
		evidence.File(node.KubeletConfigs[2]), evidence.File(node.KubeletConfigs[3]))},
	FromPart: []evidence.Need{evidence.Processes},
	Uses:     append(slices.Clone(node.KubeletSources), evidence.Node, evidence.MemoryInfo),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		config := n.KubeletConfig(s)
		var findings []*checks.Finding
		for _, e := range []struct {
			flag, field string
			config      map[string]string
		}{
			{"eviction-hard", "evictionHard", config.EvictionHard},
			{"eviction-soft", "evictionSoft", config.EvictionSoft},
		} {
			threshold, from := "", evidence.Because{}
			if f, ok := n.KubeletFlag(e.flag); ok {
				threshold, from = memoryThreshold(f.Value), f.From
			} else if config.Gap.Kind == "" && e.config["memory.available"] != "" {
				threshold = "memory.available<" + e.config["memory.available"]
				from = config.Field(e.field, "memory.available").Because("%s: %s", e.field, threshold)
			}
			if threshold != "" {
				f := checks.Findingf(checks.Warn, e.field,
					"%s has no effect: kubelet %s does not evict by memory on Windows",
					threshold, n.Kubelet.Value).With(from, n.Kubelet.From)
				if available, usedUp := memoryUsedUp(s); usedUp {
					f = f.With(available).Explaining(memoryFollows...)
				} else if threshold == usualThreshold {
					f.Level = checks.Info
				}
				findings = append(findings, f)
			}
		}
		if len(findings) == 0 && config.Gap.Kind != "" && (len(n.KubeletFlags) == 0 ||
			config.Named) {
			// the thresholds may stand in the file that was not seen
			return nil, checks.Unknown(config.Gap)
		}
		return findings, nil
	},
})

// usualThreshold is the default where nobody sets one: pkg/kubelet/apis/config/v1beta1/defaults_linux.go.
const usualThreshold = "memory.available<100Mi"

// memoryThreshold takes the memory out of "nodefs.available<10%,memory.available<500Mi".
func memoryThreshold(list string) string {
	for part := range strings.SplitSeq(strings.Trim(list, `"'`), ",") {
		if part = strings.TrimSpace(part); strings.HasPrefix(part, "memory.available") {
			return part
		}
	}
	return ""
}
