package faults

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

// A program that still answers so long after its start that it does not know the path never will.
const startsUp = 3 * time.Minute

// clientErrors are the statuses by which a server says that the request is wrong: its path, its method,
// its credentials, or HTTP on a port of HTTPS (400). Others, such as 429, are about its own state.
var clientErrors = []int{400, 401, 403, 404, 405, 410}

var _ = register(&checks.Check{
	ID:       "probe-path-wrong",
	Title:    "HTTP probe has a wrong path or no access",
	Healthy:  "HTTP probes reach a path that answers them",
	Category: checks.CategoryWorkloads,
	Doc: `The kubelet counts an HTTP probe as failed if the status is 400 or higher. A program that answers
404 does not serve the path of the probe; 401 or 403 means that the path requires credentials, and 400
often that the port serves HTTPS. Such answers do not change by themselves: the container is killed again and
again, or never becomes Ready. A new version of a program may have moved the path, as windows_exporter
0.26 did.

The check reads the newest event of each probe. It is a fault if the container keeps restarting because
of its liveness or startup probe, or has not been Ready since its start and its readiness probe still
fails in this way 3 minutes later. A container that became Ready, statuses from 500, and probes without
an answer are not reported.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get pod POD -n NAMESPACE -o yaml", "Read the path, the port and the scheme of the probe."),
		checks.Inspect("Invoke-WebRequest -UseBasicParsing http://ADDRESS:PORT/PATH", "Request the path from the node, and read which program answers."),
		checks.Do("Set a path that the program serves without credentials, or update the chart. If the port serves HTTPS, set scheme: HTTPS.").
			Costs("The pods of the workload are recreated."),
		checks.Verify("kubectl get pods -A --field-selector spec.nodeName={node}",
			"RESTARTS does not increase")),
	Links: []string{
		"https://github.com/prometheus-community/helm-charts/issues/4790",
		"https://github.com/prometheus-community/helm-charts/pull/4791",
		"https://github.com/MoJo2600/pihole-kubernetes/pull/146",
		"https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#define-a-liveness-http-request",
	},
	Shows:    []*checks.Effect{effectContainers},
	Explains: []string{"pods-restarting"},
	Partial:  true, // events are kept for an hour
	Needs:    []evidence.Need{evidence.PodEvents},
	FromPart: []evidence.Need{evidence.Pods, evidence.PodEvents},
	Uses:     []evidence.Need{evidence.Pods},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		if !evidence.Pods.Known(s) {
			for _, e := range evidence.PodEvents.In(s) {
				kind, ok := killedByProbe(e)
				reply := probeReply(s, evidence.Metadata{Name: e.About().Name, Namespace: e.About().Namespace}, "", kind, time.Time{})
				if code := clientError(reply); ok && e.Times() >= restartsWorry && code != 0 {
					name := e.About().Namespace + "/" + e.About().Name
					f := checks.Findingf(checks.Warn, name, "the %s probe of %s gets status %d and kills its container", kind, name, code).
						At(reply.Field(), "%s: %s", reply.Reason, reply.Text()).At(e.Field(), "%s: %s", e.Reason, e.Text())
					f.Basis = checks.ByText
					findings = append(findings, f)
				}
			}
			return findings, nil
		}
		for _, p := range evidence.Pods.In(s) {
			if p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" || p.Metadata.DeletionTimestamp != nil {
				continue
			}
			for i := range p.Statuses() {
				if f := probeRejected(s, p, i); f != nil {
					findings = append(findings, f)
				}
			}
		}
		return findings, nil
	},
})

// probeRejected is about a container whose probe the program rejects for good, or nil.
func probeRejected(s evidence.Snapshot, p evidence.Pod, i int) *checks.Finding {
	st := p.Statuses()[i]
	ended := st.LastState.Terminated
	if ended == nil {
		ended = st.State.Terminated
	}
	if ended != nil && restartReason(st, s.Now()).Format != "" {
		kill := newestEvent(s, p.Metadata, ended.StartedAt.Time, func(e evidence.Event) bool { return killsContainer(e, st.Name) })
		kind, ok := killedByProbe(kill)
		reply := probeReply(s, p.Metadata, st.Name, kind, ended.StartedAt.Time)
		if code := clientError(reply); ok && code != 0 {
			level := cond(kill.At().IsZero() || ended.StartedAt.IsZero(), checks.Warn, checks.Fail)
			return atProbe(checks.Findingf(level, p.FullName(), "container %s of %s is killed by its %s probe, which gets status %d, %d restarts",
				st.Name, p.FullName(), kind, code, st.RestartCount), p, st.Name, kind, reply).
				At(kill.Field(), "%s: %s", kill.Reason, kill.Text())
		}
	}
	if st.Ready || st.State.Running == nil {
		return nil
	}
	since := st.State.Running.StartedAt
	reply := probeReply(s, p.Metadata, st.Name, "readiness", since.Time)
	code := clientError(reply)
	if code == 0 || since.IsZero() || reply.At().Sub(since.Time) < startsUp || s.Now().Sub(reply.At().Time) > restartRecent {
		return nil
	}
	return atProbe(checks.Findingf(checks.Fail, p.FullName(), "container %s of %s does not become Ready: its readiness probe gets status %d",
		st.Name, p.FullName(), code), p, st.Name, "readiness", reply)
}

// atProbe shows the probe and the answer to it.
func atProbe(f *checks.Finding, p evidence.Pod, name, kind string, reply evidence.Event) *checks.Finding {
	if probe, place := probeOf(p, name, kind); probe != nil && probe.HTTPGet != nil {
		f = f.At(place, "%s: container %s: %s probe: path %s", p.FullName(), name, kind, probe.HTTPGet.Path)
	}
	fix := fixOf("probe-path-wrong")
	fix.Steps[0].Command = "kubectl get pod " + p.Metadata.Name + " -n " + p.Metadata.Namespace + " -o yaml"
	return f.At(reply.Field(), "%s: %s", reply.Reason, reply.Text()).Cure(fix)
}

// probeReply is the newest failure of a probe; where no container is given, of any container of the pod.
func probeReply(s evidence.Snapshot, pod evidence.Metadata, container, kind string, since time.Time) evidence.Event {
	return newestEvent(s, pod, since, func(e evidence.Event) bool {
		return e.Reason == "Unhealthy" && strings.HasPrefix(strings.ToLower(e.Text()), kind+" probe ") &&
			(container == "" || e.About().OfContainer(container))
	})
}

// clientError is the status of clientErrors that the kubelet's event reports (pkg/probe/http), or 0.
func clientError(e evidence.Event) int {
	_, code, _ := strings.Cut(e.Text(), "HTTP probe failed with statuscode: ")
	status, _ := strconv.Atoi(strings.TrimSpace(code))
	if !slices.Contains(clientErrors, status) {
		return 0
	}
	return status
}
