package faults

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// What the documentation asks to be kept back for Windows and the node's own programs.
const systemReserve = 2 << 30

var _ = register(&checks.Check{
	ID:       "system-reserved-too-low",
	Title:    "Too little memory reserved for Windows",
	Healthy:  "Enough memory is reserved for Windows",
	Category: checks.CategoryNode,
	Doc: `The scheduler allocates all memory that the kubelet does not reserve. Windows and node
components need at least 2 GiB (systemReserved plus kubeReserved); with less, pods fill the memory,
nothing is killed, and the node hangs.

A reservation below 2 GiB is a warning. If nothing is reserved, it is a warning when memory runs
short, and info otherwise. It is a cause of memory that is used up.`,
	Fix: checks.Steps(
		checks.Edit("{kubeletConfig}",
			"Set systemReserved: {memory: 2Gi}. A flag --system-reserved of the kubelet overrides it: set it there, then.").
			Costs("The node's allocatable memory shrinks: running pods stay, fewer new ones fit."),
		checks.Run("{restart kubelet}", "Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl describe node {node}",
			"Allocatable memory is at least 2 GiB below Capacity")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/configuration/windows-resource-management/"},
	Needs: []evidence.Need{evidence.Any(node.NeedKubeletFlags,
		evidence.File(node.KubeletConfigs[0]), evidence.File(node.KubeletConfigs[1]),
		evidence.File(node.KubeletConfigs[2]), evidence.File(node.KubeletConfigs[3]))},
	FromPart: []evidence.Need{evidence.Processes},
	Uses:     append(slices.Clone(node.KubeletSources), evidence.MemoryInfo),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		var total int64
		var from []evidence.Because
		add := func(what, memory string, because evidence.Because) error {
			if memory == "" {
				return nil
			}
			bytes, err := evidence.ParseQuantity(memory)
			if err != nil {
				return checks.Unknown(evidence.NotAQuantity.Gap(what, memory))
			}
			total += bytes
			from = append(from, because)
			return nil
		}
		config := n.KubeletConfig(s)
		gap := config.Gap
		for _, r := range []struct {
			flag, field string
			config      map[string]string
		}{
			{"system-reserved", "systemReserved", config.SystemReserved},
			{"kube-reserved", "kubeReserved", config.KubeReserved},
		} {
			if f, ok := n.KubeletFlag(r.flag); ok {
				if err := add("--"+r.flag, memoryOf(f.Value), f.From); err != nil {
					return nil, err
				}
				continue
			}
			// of a file that is not known it is empty
			if err := add(r.field, r.config["memory"], config.Field(r.field, "memory").Because(
				"%s.memory: %s", r.field, r.config["memory"])); err != nil {
				return nil, err
			}
		}
		if total >= systemReserve {
			return nil, nil
		}
		if _, ok := n.KubeletFlag("config-dir"); ok && gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		available, usedUp := memoryUsedUp(s)
		explaining := func(f *checks.Finding) ([]*checks.Finding, error) {
			if usedUp {
				f = f.With(available).Explaining(memoryFollows...)
			}
			return []*checks.Finding{f}, nil
		}
		if len(from) > 0 {
			return explaining(checks.Findingf(checks.Warn, "systemReserved",
				"Only %s of memory is reserved for Windows and node components (expected: at least 2 GiB)", gib(total)).With(from...).Cure(reserveWhereSet(s, n)))
		}
		if gap.Kind != "" && len(n.KubeletFlags) == 0 {
			return nil, checks.Unknown(n.KubeletGap())
		}
		if gap.Kind != "" && gap.Kind != evidence.Absent {
			live := slices.ContainsFunc(n.KubeletFlags, func(f node.Flag) bool { return f.Live })
			if f, ok := n.KubeletFlag("config"); ok && f.Value != "" || !live {
				// the reservation may stand in the file that --config names, or that the part of the command line names that was not seen
				return nil, checks.Unknown(gap)
			}
		}
		return explaining(nothingReserved(s, n, config))
	},
})

// reserveWhereSet changes the flag, which overrides the file, or else the line of the file.
func reserveWhereSet(s evidence.Snapshot, n *node.Node) checks.Fix {
	fix := fixOf("system-reserved-too-low")
	config := n.KubeletConfig(s)
	if f, ok := n.KubeletFlag("system-reserved"); ok {
		fix = withFirst(fix, changeSetting(n.Components["kubelet"], f.From,
			evidence.Phrasef("Set --system-reserved=memory=2Gi for the kubelet."), "--system-reserved=memory=2Gi").
			Costs("The node's allocatable memory shrinks: running pods stay, fewer new ones fit."))
	} else if memory := config.SystemReserved["memory"]; memory != "" {
		fix = withFirst(fix, checks.EditAt(s, config.Field("systemReserved", "memory"),
			func(line string) string { // the file may have all reservations in one line
				at := max(0, strings.Index(line, "systemReserved"))
				at += max(0, strings.Index(line[at:], "memory"))
				return line[:at] + strings.Replace(line[at:], memory, "2Gi", 1)
			},
			"Set the memory of systemReserved to 2Gi.").
			Costs("The node's allocatable memory shrinks: running pods stay, fewer new ones fit."))
	}
	return fix
}

func nothingReserved(s evidence.Snapshot, n *node.Node,
	config node.KubeletSettings) *checks.Finding {
	f := checks.Findingf(checks.Info, "systemReserved",
		"No memory is reserved for Windows and node components (recommended: 2 GiB)")
	if m := evidence.MemoryInfo.In(s); m.TotalBytes > 0 && m.AvailableBytes > 0 &&
		m.AvailableBytes*20 < m.TotalBytes {
		f = checks.Findingf(checks.Warn, "systemReserved",
			"No memory is reserved for Windows and node components; %s of %s is available",
			gib(m.AvailableBytes), gib(m.TotalBytes)).
			At(evidence.MemoryInfo.Field(s, "availableBytes"), "availableBytes %d of totalBytes %d",
				m.AvailableBytes, m.TotalBytes)
	}
	if config.Gap.Kind == "" {
		return f.At(config.Field("systemReserved"),
			"neither systemReserved nor kubeReserved names memory")
	}
	return f.At(n.KubeletFlags[0].From.Place().Parent(),
		"neither --system-reserved nor --kube-reserved is given")
}

// memoryOf takes the memory out of "cpu=500m,memory=2Gi".
func memoryOf(list string) string {
	for part := range strings.SplitSeq(strings.Trim(list, `"'`), ",") {
		if name, value, ok := strings.Cut(part, "="); ok && strings.TrimSpace(name) == "memory" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// gib writes a number of bytes for a person.
func gib(bytes int64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	// cut, not rounded: 1.95 GiB are not 2.0
	return fmt.Sprintf("%.1f GiB", float64(bytes*10>>30)/10)
}
