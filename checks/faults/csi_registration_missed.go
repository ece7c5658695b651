package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "csi-registration-missed",
	Title:    "kubelet missed the registration of a CSI driver",
	Healthy:  "CSI drivers are registered with the kubelet",
	Category: checks.CategoryStorage,
	Doc: `The node-driver-registrar creates a socket in the plugins_registry folder, and the kubelet
must notice it and call back. On Windows the kubelet sometimes misses the new socket, so the driver
runs without being registered and its volumes are not mounted. From version 2.3.0 the registrar has
a probe that notices this and restarts the container. If the probe fails again and again, restarting
does not help: then the kubelet is the side that does not answer.

The check looks for the words of this probe in events and in the logs of the driver. It is a fault
where a pod waits for a driver that the kubelet does not know, although the pod of the driver on this
node has been ready for minutes: a registrar that the kubelet refuses exits.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get csinode {node} -o jsonpath='{.spec.drivers[*].name}'",
			"Read which drivers are registered on this node."),
		checks.Run("{restart kubelet}",
			"Restart the kubelet: it reads the folder of sockets again at its start.").
			Costs("Running containers are not affected."),
		checks.Do("If the driver is still missing, delete the pod of the driver on this node, so that its socket is created again.").
			Costs("Mounted volumes stay."),
		checks.Do("Update the node-driver-registrar to 2.3.0 or later, and set its probe --mode=kubelet-registration-probe."),
		checks.Verify("kubectl get csinode {node} -o jsonpath='{.spec.drivers[*].name}'",
			"the name of the driver")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/104584",
		"https://github.com/kubernetes-csi/node-driver-registrar/issues/143",
		"https://github.com/Azure/secrets-store-csi-driver-provider-azure/issues/639",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"csi-driver-not-registered"},
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("csi-driver"), evidence.Logs("pods"), evidence.PodEvents)},
	Uses:     []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Moot:     noDriver,
	Signs: []checks.Sign{
		// One failed probe is normal while a driver starts, so this only warns.
		{Text: "Kubelet plugin registration hasn't succeeded yet", Level: checks.Warn,
			Says: "a CSI driver runs, but the kubelet has not registered it"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, e := range evidence.PodEvents.In(s) {
			_, text, _ := strings.Cut(e.Text(), "driver name ")
			driver, _, refused := strings.Cut(text, " "+notRegistered)
			if !refused || strings.Contains(driver, " ") || !waits(s, e) ||
				slices.ContainsFunc(findings, func(f *checks.Finding) bool { return f.Subject == driver }) {
				continue
			}
			for _, p := range evidence.Pods.In(s) {
				i, image := registrarOf(p, driver)
				if i < 0 || !readyBefore(p, e.At().Add(-registrationTime)) {
					continue
				}
				f := checks.Findingf(checks.Fail, driver,
					"CSI driver %s runs, but the kubelet has not registered it", driver)
				_, version, _ := strings.Cut(image, "node-driver-registrar:")
				if v, ok := evidence.ParseVersion(version); ok && !v.AtLeast(evidence.Version{Major: 2, Minor: 3}) {
					f = checks.Findingf(checks.Fail, driver,
						"CSI driver %s runs, but the kubelet has not registered it; its node-driver-registrar is %s, and 2.3.0 detects this",
						driver, version)
				}
				findings = append(findings,
					f.At(p.ContainerField(i, "image"), "%s is ready; its registrar is %s", p.FullName(), image).
						At(e.Field(), "%s: %s", e.Reason, e.Text()))
			}
		}
		if len(findings) == 0 && len(s.Signs("csi-registration-missed")) > 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("which drivers the kubelet has registered"))
		}
		return findings, nil
	},
})

// registrationTime is longer than the kubelet takes to call a new registrar back.
const registrationTime = 2 * time.Minute

// waits tells whether the pod that the event is about still does not run.
func waits(s evidence.Snapshot, e evidence.Event) bool {
	about := e.About()
	for _, p := range evidence.Pods.In(s) {
		if p.Metadata.Name == about.Name && p.Metadata.Namespace == about.Namespace {
			return !podRuns(p)
		}
	}
	return false
}

// registrarOf is the container of a pod that registers the driver, and its image; -1 where there is none.
// Its folder has the driver's name, or is called like csi-secrets-store for secrets-store.csi.k8s.io.
func registrarOf(p evidence.Pod, driver string) (container int, image string) {
	short, _, _ := strings.Cut(driver, ".csi.")
	for i, c := range p.Spec.Containers {
		of := strings.Join(c.Args, " ")
		for _, env := range c.Env {
			of += " " + env.Value
		}
		if strings.Contains(c.Image, "node-driver-registrar:") &&
			(strings.Contains(of, driver) || strings.Contains(of, "csi-"+short)) {
			return len(p.Spec.InitContainers) + i, c.Image
		}
	}
	return -1, ""
}

// readyBefore tells whether all containers of the pod are ready and have run since before then.
func readyBefore(p evidence.Pod, then time.Time) bool {
	for _, st := range p.Status.ContainerStatuses {
		if !st.Ready || st.State.Running == nil || !st.State.Running.StartedAt.Before(then) {
			return false
		}
	}
	return len(p.Status.ContainerStatuses) > 0
}
