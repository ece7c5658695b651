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

var _ = register(checks.Check{
	ID:       "eviction-flags-ignored",
	Title:    "thresholds for memory are set that this kubelet ignores on Windows",
	Category: checks.CategoryNode,
	Doc: `Before Kubernetes 1.31 the kubelet does not evict pods of a Windows node for want of
memory: memory.available in --eviction-hard and --eviction-soft is accepted, the hard one is even
subtracted from what the node offers, and nothing ever happens at the threshold; the MemoryPressure
condition never becomes True. Reservations and limits are what protects such a node. From 1.31 on
the thresholds work, measured by committed memory and not by the working set.

Whoever set the threshold counts on it, so this is a warning, though it is a documented limit.
Thresholds for disk space work in all versions, those for inodes in none.`,
	Fix: checks.Steps(
		checks.Inspect(`kubectl get --raw "/api/v1/nodes/{node}/proxy/configz"`, ""),
		checks.Do("do not count on the threshold: keep 2 GiB back for Windows (systemReserved), give pods limits that equal their requests, or move to Kubernetes 1.31 or later")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/windows/intro/#kubelet-compatibility",
		"https://github.com/kubernetes/kubernetes/pull/122922",
		"https://github.com/kubernetes/kubernetes/issues/119184",
		"https://kubernetes.io/docs/concepts/configuration/windows-resource-management/",
	},
	Applies: func(n *node.Node) error {
		if n.Kubelet.Known() && n.Kubelet.Value.AtLeast(evictsByMemory) {
			return checks.Skip(
				"the kubelet is %s, and from %s on it evicts by memory on Windows too",
				n.Kubelet.Value, evictsByMemory)
		}
		return nil
	},
	Needs: []evidence.Need{node.NeedKubelet, evidence.Any(node.NeedKubeletFlags,
		evidence.File(node.KubeletConfigs[0]), evidence.File(node.KubeletConfigs[1]),
		evidence.File(node.KubeletConfigs[2]), evidence.File(node.KubeletConfigs[3]))},
	Uses: append(slices.Clone(node.KubeletSources), evidence.Node),
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		config, file, gap := n.KubeletConfig(s)
		var findings []checks.Finding
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
			} else if gap.Kind == "" && e.config["memory.available"] != "" {
				threshold = "memory.available<" + e.config["memory.available"]
				from = file.Field(e.field, "memory.available").Because("%s: %s", e.field, threshold)
			}
			if threshold != "" {
				findings = append(findings, checks.Findingf(checks.Warn, e.field,
					"%s is set and does nothing: kubelet %s does not evict by memory on Windows",
					threshold, n.Kubelet.Value).With(from, n.Kubelet.From))
			}
		}
		f, ok := n.KubeletFlag("config")
		if len(findings) == 0 && gap.Kind != "" && (len(n.KubeletFlags) == 0 || ok &&
			f.Value != "") {
			// the thresholds may stand in the file that was not seen
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	},
})

// memoryThreshold takes the memory out of "nodefs.available<10%,memory.available<500Mi".
func memoryThreshold(list string) string {
	for part := range strings.SplitSeq(strings.Trim(list, `"'`), ",") {
		if part = strings.TrimSpace(part); strings.HasPrefix(part, "memory.available") {
			return part
		}
	}
	return ""
}
