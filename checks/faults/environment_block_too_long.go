package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "environment-block-too-long",
	Title:    "Container has too many environment variables",
	Healthy:  "Programs in containers can pass on their environment",
	Category: checks.CategoryWorkloads,
	Doc: `PowerShell and programs of .NET Framework start no other process if their environment is longer
than 65,535 bytes, which are 32,767 characters. The usual reason is a namespace with many Services:
Kubernetes gives each container seven or more variables for each Service of its namespace, unless the pod sets
enableServiceLinks: false.

The check looks for the words of .NET and PowerShell in the logs and last states of containers that do
not run.`,
	Fix: fewerVariables("kubectl -n NAMESPACE patch deployment/NAME"),
	Links: []string{
		"https://github.com/microsoft/nav-docker/issues/470",
		"https://github.com/PowerShell/PowerShell/issues/14110",
		"https://kubernetes.io/docs/tutorials/services/connect-applications-service/#accessing-the-service",
	},
	Breaks: []*checks.Effect{effectContainers},
	Needs:  []evidence.Need{evidence.Any(evidence.Pods, evidence.Logs("pods"))},
	Uses:   []evidence.Need{evidence.Pods, evidence.Logs("pods"), evidence.KubeServices},
	Signs: []checks.Sign{
		// PowerShell breaks the line at the width of its console
		{Text: "The environment block used to start a process", Or: []string{"EnvironmentBlockTooLong"},
			In: []string{"pods", "other", evidence.InPods}, Says: "a program cannot start a process: its environment is longer than 65,535 bytes"},
		{Text: "Your environment block is ", Also: []string{" bytes long"},
			In: []string{"pods", "other", evidence.InPods}, Says: "a program cannot start a process: its environment is longer than 65,535 bytes"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if gap := evidence.Pods.Gap(s); gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		var findings []*checks.Finding
		silent := false
		for _, p := range evidence.Pods.In(s) {
			silent = silent || unheard(s, p)
			for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
				said := saidIn(s, "environment-block-too-long", p, c.Name)
				if !node.PodDown(p) || len(said) == 0 {
					continue
				}
				f := checks.Findingf(checks.Fail, p.FullName(),
					"%s is not running: container %s cannot start processes, because its environment is longer than 65,535 bytes",
					p.FullName(), c.Name).With(checks.Quote(said[0]))
				f.Basis = checks.ByBoth
				if links := p.Spec.EnableServiceLinks; links != nil && !*links {
					f = f.Cure(fewerVariables(""))
				} else {
					f = f.Cure(fewerVariables(onWorkload(p, "patch", ""))).
						At(p.Field("spec", "enableServiceLinks"), "%s: enableServiceLinks is not false", p.FullName())
					if n := servicesIn(s, p.Metadata.Namespace); n > 0 {
						f = f.At(evidence.KubeServices.Field(s), "namespace %s has %d Services", p.Metadata.Namespace, n)
					}
				}
				findings = append(findings, f)
			}
		}
		if silent && len(findings) == 0 {
			return nil, notHeard(s)
		}
		return findings, nil
	},
})

// servicesIn counts the Services that variables are made of: those with an address.
func servicesIn(s evidence.Snapshot, namespace string) (n int) {
	for _, svc := range evidence.KubeServices.In(s) {
		if svc.Metadata.Namespace == namespace && len(svc.ClusterIPs()) > 0 {
			n++
		}
	}
	return n
}

// fewerVariables patches a pod template; a pod that already has no variables of Services has too many others.
func fewerVariables(patch string) checks.Fix {
	rest := []*checks.Step{
		checks.Do("Remove variables that the program does not need, such as those of a large ConfigMap in envFrom."),
		checks.Verify("kubectl get pods -n NAMESPACE", "the pod is Running")}
	if patch == "" {
		return checks.Steps(rest...)
	}
	rest[0] = checks.Do("If the error stays, remove variables that the program does not need, such as those of a large ConfigMap in envFrom.")
	return checks.Steps(append([]*checks.Step{
		checks.Run(patch+` --type merge -p 'spec: {template: {spec: {enableServiceLinks: false}}}'`,
			"Set enableServiceLinks: false in the pod template. The program then finds Services by their DNS names.").
			Costs("The pods of the workload are recreated. A program that reads variables such as NAME_SERVICE_HOST no longer finds them.")}, rest...)...)
}
