package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "pod-host-network",
	Title:    "Pod uses hostNetwork but is not a HostProcess pod",
	Healthy:  "Only HostProcess pods use hostNetwork",
	Category: checks.CategoryWorkloads,
	Lints:    true,
	Doc: `A Windows container cannot share the network of the node: hostNetwork is for HostProcess
pods, which are processes of the node and must set it. In any other pod it is rejected or ignored,
depending on the version, and the program does not listen on the address of the node. The DNS policy
ClusterFirstWithHostNet, which belongs to hostNetwork on Linux, does not work on Windows.

With containerd, such a pod waits for the pod network like every other pod. If it is the pod of the
network plugin, it waits for what it would set up itself, and the node stays NotReady.

A pod that starts its program on the host by the pipe of wins is left out: that program is on the
network of the node.`,
	Fix: checks.Steps(
		checks.Do("Remove hostNetwork and the DNS policy ClusterFirstWithHostNet from the pod template, and publish the port with a Service or a hostPort.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If the pod manages the node, make it a HostProcess pod."),
		checks.Verify("doctor lint MANIFEST", "no finding of this check")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/windows-networking/#limitations",
		"https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/",
		"https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#pod-s-dns-policy",
		"https://github.com/containerd/containerd/issues/4856",
		"https://github.com/antrea-io/antrea/issues/1581"},
	Needs: []evidence.Need{needPodSpecs},
	Uses:  slices.Concat([]evidence.Need{evidence.Pods, evidence.Manifests}, cniConfigSources),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		waiting, _ := noCNIConfig(s)
		var findings []*checks.Finding
		for _, p := range podSpecs(s) {
			if p.HostProcess() {
				if p.isManifest() && !p.Spec.HostNetwork {
					at := podField{p.At.to("hostNetwork"), "not set"}
					findings = append(findings, checks.Findingf(checks.Fail, p.Name(),
						"%s is a HostProcess pod without %s: true: the API server rejects it",
						p.phrase(), at.Path).With(p.because(at)).Cure(checks.Steps(
						checks.Do("Set %s to true in the manifest.", at.Path),
						checks.Verify("doctor lint MANIFEST", "no finding of this check"))))
				}
				continue
			}
			network, dns := podField{p.At.to("hostNetwork"), "true"}, podField{p.At.to("dnsPolicy"),
				p.Spec.DNSPolicy}
			onHost := p.Spec.DNSPolicy == "ClusterFirstWithHostNet"
			switch {
			case p.Spec.HostNetwork && onHost:
				findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
					"%s sets %s and %s but is not a HostProcess pod: Windows supports neither",
					p.phrase(), network.Path, dns.Path).With(p.because(network), p.because(dns)))
			case p.Spec.HostNetwork && startedByWins(p.Spec):
				// as in the manifest of Antrea before 2.0
			case p.Spec.HostNetwork && len(waiting) > 0 && node.IsAgent(p.Pod) && node.PodDown(p.Pod) &&
				node.About(s).Runtime.Value.Name == "containerd":
				findings = append(findings, checks.Findingf(checks.Fail, p.Name(),
					"%s sets up the pod network and waits for it: %s is for HostProcess pods only", p.phrase(), network.Path).
					With(p.because(network)).With(waiting[0].Because...).Cure(agentOnHost).Explaining(lacksPlugin...))
			case p.Spec.HostNetwork:
				findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
					"%s sets %s but is not a HostProcess pod: Windows containers have no host network", p.phrase(), network.Path).With(p.because(network)))
			case onHost:
				findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
					"%s has DNS policy ClusterFirstWithHostNet (%s), which Windows does not support", p.phrase(), dns.Path).With(p.because(dns)))
			}
		}
		return findings, nil
	},
})

// agentOnHost is for the pod of a network plugin.
var agentOnHost = checks.Steps(
	checks.Do("Use a version of the network plugin whose pods for Windows are HostProcess pods: it requires containerd 1.6 and Kubernetes 1.22 or later. Otherwise run its agent as a service of Windows.").
		Costs("The pods of the workload are recreated."),
	checks.Verify("kubectl get node {node}", "STATUS is Ready"))

// startedByWins tells whether a pod has the pipe by which wins starts programs on the host.
func startedByWins(spec evidence.PodSpec) bool {
	return slices.ContainsFunc(spec.Volumes, func(v evidence.Volume) bool {
		return v.HostPath != nil && strings.HasSuffix(strings.ToLower(v.HostPath.Path), `pipe\rancher_wins`)
	})
}
