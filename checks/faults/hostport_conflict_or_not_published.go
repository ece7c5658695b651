package faults

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

const portTaken = "HNS cannot publish a pod's host port: another pod or process uses it"

var _ = register(&checks.Check{
	ID:       "hostport-conflict-or-not-published",
	Title:    "Pod hostPort is taken or not published",
	Healthy:  "Pod hostPorts are free and published",
	Category: checks.CategoryNetwork,
	Doc: `The CNI plugin publishes a hostPort: it sets a PortMapping policy on the pod's HNS
endpoint. The runtime passes the port to the plugin only if the configuration contains
"capabilities": {"portMappings": true}; without it the pod runs but the port does not answer. A port
has only one owner: if a process such as IIS or another pod uses it, HNS rejects the endpoint with
0x803b0013 or 0x20 and the pod does not start.

The check looks for two pods with the same hostPort, for a process that listens on it, for the
policy on the endpoint, and for the capability where endpoints were not collected. It skips pods on
the host network, which bind their ports themselves. If the mapping has no flag LocalRoutedVIP, as that of
older releases of Azure CNI, the node itself does not reach the port: a warning if a probe shows it. If no
mapping has the flag IPv6, the port does not answer at the IPv6 address of a dual-stack node: a fault if
probes of both addresses show it.`,
	Fix: checks.Steps(
		checks.Do("Stop the process or pod that uses the port, or change the hostPort of the pod."),
		checks.Do("Recreate the pod.").Costs("The pod is down for a short time."),
		checks.Verify(
			"Get-HnsEndpoint | Select-Object IPAddress, Policies | ConvertTo-Json -Depth 6",
			"a PortMapping policy for the port")),
	Links: []string{
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems", "https://github.com/docker/for-win/issues/667",
		"https://github.com/moby/moby/issues/35023", "https://github.com/moby/moby/issues/36983",
		"https://github.com/moby/moby/issues/41094",
		"https://github.com/Azure/azure-container-networking/issues/1863",
		"https://github.com/Azure/azure-container-networking/issues/1986",
		"https://learn.microsoft.com/en-us/azure/iot-edge/troubleshoot-common-errors"},
	Breaks: []*checks.Effect{effectPodStart},
	Needs: []evidence.Need{evidence.Pods, evidence.Any(evidence.HNSEndpoints, node.NeedCNIFiles,
		evidence.Ports)},
	Uses: slices.Concat([]evidence.Need{evidence.HNSEndpoints, evidence.Ports, evidence.ReachProbes,
		evidence.Node, evidence.HNSNetworks, evidence.Adapters}, node.CNIFolders,
		node.RuntimeConfigs),
	Signs: []checks.Sign{
		portSign("HCN_E_PORT_ALREADY_EXISTS", "create endpoint"),
		portSign("HCN_E_PORT_ALREADY_EXISTS", "hcnCreateEndpoint"),
		portSign("HCN_E_PORT_ALREADY_EXISTS", "create the new HNSEndpoint"),
		ofSandbox(portSign("HCN_E_PORT_ALREADY_EXISTS", "hcnCreateEndpoint")),
		portSign("ERROR_SHARING_VIOLATION", "create endpoint"), portSign("ERROR_SHARING_VIOLATION",
			"hcnCreateEndpoint"),
		// libnetwork of moby, by whatever program runs docker
		quotedEndpoint(portSign("ERROR_SHARING_VIOLATION", "create endpoint"), " on network "),
		// Older releases of hcsshim name no code: hnsfuncs.go.
		ofPods(checks.Sign{Text: "HNS failed with error : The process cannot access the file because it is being used by another process", Also: []string{"create endpoint"}, Says: portTaken}),
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		ports := podsWithHostPorts(s)
		if len(ports) == 0 {
			return nil, checks.Skip("no pod of this node has a hostPort")
		}
		var findings []*checks.Finding
		seen := map[string]podPort{}
		open := ""
		for _, p := range ports {
			key := fmt.Sprintf("%s/%d", p.protocol, p.port)
			if other, taken := seen[key]; taken &&
				other.pod.Metadata.UID+other.pod.FullName() != p.pod.Metadata.UID+p.pod.FullName() {
				findings = append(findings, checks.Findingf(checks.Fail, p.pod.FullName(),
					"pods %s and %s both use host port %s", other.pod.FullName(),
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
	return ofPods(checks.SignOfCode(symbol, portTaken, call))
}

func ofPods(sign checks.Sign) checks.Sign {
	sign.Not = []string{"LoadBalancer", "load balancer", ".json"}
	sign.In = []string{"kubelet", "containerd", "docker", "cni", evidence.InPodEvents,
		evidence.InEvents}
	return sign
}

// ofSandbox looks for what a paste quotes of a sandbox, by kubectl or crictl: nothing else tells there
// whose endpoint it is.
func ofSandbox(sign checks.Sign) checks.Sign {
	return quotedEndpoint(sign, "setup network for sandbox")
}

func quotedEndpoint(sign checks.Sign, by string) checks.Sign {
	sign.Also = append(slices.Clone(sign.Also), by)
	sign.In = []string{"other"}
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
func heldByProcess(s evidence.Snapshot, p podPort) (*checks.Finding, bool) {
	for _, l := range listenersOn(evidence.Ports.In(s), p.protocol, p.port) {
		if a, ok := node.ParseAddress(l.Address); ok && a.IsLoopback() {
			continue
		}
		level := cond(p.pod.Status.Phase == "Running", checks.Warn, checks.Fail)
		return checks.Findingf(level, p.pod.FullName(),
			"host port of pod %s is taken: %s/%d is used by %s", p.pod.FullName(), p.protocol,
			p.port, cmp.Or(l.Process, "a process of the node")).
			At(evidence.Ports.Field(s, "listeners", l.number), "%s %s:%d: %s", l.Protocol,
				l.Address, l.Port, orUnknown(l.Process)).
			At(p.at, "%s: hostPort is %d", p.pod.FullName(), p.port), true
	}
	return nil, false
}

type publication int

const (
	isPublished publication = iota
	notPublished
	cannotTell
)

// published tells whether the pod's endpoint has the port, or whether the
// plugin would have been told of it.
func published(s evidence.Snapshot, p podPort) (*checks.Finding, publication) {
	n := node.About(s)
	if p.pod.Status.Phase != "Running" {
		// it has no endpoint to look at yet, and its trouble is not this
		return &checks.Finding{}, isPublished
	}
	ip, ok := node.ParseAddress(p.pod.Status.PodIP)
	for _, e := range evidence.HNSEndpoints.In(s) {
		if !ok || e.Remote || !slices.Contains(node.ParseAddresses(e.Addresses...), ip) {
			continue
		}
		if policy, ok := mapping(e, p); ok {
			if f, lost := notOverIPv6(n, s, p, e); lost {
				return f, notPublished
			}
			return notRouted(n, s, p, e, policy)
		}
		if !e.Truncated {
			return checks.Findingf(checks.Fail, p.pod.FullName(),
				"host port of pod %s is not published: no PortMapping policy for %s/%d on its HNS endpoint", p.pod.FullName(), p.protocol, p.port).
				At(p.at, "%s: hostPort is %d", p.pod.FullName(), p.port).
				At(e.Field("Policies"), "%s has %d policies, none maps port %d",
					node.EndpointName(e), len(e.Policies), p.port).
				Cure(publishFix(n, p.pod)), notPublished
		}
	}
	f := n.Effective()
	if f == nil || f.Config == nil {
		return &checks.Finding{}, cannotTell
	}
	for _, plugin := range f.Config.Plugins {
		if plugin.Capabilities["portMappings"] {
			return &checks.Finding{}, isPublished
		}
	}
	return checks.Findingf(checks.Fail, p.pod.FullName(),
			"host port of pod %s (%s/%d) is not published: CNI configuration %s has no capability portMappings", p.pod.FullName(), p.protocol, p.port, f.Name).
			At(p.at, "%s: hostPort is %d", p.pod.FullName(), p.port).
			At(f.Field("capabilities"), "capabilities of %s: no portMappings", f.Config.Type).
			Cure(withFirst(publishFix(n, p.pod), addCapability(s, f, "portMappings"))),
		notPublished
}

// publishFix makes the CNI plugin publish the ports of a pod.
func publishFix(n *node.Node, pod evidence.Pod) checks.Fix {
	steps := []*checks.Step{checks.Edit("{cniFile}", addCapabilityText, "portMappings")}
	if f := n.Effective(); f != nil && f.Config != nil && slices.ContainsFunc(f.Config.Plugins,
		func(plugin evidence.CNIPlugin) bool { return plugin.Capabilities["portMappings"] }) {
		steps = nil
	}
	return checks.Fix{Steps: append(steps,
		checks.Run("kubectl -n "+pod.Metadata.Namespace+" delete pod "+pod.Metadata.Name,
			"Recreate the pod: its endpoint is created again.").
			Costs("The pod is down for a short time. A pod without a controller is not created again."),
		checks.Verify(
			"Get-HnsEndpoint | Select-Object IPAddress, Policies | ConvertTo-Json -Depth 6",
			"a PortMapping policy for the port"))}
}

const addCapabilityText = `Add "capabilities": {"%s": true} to the plugin.`

// addCapability names the line: that of the capabilities, or else that of the type.
func addCapability(s evidence.Snapshot, f *node.CNIFile, capability string) *checks.Step {
	place, in := f.TypeField(), cniType
	if len(f.Config.Capabilities) > 0 {
		place, in = f.Field("capabilities"), cniCapabilities
	}
	return checks.EditAt(s, place, func(line string) string {
		at := in.FindStringIndex(line)
		if at == nil {
			return line
		}
		if in == cniCapabilities {
			return line[:at[1]] + `"` + capability + `": true, ` + line[at[1]:]
		}
		return line[:at[1]] + `, "capabilities": {"` + capability + `": true}` + line[at[1]:]
	}, addCapabilityText, capability)
}

var (
	cniType         = regexp.MustCompile(`"type"\s*:\s*"[^"]*"`)
	cniCapabilities = regexp.MustCompile(`"capabilities"\s*:\s*\{`)
)

// mapping is the policy of the endpoint that publishes the port.
func mapping(e evidence.HNSEndpoint, p podPort) (evidence.HNSPolicy, bool) {
	at := slices.IndexFunc(e.Policies, p.mappedBy)
	if at < 0 {
		return evidence.HNSPolicy{}, false
	}
	return e.Policies[at], true
}

func (p podPort) mappedBy(policy evidence.HNSPolicy) bool {
	external, ok := policy.Number("ExternalPort")
	return policy.Type == "PortMapping" && ok && int(min(external, 1<<16)) == p.port
}

// Flags of a port mapping: Windows routes the node's own connections, and the mapping is for IPv6.
const localRoutedVIP, mapsIPv6 = 1, 2

// notOverIPv6 tells whether the port answers at the IPv4 address of the node and not at its IPv6
// address, for which the endpoint has no mapping.
func notOverIPv6(n *node.Node, s evidence.Snapshot, p podPort,
	e evidence.HNSEndpoint) (*checks.Finding, bool) {
	var lost, heard evidence.ReachProbe
	for _, probe := range evidence.ReachProbes.In(s) {
		dest, ok := probed.AddressOf(probe)
		switch {
		case !ok || !strings.EqualFold(probe.Protocol, p.protocol) || portOf(probe.Target) != p.port ||
			!slices.Contains(slices.Concat(n.ManagementIPs.Value, hostAddresses(s)), dest):
		case dest.Is4() && probe.Outcome == "ok":
			heard = probe
		case dest.Is6() && probe.Outcome == "ok":
			return nil, false
		case dest.Is6() && (probe.Outcome == "refused" || probed.GotNoAnswer(probe)):
			lost = probe
		}
	}
	if lost.Target == "" || heard.Target == "" || e.Truncated ||
		!slices.ContainsFunc(node.ParseAddresses(e.Addresses...), node.Address.Is6) ||
		slices.ContainsFunc(e.Policies, func(policy evidence.HNSPolicy) bool {
			flags, _ := policy.Number("Flags")
			return p.mappedBy(policy) && flags&mapsIPv6 != 0
		}) {
		return nil, false
	}
	return checks.Findingf(checks.Fail, p.pod.FullName(),
		"host port %s/%d of pod %s is published for IPv4 only", p.protocol, p.port, p.pod.FullName()).
		With(probed.ReachBecause(lost), probed.ReachBecause(heard)).
		At(e.Field("Policies"), "%s: no PortMapping of port %d with flag 2 (IPv6)", node.EndpointName(e), p.port).
		Cure(checks.Steps(
			checks.Do("Connect to the IPv4 address of the node, or to the IPv6 address of the pod."),
			checks.Do("Update the CNI plugin: newer releases map host ports for IPv6, too."),
			checks.Do("Recreate the pod.").Costs("The pod is down for a short time."),
			checks.Verify(
				"Get-HnsEndpoint | Select-Object IPAddress, Policies | ConvertTo-Json -Depth 6",
				"a second PortMapping policy for the port with Flags 3"))), true
}

// notRouted tells whether the node reaches the pod and not the port that is mapped to it.
func notRouted(n *node.Node, s evidence.Snapshot, p podPort, e evidence.HNSEndpoint,
	policy evidence.HNSPolicy) (*checks.Finding, publication) {
	flags, _ := policy.Number("Flags")
	own := node.ParseAddresses(e.Addresses...)
	var lost evidence.ReachProbe
	reached := false
	for _, probe := range evidence.ReachProbes.In(s) {
		dest, ok := probed.AddressOf(probe)
		if !ok || probe.From != "node" || !strings.EqualFold(probe.Protocol, p.protocol) {
			continue
		}
		reached = reached || probe.Outcome == "ok" && slices.Contains(own, dest)
		if probe.Outcome == "timeout" && portOf(probe.Target) == p.port && slices.Contains(n.ManagementIPs.Value, dest) {
			lost = probe
		}
	}
	if flags&localRoutedVIP != 0 || !reached || lost.Target == "" {
		return &checks.Finding{}, isPublished
	}
	return checks.Findingf(checks.Warn, p.pod.FullName(),
		"the node does not reach host port %s/%d of pod %s: its mapping has no flag LocalRoutedVIP", p.protocol, p.port,
		p.pod.FullName()).With(probed.ReachBecause(lost)).
		At(e.Field("Policies"), "%s: PortMapping of port %d without flag 1", node.EndpointName(e), p.port).
		Cure(checks.Steps(
			checks.Do("Connect to the address of the pod, or from another host."),
			checks.Do("Update the CNI plugin and Windows: newer releases of the plugin set the flag LocalRoutedVIP.").
				Costs("The update of Windows reboots the node and stops its pods."),
			checks.Verify(
				"Get-HnsEndpoint | Select-Object IPAddress, Policies | ConvertTo-Json -Depth 6",
				"a PortMapping policy for the port with Flags 1"))), notPublished
}
