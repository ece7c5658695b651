package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(checks.Check{
	ID:       "pod-host-network",
	Title:    "a pod asks for the node's network without being a HostProcess pod",
	Category: checks.CategoryWorkloads,
	Lints:    true,
	Doc: `A Windows container cannot share the node's network: hostNetwork is for HostProcess
pods, which are processes of the node anyway and must set it. In any other pod it is refused or
ignored, depending on the version, and the program does not listen where its author expects it. The
DNS policy ClusterFirstWithHostNet, which belongs to it on Linux, does not work on Windows at all.`,
	Fix: checks.Steps(
		checks.Inspect(
			"kubectl get pods -A --field-selector spec.nodeName={node} -o custom-columns=NS:.metadata.namespace,NAME:.metadata.name,HOSTNET:.spec.hostNetwork,DNS:.spec.dnsPolicy", ""),
		checks.Do("take hostNetwork and the DNS policy out and publish the port with a Service or a hostPort; or make the pod a HostProcess pod, if it is to manage the node").
			Costs("changing a pod template recreates the pods of the workload")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/windows-networking/#limitations",
		"https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/",
		"https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#pod-s-dns-policy"},
	Needs: []evidence.Need{needPodSpecs},
	Uses:  []evidence.Need{evidence.Pods, evidence.Manifests},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
		for _, p := range podSpecs(s) {
			if p.HostProcess() {
				if p.isManifest() && !p.Spec.HostNetwork {
					at := podField{p.At.to("hostNetwork"), "not set"}
					findings = append(findings, checks.Findingf(checks.Fail, p.Name(),
						"%s is a HostProcess pod without %s: true, which the API server refuses",
						p.phrase(), at.Path).With(p.because(at)))
				}
				continue
			}
			network, dns := podField{p.At.to("hostNetwork"), "true"}, podField{p.At.to("dnsPolicy"),
				p.Spec.DNSPolicy}
			onHost := p.Spec.DNSPolicy == "ClusterFirstWithHostNet"
			switch {
			case p.Spec.HostNetwork && onHost:
				findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
					"%s sets %s and %s, and is no HostProcess pod: Windows knows neither",
					p.phrase(), network.Path, dns.Path).With(p.because(network), p.because(dns)))
			case p.Spec.HostNetwork:
				findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
					"%s sets %s, and is no HostProcess pod: Windows containers have no host network", p.phrase(), network.Path).With(p.because(network)))
			case onHost:
				findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
					"%s has the DNS policy ClusterFirstWithHostNet (%s), which Windows does not know", p.phrase(), dns.Path).With(p.because(dns)))
			}
		}
		return findings, nil
	},
})
