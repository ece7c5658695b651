package faults

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/errcode"
	"doctor/checks/evidence"
)

// A program that does not answer for so long after its start most likely never does, and an answer that
// takes so long is none. csi-driver-smb and Azure/prometheus-collector gave their probes on Windows
// 30 and 60 seconds.
const (
	slowToListen = 3 * time.Minute
	slowAnswer   = 30 // seconds
	killDelay    = 20 * time.Second
)

var _ = register(&checks.Check{
	ID:       "liveness-probe-too-strict",
	Title:    "Liveness probe kills a slow container",
	Healthy:  "Liveness probes let containers start and answer",
	Category: checks.CategoryWorkloads,
	Doc: `The kubelet kills a container whose liveness or startup probe fails failureThreshold times in a row, and
starts it again. On Windows, programs and network connections need longer than on Linux, and the process
of an exec probe takes seconds to start. With the settings of a chart for Linux, a container may be
killed before it listens, or because its answers take longer than timeoutSeconds.

The check compares the events of the last kill with the container's last end and with the settings of the
probe. It is a fault if nothing listened in the time that the probe gives for the start (up to 3
minutes), or if answers took longer than a timeout below 30 seconds. It is a warning if the settings or
times are not recorded, or if containers of several workloads are killed: then the node or its network
may be slow. Containers that end by themselves, and probes that fail with an answer such as status 500,
are not reported, except for CSI drivers whose livenessprobe container logs that the driver did not
answer in time and waits for less than 10 seconds.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl logs POD -n NAMESPACE --previous",
			"Read how long the program takes to start, and whether it reports an error."),
		checks.Do("If it starts slowly, add a startupProbe to the container: periodSeconds 10 and failureThreshold 30 give it 5 minutes.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If it answers slowly, raise timeoutSeconds (for example to 30) and failureThreshold of its livenessProbe, and use an HTTP or TCP probe instead of an exec probe.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If the program hangs or does not listen on the port of the probe, fix the program or the port."),
		checks.Verify("kubectl get pods -A --field-selector spec.nodeName={node}",
			"RESTARTS does not increase")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/",
		"https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/",
		"https://github.com/sysdiglabs/charts/pull/2592",
		"https://github.com/kubernetes-csi/csi-driver-smb/pull/1059",
		"https://github.com/kubernetes-csi/csi-driver-smb/pull/1117",
		"https://github.com/Azure/prometheus-collector/pull/727",
		"https://github.com/Azure/aks-engine/issues/1815",
	},
	// a node that does not reach its pods fails their probes
	Shows:    []*checks.Effect{effectContainers, effectPodTraffic},
	Explains: []string{"pods-restarting"},
	Partial:  true, // events are kept for an hour
	Needs:    []evidence.Need{evidence.PodEvents},
	FromPart: []evidence.Need{evidence.Pods, evidence.PodEvents},
	Uses:     []evidence.Need{evidence.Pods},
	Signs: []checks.Sign{
		// cmd/livenessprobe/main.go of kubernetes-csi, which answers the kubelet with 500 then
		{Text: "Health check failed", Also: []string{"code = DeadlineExceeded"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if !evidence.Pods.Known(s) {
			return killsByEvents(s), nil
		}
		var findings []*checks.Finding
		owners := map[string]bool{}
		for _, p := range evidence.Pods.In(s) {
			if p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" ||
				p.Metadata.DeletionTimestamp != nil {
				continue
			}
			for i := range p.Statuses() {
				if f := probeKill(s, p, i); f != nil {
					findings = append(findings, f)
					owners[cmp.Or(ownerOf(p), p.FullName())] = true
				}
			}
		}
		for i := range findings {
			if len(owners) > 1 {
				findings[i].Level = checks.Warn
			}
		}
		return findings, nil
	},
})

// killedByProbe tells whether the kubelet restarts a container because of its liveness or startup
// probe, and which: pkg/kubelet/kuberuntime/kuberuntime_manager.go.
func killedByProbe(e evidence.Event) (probe string, ok bool) {
	for _, probe := range []string{"liveness", "startup"} {
		if e.Reason == "Killing" && strings.Contains(e.Text(), "failed "+probe+" probe") {
			return probe, true
		}
	}
	return "", false
}

// probeKill is about a container that keeps restarting because its probe kills it, or nil.
func probeKill(s evidence.Snapshot, p evidence.Pod, i int) *checks.Finding {
	st := p.Statuses()[i]
	ended := cmp.Or(st.LastState.Terminated, st.State.Terminated)
	if ended == nil || restartReason(st, s.Now()).Format == "" {
		return nil
	}
	// the newest event, where it is about this end: one of before is of another
	newest := func(fits func(evidence.Event) bool) evidence.Event {
		return newestEvent(s, p.Metadata, ended.StartedAt.Time, fits)
	}
	kill := newest(func(e evidence.Event) bool { return killsContainer(e, st.Name) })
	kind, ok := killedByProbe(kill)
	if !ok {
		return nil
	}
	reply := newest(func(e evidence.Event) bool {
		return e.Reason == "Unhealthy" && strings.HasPrefix(strings.ToLower(e.Text()), kind+" probe ")
	})
	why := probeFailure(reply.Text())
	if f := driverSlow(s, p, st, kind); f != nil && strings.Contains(reply.Text(), "statuscode: 500") {
		return f.At(kill.Field(), "%s: %s", kill.Reason, kill.Text()).At(reply.Field(), "%s: %s", reply.Reason, reply.Text())
	}
	if _, ofNode := refusedAtLocalhost(reply); why == "" || ofNode && !p.HostProcess() {
		return nil // probe-host-localhost
	}
	probe, place := probeOf(p, st.Name, kind)
	certain := !kill.At().IsZero() && !ended.StartedAt.IsZero() && probe != nil
	var f *checks.Finding
	switch {
	case probe == nil:
		f = checks.Findingf(checks.Warn, p.FullName(), "container %s of %s is killed by its %s probe, %d restarts",
			st.Name, p.FullName(), kind, st.RestartCount)
	case why == "refused":
		allowed := time.Duration(probe.InitialDelaySeconds+probe.PeriodSeconds*probe.FailureThreshold) * time.Second
		grace := 30 * time.Second
		if g := p.Spec.TerminationGracePeriodSeconds; g != nil {
			grace = time.Duration(*g) * time.Second
		}
		if ran := ended.FinishedAt.Sub(ended.StartedAt.Time); kind == "liveness" && hasStartupProbe(p, st.Name) ||
			certain && ran > allowed+grace+killDelay {
			return nil // it has answered before
		}
		f = checks.Findingf(cond(certain && allowed <= slowToListen, checks.Fail, checks.Warn), p.FullName(),
			"container %s of %s is killed by its %s probe, which gives it %d s to start: it does not listen yet",
			st.Name, p.FullName(), kind, int(allowed.Seconds()))
	default:
		f = checks.Findingf(cond(certain && probe.TimeoutSeconds < slowAnswer, checks.Fail, checks.Warn), p.FullName(),
			"container %s of %s is killed by its %s probe: no answer within %d s, %d times in a row",
			st.Name, p.FullName(), kind, probe.TimeoutSeconds, probe.FailureThreshold)
	}
	if probe != nil {
		f = f.At(place, "%s: container %s: %s probe: initialDelaySeconds %d, periodSeconds %d, timeoutSeconds %d, failureThreshold %d",
			p.FullName(), st.Name, kind, probe.InitialDelaySeconds, probe.PeriodSeconds, probe.TimeoutSeconds,
			probe.FailureThreshold)
	}
	fix := fixOf("liveness-probe-too-strict")
	fix.Steps[0].Command = "kubectl logs " + p.Metadata.Name + " -n " + p.Metadata.Namespace + " -c " + st.Name + " --previous"
	return f.At(p.StatusField(i, "restartCount"), "%s: container %s: restartCount %d", p.FullName(), st.Name,
		st.RestartCount).
		At(kill.Field(), "%s: %s", kill.Reason, kill.Text()).
		At(reply.Field(), "%s: %s", reply.Reason, reply.Text()).Cure(fix)
}

// shortForDriver is less than a mount of SMB may hold up its driver on Windows, which is 10 to 30 s: csi-driver-smb
// gives 30 s since its pull request 1117.
const shortForDriver = 10 * time.Second

// driverSlow is about a CSI driver whose livenessprobe container waits for less time than a mount takes, and says so.
func driverSlow(s evidence.Snapshot, p evidence.Pod, st evidence.ContainerStatus, kind string) *checks.Finding {
	for i, c := range p.Spec.Containers {
		said := s.Signs("liveness-probe-too-strict")
		at := slices.IndexFunc(said, func(m evidence.SignMatch) bool { // another driver may say it, too
			return m.Over == "" && (isLogOf(m.Path, p, c.Name) || strings.HasPrefix(p.Metadata.Name, m.Source()+"-"))
		})
		if at < 0 {
			continue
		}
		for _, arg := range slices.Concat(c.Command, c.Args) {
			value, ok := strings.CutPrefix(strings.TrimLeft(arg, "-"), "probe-timeout=")
			wait, err := time.ParseDuration(value)
			if ok && err == nil && wait < shortForDriver && strings.Contains(c.Image, "livenessprobe") {
				return checks.Findingf(checks.Fail, p.FullName(),
					"container %s of %s is killed by its %s probe: the driver does not answer container %s within %s",
					st.Name, p.FullName(), kind, c.Name, wait).
					At(p.ContainerField(i, "args"), "%s: container %s: %s", p.FullName(), c.Name, arg).With(checks.Quote(said[at])).
					Cure(checks.Steps(
						checks.Do("Set --probe-timeout=30s in the arguments of container %s, or update the driver.", c.Name).
							Costs("The pods of the driver are recreated."),
						checks.Verify("kubectl get pods -A --field-selector spec.nodeName={node}", "RESTARTS does not increase")))
			}
		}
	}
	return nil
}

// killsContainer tells whether a probe is the reason why the kubelet ends the container.
func killsContainer(e evidence.Event, name string) bool {
	_, ok := killedByProbe(e)
	// the second of docker until Kubernetes 1.13
	return ok && (strings.Contains(e.Text(), "Container "+name+" failed ") ||
		strings.Contains(e.Text(), "://"+name+":Container failed "))
}

// newestEvent is the newest event of a pod that fits, where it is not of before the given time.
func newestEvent(s evidence.Snapshot, pod evidence.Metadata, since time.Time, fits func(evidence.Event) bool) (last evidence.Event) {
	for _, e := range evidence.PodEvents.In(s) {
		if about := e.About(); about.Name == pod.Name && about.Namespace == pod.Namespace &&
			fits(e) && !e.At().Before(last.At().Time) {
			last = e
		}
	}
	if !last.At().IsZero() && last.At().Before(since) {
		return evidence.Event{}
	}
	return last
}

// probeFailure is why a probe failed, as far as its settings may be the reason: "refused" where nothing
// listens yet, "slow" where the answer takes too long, or "". The output of an exec probe is of the
// program's own, and a connection that is not made may be a fault of the network.
func probeFailure(text string) string {
	_, rest, _ := strings.Cut(text, " probe ")
	_, rest, _ = strings.Cut(rest, ": ")
	lower := strings.ToLower(rest)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(rest, w) })
	}
	dials := strings.HasPrefix(rest, "Get ") || strings.HasPrefix(rest, "dial tcp")
	switch {
	case dials && (has("connection refused", "actively refused") || errcode.Shows(lower, "target machine actively refused it")):
		return "refused"
	case dials && (has("waiting for connection", "i/o timeout", "connection attempt failed", "unreachable", "no route") ||
		has(": connectex: ") && !has("deadline exceeded")): // in any language of Windows
		return ""
	case dials && has("deadline exceeded", "Client.Timeout"), strings.HasPrefix(rest, "command ") && has("timed out"),
		has("code = DeadlineExceeded"):
		return "slow"
	}
	return ""
}

// probeOf is the probe of a container with the defaults of Kubernetes, and its place.
func probeOf(p evidence.Pod, name, kind string) (*evidence.Probe, evidence.Place) {
	for i, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		probe := map[string]*evidence.Probe{"startup": c.StartupProbe, "liveness": c.LivenessProbe, "readiness": c.ReadinessProbe}[kind]
		if c.Name == name && probe != nil {
			return &evidence.Probe{HTTPGet: probe.HTTPGet, InitialDelaySeconds: probe.InitialDelaySeconds, PeriodSeconds: cmp.Or(probe.PeriodSeconds, 10),
					TimeoutSeconds: cmp.Or(probe.TimeoutSeconds, 1), FailureThreshold: cmp.Or(probe.FailureThreshold, 3)},
				p.ContainerField(i, kind+"Probe")
		}
	}
	return nil, evidence.Place{}
}

func hasStartupProbe(p evidence.Pod, name string) bool {
	probe, _ := probeOf(p, name, "startup")
	return probe != nil
}

// killsByEvents are the containers that probes have killed repeatedly, where the pods are not recorded.
func killsByEvents(s evidence.Snapshot) []*checks.Finding {
	var findings []*checks.Finding
	for _, e := range evidence.PodEvents.In(s) {
		kind, ok := killedByProbe(e)
		reply := probeReply(s, evidence.Metadata{Name: e.About().Name, Namespace: e.About().Namespace}, "", kind, time.Time{})
		_, ofNode := refusedAtLocalhost(reply)
		if !ok || e.Times() < restartsWorry || clientError(reply) != 0 || ofNode ||
			!e.At().IsZero() && s.Now().Sub(e.At().Time) > restartRecent {
			continue
		}
		name := e.About().Namespace + "/" + e.About().Name
		f := checks.Findingf(checks.Warn, name, "a probe has killed a container of %s %d times", name, e.Times()).
			At(e.Field(), "%s: %s", e.Reason, e.Text())
		f.Basis = checks.ByText
		findings = append(findings, f)
	}
	return findings
}
