package faults

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

var _ = register(&checks.Check{
	ID:       "service-target-port-refused",
	Title:    "Service sends to a port on which its pods do not listen",
	Healthy:  "No pod refuses the targetPort of its Service",
	Category: checks.CategoryNetwork,
	Doc: `A Service sends the traffic of its port to the targetPort of its pods. If no container listens there,
the pod is ready and has its endpoint, but each connection to the Service is refused. The default of
targetPort is the port of the Service itself.

The check compares probes of the pods with the ports of the EndpointSlices. It reports a refused port
that no container of the pod declares, if containers of the pod declare others.`,
	Fix: rightTargetPort("NAMESPACE", "POD", "NAME"),
	Links: []string{"https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/connectivity/troubleshoot-connection-pods-services-same-cluster",
		"https://kubernetes.io/docs/tasks/debug/debug-application/debug-service/"},
	Needs: []evidence.Need{evidence.KubeServices, evidence.EndpointSlices, evidence.Pods, evidence.ReachProbes},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		looked := false
		for _, svc := range evidence.KubeServices.In(s) {
			for slice := range svc.Slices(s) {
				for _, port := range slice.Ports {
					for _, p := range evidence.ReachProbes.In(s) {
						a, ok := probed.AddressOf(p)
						if !ok || p.Protocol != "tcp" || portOf(p.Target) != port.Port || !strings.EqualFold(node.ProtocolOf(port.Protocol), "tcp") {
							continue
						}
						pod, there := readyPodAt(s, slice, a)
						if !there {
							continue
						}
						looked = true
						declared := tcpPorts(pod)
						if p.Outcome != "refused" || len(declared) == 0 || slices.Contains(declared, port.Port) {
							continue
						}
						findings = append(findings, checks.Findingf(checks.Warn, svc.FullName(),
							"the Service %s sends to port %d of %s, which refuses connections; its containers declare %s",
							svc.FullName(), port.Port, pod.FullName(), strings.Trim(fmt.Sprint(declared), "[]")).
							With(probed.ReachBecause(p)).
							At(slice.Field("ports"), "%s has port %d", slice.Metadata.Name, port.Port).
							Cure(rightTargetPort(svc.Metadata.Namespace, pod.Metadata.Name, svc.Metadata.Name)))
						break // another probe says the same
					}
				}
			}
		}
		if !looked {
			return nil, checks.Skip("no port of a Service was probed at a pod of this node")
		}
		return findings, nil
	},
})

func rightTargetPort(namespace, pod, service string) checks.Fix {
	return checks.Steps(
		checks.Inspect("kubectl exec -n "+namespace+" "+pod+" -- netstat -ano", "Read on which ports the pod listens."),
		checks.Do("Set the targetPort of the Service to that port."),
		checks.Verify("kubectl -n "+namespace+" describe service "+service, "Endpoints with that port"))
}

// readyPodAt is the pod of this node that is a ready backend of the slice at that address.
func readyPodAt(s evidence.Snapshot, slice evidence.EndpointSlice, a node.Address) (evidence.Pod, bool) {
	ready := slices.ContainsFunc(slice.Endpoints, func(e evidence.ServiceEndpoint) bool {
		return e.Ready() && slices.Contains(node.ParseAddresses(e.Addresses...), a)
	})
	for _, p := range evidence.Pods.In(s) {
		if ip, ok := node.ParseAddress(p.Status.PodIP); ready && ok && ip == a && p.Ready() {
			return p, true
		}
	}
	return evidence.Pod{}, false
}

// tcpPorts lists the TCP ports that the containers of a pod declare.
func tcpPorts(p evidence.Pod) (ports []int) {
	for _, c := range p.Spec.Containers {
		for _, port := range c.Ports {
			if port.Protocol == "" || port.Protocol == "TCP" {
				ports = append(ports, port.ContainerPort)
			}
		}
	}
	return ports
}
