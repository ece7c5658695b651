package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
)

// runtimeLog is the log of the container runtime, whichever the node has.
var runtimeLog = evidence.Any(evidence.Logs("containerd"), evidence.Logs("docker"))

// cniLogs show what a CNI plugin returns: its caller, the kubelet and the pod's events repeat it.
var cniLogs = evidence.Any(evidence.PodEvents, evidence.Logs("kubelet"), evidence.Logs("containerd"),
	evidence.Logs("docker"), evidence.Logs("cni"))

// hnsLogs show the errors that HNS returns: to the CNI plugin, and to whoever programs Services.
var hnsLogs = []evidence.Need{cniLogs,
	evidence.Any(evidence.Logs("kube-proxy"), evidence.Logs("antrea-agent"))}

// leftToLogs is the verdict where no state of this node could show the fault:
// what the logs tell of it convicts, and logs that were read and are silent acquit.
func leftToLogs(s evidence.Snapshot, id string) ([]*checks.Finding, error) {
	if _, told := liveSign(s, id); told {
		return nil, checks.Unknown(
			evidence.NotDecided.Gap("only logs show this fault on this node"))
	}
	if gap := checks.Heard(s, cniLogs); gap.Kind != "" {
		return nil, checks.Unknown(gap)
	}
	return nil, nil
}

// liveSign is the first sign of the check that is not over, and could convict.
func liveSign(s evidence.Snapshot, id string) (evidence.SignMatch, bool) {
	matches := s.Signs(id)
	at := slices.IndexFunc(matches, func(m evidence.SignMatch) bool {
		sign := checkOf(id).SignOf(m)
		return m.Over == "" && sign != nil && !sign.ConfirmOnly
	})
	if at < 0 {
		return evidence.SignMatch{}, false
	}
	return matches[at], true
}

// isExternal tells whether networks of that type take over a physical adapter.
func isExternal(net evidence.HNSNetwork) bool {
	return slices.Contains([]string{"L2Bridge", "L2Tunnel", "Overlay", "Transparent"}, net.Type)
}

// ownsAddress tells whether the pod has an address of its own and runs.
func ownsAddress(p evidence.Pod) bool {
	return p.Status.PodIP != "" && p.Status.PodIP != p.Status.HostIP && !p.Spec.HostNetwork &&
		!p.HostProcess() &&
		p.Status.Phase == "Running" && p.Metadata.DeletionTimestamp == nil
}

// unlike narrows a sign to lines without the texts.
func unlike(s checks.Sign, texts ...string) checks.Sign {
	s.Not = texts
	return s
}

// confirming keeps a sign from convicting alone.
func confirming(s checks.Sign) checks.Sign {
	s.ConfirmOnly = true
	return s
}
