package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// A Node is what several checks must know about the node, each fact with where
// it was learnt. It is worked out once for a snapshot, from all the evidence
// there is, so that two checks never disagree about, say, the service CIDR.
type Node struct {
	Name    Fact[string]
	OS      Fact[string]
	Build   Fact[Build]
	Kubelet Fact[evidence.Version]
	Runtime Fact[Runtime]

	Platform   Fact[Platform]   // who set the node up
	Cloud      Fact[string]     // whose machine it is: AWS, Azure, …
	Generation Fact[Generation] // the age of the documentation it was built after

	CNI      Fact[CNI]      // the network plugin that the node is meant to use
	Backend  Fact[Backend]  // how it carries packets between nodes
	CNIFiles []CNIFile      // the configurations of the runtime's folder, in the order in which it loads them
	CNIDir   Fact[string]   // the folder that the runtime reads
	BinDirs  Fact[[]string] // the folders in which it looks for plugins
	Networks Fact[[]string] // the HNS network that pods should be on: any of these names

	PodCIDRs      Fact[[]Prefix]  // of this node
	ClusterCIDRs  Fact[[]Prefix]  // of all pods
	ServiceCIDRs  Fact[[]Prefix]  // of all services
	ServiceIPs    Fact[[]Address] // ClusterIPs that are known: they lie in the service CIDR whatever it is
	ClusterDNS    Fact[[]Address]
	ManagementIPs Fact[[]Address] // the node's own addresses

	KubeletFlags []Flag
	noFiles      evidence.Gap // why no file of the node was copied at all
	Components   map[string]*Component
	proxy        *ProxySettings
}

// A Fact is a value with its provenance, or the reason why it is not known.
type Fact[T any] struct {
	Value T
	From  Because
	Gap   evidence.Gap
}

// Known tells whether the fact was learnt.
func (f Fact[T]) Known() bool { return f.Gap == "" && f.From.Path != "" }

// learn keeps the first value offered.
func (f *Fact[T]) learn(v T, path, format string, args ...any) {
	if !f.Known() {
		*f = Fact[T]{Value: v, From: Because{Path: path, Text: fmt.Sprintf(format, args...)}}
	}
}

// miss records why a fact is not known, when nothing gave it.
func (f *Fact[T]) miss(what string, needs ...evidence.Need) func(evidence.Snapshot) {
	return func(s evidence.Snapshot) {
		if !f.Known() {
			f.Gap = evidence.Any(needs...).Gap(s)
			if f.Gap == "" {
				f.Gap = evidence.Gap(evidence.NotCollected + ": this recording does not tell " + what)
			}
		}
	}
}

// Runtime is the container runtime.
type Runtime struct {
	Name    string // containerd, docker
	Version evidence.Version
	Raw     string // containerd://1.7.20
}

// Build is a Windows build with its revision; UBR is -1 where it is not known.
type Build struct {
	Number, UBR int
}

func (b Build) String() string {
	if b.UBR < 0 {
		return fmt.Sprintf("10.0.%d", b.Number)
	}
	return fmt.Sprintf("10.0.%d.%d", b.Number, b.UBR)
}

type aboutKey struct{}

// About works out the node's facts.
func About(s evidence.Snapshot) *Node { return evidence.Memo(s, aboutKey{}, learnNode) }

func learnNode(s evidence.Snapshot) *Node {
	n := &Node{}
	n.learnSystem(s)
	n.learnComponents(s)
	n.learnKubelet(s)
	n.proxy = learnProxy(s, n.Components["kube-proxy"])
	n.learnCNI(s)
	n.learnPlatform(s)
	n.learnGeneration(s)
	n.learnCluster(s)
	return n
}

func (n *Node) learnSystem(s evidence.Snapshot) {
	node := evidence.Node.In(s)
	if name := node.Metadata.Name; name != "" {
		n.Name.learn(name, evidence.Node.Path(), "metadata.name is %s", name)
	}
	if name := s.Meta().Node; name != "" {
		n.Name.learn(name, "meta.json", "node is %s", name)
	}
	n.Name.miss("the name of the node", evidence.Node)(s)

	if os := evidence.OSInfo.In(s); os.Build > 0 {
		b := Build{os.Build, cmp.Or(os.UBR, -1)}
		if k, ok := kernelBuild(node.Status.NodeInfo.KernelVersion); ok && b.UBR < 0 && k.Number == b.Number {
			b = k // collectlogs and some recorders do not see the revision, the kubelet does
		}
		n.Build.learn(b, evidence.OSInfo.Path(), "build %d, ubr %d", os.Build, os.UBR)
		n.OS.learn(osName(os.ProductName, os.Build), evidence.OSInfo.Path(), "productName is %q", os.ProductName)
	}
	if b, ok := kernelBuild(node.Status.NodeInfo.KernelVersion); ok {
		n.Build.learn(b, evidence.Node.Path(), "status.nodeInfo.kernelVersion is %s", node.Status.NodeInfo.KernelVersion)
		n.OS.learn(osName(node.Status.NodeInfo.OSImage, b.Number), evidence.Node.Path(), "status.nodeInfo.osImage is %q", node.Status.NodeInfo.OSImage)
	}
	n.Build.miss("the Windows build", evidence.OSInfo, evidence.Node)(s)
	n.OS.miss("the Windows version", evidence.OSInfo, evidence.Node)(s)

	if v, ok := evidence.ParseVersion(node.Status.NodeInfo.KubeletVersion); ok {
		n.Kubelet.learn(v, evidence.Node.Path(), "status.nodeInfo.kubeletVersion is %s", node.Status.NodeInfo.KubeletVersion)
	}
	learnLogged(s, &n.Kubelet, loggedKubelet)
	n.Kubelet.miss("the kubelet's version", evidence.Node)(s)

	if raw := node.Status.NodeInfo.ContainerRuntimeVersion; raw != "" {
		name, version, _ := strings.Cut(raw, "://")
		v, _ := evidence.ParseVersion(version)
		n.Runtime.learn(Runtime{name, v, raw}, evidence.Node.Path(), "status.nodeInfo.containerRuntimeVersion is %s", raw)
	}
	if c := evidence.CRI.In(s).Version; c.RuntimeName != "" {
		v, _ := evidence.ParseVersion(c.RuntimeVersion)
		n.Runtime.learn(Runtime{c.RuntimeName, v, c.RuntimeName + "://" + strings.TrimPrefix(c.RuntimeVersion, "v")}, evidence.CRI.Path(), "runtimeVersion is %s", c.RuntimeVersion)
	}
	for _, svc := range evidence.Services.In(s) {
		for _, name := range []string{"containerd", "docker"} {
			if strings.EqualFold(svc.Name, name) && svc.Running() {
				n.Runtime.learn(Runtime{Name: name, Raw: name}, evidence.Services.Path(), "service %s is running", svc.Name)
			}
		}
	}
	n.Runtime.miss("the container runtime", evidence.Node, evidence.CRI, evidence.Services)(s)
}

func kernelBuild(kernel string) (Build, bool) {
	parts := strings.Split(kernel, ".")
	if len(parts) < 3 {
		return Build{}, false
	}
	number, err := strconv.Atoi(parts[2])
	if err != nil || number <= 0 {
		return Build{}, false
	}
	b := Build{number, -1}
	if len(parts) > 3 {
		if ubr, err := strconv.Atoi(parts[3]); err == nil && ubr > 0 {
			b.UBR = ubr
		}
	}
	return b, true
}

// osName is the product's name without its edition. Windows 11 calls itself
// Windows 10 in the registry, so the build has the last word.
func osName(product string, build int) string {
	if name := evidence.WindowsName(build); name != "" {
		return name
	}
	return cmp.Or(evidence.Clean(product), fmt.Sprintf("Windows build %d", build))
}

// maxFact bounds a name or version in bytes; a Kubernetes name has up to 253.
const maxFact = 253

// Facts is the node in one line, for the header of a report.
func (n *Node) Facts() NodeFacts {
	var f NodeFacts
	f.Name = clip(evidence.Clean(n.Name.Value), maxFact)
	f.OS = clip(evidence.Clean(n.OS.Value), maxFact)
	if n.Build.Known() {
		f.Build = n.Build.Value.String()
	}
	if n.Kubelet.Known() {
		f.Kubelet = clip(evidence.Clean(n.Kubelet.From.Text[strings.LastIndex(n.Kubelet.From.Text, " ")+1:]), maxFact)
	}
	f.Runtime = clip(evidence.Clean(n.Runtime.Value.Raw), maxFact)
	f.Network = strings.TrimSpace(string(n.CNI.Value) + " " + n.carries())
	f.Platform, f.Generation = string(n.Platform.Value), string(n.Generation.Value)
	f.Learnt = n.learnt()
	return f
}

// learnt lists the facts that are known, each with where it was learnt.
func (n *Node) learnt() []Learnt {
	list := []Learnt{}
	add := func(fact, value string, known bool, from Because) {
		if known {
			from.Path, from.Text = clip(evidence.Clean(from.Path), maxText), clip(evidence.Clean(from.Text), maxText)
			list = append(list, Learnt{fact, clip(evidence.Clean(value), maxFact), from})
		}
	}
	add("name", n.Name.Value, n.Name.Known(), n.Name.From)
	add("Windows", n.OS.Value, n.OS.Known(), n.OS.From)
	add("build", n.Build.Value.String(), n.Build.Known(), n.Build.From)
	add("kubelet", n.Kubelet.Value.String(), n.Kubelet.Known(), n.Kubelet.From)
	add("runtime", n.Runtime.Value.Raw, n.Runtime.Known(), n.Runtime.From)
	add("platform", string(n.Platform.Value), n.Platform.Known(), n.Platform.From)
	add("generation", string(n.Generation.Value), n.Generation.Known(), n.Generation.From)
	add("network plugin", string(n.CNI.Value), n.CNI.Known(), n.CNI.From)
	add("backend", n.Backend.Value.Label(), n.Backend.Known(), n.Backend.From)
	add("HNS network", strings.Join(n.Networks.Value, " or "), n.Networks.Known(), n.Networks.From)
	add("podCIDR", joined(n.PodCIDRs.Value), n.PodCIDRs.Known(), n.PodCIDRs.From)
	add("cluster CIDR", joined(n.ClusterCIDRs.Value), n.ClusterCIDRs.Known(), n.ClusterCIDRs.From)
	add("service CIDR", joined(n.ServiceCIDRs.Value), n.ServiceCIDRs.Known(), n.ServiceCIDRs.From)
	add("cluster DNS", joined(n.ClusterDNS.Value), n.ClusterDNS.Known(), n.ClusterDNS.From)
	add("node address", joined(n.ManagementIPs.Value), n.ManagementIPs.Known(), n.ManagementIPs.From)
	return list
}

func joined[T fmt.Stringer](list []T) string {
	var texts []string
	for _, v := range list {
		texts = append(texts, v.String())
	}
	return strings.Join(texts, ", ")
}

// carries is the backend as the plugin's own documentation calls it.
func (n *Node) carries() string {
	if n.CNI.Value == Flannel && n.Backend.Value == L2Bridge {
		return "host-gw"
	}
	return n.Backend.Value.Label()
}

// placeholders of a Fix, with what stands for each where the fact is not known.
func (n *Node) placeholders() *strings.Replacer {
	prefixes := func(f Fact[[]Prefix], unknown string) string {
		if len(f.Value) == 0 {
			return unknown
		}
		return f.Value[0].String()
	}
	word := func(s, unknown string) string { return cmp.Or(clip(evidence.Clean(s), maxFact), unknown) }
	first := func(list []string, unknown string) string {
		return word(strings.Join(list[:min(len(list), 1)], ""), unknown)
	}
	addresses := func(f Fact[[]Address], unknown string) string {
		if len(f.Value) == 0 {
			return unknown
		}
		return f.Value[0].String()
	}
	return strings.NewReplacer(
		"{node}", word(n.Name.Value, "<node>"),
		"{network}", first(n.Networks.Value, "<HNS network>"),
		"{podCIDR}", prefixes(n.PodCIDRs, "<podCIDR>"),
		"{clusterCIDR}", prefixes(n.ClusterCIDRs, "<cluster CIDR>"),
		"{serviceCIDR}", prefixes(n.ServiceCIDRs, "<service CIDR>"),
		"{clusterDNS}", addresses(n.ClusterDNS, "<cluster DNS address>"),
		"{managementIP}", addresses(n.ManagementIPs, "<node IP>"),
		"{osTag}", cmp.Or(osTag(n.Build.Value.Number), "<Windows version>"),
		"{runtime}", word(n.Runtime.Value.Name, "containerd"),
		"{cniDir}", word(n.CNIDir.Value, "<CNI configuration folder>"),
		"{cniFile}", word(n.cniFile(), "<CNI configuration file>"),
		"{binDir}", first(n.BinDirs.Value, "<CNI plugin folder>"),
	)
}

// cniFile is the Windows path of the configuration that pods are meant to get.
func (n *Node) cniFile() string {
	if f := n.Intended(); f != nil {
		return n.CNIDir.Value + `\` + f.Name
	}
	return ""
}

// fill puts the node's own names into a fix.
func (n *Node) fill(f Fix) Fix {
	r := n.placeholders()
	filled := Fix{Text: r.Replace(f.Text), Impact: r.Replace(f.Impact), Commands: []string{}}
	for _, c := range f.Commands {
		filled.Commands = append(filled.Commands, evidence.Clean(r.Replace(c)))
	}
	return filled
}

// factNeed makes a fact a Need of checks.
type factNeed struct {
	name    string
	gap     func(*Node) evidence.Gap
	sources []evidence.Need
}

func (f factNeed) Gap(s evidence.Snapshot) evidence.Gap { return f.gap(About(s)) }

// Name is what explain calls the fact.
func (f factNeed) Name() string { return f.name }

func (f factNeed) Paths() []string { return evidence.Any(f.sources...).Paths() }

// The facts that checks name among their Needs. Each lists the evidence that can tell it.
var (
	NeedName          = factNeed{"the name of the node", func(n *Node) evidence.Gap { return n.Name.Gap }, []evidence.Need{evidence.Node}}
	NeedBuild         = factNeed{"the Windows build", func(n *Node) evidence.Gap { return n.Build.Gap }, []evidence.Need{evidence.OSInfo, evidence.Node}}
	NeedKubelet       = factNeed{"the kubelet's version", func(n *Node) evidence.Gap { return n.Kubelet.Gap }, []evidence.Need{evidence.Node, evidence.Logs("kubelet")}}
	NeedRuntime       = factNeed{"the container runtime", func(n *Node) evidence.Gap { return n.Runtime.Gap }, []evidence.Need{evidence.Node, evidence.CRI, evidence.Services}}
	NeedCNI           = factNeed{"the network plugin", func(n *Node) evidence.Gap { return n.CNI.Gap }, cniSources}
	NeedBackend       = factNeed{"the type of the pod network", func(n *Node) evidence.Gap { return n.Backend.Gap }, cniSources}
	NeedNetworks      = factNeed{"the name of the pod network", func(n *Node) evidence.Gap { return n.Networks.Gap }, cniSources}
	NeedCNIFiles      = factNeed{"the CNI configuration", func(n *Node) evidence.Gap { return n.CNIDir.Gap }, slices.Concat(cniFolders, runtimeConfigs)}
	NeedPodCIDRs      = factNeed{"the node's podCIDR", func(n *Node) evidence.Gap { return n.PodCIDRs.Gap }, []evidence.Need{evidence.Node}}
	NeedClusterCIDRs  = factNeed{"the cluster CIDR", func(n *Node) evidence.Gap { return n.ClusterCIDRs.Gap }, clusterSources}
	NeedServiceCIDRs  = factNeed{"the service CIDR", func(n *Node) evidence.Gap { return n.ServiceCIDRs.Gap }, clusterSources}
	NeedClusterDNS    = factNeed{"the address of the cluster DNS", func(n *Node) evidence.Gap { return n.ClusterDNS.Gap }, clusterSources}
	NeedManagementIPs = factNeed{"the node's own addresses", func(n *Node) evidence.Gap { return n.ManagementIPs.Gap }, []evidence.Need{evidence.Node, evidence.HNSNetworks, evidence.Adapters}}
	NeedKubeletFlags  = factNeed{"the kubelet's flags", func(n *Node) evidence.Gap { return n.kubeletGap() }, kubeletSources}
)
