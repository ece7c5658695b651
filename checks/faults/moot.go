package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// notJoining is the Moot of faults of kubeadm join: a Node that is Ready has joined.
func notJoining(s evidence.Snapshot) error {
	if ready, ok := evidence.Node.In(s).Condition("Ready"); ok && ready.Status == "True" {
		return checks.Skip("the node has joined the cluster and is Ready")
	}
	return nil
}

// noProgram is the Moot of faults of a program that few nodes have: no service, process and pod of
// the node has its name.
func noProgram(title string, names ...string) func(evidence.Snapshot) error {
	named := func(text string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return strings.Contains(strings.ToLower(text), name)
		})
	}
	return func(s evidence.Snapshot) error {
		if !evidence.Services.Known(s) || !evidence.Processes.Known(s) || !allPodsKnown(s) ||
			slices.ContainsFunc(evidence.Services.In(s), func(svc evidence.Service) bool {
				return named(svc.Name) || named(svc.BinPath)
			}) ||
			slices.ContainsFunc(evidence.Processes.In(s), func(p evidence.Process) bool {
				return named(p.Name) || named(p.Exe)
			}) ||
			slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
				return named(p.Metadata.Name) || slices.ContainsFunc(p.Spec.Containers,
					func(c evidence.Container) bool { return named(c.Image) })
			}) {
			return nil
		}
		return checks.Skip("%s is not on this node", title)
	}
}

// noDriver is the Moot of faults of CSI drivers.
var noDriver = noProgram("a CSI driver", "csi")

func allPodsKnown(s evidence.Snapshot) bool {
	return evidence.Pods.Known(s) && s.Rest(evidence.Pods.Path()).Kind == ""
}

// noClaims is the Moot of faults of volumes that a CSI driver brings.
func noClaims(s evidence.Snapshot) error {
	if !allPodsKnown(s) || slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
		return slices.ContainsFunc(p.Spec.Volumes, func(v evidence.Volume) bool {
			return v.CSI != nil || v.PersistentVolumeClaim != nil
		})
	}) {
		return nil
	}
	return checks.Skip("no pod on this node uses a volume of a CSI driver")
}

// noShares is the Moot of faults of SMB shares.
func noShares(s evidence.Snapshot) error {
	if noDriver(s) == nil {
		return nil
	}
	return noClaims(s)
}

// noGMSA is the Moot of faults of group managed service accounts.
func noGMSA(s evidence.Snapshot) error {
	if !allPodsKnown(s) || slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
		return len(gmsaOptions(p)) > 0
	}) {
		return nil
	}
	return checks.Skip("no pod on this node uses a group managed service account (gMSA)")
}

// noHostProcess is the Moot of faults of HostProcess containers.
func noHostProcess(s evidence.Snapshot) error {
	if !allPodsKnown(s) || slices.ContainsFunc(evidence.Pods.In(s), evidence.Pod.HostProcess) {
		return nil
	}
	return checks.Skip("no HostProcess pod runs on this node")
}
