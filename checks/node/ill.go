package node

import (
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// PodDown tells whether the pod ought to run and has a container that does not.
func PodDown(p evidence.Pod) bool {
	if p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" ||
		p.Metadata.DeletionTimestamp != nil {
		return false
	}
	return slices.ContainsFunc(p.Statuses(), ContainerDown) || p.Status.Phase == "Pending" &&
		len(p.Statuses()) == 0 && p.Spec.NodeName != ""
}

// ContainerDown reports whether a container waits to be started or ended with an error. An init
// container that ended well has done its work.
func ContainerDown(st evidence.ContainerStatus) bool {
	return st.State.Waiting != nil || st.State.Terminated != nil &&
		st.State.Terminated.ExitCode != 0
}

// StartsSilently reports whether none of the pod's containers has ever run, and its status does not
// say why.
func StartsSilently(p evidence.Pod) bool {
	return PodDown(p) && !slices.ContainsFunc(p.Statuses(), func(st evidence.ContainerStatus) bool {
		waits := st.State.Waiting
		return waits == nil || st.RestartCount > 0 || st.LastState.Terminated != nil ||
			waits.Message != "" && !backsOff(waits.Message)
	})
}

// backsOff tells a message that only says that the kubelet waits; since 1.28 its error follows.
func backsOff(message string) bool {
	return strings.HasPrefix(message, "Back-off pulling image") && strings.HasSuffix(message, `"`)
}

// PodsUnhealthy reports whether something is wrong with the node's pods or with the
// node itself, so that a trace of a fault that takes their network away is more
// than a trace.
func PodsUnhealthy(s evidence.Snapshot) bool {
	if ready, ok := evidence.Node.In(s).Condition("Ready"); ok && ready.Status != "True" {
		return true
	}
	return slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool { return PodDown(p) })
}

// Unhealthy reports whether something is plainly wrong with the node: it is not Ready,
// a pod is down, or one of its components does not run.
func (n *Node) Unhealthy(s evidence.Snapshot) bool {
	if PodsUnhealthy(s) {
		return true
	}
	for _, c := range n.Components {
		if running, _ := c.Running(); !running && len(c.Services)+len(c.Pods) > 0 {
			return true
		}
	}
	return false
}

// ServiceNamed finds a service of Windows by its name.
func ServiceNamed(s evidence.Snapshot, name string) (evidence.Service, bool) {
	list := evidence.Services.In(s)
	at := slices.IndexFunc(list, func(svc evidence.Service) bool {
		return strings.EqualFold(svc.Name, name)
	})
	if at < 0 {
		return evidence.Service{}, false
	}
	return list[at], true
}

// azureCallLimit is longer than any call of azure-vnet that works: it takes seconds, and the kubelet gives it up after four
// minutes at the most.
const azureCallLimit = 10 * time.Minute

// HungAzureVNet is a call of azure-vnet that does not end, and its age. It holds the lock of the state file.
func HungAzureVNet(s evidence.Snapshot) (evidence.Process, time.Duration, bool) {
	for _, p := range evidence.Processes.In(s) {
		if age := s.Now().Sub(p.StartedAt.Time); strings.EqualFold(Program(p.Name), "azure-vnet") &&
			!p.StartedAt.IsZero() && age >= azureCallLimit {
			return p, age, true
		}
	}
	return evidence.Process{}, 0, false
}
