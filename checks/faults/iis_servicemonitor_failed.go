package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const appcmdFailed = "APPCMD failed with error code"

var _ = register(&checks.Check{
	ID:       "iis-servicemonitor-failed",
	Title:    "IIS container exits: ServiceMonitor cannot configure IIS",
	Healthy:  "ServiceMonitor configures IIS in its containers",
	Category: checks.CategoryWorkloads,
	Doc: `Images of IIS and ASP.NET start ServiceMonitor.exe. It writes the environment variables of the
container into the application pool DefaultAppPool with appcmd, and then starts the service w3svc. If
appcmd fails, ServiceMonitor prints its exit code and exits, and so does the container. Usual codes: 4312,
the image has no pool DefaultAppPool; 259, appcmd did not end within five seconds, usually because
Kubernetes adds several variables for each Service of the namespace; 183, a variable is already there.

The check looks for the words of ServiceMonitor in the logs and last states of containers that do
not run.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl logs POD -n NAMESPACE --previous", "Read the exit code of appcmd."),
		checks.Do("If it is 4312, give ServiceMonitor the application pool of the image: ENTRYPOINT C:\\ServiceMonitor.exe w3svc POOL."),
		checks.Do("If it is 259, set enableServiceLinks: false in the pod template.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If it is 183, or the error stays, build the image on a current base image of IIS: old versions of ServiceMonitor add variables twice."),
		checks.Verify("kubectl get pods -n NAMESPACE", "the pod is Running")),
	Links: []string{
		"https://github.com/microsoft/IIS.ServiceMonitor/issues/38",
		"https://github.com/microsoft/IIS.ServiceMonitor/issues/76",
		"https://github.com/microsoft/iis-docker/issues/42",
		"https://github.com/microsoft/iis-docker/issues/157",
	},
	Breaks: []*checks.Effect{effectContainers},
	Needs:  []evidence.Need{evidence.Any(evidence.Pods, evidence.Logs("pods"))},
	Uses:   []evidence.Need{evidence.Pods, evidence.Logs("pods")},
	Signs: []checks.Sign{
		{Text: appcmdFailed, In: []string{"pods", "other", evidence.InPods}, ConfirmOnly: true}, // some versions go on
		{Text: "Failed to update IIS configuration", In: []string{"pods", "other", evidence.InPods},
			Says: "ServiceMonitor cannot configure IIS, and its container exits"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if gap := evidence.Pods.Gap(s); gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		var findings []*checks.Finding
		silent := false
		for _, p := range evidence.Pods.In(s) {
			silent = silent || unheard(s, p)
			for _, c := range p.Spec.Containers {
				said := saidIn(s, "iis-servicemonitor-failed", p, c.Name)
				if !node.PodDown(p) || !slices.ContainsFunc(said, func(m evidence.SignMatch) bool { return m.Text != appcmdFailed }) {
					continue
				}
				f := checks.Findingf(checks.Fail, p.FullName(), "%s is not running: ServiceMonitor cannot configure IIS", p.FullName())
				for _, m := range said {
					f = f.With(checks.Quote(m))
				}
				f.Basis = checks.ByBoth
				findings = append(findings, f)
			}
		}
		if silent && len(findings) == 0 {
			return nil, notHeard(s)
		}
		return findings, nil
	},
})
