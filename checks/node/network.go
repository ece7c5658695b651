package node

import (
	"iter"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// FlannelNetConfs goes over the net-conf.json files that are recorded and can be read.
func FlannelNetConfs(s evidence.Snapshot) iter.Seq2[evidence.NodeFile, *evidence.FlannelNetConf] {
	return func(yield func(evidence.NodeFile, *evidence.FlannelNetConf) bool) {
		for _, path := range NetConfs {
			f := s.File(path)
			if f.Gap.Kind != "" {
				continue
			}
			if c, err := evidence.DecodeFlannelNetConf([]byte(f.Text)); err == nil && !yield(f, c) {
				return
			}
		}
	}
}

// flannelBackends are the backends by the names that net-conf.json has for them.
var flannelBackends = map[string]Backend{"vxlan": OverlayNet, "overlay": OverlayNet,
	"host-gw": L2Bridge, "l2bridge": L2Bridge}

// learnBackend tells L2Bridge from Overlay.
func (n *Node) learnBackend(s evidence.Snapshot) {
	for f, c := range FlannelNetConfs(s) {
		learnSome(&n.Backend, flannelBackends[strings.ToLower(c.Backend.Type)], f.Field("Backend", "Type"),
			"Backend.Type is %s", c.Backend.Type)
	}
	for _, cm := range evidence.ConfigMaps.In(s) {
		if c, err := evidence.DecodeFlannelNetConf([]byte(cm.Data["net-conf.json"])); err == nil &&
			n.CNI.Value == Flannel && strings.Contains(cm.Metadata.Name, "flannel") {
			n.Backend.Learn(flannelBackend(c.Backend.Type), cm.Field("data", "net-conf.json"),
				"%s: Backend.Type is %s", cm.Metadata.Name, c.Backend.Type)
		}
	}
	if v := evidence.Node.In(
		s).Metadata.Annotations["flannel.alpha.coreos.com/backend-type"]; v != "" {
		n.Backend.Learn(flannelBackend(v), evidence.Node.Field(s, "metadata", "annotations",
			"flannel.alpha.coreos.com/backend-type"), "flannel's backend-type is %s", v)
	}
	if f := n.Intended(); f != nil && f.Config != nil {
		learnSome(&n.Backend, backendOf(f.Config), f.TypeField(), "plugin type is %s",
			f.Config.EffectiveType())
	}
	for _, net := range evidence.HNSNetworks.In(s) {
		if FamilyOfNetwork(net.Name) == n.CNI.Value && n.CNI.Known() && net.Type != "" {
			n.Backend.Learn(Backend(net.Type), net.Field("Type"), "network %s is of type %s",
				net.Name, net.Type)
		}
	}
	n.Backend.Miss(s, "the type of the pod network", CNISources...)
}

func backendOf(c *evidence.CNIConfig) Backend {
	switch t := strings.ToLower(c.EffectiveType()); {
	case strings.Contains(t, "overlay"), strings.Contains(t, "calico") &&
		strings.EqualFold(c.Mode, "vxlan"):
		return OverlayNet
	case strings.Contains(t, "bridge"), strings.Contains(t, "wincni"),
		strings.Contains(t, "azure-vnet"), strings.Contains(t, "vpc-"),
		strings.Contains(t, "calico"):
		return L2Bridge
	case strings.Contains(t, "antrea"), isOVNPlugin(c):
		return Transparent
	}
	return ""
}

// learnNetworks names the HNS network that the plugin puts pods on.
func (n *Node) learnNetworks(s evidence.Snapshot) {
	for f, c := range FlannelNetConfs(s) {
		if n.CNI.Value == Flannel && c.Backend.Name != "" {
			n.Networks.Learn([]string{c.Backend.Name}, f.Field("Backend", "Name"),
				"Backend.Name is %s", c.Backend.Name)
		}
	}
	if f := n.Intended(); f != nil && f.Config != nil && f.Config.Name != "" &&
		FamilyOf(f.Config) != NAT {
		switch n.CNI.Value {
		case OVN:
			if n.ovsCNI(s) {
				break // its name is not that of the network
			}
			fallthrough
		case Flannel, Calico, Azure, GKE, WinCNI, Bridge, Overlay:
			n.Networks.Learn([]string{f.Config.Name}, f.File.Field("name"),
				"the CNI configuration's name is %s", f.Config.Name)
		}
	}
	if n.ovsCNI(s) {
		n.Networks.Learn([]string{OvsNetwork}, n.CNI.From.Place(),
			"OVN on Open vSwitch uses docker's network %s", OvsNetwork)
	}
	if names := usualNetworks(n.CNI.Value, n.Backend.Value); n.CNI.Known() && len(names) > 0 {
		n.Networks.Learn(names, n.CNI.From.Place(), "%s uses %s", n.CNI.Value,
			strings.Join(names, " or "))
	}
	// What kube-proxy is told may itself be wrong, so it comes last.
	if v := evidence.Env.In(s)["KUBE_NETWORK"]; v != "" {
		n.Networks.Learn([]string{v}, evidence.Env.Field(s, "KUBE_NETWORK"), "KUBE_NETWORK is %s",
			v)
	}
	n.Networks.Miss(s, "the HNS network of pods", CNISources...)
	if !n.Networks.Known() && n.CNI.Gap.Kind != "" {
		n.Networks.Gap = n.CNI.Gap
	}
}

// usual are the names of networks that the plugins give where no file says otherwise.
var usual = map[CNI][]string{Flannel: {"cbr0", "flannel.4096", "vxlan0"}, Calico: {"Calico"},
	Azure: {"azure"}, VPC: {"vpcbr*"}, GKE: {"l2bridge"}, WinCNI: {"l2bridge"},
	Antrea: {"antrea-hnsnetwork"}, OVN: {"OVNKubernetesHybridOverlayNetwork"}}

func usualNetworks(c CNI, b Backend) []string {
	switch {
	case c == Flannel && b == L2Bridge:
		return []string{"cbr0"}
	case c == Flannel && b == OverlayNet:
		return []string{"flannel.4096", "vxlan0"}
	}
	return usual[c]
}

// azureVLANStart begins the names that multi-tenant Azure CNI makes from VLAN and subnet, such as
// azure-vlan1-172-28-1-0_24: Azure/azure-container-networking, cni/network/network_windows.go,
// getNetworkName.
const azureVLANStart = "azure-vlan"

// NameMatches compares a network's name with an expected one; a trailing star
// stands for what differs from node to node (Calico's own scripts write
// "Calico.*"), and Calico adds a suffix of its own.
func NameMatches(want, name string) bool {
	if start, ok := strings.CutSuffix(want, "*"); ok {
		start = strings.TrimSuffix(start, ".")
		return len(name) >= len(start) && strings.EqualFold(name[:len(start)], start)
	}
	lower := strings.ToLower(name)
	return strings.EqualFold(want, name) ||
		strings.EqualFold(want, "Calico") && strings.HasPrefix(lower, "calico") ||
		strings.EqualFold(want, "azure") && strings.HasPrefix(lower, azureVLANStart)
}

// PodNetwork returns the HNS network that pods should be on, if HNS has it.
func (n *Node) PodNetwork(s evidence.Snapshot) (evidence.HNSNetwork, bool) {
	for _, want := range n.Networks.Value {
		for _, net := range evidence.HNSNetworks.In(s) {
			if NameMatches(want, net.Name) {
				return net, true
			}
		}
	}
	return evidence.HNSNetwork{}, false
}

// azureExternal is the network with which AKS' provisioning script makes the switch:
// Azure/AgentBaker, staging/cse/windows/azurecnifunc.ps1, New-ExternalHnsNetwork.
const azureExternal = "ext"

// BeforeFirstPod tells whether a node waits for its first pod that has an address of its own: azure-vnet
// makes its network with that pod, and HNS has only the network of the switch; vpc-bridge does so, too.
// Where no kubelet.exe runs, nothing starts that pod, whatever its service says.
func (n *Node) BeforeFirstPod(s evidence.Snapshot) bool {
	return n.pluginMakesNetwork(s) &&
		(len(evidence.Processes.In(s)) >= FewProcesses && len(n.Components["kubelet"].Processes) == 0 ||
			evidence.Pods.Known(s) && !slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
				elsewhere := p.Spec.NodeName != "" && n.Name.Known() && !strings.EqualFold(p.Spec.NodeName, n.Name.Value)
				return !elsewhere && !p.HostProcess() && !p.Spec.HostNetwork
			}))
}

// MayAwaitFirstPod tells whether BeforeFirstPod cannot be told, as the pods are not known.
func (n *Node) MayAwaitFirstPod(s evidence.Snapshot) bool {
	return n.pluginMakesNetwork(s) && !evidence.Pods.Known(s)
}

func (n *Node) pluginMakesNetwork(s evidence.Snapshot) bool {
	return n.CNI.Value == VPC || n.hasAzureSwitch(s)
}

func (n *Node) hasAzureSwitch(s evidence.Snapshot) bool {
	return (n.CNI.Value == Azure || !n.CNI.Known()) && slices.ContainsFunc(evidence.HNSNetworks.In(s), func(net evidence.HNSNetwork) bool {
		return strings.EqualFold(net.Name, azureExternal)
	})
}

// flannelBackend is the HNS network type behind the name of a flannel backend.
func flannelBackend(name string) Backend {
	if strings.EqualFold(name, "vxlan") {
		return OverlayNet
	}
	return L2Bridge
}

// OvsNetwork is docker's transparent network that OVN's recipe for Windows makes.
const OvsNetwork = "external"

// EndpointName names an endpoint for a finding, shortened, with its first address.
//
//go:noinline
func EndpointName(e evidence.HNSEndpoint) string {
	name := e.Name
	if len(name) > 20 {
		name = name[:12] + "…" // a sandbox's 64 hex digits
	}
	if len(e.Addresses) > 0 {
		return "endpoint " + name + " (" + e.Addresses[0] + ")"
	}
	return "endpoint " + name
}
