package faults

import (
	"fmt"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// dockerGrace is how long docker on Windows waits for a container to end by itself.
const dockerGrace = 5

var _ = register(checks.Check{
	ID:       "pod-grace-ignored",
	Title:    "a pod asks for more time to end than docker gives it",
	Category: checks.CategoryWorkloads,
	Doc: `On Windows docker ends a container's processes about five seconds after it asked them
to, whatever terminationGracePeriodSeconds says. A program that needs its grace period to finish
requests or to write its state is cut off. containerd waits as long as the pod says.

Thirty seconds is what every pod has that says nothing, so only a pod with another value is a
warning: somebody set it.`,
	Fix: checks.Steps(
		checks.Inspect(
			"kubectl get pods -A --field-selector spec.nodeName={node} -o custom-columns=NS:.metadata.namespace,NAME:.metadata.name,GRACE:.spec.terminationGracePeriodSeconds", ""),
		checks.Do("move the node to containerd, or let the program end within five seconds: finish work in a preStop hook, and take the pod out of its Services first")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod-spec-containers",
		"https://github.com/kubernetes/kubernetes/issues/73434"},
	Applies: checks.OnRuntime("docker"),
	Needs:   []evidence.Need{evidence.Pods, node.NeedRuntime},
	Uses:    []evidence.Need{evidence.Manifests},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		const unsaid = 30
		var findings []checks.Finding
		for _, p := range podSpecs(s) {
			grace := p.Spec.TerminationGracePeriodSeconds
			if grace == nil || *grace <= dockerGrace || *grace == unsaid {
				continue
			}
			at := podField{p.At.to("terminationGracePeriodSeconds"), fmt.Sprint(*grace)}
			findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
				"%s asks for %d s to end, and docker on Windows gives it %d", p.phrase(), *grace,
				dockerGrace).With(p.because(at), node.About(s).Runtime.From))
		}
		return findings, nil
	},
})
