package regressions

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

// settled is how long a state lasts that no component passes through in its ordinary course: the
// kubelet waits five minutes at the most before it starts a container again, and shows that it waits.
const settled = 6 * time.Minute

// aPod looks at the pod of a finding, or at each pod that does not run.
func aPod(shows func(evidence.Pod) (evidence.Because, bool)) func(evidence.Snapshot, *checks.Finding) (
	evidence.Because, bool) {
	return func(s evidence.Snapshot, f *checks.Finding) (evidence.Because, bool) {
		for _, p := range evidence.Pods.In(s) {
			if f != nil && p.FullName() != f.Subject || !node.PodDown(p) {
				continue
			}
			if from, ok := shows(p); ok {
				return from, true
			}
		}
		return evidence.Because{}, false
	}
}

// startsInImage is a HostProcess container that is started by a path within its image's folder and
// does not say which folder that is.
func startsInImage(p evidence.Pod) (evidence.Because, bool) {
	for i, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		line := slices.Concat(c.Command, c.Args)
		at := slices.IndexFunc(line, func(arg string) bool {
			return strings.HasPrefix(arg, `.\`) || strings.HasPrefix(arg, "./")
		})
		if at < 0 && len(line) > 0 && !strings.ContainsAny(line[0], `\/`) && notFound(p, c.Name, line[0]) {
			at = 0
		}
		if at >= 0 && c.WorkingDir == "" && p.HostProcess() {
			return p.ContainerField(i).Because("%s: container %s starts %s and has no workingDir", p.FullName(),
				c.Name, line[at]), true
		}
	}
	return evidence.Because{}, false
}

// notFound tells whether the runtime did not find the program of a container.
func notFound(p evidence.Pod, container, program string) bool {
	return slices.ContainsFunc(p.Statuses(), func(st evidence.ContainerStatus) bool {
		return st.Name == container && slices.ContainsFunc(messages(st), func(text string) bool {
			return strings.Contains(text, `failed to find executable "`+program+`"`)
		})
	})
}

// messages are why a container does not run.
func messages(st evidence.ContainerStatus) (list []string) {
	if st.State.Waiting != nil {
		list = append(list, st.State.Waiting.Message)
	}
	for _, end := range []*evidence.TerminatedState{st.State.Terminated, st.LastState.Terminated} {
		if end != nil {
			list = append(list, end.Message)
		}
	}
	return list
}

// runsImageCommand is a container that runs the command of its image.
func runsImageCommand(p evidence.Pod) (evidence.Because, bool) {
	return downContainer(p, func(c evidence.Container) bool {
		return len(c.Command)+len(c.Args) == 0 && !p.HostProcess()
	}, "%s: container %s sets no command: that of its image runs")
}

var driveLetter = regexp.MustCompile(`^[ABD-Zabd-z]:$`)

// mountsDrive is a container with a volume at a whole drive.
func mountsDrive(p evidence.Pod) (evidence.Because, bool) {
	return downContainer(p, func(c evidence.Container) bool {
		for _, m := range c.VolumeMounts {
			if driveLetter.MatchString(m.MountPath) {
				return true
			}
		}
		return false
	}, "%s: container %s has a volume at a drive letter")
}

// newestOf2025 is a container with an image of Microsoft whose tag names the newest one of Server 2025.
func newestOf2025(p evidence.Pod) (evidence.Because, bool) {
	return downContainer(p, func(c evidence.Container) bool {
		return strings.HasPrefix(c.Image, "mcr.microsoft.com/") && strings.HasSuffix(c.Image, "ltsc2025")
	}, "%s: container %s has the newest image of Windows Server 2025")
}

// downContainer is a container that does not run and is as fits wants it.
func downContainer(p evidence.Pod, fits func(evidence.Container) bool, format string) (
	evidence.Because, bool) {
	for i, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		if fits(c) && slices.ContainsFunc(p.Statuses(), func(st evidence.ContainerStatus) bool {
			return st.Name == c.Name && node.ContainerDown(st)
		}) {
			return p.ContainerField(i).Because(format, p.FullName(), c.Name), true
		}
	}
	return evidence.Because{}, false
}

// overlayGateway is an endpoint with the gateway that Azure CNI uses on Linux.
func overlayGateway(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	for _, e := range evidence.HNSEndpoints.In(s) {
		if !e.Remote && e.Gateway == "169.254.1.1" {
			return e.Field().Because("endpoint %s has the gateway %s", node.EndpointName(e), e.Gateway), true
		}
	}
	return evidence.Because{}, false
}

// localOnly tells whether all Services that a finding names send traffic to pods of their node only.
func localOnly(s evidence.Snapshot, f *checks.Finding) (from evidence.Because, ok bool) {
	text := f.Message()
	for _, svc := range evidence.KubeServices.In(s) {
		if !strings.Contains(text, svc.FullName()+" (") {
			continue
		}
		if svc.Spec.InternalTrafficPolicy != "Local" {
			return evidence.Because{}, false
		}
		from, ok = svc.Field("spec", "internalTrafficPolicy").Because("%s: internalTrafficPolicy is Local",
			svc.FullName()), true
	}
	return from, ok
}

// endedBesideSidecar is a container that ended and is not started again, in a pod with a sidecar.
func endedBesideSidecar(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	if ready, told := evidence.Node.In(s).Condition("Ready"); told && ready.Status != "True" {
		return evidence.Because{}, false // a kubelet that does not report changes nothing
	}
	for _, p := range evidence.Pods.In(s) {
		if p.Spec.RestartPolicy != "Always" || p.Metadata.DeletionTimestamp != nil ||
			!slices.ContainsFunc(p.Spec.InitContainers, func(c evidence.Container) bool {
				return c.RestartPolicy == "Always" &&
					slices.ContainsFunc(p.Status.InitContainerStatuses, func(st evidence.ContainerStatus) bool {
						return st.Name == c.Name && st.State.Running != nil
					})
			}) {
			continue
		}
		for i, st := range p.Status.ContainerStatuses {
			if end := st.State.Terminated; end != nil && !end.FinishedAt.IsZero() &&
				s.Now().Sub(end.FinishedAt.Time) > settled {
				return p.Field("status", "containerStatuses", i, "state").Because(
					"%s: container %s ended at %s and is not started again, though a sidecar runs", p.FullName(),
					st.Name, end.FinishedAt.UTC().Format("2006-01-02 15:04 UTC")), true
			}
		}
	}
	return evidence.Because{}, false
}

// sleepsForever is a pod whose container runs after a postStart sleep, which its status does not say.
func sleepsForever(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	for _, p := range evidence.Pods.In(s) {
		if p.Status.Phase != "Pending" || p.Metadata.DeletionTimestamp != nil ||
			slices.ContainsFunc(p.Statuses(), func(st evidence.ContainerStatus) bool {
				return st.State.Running != nil || st.RestartCount > 0
			}) {
			continue
		}
		for i, c := range p.Spec.Containers {
			hook := c.Lifecycle.PostStart.Sleep
			if hook == nil || p.Metadata.CreationTimestamp.IsZero() ||
				s.Now().Sub(p.Metadata.CreationTimestamp.Time) < settled+time.Duration(hook.Seconds)*time.Second {
				continue
			}
			if runsInRuntime(s, p, c.Name) {
				return p.Field("spec", "containers", i, "lifecycle", "postStart").Because(
					"%s is Pending, though its container %s with a postStart sleep runs", p.FullName(), c.Name), true
			}
		}
	}
	return evidence.Because{}, false
}

// runsInRuntime tells whether the runtime has the container running.
func runsInRuntime(s evidence.Snapshot, p evidence.Pod, container string) bool {
	state := evidence.CRI.In(s)
	return slices.ContainsFunc(state.Containers, func(c evidence.CRIContainer) bool {
		return c.State == "CONTAINER_RUNNING" && c.Metadata.Name == container &&
			slices.ContainsFunc(state.Sandboxes, func(b evidence.CRISandbox) bool {
				return b.ID == c.SandboxID && b.Metadata.Name == p.Metadata.Name &&
					b.Metadata.Namespace == p.Metadata.Namespace
			})
	})
}

// finalError is what a driver says of a volume that it does not mount; with other codes the kubelet
// takes the call for one that may still go on (isFinalError of pkg/volume/csi).
var finalError = regexp.MustCompile(
	`^MountVolume\.SetUp failed for volume "[^"]*" ?: rpc error: code = (\w+) `)

// republishFailed is a mount that failed for a pod whose containers already run with it.
func republishFailed(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	for _, e := range evidence.PodEvents.In(s) {
		m := finalError.FindStringSubmatch(e.Text())
		if m == nil || slices.Contains([]string{"Canceled", "DeadlineExceeded", "Unavailable",
			"ResourceExhausted", "Aborted"}, m[1]) {
			continue
		}
		for _, p := range evidence.Pods.In(s) {
			about := e.About()
			if about.Namespace == p.Metadata.Namespace && about.Name == p.Metadata.Name &&
				p.Metadata.DeletionTimestamp == nil && runsSinceBefore(p, e.At().Time) {
				return e.Field().Because("%s runs, and a later call for its volume failed: %s", p.FullName(),
					e.Text()), true
			}
		}
	}
	return evidence.Because{}, false
}

// runsSinceBefore tells whether all containers of a pod were started before t and run.
func runsSinceBefore(p evidence.Pod, t time.Time) bool {
	return len(p.Status.ContainerStatuses) > 0 && !t.IsZero() &&
		!slices.ContainsFunc(p.Status.ContainerStatuses, func(st evidence.ContainerStatus) bool {
			run := st.State.Running
			return run == nil || run.StartedAt.IsZero() || !run.StartedAt.Before(t)
		})
}

// antreaMTU compares the gateway of Antrea with the adapters of pods.
func antreaMTU(larger bool) func(evidence.Snapshot, *checks.Finding) (evidence.Because, bool) {
	return func(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
		list := evidence.Adapters.In(s)
		at := slices.IndexFunc(list, func(a evidence.Adapter) bool { return a.Name == "antrea-gw0" })
		if at < 0 || list[at].MTU == 0 {
			return evidence.Because{}, false
		}
		gateway := list[at]
		for _, a := range list {
			if a.Compartment > 1 && a.MTU > 0 && (larger && gateway.MTU > a.MTU || !larger && gateway.MTU < a.MTU) {
				return gateway.Field("mtu").Because("MTU: %s has %d, %s of a pod has %d", gateway.Name, gateway.MTU,
					a.Name, a.MTU), true
			}
		}
		return evidence.Because{}, false
	}
}

// bridgeDrops is a bridge of Antrea that does not forward, where Services need it.
func bridgeDrops(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	if slices.ContainsFunc(evidence.KubeServices.In(s), func(svc evidence.KubeService) bool {
		return svc.Spec.Type == "LoadBalancer"
	}) {
		for _, a := range evidence.Adapters.In(s) {
			if a.Name == "br-int" && a.Forwarding != nil && !*a.Forwarding {
				return a.Field("forwarding").Because("%s does not forward packets", a.Name), true
			}
		}
	}
	return evidence.Because{}, false
}

// A shim of containerd has some hundred handles and some ten megabytes. What containers use is not
// its own.
const (
	manyHandles = 20_000
	muchMemory  = 512 << 20
)

// shimHas finds a shim of containerd that has grown far beyond what it needs.
func shimHas(format string, value func(evidence.Process) int64, most int64) func(evidence.Snapshot,
	*checks.Finding) (evidence.Because, bool) {
	return func(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
		for _, p := range evidence.Processes.In(s) {
			if n := value(p); n > most && node.EqualsAny(node.Program(p.Name), []string{"containerd-shim-runhcs-v1"}) {
				return p.Field().Because(format, p.Name, n), true
			}
		}
		return evidence.Because{}, false
	}
}

// noneOfIPv6 is a missing load balancer of an IPv6 address, where there are some of IPv4 only.
func noneOfIPv6(s evidence.Snapshot, f *checks.Finding) (evidence.Because, bool) {
	lists := evidence.HNSLoadBalancers.In(s)
	for _, lb := range lists {
		if slices.ContainsFunc(node.ParseAddresses(lb.VIPs...), node.Address.Is6) {
			return evidence.Because{}, false
		}
	}
	for _, svc := range evidence.KubeServices.In(s) {
		for _, vip := range node.ParseAddresses(svc.ClusterIPs()...) {
			if vip.Is6() && len(lists) > 0 && strings.Contains(f.Message(), " ("+vip.String()+" port ") {
				return svc.Field("spec", "clusterIPs").Because("%s has %s; no load balancer has an IPv6 address",
					svc.FullName(), vip), true
			}
		}
	}
	return evidence.Because{}, false
}

// overlaySilent is a pod that gets answers from outside of the cluster, and none from Services and
// pods of other nodes.
func overlaySilent(s evidence.Snapshot, _ *checks.Finding) (because evidence.Because, ok bool) {
	n := node.About(s)
	service, pod, outside := false, false, false
	for _, p := range evidence.ReachProbes.In(s) {
		a, known := probed.AddressOf(p)
		ofService := slices.Contains(slices.Concat(n.ServiceIPs.Value, n.ClusterDNS.Value), a) || node.AnyContains(n.ServiceCIDRs.Value, a)
		inside := ofService || node.AnyContains(n.ClusterCIDRs.Value, a) && !node.AnyContains(n.PodCIDRs.Value, a)
		switch {
		case p.From == "node" || p.Protocol == "icmp":
		case known && inside && probed.GotAnswer(p):
			return because, false
		case known && inside && probed.GotNoAnswer(p):
			service, pod = service || ofService, pod || !ofService
			because = probed.ReachBecause(p)
		default:
			outside = outside || probed.GotAnswer(p) && !slices.Contains(n.ManagementIPs.Value, a)
		}
	}
	return because, service && pod && outside
}

// mixedFamilies is a load balancer whose backends have no address of the family of its own.
func mixedFamilies(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	addresses := map[string][]node.Address{}
	for _, e := range evidence.HNSEndpoints.In(s) {
		addresses[e.ID] = node.ParseAddresses(e.Addresses...)
	}
	for _, lb := range evidence.HNSLoadBalancers.In(s) {
		for _, vip := range node.ParseAddresses(lb.VIPs...) {
			for _, id := range lb.Endpoints {
				if of := addresses[id]; len(of) > 0 && !slices.ContainsFunc(of, func(a node.Address) bool {
					return a.Is4() == vip.Is4()
				}) {
					return lb.Field().Because("the load balancer of %s sends traffic to %s", vip, of[0]), true
				}
			}
		}
	}
	return evidence.Because{}, false
}

// mirrorPath is the address of a mirror with its path in front of /v2.
var mirrorPath = regexp.MustCompile(`request to https://[^/ ]+/[^ ]+/v2/[^ ]*\?ns=`)

// pathBeforeVersion is an image that is pulled from a mirror by a wrong path.
func pathBeforeVersion(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	for _, e := range evidence.PodEvents.In(s) {
		if mirrorPath.MatchString(e.Text()) {
			return e.Field().Because("%s", e.Text()), true
		}
	}
	return aPod(func(p evidence.Pod) (evidence.Because, bool) {
		for i, st := range p.Statuses() {
			for _, text := range messages(st) {
				if mirrorPath.MatchString(text) {
					return p.StatusField(i).Because("%s: %s", p.FullName(), text), true
				}
			}
		}
		return evidence.Because{}, false
	})(s, nil)
}

// crashed tells whether a finding is of a crash of HNS, and not of a restart by somebody.
func crashed(s evidence.Snapshot, f *checks.Finding) (evidence.Because, bool) {
	return f.Because[0], strings.Contains(f.Message(), "stopped unexpectedly")
}

// rke2StartedSince tells whether RKE2 was started after the pod of the finding.
func rke2StartedSince(s evidence.Snapshot, f *checks.Finding) (evidence.Because, bool) {
	started := node.About(s).LoggedAt["rke2"]
	for _, p := range evidence.Pods.In(s) {
		if p.FullName() == f.Subject && runsSinceBefore(p, started) {
			return p.Field("status").Because("%s runs since before RKE2 was started at %s", p.FullName(),
				started.UTC().Format("2006-01-02 15:04 UTC")), true
		}
	}
	return evidence.Because{}, false
}

// Remote endpoints of no pod that are more than those of a pod that just ended; and, where the
// EndpointSlices are not recorded, unused ones that are more than a change of Services leaves.
const fewRemote, manyRemote = 2, 20

// remoteOfNoPod are remote endpoints whose address no EndpointSlice has and no load balancer uses.
func remoteOfNoPod(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	used := map[string]bool{}
	for _, lb := range evidence.HNSLoadBalancers.In(s) {
		for _, id := range lb.Endpoints {
			used[id] = true
		}
		if lb.Truncated {
			return evidence.Because{}, false
		}
	}
	named := map[node.Address]bool{}
	for _, slice := range evidence.EndpointSlices.In(s) {
		for _, e := range slice.Endpoints {
			for _, a := range node.ParseAddresses(e.Addresses...) {
				named[a] = true
			}
		}
	}
	least := fewRemote
	switch {
	case len(used) == 0, len(named) == 0 && evidence.EndpointSlices.Known(s):
		return evidence.Because{}, false // of a part of the cluster, or another fault
	case len(named) == 0:
		least = manyRemote
	}
	var left []evidence.HNSEndpoint
	for _, e := range evidence.HNSEndpoints.In(s) {
		if e.Remote && !used[e.ID] && !e.Truncated && len(e.Addresses) > 0 &&
			!slices.ContainsFunc(node.ParseAddresses(e.Addresses...), func(a node.Address) bool { return named[a] }) {
			left = append(left, e)
		}
	}
	if len(left) < least {
		return evidence.Because{}, false
	}
	return left[0].Field().Because("%d remote endpoints belong to no load balancer and no EndpointSlice, such as %s",
		len(left), node.EndpointName(left[0])), true
}
