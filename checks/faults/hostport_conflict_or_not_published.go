package faults

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const portTaken = "HNS could not publish a pod's host port: another pod or process has it"

var _ = register(checks.Check{
	ID:       "hostport-conflict-or-not-published",
	Title:    "a pod's hostPort is taken, or nobody publishes it",
	Category: checks.CategoryNetwork,
	Doc: `A hostPort is published by the CNI plugin, which puts a PortMapping policy on the
pod's HNS endpoint. The runtime tells the plugin of it only where the configuration says
"capabilities": {"portMappings": true}; without that the pod runs and the port answers nobody. And a
port can be had once: if a process such as IIS or another pod holds it, HNS refuses the endpoint
with 0x803b0013 or 0x20 and the pod does not start.

The check looks at the pods with a hostPort: for two of them with the same port, for a process that
listens on it, for the policy on the endpoint, and where endpoints are not recorded, for the
capability. Pods on the host's network bind their ports themselves and do not count.`,
	Fix: checks.Steps(
		checks.Inspect(
			"Get-NetTCPConnection -State Listen | Select-Object LocalAddress, LocalPort, OwningProcess", ""),
		checks.Inspect("Get-HnsEndpoint | Select-Object IPAddress, Policies", ""),
		checks.Do(`free the port, or give the pod another one; where nothing publishes it, add "capabilities": {"portMappings": true} to {cniFile} and create the pod again. A Service of type NodePort needs neither`).
			Costs("the pod is created anew; other pods are not touched")),
	Links: []string{
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems", "https://github.com/docker/for-win/issues/667",
		"https://github.com/moby/moby/issues/35023", "https://github.com/moby/moby/issues/41094"},
	Breaks: []*checks.Effect{effectPodStart},
	Needs: []evidence.Need{evidence.Pods, evidence.Any(evidence.HNSEndpoints, node.NeedCNIFiles,
		evidence.Ports)},
	Uses: slices.Concat([]evidence.Need{evidence.HNSEndpoints, evidence.Ports}, node.CNIFolders,
		node.RuntimeConfigs),
	Signs: []checks.Sign{
		portSign("HCN_E_PORT_ALREADY_EXISTS", "create endpoint"),
		portSign("HCN_E_PORT_ALREADY_EXISTS", "hcnCreateEndpoint"),
		portSign("ERROR_SHARING_VIOLATION", "create endpoint"), portSign("ERROR_SHARING_VIOLATION",
			"hcnCreateEndpoint"),
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		ports := podsWithHostPorts(s)
		if len(ports) == 0 {
			return nil, checks.Skip("no pod of this node asks for a hostPort")
		}
		var findings []checks.Finding
		seen := map[string]podPort{}
		open := ""
		for _, p := range ports {
			key := fmt.Sprintf("%s/%d", p.protocol, p.port)
			if other, taken := seen[key]; taken &&
				other.pod.Metadata.UID+other.pod.FullName() != p.pod.Metadata.UID+p.pod.FullName() {
				findings = append(findings, checks.Findingf(checks.Fail, p.pod.FullName(),
					"pods %s and %s both ask for host port %s", other.pod.FullName(),
					p.pod.FullName(), key).
					At(other.at, "%s: hostPort is %d", other.pod.FullName(), p.port).At(p.at,
					"%s: hostPort is %d", p.pod.FullName(), p.port))
				continue
			}
			seen[key] = p
			if f, held := heldByProcess(s, p); held {
				findings = append(findings, f)
				continue
			}
			f, state := published(s, p)
			if state == notPublished {
				findings = append(findings, f)
			}
			if state == cannotTell {
				open = key
			}
		}
		if len(findings) == 0 && open != "" {
			return nil, checks.Unknown(evidence.NotShown.Gap("whether host port %s is published",
				open))
		}
		return findings, nil
	},
})

// portSign looks for the code where a pod's endpoint is created. kube-proxy
// gets the same ones for its load balancers, and azure-vnet for its lock file.
func portSign(symbol, call string) checks.Sign {
	sign := checks.SignOfCode(symbol, portTaken, call)
	sign.Not = []string{"LoadBalancer", "load balancer", "azure-vnet", ".json"}
	sign.In = []string{"kubelet", "containerd", "docker", "cni", evidence.InPodEvents,
		evidence.InEvents}
	return sign
}

// A podPort is a port of the node that a pod is to be reached on.
type podPort struct {
	pod      evidence.Pod
	protocol string // tcp, udp
	port     int
	at       evidence.Place
}

// hostPortsOf lists the ports that the CNI plugin is to publish for the pod.
// The API server sets hostPort on pods of the host's network too.
func hostPortsOf(p evidence.Pod) []podPort {
	if p.Spec.HostNetwork || p.HostProcess() {
		return nil
	}
	var list []podPort
	for i, c := range p.Spec.Containers {
		for j, port := range c.Ports {
			if port.HostPort > 0 {
				list = append(list, podPort{p, strings.ToLower(cmp.Or(port.Protocol, "TCP")),
					port.HostPort,
					p.Field("spec", "containers", i, "ports", j, "hostPort")})
			}
		}
	}
	return list
}

func podsWithHostPorts(s evidence.Snapshot) []podPort {
	var list []podPort
	for _, p := range evidence.Pods.In(s) {
		if p.Status.Phase != "Succeeded" && p.Status.Phase != "Failed" &&
			p.Metadata.DeletionTimestamp == nil {
			list = append(list, hostPortsOf(p)...)
		}
	}
	return list
}

// A listener is one of the port table, by its number there.
type listener struct {
	evidence.PortListener
	number int
}

func listenersOn(table evidence.PortTable, protocol string, port int) []listener {
	var list []listener
	for i, l := range table.Listener {
		if strings.EqualFold(strings.TrimSuffix(l.Protocol, "6"), protocol) && l.Port == port {
			list = append(list, listener{l, i})
		}
	}
	return list
}

// heldByProcess finds a socket of the host on the port: HNS publishes without one.
func heldByProcess(s evidence.Snapshot, p podPort) (checks.Finding, bool) {
	for _, l := range listenersOn(evidence.Ports.In(s), p.protocol, p.port) {
		if a, ok := node.ParseAddress(l.Address); ok && a.IsLoopback() {
			continue
		}
		level := cond(p.pod.Status.Phase == "Running", checks.Warn, checks.Fail)
		return checks.Findingf(level, p.pod.FullName(),
			"pod %s asks for host port %s/%d, on which %s listens", p.pod.FullName(), p.protocol,
			p.port, cmp.Or(l.Process, "a process of the node")).
			At(evidence.Ports.Field(s, "listeners", l.number), "%s %s:%d: %s", l.Protocol,
				l.Address, l.Port, orUnknown(l.Process)).
			At(p.at, "%s: hostPort is %d", p.pod.FullName(), p.port), true
	}
	return checks.Finding{}, false
}

type publication int

const (
	isPublished publication = iota
	notPublished
	cannotTell
)

// published tells whether the pod's endpoint has the port, or whether the
// plugin would have been told of it.
func published(s evidence.Snapshot, p podPort) (checks.Finding, publication) {
	n := node.About(s)
	if p.pod.Status.Phase != "Running" {
		// it has no endpoint to look at yet, and its trouble is not this
		return checks.Finding{}, isPublished
	}
	ip, ok := node.ParseAddress(p.pod.Status.PodIP)
	for _, e := range evidence.HNSEndpoints.In(s) {
		if !ok || e.Remote || !slices.Contains(node.ParseAddresses(e.Addresses...), ip) {
			continue
		}
		if mapsPort(e, p) {
			return checks.Finding{}, isPublished
		}
		if !e.Truncated {
			return checks.Findingf(checks.Fail, p.pod.FullName(),
				"pod %s asks for host port %s/%d, and its HNS endpoint has no PortMapping policy for it", p.pod.FullName(), p.protocol, p.port).
				At(p.at, "%s: hostPort is %d", p.pod.FullName(), p.port).
				At(e.Field("Policies"), "%s has %d policies, none maps port %d",
					node.EndpointName(e), len(e.Policies), p.port), notPublished
		}
	}
	f := n.Effective()
	if f == nil || f.Config == nil {
		return checks.Finding{}, cannotTell
	}
	for _, plugin := range f.Config.Plugins {
		if plugin.Capabilities["portMappings"] {
			return checks.Finding{}, isPublished
		}
	}
	return checks.Findingf(checks.Fail, p.pod.FullName(),
			"pod %s asks for host port %s/%d, and the CNI configuration %s lacks the capability portMappings, so nobody publishes it", p.pod.FullName(), p.protocol, p.port, f.Name).
			At(p.at, "%s: hostPort is %d", p.pod.FullName(), p.port).
			At(f.Field("capabilities"), "capabilities of %s: no portMappings", f.Config.Type),
		notPublished
}

// mapsPort tells whether one of the endpoint's policies publishes the port.
func mapsPort(e evidence.HNSEndpoint, p podPort) bool {
	return slices.ContainsFunc(e.Policies, func(policy evidence.HNSPolicy) bool {
		external, ok := policy.Number("ExternalPort")
		return policy.Type == "PortMapping" && ok && int(min(external, 1<<16)) == p.port
	})
}
