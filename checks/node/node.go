// Package node works out what is known about a node: its network plugin, its
// CIDRs and addresses, the settings of its components, each fact with the
// evidence that shows it. It is worked out once for a snapshot, so that two
// checks never disagree about, say, the service CIDR.
package node

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

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
	// The kubelet's version as it writes it itself: v1.31.2+rke2r1.
	KubeletRaw string
	Runtime    Fact[Runtime]
	Logged     map[string]Fact[string] // the versions that components wrote into their logs, or that are stated
	LoggedAt   map[string]time.Time    // when they did, which is when they started

	Platform   Fact[Platform]   // who set the node up
	Cloud      Fact[string]     // whose machine it is: AWS, Azure, …
	Generation Fact[Generation] // the age of the documentation it was built after

	CNI     Fact[CNI]     // the network plugin that the node is meant to use
	Backend Fact[Backend] // how it carries packets between nodes
	// the configurations of the runtime's folder, in the order in which it loads them
	CNIFiles []CNIFile
	CNIDir   Fact[string]   // the folder that the runtime reads
	BinDirs  Fact[[]string] // the folders in which it looks for plugins
	Networks Fact[[]string] // the HNS network that pods should be on: any of these names

	PodCIDRs     Fact[[]Prefix] // of this node
	ClusterCIDRs Fact[[]Prefix] // of all pods
	ServiceCIDRs Fact[[]Prefix] // of all services
	// ClusterIPs that are known: they lie in the service CIDR whatever it is
	ServiceIPs    Fact[[]Address]
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
	From  evidence.Because
	Gap   evidence.Gap
}

// Known tells whether the fact was learnt.
func (f Fact[T]) Known() bool { return f.Gap.Kind == "" && f.From.Path != "" }

// Stated tells that no more than a person's word shows the fact.
func (f Fact[T]) Stated() bool { return f.Known() && IsStated(f.From) }

// IsStated tells that a piece of evidence is no more than a person's word.
func IsStated(b evidence.Because) bool { return b.Path == evidence.Stated.Path() }

// Learn keeps the first value offered.
func (f *Fact[T]) Learn(v T, place evidence.Place, format string, args ...any) {
	if !f.Known() {
		*f = Fact[T]{Value: v, From: place.Because(format, args...)}
	}
}

// learnSome is Learn for a value that says nothing where it is empty.
func learnSome[T any](f *Fact[T], v T, place evidence.Place, format string, args ...any) {
	if !reflect.ValueOf(&v).Elem().IsZero() {
		f.Learn(v, place, format, args...)
	}
}

// Miss records why a fact is not known, when nothing gave it.
func (f *Fact[T]) Miss(s evidence.Snapshot, what string, needs ...evidence.Need) {
	if !f.Known() {
		f.Gap = cmp.Or(evidence.Any(needs...).Gap(s), evidence.NotShown.Gap(what))
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

// String is the version as Windows writes it, without the revision where that is not known.
func (b Build) String() string {
	if b.UBR < 0 {
		return fmt.Sprintf("10.0.%d", b.Number)
	}
	return fmt.Sprintf("10.0.%d.%d", b.Number, b.UBR)
}

type aboutKey struct{}

// About works out the node's facts.
//
//go:noinline
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
	// names and versions are as good in a part of the object
	node := evidence.Node.In(s.WithParts(evidence.Node))
	learnSome(&n.Name, node.Metadata.Name, node.Field("metadata", "name"), "metadata.name is %s",
		node.Metadata.Name)
	if name := s.Meta().Node; name != "" && name != evidence.UnknownNode {
		n.Name.Learn(name, evidence.InFile("meta.json").At("node"), "node is %s", name)
	}
	n.Name.Miss(s, "the name of the node", evidence.Node)

	if os := evidence.OSInfo.In(s); os.Build > 0 {
		b := Build{os.Build, cmp.Or(os.UBR, -1)}
		if k, ok := kernelBuild(node.Status.NodeInfo.KernelVersion); ok && b.UBR < 0 &&
			k.Number == b.Number {
			b = k // collectlogs and some recorders do not see the revision, the kubelet does
		}
		n.Build.Learn(b, evidence.OSInfo.Field(s, "build"), "build %d, ubr %d", os.Build, os.UBR)
		n.OS.Learn(osName(os.ProductName, os.Build), evidence.OSInfo.Field(s, "productName"),
			"productName is %q", os.ProductName)
	}
	if b, ok := kernelBuild(node.Status.NodeInfo.KernelVersion); ok {
		n.Build.Learn(b, node.Field("status", "nodeInfo", "kernelVersion"),
			"status.nodeInfo.kernelVersion is %s", node.Status.NodeInfo.KernelVersion)
		n.OS.Learn(osName(node.Status.NodeInfo.OSImage, b.Number), node.Field("status", "nodeInfo",
			"osImage"), "status.nodeInfo.osImage is %q", node.Status.NodeInfo.OSImage)
	}
	n.learnLogged(s)
	n.learnStated(s)
	n.Build.Miss(s, "the Windows build", evidence.OSInfo, evidence.Node)
	n.OS.Miss(s, "the Windows version", evidence.OSInfo, evidence.Node)

	n.learnKubeletVersion(node.Status.NodeInfo.KubeletVersion, node.Field("status", "nodeInfo",
		"kubeletVersion").Because("status.nodeInfo.kubeletVersion is %s", node.Status.NodeInfo.KubeletVersion))
	for _, name := range []string{"kubelet", "rke2"} {
		n.learnKubeletVersion(n.Logged[name].Value, n.Logged[name].From)
	}
	n.Kubelet.Miss(s, "the kubelet's version", evidence.Node)

	if raw := node.Status.NodeInfo.ContainerRuntimeVersion; raw != "" {
		name, version, _ := strings.Cut(raw, "://")
		v, _ := evidence.ParseVersion(version)
		n.Runtime.Learn(Runtime{name, v, raw}, node.Field("status", "nodeInfo",
			"containerRuntimeVersion"), "status.nodeInfo.containerRuntimeVersion is %s", raw)
	}
	if c := evidence.CRI.In(s).Version; c.RuntimeName != "" {
		v, _ := evidence.ParseVersion(c.RuntimeVersion)
		n.Runtime.Learn(Runtime{c.RuntimeName, v,
			c.RuntimeName + "://" + strings.TrimPrefix(c.RuntimeVersion, "v")},
			evidence.CRI.Field(s, "version", "runtimeVersion"), "runtimeVersion is %s",
			c.RuntimeVersion)
	}
	for _, svc := range evidence.Services.In(s) {
		for _, name := range []string{"containerd", "docker"} {
			if strings.EqualFold(svc.Name, name) && svc.Running() {
				n.Runtime.Learn(Runtime{Name: name, Raw: name}, svc.Field("state"),
					"service %s is running", svc.Name)
			}
		}
	}
	for _, name := range []string{"containerd", "docker"} {
		if logged := n.Logged[name]; logged.Known() && (!n.Runtime.Known() || n.Runtime.Value.Raw == name) {
			v, _ := evidence.ParseVersion(logged.Value)
			n.Runtime = Fact[Runtime]{Value: Runtime{name, v, name + "://" + strings.TrimPrefix(logged.Value, "v")},
				From: logged.From}
		}
	}
	n.Runtime.Miss(s, "the container runtime", evidence.Node, evidence.CRI, evidence.Services)
}

func (n *Node) learnKubeletVersion(raw string, from evidence.Because) {
	if v, ok := evidence.ParseVersion(raw); ok && !n.Kubelet.Known() {
		n.Kubelet = Fact[evidence.Version]{Value: v, From: from}
		n.KubeletRaw = raw
	}
}

// learnStated takes what nothing recorded shows from what the author of a text states.
func (n *Node) learnStated(s evidence.Snapshot) {
	for i, stated := range evidence.Stated.In(s) {
		from := evidence.Stated.Field(s, i).Because("the author states (line %d): %s", stated.Line, stated.Text)
		if b, ok := kernelBuild(stated.Value); ok && stated.Fact == evidence.StatedWindows {
			if !n.Build.Known() {
				n.Build = Fact[Build]{Value: b, From: from}
				n.OS = Fact[string]{Value: osName("", b.Number), From: from}
			}
		} else if !n.Logged[stated.Fact].Known() {
			n.Logged[stated.Fact] = Fact[string]{Value: stated.Value, From: from}
		}
	}
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
	if client := strings.TrimPrefix(product, "Microsoft "); strings.HasPrefix(client, "Windows 1") {
		if build >= firstWindows11 { // the registry of Windows 11 says Windows 10
			client = strings.Replace(client, "Windows 10", "Windows 11", 1)
		}
		return evidence.Clean(client)
	}
	if name := evidence.WindowsName(build); name != "" {
		return name
	}
	return cmp.Or(evidence.Clean(product), fmt.Sprintf("Windows build %d", build))
}

// firstWindows11 is the build with which Windows 11 began. The name shows Windows Server.
const firstWindows11 = 22000

// MaxFact bounds a name or version in bytes; a Kubernetes name has up to 253.
const MaxFact = 253

// BackendName is the backend as the plugin's own documentation calls it.
func (n *Node) BackendName() string {
	if n.CNI.Value == Flannel && n.Backend.Value == L2Bridge {
		return "host-gw"
	}
	return n.Backend.Value.Label()
}

// CNIFilePath is the Windows path of the configuration that pods are meant to get.
func (n *Node) CNIFilePath() string {
	if f := n.Intended(); f != nil {
		return n.CNIDir.Value + `\` + f.Name
	}
	return ""
}

// FactNeed makes a fact a Need of checks.
type FactNeed struct {
	name    string
	Sources []evidence.Need
	gap     func(evidence.Snapshot) evidence.Gap
}

// Gap is why the fact is not known, or "".
func (f FactNeed) Gap(s evidence.Snapshot) evidence.Gap { return f.gap(s) }

// Name is what explain calls the fact.
func (f FactNeed) Name() string { return f.name }

// Paths is the evidence from which the fact can be learned: any of it may be enough.
func (f FactNeed) Paths() []string { return evidence.Any(f.Sources...).Paths() }

// OnlyStated is why a fact proves nothing where a check finds no fault: nobody looked.
func (f FactNeed) OnlyStated(s evidence.Snapshot) evidence.Gap {
	n := About(s)
	if f.name == NeedBuild.name && n.Build.Stated() || f.name == NeedKubelet.name && n.Kubelet.Stated() ||
		f.name == NeedRuntime.name && n.Runtime.Stated() {
		return evidence.NotShown.Gap(f.name)
	}
	return evidence.Gap{}
}

// The facts that checks name among their Needs. Each lists the evidence that can tell it.
var (
	NeedBuild = FactNeed{"the Windows build", []evidence.Need{evidence.OSInfo, evidence.Node},
		func(s evidence.Snapshot) evidence.Gap { return About(s).Build.Gap }}
	NeedKubelet = FactNeed{"the kubelet's version", []evidence.Need{evidence.Node, evidence.Logs("kubelet")},
		func(s evidence.Snapshot) evidence.Gap { return About(s).Kubelet.Gap }}
	NeedRuntime = FactNeed{"the container runtime", []evidence.Need{evidence.Node, evidence.CRI, evidence.Services},
		func(s evidence.Snapshot) evidence.Gap { return About(s).Runtime.Gap }}
	NeedCNI = FactNeed{"the network plugin", CNISources,
		func(s evidence.Snapshot) evidence.Gap { return About(s).CNI.Gap }}
	NeedBackend = FactNeed{"the type of the pod network", CNISources,
		func(s evidence.Snapshot) evidence.Gap { return About(s).Backend.Gap }}
	NeedNetworks = FactNeed{"the name of the pod network", CNISources,
		func(s evidence.Snapshot) evidence.Gap { return About(s).Networks.Gap }}
	NeedCNIFiles = FactNeed{"the CNI configuration", slices.Concat(CNIFolders, RuntimeConfigs, []evidence.Need{evidence.CRI}),
		func(s evidence.Snapshot) evidence.Gap { return About(s).CNIDir.Gap }}
	NeedPodCIDRs = FactNeed{"the node's podCIDR", []evidence.Need{evidence.Node},
		func(s evidence.Snapshot) evidence.Gap { return About(s).PodCIDRs.Gap }}
	NeedClusterCIDRs = FactNeed{"the cluster CIDR", ClusterSources,
		func(s evidence.Snapshot) evidence.Gap { return About(s).ClusterCIDRs.Gap }}
	NeedServiceCIDRs = FactNeed{"the service CIDR", ClusterSources,
		func(s evidence.Snapshot) evidence.Gap { return About(s).ServiceCIDRs.Gap }}
	NeedClusterDNS = FactNeed{"the address of the cluster DNS", ClusterSources,
		func(s evidence.Snapshot) evidence.Gap { return About(s).ClusterDNS.Gap }}
	NeedManagementIPs = FactNeed{"the node's own addresses", []evidence.Need{evidence.Node, evidence.HNSNetworks, evidence.Adapters},
		func(s evidence.Snapshot) evidence.Gap { return About(s).ManagementIPs.Gap }}
	NeedKubeletFlags = FactNeed{"the kubelet's flags", KubeletSources,
		func(s evidence.Snapshot) evidence.Gap { return About(s).KubeletGap() }}
)
