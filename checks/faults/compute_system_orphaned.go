package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// Lists that are read one after the other differ by what starts and ends in between; the AKS log
// analysis takes a few systems without a pod for normal, too.
const (
	orphansMin   = 5
	orphanMinAge = 10 * time.Minute
	shortID      = 12 // what crictl leaves of an id at the least
)

const identifierTaken = "Windows still has a container with the identifier of the new one"

var _ = register(&checks.Check{
	ID:       "compute-system-orphaned",
	Title:    "Orphaned containers or shims are running",
	Healthy:  "Container runtime knows all containers and shims",
	Category: checks.CategoryWorkloads,
	Doc: `Each container of process or Hyper-V isolation is a compute system of Windows, and each pod
has a process containerd-shim-runhcs-v1. If containerd is replaced or killed, or a container does
not react to its end, compute systems and shims stay behind. They hold the files of their layers,
their HNS endpoint and their memory: pods hang in Terminating, snapshots cannot be removed, and a
new sandbox with the same name is refused.

The check compares the compute systems (hcsdiag list) and shims (shimdiag list, or the arguments of
the processes) with the sandboxes and containers of the runtime. It warns from five on, or if a shim
without a sandbox has run for ten minutes; fewer are info, because the lists are read one after the
other.`,
	Fix: checks.Steps(
		checks.Inspect("hcsdiag list", "List the compute systems of the node."),
		checks.Inspect("crictl pods; crictl ps -a", "List what the container runtime knows."),
		checks.Run("hcsdiag kill ID",
			"End each compute system that the runtime does not know.").
			Costs("The container ends. Compare its ID with both lists first."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data; Restart-Computer",
			"If one does not end, drain and reboot the node.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Verify("hcsdiag list", "only IDs that crictl lists")),
	Links: []string{
		"https://github.com/Azure/AgentBaker/blob/dev/.github/skills/windows-log-analysis/sub-skills/analyze-termination.md",
		"https://github.com/Azure/AgentBaker/pull/2733",
		"https://github.com/microsoft/navcontainerhelper/issues/35",
		"https://github.com/containerd/containerd/issues/5188"},
	Explains: []string{"sandbox-name-reserved", "container-invalid-state"},
	Needs: []evidence.Need{evidence.CRI,
		evidence.Any(evidence.ComputeInfo, evidence.Processes)},
	Uses: []evidence.Need{evidence.ComputeInfo, evidence.Processes},
	Signs: []checks.Sign{
		{Text: "with the specified identifier already exists", Not: []string{"0xc037010f"}, Says: identifierTaken},
		checks.SignOfCode("HCS_E_SYSTEM_ALREADY_EXISTS", identifierTaken, "CreateComputeSystem"),
		checks.SignOfCode("HCS_E_SYSTEM_ALREADY_EXISTS", identifierTaken, "CreateContainer"),
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		cri := evidence.CRI.In(s)
		if cri.Sandboxes == nil || cri.Containers == nil {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the sandboxes and containers of the runtime"))
		}
		shims, listed := shimsOf(s)
		systems := evidence.ComputeInfo.In(s).Systems
		if !listed && systems == nil {
			return nil, checks.Unknown(evidence.NotShown.Gap("the compute systems and shims"))
		}
		var findings []*checks.Finding
		elsewhere := map[string]bool{} // sandboxes of other namespaces of containerd
		var orphans []shim
		old := false
		for _, shim := range shims {
			switch {
			case shim.Namespace != "" && shim.Namespace != "k8s.io":
				elsewhere[shim.ID] = true
			case !knownToRuntime(cri, shim.ID):
				orphans = append(orphans, shim)
				old = old || !shim.since.IsZero() && s.Now().Sub(shim.since) > orphanMinAge
			}
		}
		if len(orphans) > 0 {
			var names []string
			for _, o := range orphans {
				names = append(names, o.ID[:min(len(o.ID), 13)])
			}
			findings = append(findings, checks.Findingf(orphanLevel(len(orphans), old), "shims",
				"shims without a sandbox in the container runtime: %d of %d (%s)", len(orphans),
				len(shims), firstThree(names)).
				With(orphans[0].from).At(evidence.CRI.Field(s, "sandboxes"),
				"none of %d sandboxes is %s", len(cri.Sandboxes), names[0]))
		}
		var left []string
		at := -1
		for i, c := range systems {
			id := strings.ToLower(c.ID)
			if !isContainerID(id) || elsewhere[id] || strings.EqualFold(c.Owner, "docker") ||
				knownToRuntime(cri, id) {
				continue
			}
			if at < 0 {
				at = i
			}
			left = append(left, id[:13])
		}
		if len(left) > 0 {
			findings = append(findings, checks.Findingf(orphanLevel(len(left), false),
				"compute systems",
				"compute systems that the container runtime does not know: %d of %d (%s)",
				len(left), len(systems), firstThree(left)).
				At(evidence.ComputeInfo.Field(s, "systems", at), "%s: %s, %s", left[0],
					systems[at].Type, systems[at].State).
				At(evidence.CRI.Field(s, "sandboxes"), "none of %d sandboxes and %d containers",
					len(cri.Sandboxes), len(cri.Containers)))
		}
		return findings, nil
	},
})

func orphanLevel(count int, old bool) checks.Level {
	if count >= orphansMin || old {
		return checks.Warn
	}
	return checks.Info
}

// isContainerID tells the ids that containerd gives from those of virtual machines and of Windows.
func isContainerID(id string) bool {
	return len(id) == 64 && strings.Trim(id, "0123456789abcdef") == ""
}

// knownToRuntime tells whether a sandbox or a container has the id, which crictl may have cut.
func knownToRuntime(cri evidence.CRIState, id string) bool {
	same := func(known string) bool {
		known = strings.ToLower(known)
		return len(known) >= shortID && (strings.HasPrefix(id, known) ||
			strings.HasPrefix(known, id))
	}
	return slices.ContainsFunc(cri.Sandboxes, func(b evidence.CRISandbox) bool {
		return same(b.ID)
	}) || slices.ContainsFunc(cri.Containers, func(c evidence.CRIContainer) bool {
		return same(c.ID) || same(c.SandboxID)
	})
}

// A shim is one of containerd, and what shows it.
type shim struct {
	evidence.Shim
	since time.Time
	from  evidence.Because
}

// shimsOf are the shims that shimdiag listed, or those among the processes. known is false where
// neither shows them.
func shimsOf(s evidence.Snapshot) (list []shim, known bool) {
	if listed := evidence.ComputeInfo.In(s).Shims; listed != nil {
		for i, one := range listed {
			from := evidence.ComputeInfo.Field(s, "shims", i).Because("shim %s, process %d",
				one.ID[:min(len(one.ID), 13)], one.PID)
			list = append(list, shim{one, startOf(s, one.PID), from})
		}
		return list, true
	}
	for _, p := range evidence.Processes.In(s) {
		if !strings.EqualFold(node.Program(p.Name), "containerd-shim-runhcs-v1") {
			continue
		}
		one := evidence.Shim{PID: p.PID, ID: strings.ToLower(argOf(p.Args, "id")),
			Namespace: argOf(p.Args, "namespace")}
		if !isContainerID(one.ID) || !slices.Contains(p.Args, "serve") {
			continue // one that starts or deletes another, or whose arguments may not be read
		}
		list = append(list, shim{one, p.StartedAt.Time, p.Field("args").Because(
			"process %d: shim %s", p.PID, one.ID[:13])})
	}
	return list, len(list) > 0
}

func startOf(s evidence.Snapshot, pid int) time.Time {
	for _, p := range evidence.Processes.In(s) {
		if pid > 0 && p.PID == pid {
			return p.StartedAt.Time
		}
	}
	return time.Time{}
}

// argOf is the value behind -name or --name.
func argOf(args []string, name string) string {
	for i, a := range args {
		if strings.TrimLeft(a, "-") == name && strings.HasPrefix(a, "-") && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}
