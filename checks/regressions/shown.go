package regressions

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
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
		// the first builds of 1.7 read neither the folder of the image nor that variable
		if at >= 0 && c.WorkingDir != "" && p.HostProcess() && strings.Contains(c.WorkingDir, sandboxMount) &&
			ended(p, c.Name, scriptNotFound) {
			return p.ContainerField(i).Because("%s: PowerShell does not find %s of container %s in %s", p.FullName(),
				line[at], c.Name, c.WorkingDir), true
		}
		if at >= 0 && c.WorkingDir == "" && p.HostProcess() {
			return p.ContainerField(i).Because("%s: container %s starts %s and has no workingDir", p.FullName(),
				c.Name, line[at]), true
		}
	}
	return evidence.Because{}, false
}

const sandboxMount = "CONTAINER_SANDBOX_MOUNT_POINT"

// scriptNotFound is how PowerShell ends, as a signed number, if the script of -File does not exist.
const scriptNotFound = -196608

// ended tells whether a container ended with an exit code; some runtimes record it without its sign.
func ended(p evidence.Pod, container string, code int) bool {
	return slices.ContainsFunc(p.Statuses(), func(st evidence.ContainerStatus) bool {
		return st.Name == container && slices.ContainsFunc([]*evidence.TerminatedState{st.State.Terminated,
			st.LastState.Terminated}, func(end *evidence.TerminatedState) bool {
			return end != nil && int32(uint32(end.ExitCode)) == int32(code)
		})
	})
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

// nestedSubPath is a container with a path below a folder of a volume that the kubelet writes itself, with a
// link to each of its folders.
func nestedSubPath(p evidence.Pod) (evidence.Because, bool) {
	return downContainer(p, func(c evidence.Container) bool {
		return slices.ContainsFunc(c.VolumeMounts, func(m evidence.VolumeMount) bool {
			return strings.Contains(strings.Trim(m.SubPath, "/"), "/") &&
				slices.ContainsFunc(p.Spec.Volumes, func(v evidence.Volume) bool {
					return v.Name == m.Name && (v.ConfigMap != nil || v.Secret != nil || v.DownwardAPI != nil || v.Projected != nil)
				})
		})
	}, "%s: container %s mounts a subPath below a folder of a volume")
}

// newestOf2025 is a container with an image of Microsoft whose tag names the newest one of Server 2025, or a
// build of May 2025 or later.
func newestOf2025(p evidence.Pod) (evidence.Because, bool) {
	return downContainer(p, func(c evidence.Container) bool {
		build := buildOf2025.FindStringSubmatch(c.Image)
		return strings.HasPrefix(c.Image, "mcr.microsoft.com/") && (strings.HasSuffix(c.Image, "ltsc2025") ||
			build != nil && len(build[1]) >= 4 && (len(build[1]) > 4 || build[1] >= "4061"))
	}, "%s: container %s has an image of Windows Server 2025 that may be newer than the node")
}

var buildOf2025 = regexp.MustCompile(`[:-]10\.0\.26100\.(\d+)(?:-\w+)?$`)

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

// leakedMemory is many times what a kubelet needs on a node with a hundred pods.
const leakedMemory = 1 << 30

// largestIsKubelet finds a kubelet that has grown far beyond what it needs, and beyond all other processes:
// where another has more, that one uses up the memory.
func largestIsKubelet(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	held := func(p evidence.Process) int64 { return max(p.WorkingSetBytes, p.PrivateBytes) }
	largest := evidence.Process{}
	for _, p := range evidence.Processes.In(s) {
		if held(p) > held(largest) {
			largest = p
		}
	}
	if held(largest) <= leakedMemory || !node.EqualsAny(node.Program(largest.Name), []string{"kubelet"}) {
		return evidence.Because{}, false
	}
	return largest.Field().Because("%s uses %d bytes of memory", largest.Name, held(largest)), true
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

// rke2StartedSince tells whether RKE2 was started after the pod of the finding; without one, after a pod
// that cannot end because HNS does not know what was in its network namespace.
func rke2StartedSince(s evidence.Snapshot, f *checks.Finding) (evidence.Because, bool) {
	started := node.About(s).LoggedAt["rke2"]
	for _, p := range evidence.Pods.In(s) {
		switch {
		case f != nil && p.FullName() == f.Subject && runsSinceBefore(p, started):
			return p.Field("status").Because("%s runs since before RKE2 was started at %s", p.FullName(),
				started.UTC().Format("2006-01-02 15:04 UTC")), true
		case f == nil && p.Metadata.DeletionTimestamp != nil && !p.Status.StartTime.IsZero() &&
			p.Status.StartTime.Before(started):
			if e, ok := namespaceStays(s, p); ok && started.Before(e.At().Time) {
				return e.Field().Because("%s is older than the start of RKE2 at %s: %s", p.FullName(),
					started.UTC().Format("2006-01-02 15:04 UTC"), e.Text()), true
			}
		}
	}
	return evidence.Because{}, false
}

// namespaceStays finds the event of a pod whose network namespace HNS does not delete.
func namespaceStays(s evidence.Snapshot, p evidence.Pod) (evidence.Event, bool) {
	for _, e := range evidence.PodEvents.In(s) {
		if about := e.About(); about.Namespace == p.Metadata.Namespace && about.Name == p.Metadata.Name &&
			strings.Contains(e.Text(), "hcnDeleteNamespace failed") && strings.Contains(e.Text(), "0x803b0015") {
			return e, true
		}
	}
	return evidence.Event{}, false
}

// Remote endpoints of no pod that are more than those of a pod that just ended; and, where the
// EndpointSlices are not recorded, unused ones that are more than a change of Services leaves.
const fewRemote, manyRemote = 2, 20
