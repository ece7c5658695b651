package node

import (
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// FamilyOf tells the family of a configuration.
func FamilyOf(c *evidence.CNIConfig) CNI {
	types := strings.ToLower(c.Type + " " + c.EffectiveType())
	name := strings.ToLower(c.Name)
	switch {
	case strings.HasPrefix(types, "flannel") || strings.HasPrefix(name, "flannel.") ||
		(name == "cbr0" || name == "vxlan0") && !strings.HasPrefix(types, "sdnbridge"):
		return Flannel
	case strings.Contains(types, "calico"):
		return Calico
	case strings.Contains(types, "azure-vnet"):
		return Azure
	case strings.Contains(types, "vpc-"):
		return VPC
	case strings.Contains(types, "antrea"):
		return Antrea
	case strings.HasPrefix(name, "ovnkubernetes"), isOVNPlugin(c):
		return OVN
	case strings.Contains(types, "wincni"):
		return WinCNI
	case strings.Contains(types, "sdnbridge") && name == "l2bridge":
		return GKE
	case strings.Contains(types, "sdnbridge") || strings.Contains(types, "win-bridge"):
		return Bridge
	case strings.Contains(types, "sdnoverlay") || strings.Contains(types, "win-overlay"):
		return Overlay
	case strings.Contains(types, "nat"):
		return NAT
	}
	return ""
}

// isOVNPlugin tells the plugin of the first recipe for OVN and Open vSwitch on
// Windows, which puts pods on docker's network "external".
func isOVNPlugin(c *evidence.CNIConfig) bool {
	plugin := strings.ToLower(c.EffectiveType())
	return strings.HasPrefix(plugin, "ovn_cni") || strings.HasPrefix(plugin, "ovn-k8s-cni-overlay")
}

// cloudbaseOVS is the build of Open vSwitch that recipe used. Antrea brings its own.
const cloudbaseOVS = `\cloudbase solutions\open vswitch`

// ovsCNI tells whether the node is set up by that recipe.
func (n *Node) ovsCNI(s evidence.Snapshot) bool {
	if n.CNI.Value != OVN {
		return false
	}
	if f := n.Intended(); f != nil && f.Config != nil && isOVNPlugin(f.Config) {
		return true
	}
	_, there := ServiceNamed(s, "ovs-vswitchd") // the hybrid overlay of OpenShift has none
	return there
}

// cniAnnotations are what the plugins' own agents write on the Node.
var cniAnnotations = []struct {
	key    string
	family CNI
}{
	{"flannel.alpha.coreos.com/backend-type", Flannel},
	{"projectcalico.org/IPv4Address", Calico},
	{"projectcalico.org/IPv4VXLANTunnelAddr", Calico},
	{"k8s.ovn.org/hybrid-overlay-node-subnet", OVN},
	{"k8s.ovn.org/l3-gateway-config", OVN},
}

// learnFamily asks the most telling evidence first: what the plugin was told,
// what it wrote on the Node, who runs, and last what HNS shows, which is the
// first thing to be missing on a broken node.
func (n *Node) learnFamily(s evidence.Snapshot) {
	if f := n.Intended(); f != nil && f.Config != nil {
		if family := FamilyOf(f.Config); family != "" && family != NAT {
			n.CNI.Learn(family, f.TypeField(), "type is %s, name is %s", f.Config.EffectiveType(),
				f.Config.Name)
		}
	}
	node := evidence.Node.In(s)
	for _, a := range cniAnnotations {
		if v := node.Metadata.Annotations[a.key]; v != "" {
			n.CNI.Learn(a.family, node.Field("metadata", "annotations", a.key),
				"annotation %s is %s", a.key, v)
		}
	}
	if id := node.Spec.ProviderID; strings.HasPrefix(id, "gce://") {
		n.CNI.Learn(GKE, node.Field("spec", "providerID"), "providerID is %s", id)
	}
	if dir := evidence.Env.In(s)["K8S_DIR"]; dir != "" {
		n.CNI.Learn(GKE, evidence.Env.Field(s, "K8S_DIR"), "K8S_DIR is %s, which GKE's scripts set",
			dir)
	}
	for _, svc := range evidence.Services.In(s) {
		learnSome(&n.CNI, familyOfProgram(svc.Name), svc.Field("name"), "service %s is there", svc.Name)
	}
	if svc, ok := ServiceNamed(s, "ovs-vswitchd"); ok &&
		strings.Contains(strings.ToLower(svc.BinPath), cloudbaseOVS) {
		n.CNI.Learn(OVN, svc.Field("binPath"), "service %s is %s", svc.Name, svc.BinPath)
	}
	for _, p := range evidence.Processes.In(s) {
		learnSome(&n.CNI, familyOfProgram(Program(p.Name)), p.Field("name"), "process %s runs", p.Name)
	}
	for _, p := range evidence.Pods.In(s) {
		if family := familyOfPod(p); family != "" && p.HostProcess() {
			n.CNI.Learn(family, p.Field("metadata", "name"), "pod %s is on this node", p.FullName())
		}
	}
	for _, path := range append(slices.Clone(NetConfs), SubnetEnv) {
		if f := s.File(path); f.Gap.Kind == "" {
			n.CNI.Learn(Flannel, evidence.InFile(f.Path), "flannel's %s is there", path)
		}
	}
	name := evidence.Env.In(s)["KUBE_NETWORK"]
	learnSome(&n.CNI, FamilyOfNetwork(name), evidence.Env.Field(s, "KUBE_NETWORK"), "KUBE_NETWORK is %s", name)
	for _, net := range evidence.HNSNetworks.In(s) {
		if strings.EqualFold(net.Name, "cbr0") && evidence.Node.Known(s) {
			continue // not flannel's alone, and flannel leaves annotations on the Node
		}
		learnSome(&n.CNI, FamilyOfNetwork(net.Name), net.Field("Name"), "network %s of type %s is there",
			net.Name, net.Type)
	}
	if logs := s.LogFiles("flanneld"); len(logs) > 0 {
		n.CNI.Learn(Flannel, evidence.InFile(logs[0]), "flanneld writes a log")
	}
	// A plugin whose configuration is nothing but NAT runs no cluster network, so this is asked last.
	if f := n.Effective(); f != nil && f.Config != nil {
		learnSome(&n.CNI, FamilyOf(f.Config), f.TypeField(), "type is %s", f.Config.EffectiveType())
	}
	for _, cm := range evidence.ConfigMaps.In(s) {
		if cm.Metadata.Name == "kube-flannel-cfg" {
			n.CNI.Learn(Flannel, cm.Field("metadata", "name"), "ConfigMap %s is there", cm.Metadata.Name)
		}
	}
	for _, net := range evidence.NetworkSettings.In(s) {
		if d := net.Spec.DefaultNetwork; d.OVNKubernetesConfig.HybridOverlayConfig != nil {
			n.CNI.Learn(OVN, net.Field("spec", "defaultNetwork", "type"), "the cluster has a hybrid overlay of %s", d.Type)
		}
	}
	n.CNI.Miss(s, "the network plugin", CNISources...)
}

// programs are how the names of the plugins' own programs begin.
var programs = map[string]CNI{"flannel": Flannel, "calico": Calico, "azure-cns": Azure,
	"azure-vnet": Azure, "antrea-agent": Antrea, "hybrid-overlay-node": OVN}

// AgentOf is what shows that a plugin's own program runs on this node, whichever plugin the CNI
// configuration is of.
func AgentOf(s evidence.Snapshot, family CNI) (evidence.Because, bool) {
	for _, p := range evidence.Processes.In(s) {
		if familyOfProgram(Program(p.Name)) == family {
			return p.Field("name").Because("process %s runs", p.Name), true
		}
	}
	for _, p := range evidence.Pods.In(s) {
		if familyOfPod(p) == family && p.HostProcess() {
			return p.Field("metadata", "name").Because("pod %s is on this node", p.FullName()), true
		}
	}
	return evidence.Because{}, false
}

// IsAgent tells whether the pod is one of a network plugin, by its name.
func IsAgent(p evidence.Pod) bool { return familyOfPod(p) != "" }

func familyOfPod(p evidence.Pod) CNI {
	return familyOfProgram(strings.TrimPrefix(p.Metadata.Name, "kube-"))
}

func familyOfProgram(name string) CNI {
	for start, family := range programs {
		if strings.HasPrefix(strings.ToLower(name), start) {
			return family
		}
	}
	return ""
}

// FamilyOfNetwork is the network plugin that makes an HNS network of this name, or "" where several
// could have made it.
func FamilyOfNetwork(name string) CNI {
	name = strings.ToLower(name)
	switch {
	case name == "cbr0", name == "vxlan0", strings.HasPrefix(name, "flannel."):
		return Flannel
	case strings.HasPrefix(name, "calico"):
		return Calico
	case name == "azure", strings.HasPrefix(name, azureVLANStart):
		return Azure
	case strings.HasPrefix(name, "vpcbr"):
		return VPC
	case strings.HasPrefix(name, "antrea"):
		return Antrea
	case strings.Contains(name, "ovnkubernetes"):
		return OVN
	}
	return ""
}
