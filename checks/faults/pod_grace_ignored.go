package faults

import (
	"fmt"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// dockerGrace is how many seconds Docker on Windows waits for a container to stop.
const dockerGrace = 5

var _ = register(&checks.Check{
	ID:       "pod-grace-ignored",
	Title:    "Docker ends containers before their grace period",
	Healthy:  "Containers get their grace period",
	Category: checks.CategoryWorkloads,
	Doc: `On Windows, Docker ends the processes of a container about five seconds after the request
to stop, whatever terminationGracePeriodSeconds is. A program that needs its grace period to finish
requests or to save its state is interrupted. containerd waits as long as the pod sets.

Thirty seconds is the default of every pod, so only another value is a warning: somebody set it.`,
	Fix: checks.Steps(
		checks.Do("Move the node to containerd, which waits as long as the pod sets.").
			Costs("The node must be drained first."),
		checks.Do("Or change the program so that it stops within five seconds, and set terminationGracePeriodSeconds to 5.").
			Costs("The pods of the workload are recreated."),
		checks.Verify("kubectl get node {node} -o wide", "CONTAINER-RUNTIME is containerd")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod-spec-containers",
		"https://github.com/kubernetes/kubernetes/issues/73434"},
	Applies: checks.OnRuntime("docker"),
	Needs:   []evidence.Need{evidence.Pods, node.NeedRuntime},
	Uses:    []evidence.Need{evidence.Manifests},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		const byDefault = 30
		var findings []*checks.Finding
		for _, p := range podSpecs(s) {
			grace := p.Spec.TerminationGracePeriodSeconds
			if grace == nil || *grace <= dockerGrace || *grace == byDefault {
				continue
			}
			at := podField{p.At.to("terminationGracePeriodSeconds"), fmt.Sprint(*grace)}
			findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
				"%s has a grace period of %d s, but Docker on Windows ends it after %d s",
				p.phrase(), *grace,
				dockerGrace).With(p.because(at), node.About(s).Runtime.From))
		}
		return findings, nil
	},
})
