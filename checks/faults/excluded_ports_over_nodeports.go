package faults

import (
	"fmt"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// The NodePort range of an API server without --service-node-port-range.
const (
	firstNodePort = 30000
	lastNodePort  = 32767
)

var _ = register(&checks.Check{
	ID:       "excluded-ports-over-nodeports",
	Title:    "Windows reserves ports of the NodePort range",
	Healthy:  "Windows reserves no port of the NodePort range",
	Category: checks.CategoryNetwork,
	Doc: `Windows, WinNAT and HNS reserve ranges of ports. If the dynamic port range was moved below
its default of 49152, they take ranges out of 30000 to 32767, from which Kubernetes gives ports to
Services of type NodePort and LoadBalancer. HNS then refuses the load balancer of such a port ("the
specified port already exists"), and the Service is not reachable on this node.

The check compares the excluded port ranges with the NodePorts of the cluster. A NodePort in a
reserved range of several ports is a warning, as is a dynamic port range that overlaps the NodePort
range. Single ports are not: HNS itself reserves the ports that it serves, and administrators
exclude single ports to protect them.`,
	Fix: checks.Steps(
		checks.Run("netsh int ipv4 set dynamicport tcp start=49152 num=16384",
			"Restore the default dynamic port range."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Move the pods to other nodes.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Run("Restart-Computer",
			"Reboot the node: Windows reserves its port ranges at the boot."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Verify("netsh int ipv4 show excludedportrange protocol=tcp",
			"no range between 30000 and 32767")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/pull/137530",
		"https://learn.microsoft.com/en-us/troubleshoot/windows-server/networking/default-dynamic-port-range-tcpip-chang"},
	Breaks:   []*checks.Effect{effectNodePorts},
	Explains: []string{"lb-port-exhaustion"}, // HNS refuses a reserved port in the same words
	Needs:    []evidence.Need{evidence.Ports},
	Uses:     []evidence.Need{evidence.KubeServices},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		table := evidence.Ports.In(s)
		if table.Excluded == nil {
			return nil, checks.Unknown(evidence.NotShown.Gap("which ports Windows reserves"))
		}
		var findings []*checks.Finding
		over := -1
		for i, e := range table.Excluded {
			if e.End > e.Start && e.Start <= lastNodePort && e.End >= firstNodePort {
				over = i
				for _, f := range nodePortsIn(s, i, e) {
					if r := table.Dynamic[e.Protocol]; r.Start > lastNodePort {
						f = f.Cure(removeReservation(e)) // not made of the dynamic range
					}
					findings = append(findings, f)
				}
			}
		}
		for _, protocol := range []string{"tcp", "udp"} {
			r, ok := table.Dynamic[protocol]
			if !ok || r.Count == 0 || r.Start > lastNodePort ||
				r.Start+r.Count-1 < firstNodePort {
				continue
			}
			findings = append(findings, checks.Findingf(checks.Warn, protocol,
				"dynamic %s ports %d to %d overlap the NodePort range 30000 to 32767", protocol,
				r.Start, r.Start+r.Count-1).
				At(evidence.Ports.Field(s, "dynamic", protocol), "start %d, %d ports", r.Start,
					r.Count))
		}
		if len(findings) == 0 && over >= 0 {
			e := table.Excluded[over]
			findings = append(findings, checks.Findingf(checks.Info, "ports",
				"Windows reserves %s ports %d to %d of the NodePort range; no NodePort is among them",
				e.Protocol, e.Start, e.End).
				At(evidence.Ports.Field(s, "excluded", over), "excluded: %s %d to %d", e.Protocol,
					e.Start, e.End))
		}
		return findings, nil
	},
})

func removeReservation(e evidence.ExcludedPorts) checks.Fix {
	verify := fixOf("excluded-ports-over-nodeports").Steps[4]
	return checks.Steps(
		checks.Run(fmt.Sprintf("netsh int ipv4 delete excludedportrange protocol=%s startport=%d numberofports=%d",
			e.Protocol, e.Start, e.End-e.Start+1),
			"Remove the reservation. Windows did not take it from the dynamic range: an administrator or a program made it.").
			Costs("The program that reserved these ports may not get them any more."),
		checks.Do("If a program needs these ports, give the Service another NodePort."),
		checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
			Costs("Connections to Services break for a few seconds."), verify)
}

// nodePortsIn finds the NodePorts of the cluster in a reserved range.
func nodePortsIn(s evidence.Snapshot, at int, e evidence.ExcludedPorts) []*checks.Finding {
	var findings []*checks.Finding
	for _, svc := range evidence.KubeServices.In(s) {
		for i, p := range svc.Spec.Ports {
			protocol := p.Protocol
			if protocol == "" {
				protocol = "TCP"
			}
			if p.NodePort < e.Start || p.NodePort > e.End ||
				!strings.EqualFold(protocol, e.Protocol) {
				continue
			}
			findings = append(findings, checks.Findingf(checks.Warn, svc.FullName(),
				"NodePort %d of %s is in the ports that Windows reserves: %s %d to %d", p.NodePort,
				svc.FullName(), e.Protocol, e.Start, e.End).
				At(evidence.Ports.Field(s, "excluded", at), "excluded: %s %d to %d", e.Protocol,
					e.Start, e.End).
				At(svc.Field("spec", "ports", i, "nodePort"), "nodePort %d", p.NodePort))
		}
	}
	return findings
}
