package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "probe-host-localhost",
	Title:    "HTTP probe of a pod connects to localhost of the node",
	Healthy:  "HTTP probes connect to their pods",
	Category: checks.CategoryWorkloads,
	Doc: `The kubelet connects to the host of an HTTP probe from the node. With host localhost or
127.0.0.1, it connects to the node itself, and reaches only containers that share the network of the
node: on Windows, those of HostProcess pods. Charts whose pods use the host network on Linux often set
it. In other pods on Windows, nothing listens there: the probe is refused, and the container is killed
again and again.

The check looks for refused probes of localhost in the events. It is a fault if the pod is recorded
and is not a HostProcess pod. It is a warning if the pod is not recorded.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get pod POD -n NAMESPACE -o yaml", "Read the host of the probe, and the address on which the program listens."),
		checks.Do("Remove host from the httpGet of the probe: the kubelet then connects to the address of the pod.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If the program listens on localhost only, let it listen on all addresses: --health-port=PORT or --http-endpoint=:PORT for the sidecar livenessprobe of CSI drivers."),
		checks.Verify("kubectl get pods -A --field-selector spec.nodeName={node}",
			"RESTARTS does not increase")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#http-probes",
		"https://github.com/kubernetes-sigs/azuredisk-csi-driver/pull/2266",
		"https://github.com/kubernetes-sigs/azurefile-csi-driver/pull/1814",
		"https://github.com/kubernetes-csi/csi-driver-smb/pull/768",
	},
	Shows:    []*checks.Effect{effectContainers},
	Explains: []string{"liveness-probe-too-strict", "pods-restarting"},
	Partial:  true, // events are kept for an hour
	Needs:    []evidence.Need{evidence.PodEvents},
	FromPart: []evidence.Need{evidence.Pods, evidence.PodEvents},
	Uses:     []evidence.Need{evidence.Pods},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, e := range evidence.PodEvents.In(s) {
			kind, ok := refusedAtLocalhost(e)
			about := e.About()
			name := strings.TrimPrefix(about.Namespace+"/"+about.Name, "/")
			if !ok || e.Times() < restartsWorry ||
				!e.At().IsZero() && s.Now().Sub(e.At().Time) > restartRecent ||
				slices.ContainsFunc(findings, func(f *checks.Finding) bool { return f.Subject == name }) {
				continue
			}
			f := checks.Findingf(checks.Warn, name, "a %s probe connects to localhost of the node, where nothing listens", kind)
			f.Basis = checks.ByText
			if evidence.Pods.Known(s) {
				if f = probeOfNode(s, e, kind); f == nil {
					continue
				}
			}
			findings = append(findings, f.At(e.Field(), "%s: %s", e.Reason, e.Text()))
		}
		return findings, nil
	},
})

// localhosts are the names and addresses of the node for itself.
var localhosts = []string{"localhost", "127.0.0.1", "[::1]", "::1"}

// refusedAtLocalhost tells whether an event is of a probe that localhost refused, and of which: pkg/probe/http.
func refusedAtLocalhost(e evidence.Event) (kind string, ok bool) {
	kind, rest, _ := strings.Cut(strings.ToLower(e.Text()), " probe failed: get ")
	if e.Reason != "Unhealthy" || probeFailure(e.Text()) != "refused" || !strings.Contains(e.Text(), ": connectex: ") {
		return "", false // or a kubelet on Linux says so of a pod there
	}
	_, host, _ := strings.Cut(rest, "://")
	return kind, slices.ContainsFunc(localhosts, func(l string) bool {
		return strings.HasPrefix(host, l+":") || strings.HasPrefix(host, l+"/")
	})
}

// probeOfNode is about the probe of a pod with a network of its own, or nil.
func probeOfNode(s evidence.Snapshot, e evidence.Event, kind string) *checks.Finding {
	for _, p := range evidence.Pods.In(s) {
		if p.Metadata.Name != e.About().Name || p.Metadata.Namespace != e.About().Namespace || p.HostProcess() ||
			p.Metadata.DeletionTimestamp != nil {
			continue
		}
		for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
			probe, place := probeOf(p, c.Name, kind)
			if probe == nil || probe.HTTPGet == nil || !slices.Contains(localhosts, strings.ToLower(probe.HTTPGet.Host)) {
				continue
			}
			fix := fixOf("probe-host-localhost")
			fix.Steps[0].Command = "kubectl get pod " + p.Metadata.Name + " -n " + p.Metadata.Namespace + " -o yaml"
			return checks.Findingf(checks.Fail, p.FullName(),
				"the %s probe of container %s of %s connects to localhost of the node, but the pod has its own network",
				kind, c.Name, p.FullName()).
				At(place, "%s: container %s: %s probe: host %s", p.FullName(), c.Name, kind, probe.HTTPGet.Host).Cure(fix)
		}
	}
	return nil
}
