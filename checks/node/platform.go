package node

import (
	"maps"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// Platform is who set the node up: it decides where files lie, which agents
// run, and which faults can happen at all.
type Platform string

// The platforms with faults or fixes of their own.
const (
	AKS         Platform = "AKS"
	EKS         Platform = "EKS"
	GKECloud    Platform = "GKE"
	RKE2        Platform = "RKE2"
	OpenShift   Platform = "OpenShift"
	SelfManaged Platform = "self-managed"
)

// Generation is the age of the documentation that a node was built after. Each
// has its own components, and most faults of one cannot happen in another.
type Generation string

// The generations, by the Kubernetes release that began them.
const (
	Gen15 Generation = "v1.5"  // transparent network, RRAS, userspace kube-proxy over portproxy
	Gen19 Generation = "v1.9"  // wincni or OVN/OVS, routes of the top-of-rack switch
	Gen14 Generation = "v1.14" // start.ps1 and services, flannel, docker or containerd
	Gen25 Generation = "v1.25" // containerd, agents as HostProcess pods
)

var platformSources = []evidence.Need{evidence.Node, evidence.Services, evidence.Processes,
	evidence.Env, evidence.FileIndex, evidence.OSInfo}

// platformMarks are what the platforms write on the Node.
var platformMarks = []struct {
	prefix   string // of a label
	platform Platform
}{
	{"kubernetes.azure.com/cluster", AKS},
	{"kubernetes.azure.com/agentpool", AKS},
	{"eks.amazonaws.com/", EKS},
	{"alpha.eksctl.io/", EKS},
	{"cloud.google.com/gke-", GKECloud},
	{"node.openshift.io/os_id", OpenShift},
	{"rke.cattle.io/machine", RKE2},
}

// platformFiles are paths that only one platform makes.
var platformFiles = []struct {
	start    string // of the Windows path, in lower case
	platform Platform
}{
	{`c:\k\kubeclusterconfig.json`, AKS},
	{`c:\azuredata\`, AKS},
	{`c:\programdata\amazon\eks\`, EKS},
	{`c:\program files\amazon\eks\`, EKS},
	{`c:\etc\kubernetes\node\bin\`, GKECloud},
	{`c:\var\lib\rancher\rke2\`, RKE2},
	{`c:\etc\rancher\rke2\`, RKE2},
}

// learnPlatform asks what the platform itself wrote first, then what it installed.
func (n *Node) learnPlatform(s evidence.Snapshot) {
	node := evidence.Node.In(s)
	learnSome(&n.Cloud, CloudOf(node.Spec.ProviderID), node.Field("spec", "providerID"),
		"spec.providerID is %s", node.Spec.ProviderID)
	for _, mark := range platformMarks {
		for _, label := range slices.Sorted(maps.Keys(node.Metadata.Labels)) {
			if strings.HasPrefix(label, mark.prefix) {
				n.Platform.Learn(mark.platform, node.Field("metadata", "labels", label),
					"it has the label %s", mark.prefix)
			}
		}
	}
	for _, suffix := range []struct {
		mark     string
		platform Platform
	}{{"-eks-", EKS}, {"-gke.", GKECloud}, {"+rke2", RKE2}} {
		if v := node.Status.NodeInfo.KubeletVersion; strings.Contains(v, suffix.mark) {
			n.Platform.Learn(suffix.platform, node.Field("status", "nodeInfo", "kubeletVersion"),
				"status.nodeInfo.kubeletVersion is %s", v)
		}
	}
	for _, svc := range evidence.Services.In(s) {
		switch name := strings.ToLower(svc.Name); {
		case name == "rke2":
			n.Platform.Learn(RKE2, svc.Field("name"), "service %s is there", svc.Name)
		case name == "windows-instance-config-daemon":
			n.Platform.Learn(OpenShift, svc.Field("name"), "service %s is there", svc.Name)
		case strings.Contains(strings.ToLower(svc.BinPath), `\amazon\eks\`):
			n.Platform.Learn(EKS, svc.Field("binPath"), "service %s is %s", svc.Name, svc.BinPath)
		}
	}
	for _, p := range evidence.Processes.In(s) {
		if EqualsAny(Program(p.Name), []string{"rke2"}) {
			n.Platform.Learn(RKE2, p.Field("name"), "process %s runs", p.Name)
		}
	}
	if logged := n.Logged["rke2"]; logged.Known() {
		n.Platform.Learn(RKE2, logged.From.Place(), "%s", logged.From.Text)
	}
	if dir := evidence.Env.In(s)["K8S_DIR"]; dir != "" {
		n.Platform.Learn(GKECloud, evidence.Env.Field(s, "K8S_DIR"),
			"K8S_DIR is %s, which GKE's scripts set", dir)
	}
	for _, mark := range platformFiles {
		if p, ok := s.HasFile(mark.start); ok {
			n.Platform.Learn(mark.platform, evidence.InFile(p), "%s is there", mark.start)
		}
	}
	if n.CNI.Value == VPC {
		n.Platform.Learn(EKS, n.CNI.From.Place(), "the network plugin is Amazon's: %s",
			n.CNI.From.Text)
	}
	if evidence.Node.Known(s) && node.Metadata.Name != "" {
		n.Platform.Learn(SelfManaged, node.Field("metadata", "labels"),
			"no label, version or providerID of a managed platform is on it")
	}
	n.Platform.Miss(s, "who set this node up", platformSources...)
}

// firstOf are the releases that began the generations, the newest first.
var firstOf = []struct {
	minor      int
	generation Generation
}{{25, Gen25}, {14, Gen14}, {9, Gen19}, {0, Gen15}}

// learnGeneration looks at the parts first, for a new kubelet may run in an old
// setup; the version decides where no part tells.
func (n *Node) learnGeneration(s evidence.Snapshot) {
	if n.CNI.Value == WinCNI {
		n.Generation.Learn(Gen19, n.CNI.From.Place(), "the network plugin is wincni: %s",
			n.CNI.From.Text)
	}
	if n.ovsCNI(s) {
		n.Generation.Learn(Gen19, n.CNI.From.Place(),
			"pods are on Open vSwitch, and not by Antrea: %s", n.CNI.From.Text)
	}
	// OVN's recipe makes a transparent network too, and other programs do to this
	// day, as the userspace proxy lived on to 1.25: none of it makes a modern node old.
	if n.olderThan(9) {
		for _, a := range evidence.Adapters.In(s) {
			switch strings.ToLower(a.Name) {
			case "vethernet (hnstransparent)", "vethernet (kubeproxyswitch)":
				n.Generation.Learn(Gen15, a.Field("name"), "adapter %s is there", a.Name)
			}
		}
		if v, ok := n.proxy.Flag("proxy-mode"); ok && strings.EqualFold(v.Value, "userspace") {
			n.Generation.Learn(Gen15, v.From.Place(), "%s", v.From.Text)
		}
	}
	for _, name := range []string{"kube-proxy", "flanneld"} {
		if c := n.Components[name]; len(c.Pods) > 0 {
			n.Generation.Learn(Gen25, c.Pods[0].Field("metadata", "name"),
				"%s runs as the HostProcess pod %s", name, c.Pods[0].FullName())
		}
	}
	if c := n.Components["flanneld"]; len(c.Services) > 0 && len(c.Pods) == 0 &&
		n.Platform.Value != RKE2 && !n.olderThan(14) {
		n.Generation.Learn(Gen14, c.Services[0].Field("name"),
			"flanneld is the service %s, as the scripts of that time set it up", c.Services[0].Name)
	}
	if v := n.Kubelet.Value; n.Kubelet.Known() && v.Major == 1 {
		for _, f := range firstOf {
			if v.Minor >= f.minor {
				n.Generation.Learn(f.generation, n.Kubelet.From.Place(), "the kubelet is %s", v)
			}
		}
	}
	n.Generation.Miss(s, "the generation of the node's setup", platformSources...)
}

// olderThan tells whether the kubelet is older than that release of Kubernetes 1, or of unknown age.
func (n *Node) olderThan(minor int) bool {
	return !n.Kubelet.Known() ||
		n.Kubelet.Value.Compare(evidence.Version{Major: 1, Minor: minor}) < 0
}

// CloudOf is the cloud that a providerID names; vSphere and bare metal have providers too.
func CloudOf(providerID string) string {
	scheme, _, _ := strings.Cut(strings.ToLower(providerID), "://")
	return map[string]string{"azure": "Azure", "aws": "AWS", "gce": "Google Cloud",
		"openstack": "OpenStack", "ibm": "IBM Cloud", "oci": "Oracle Cloud",
		"alicloud": "Alibaba Cloud"}[scheme]
}
