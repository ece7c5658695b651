package regressions

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// A Component is what has a version.
type Component string

// The components, under the names that their owners give them.
const (
	Windows    Component = "Windows"
	Kubelet    Component = "kubelet"
	KubeProxy  Component = "kube-proxy"
	Containerd Component = "containerd"
	Docker     Component = "Docker Engine"
	Antrea     Component = "Antrea"
	Calico     Component = "Calico"
	Flannel    Component = "flannel"
	AzureCNS   Component = "Azure CNS"
	AzureVNet  Component = "azure-vnet" // the CNI plugin, of the same releases
	AzureDisk  Component = "Azure Disk CSI driver"
	AzureFile  Component = "Azure File CSI driver"
	EBS        Component = "AWS EBS CSI driver"
	GCEDisk    Component = "Compute Engine PD CSI driver"
	SMB        Component = "SMB CSI driver"
	KeyVault   Component = "Azure Key Vault provider"
	CSIProxy   Component = "csi-proxy"
	RKE2       Component = "RKE2"
	WMCO       Component = "Windows Machine Config Operator"
	Wins       Component = "rancher-wins"
	VSphereCSI Component = "vSphere CSI driver"
)

func (c Component) name() string { return string(c) }

// images are the endings of the repositories in which a component's images for Windows are. The
// tag is the version.
var images = map[Component][]string{
	KubeProxy: {"kube-proxy"},
	Antrea:    {"antrea-windows", "antrea-agent-windows"},
	Calico:    {"calico/node-windows", "calico/windows"},
	Flannel:   {"sig-windows-net/flannel", "sigwindowstools/flannel"},
	AzureCNS:  {"azure-cns"},
	AzureVNet: {"azure-cns"},
	AzureDisk: {"azuredisk-csi"},
	AzureFile: {"azurefile-csi"},
	EBS:       {"aws-ebs-csi-driver"},
	GCEDisk:   {"gcp-compute-persistent-disk-csi-driver"},
	SMB:       {"smbplugin"},
	KeyVault:  {"secrets-store/provider-azure"},
	CSIProxy:  {"csi-proxy"},
	Wins:      {"rancher/wins"},
	// before and since 3.3
	VSphereCSI: {"csi/release/driver", "csi-vsphere/driver"},
}

// logged is what the facts of the node call a component whose log states its version.
var logged = map[Component]string{KubeProxy: "kube-proxy", Antrea: "antrea", Calico: "calico", Flannel: "flannel",
	AzureVNet: "azure-vnet", AzureDisk: "azuredisk", AzureFile: "azurefile", EBS: "ebs", CSIProxy: "csi-proxy"}

// drivers are the names of CSI drivers. They share libraries, so that one may write the texts of another.
var drivers = map[Component]string{AzureDisk: "disk.csi.azure.com", AzureFile: "file.csi.azure.com",
	EBS: "ebs.csi.aws.com", GCEDisk: "pd.csi.storage.gke.io", SMB: "smb.csi.k8s.io"}

// inVolume is the driver in the name of a volume of the kubelet, or in the folder where it is mounted.
var inVolume = regexp.MustCompile(`kubernetes\.io(?:/|\\+)csi(?:/|\\+)([\w-]+(?:\.[\w-]+)+)[\^/\\]`)

// namesOther tells whether a line is about a volume of another CSI driver.
func (c Component) namesOther(line string) bool {
	own := drivers[c]
	if own == "" || strings.Contains(line, own) {
		return false
	}
	for _, name := range drivers {
		if strings.Contains(line, name) {
			return true
		}
	}
	return inVolume.MatchString(line)
}

// sources is what shows the version.
func (c Component) sources() []evidence.Need {
	switch c {
	case Windows:
		return node.NeedBuild.Sources
	case Kubelet, RKE2:
		return node.NeedKubelet.Sources
	case KubeProxy:
		return append([]evidence.Need{evidence.Pods}, node.NeedKubelet.Sources...)
	case Containerd, Docker:
		return node.NeedRuntime.Sources
	case WMCO:
		return []evidence.Need{evidence.Node}
	}
	return []evidence.Need{evidence.Pods}
}

// errUnseen says that nothing shows whether the node has the component. It never leaves the package:
// that a version is not recorded is no gap, for a row could only say that there may be something.
var errUnseen = errors.New("nothing shows whether the node has the component")

// applies tells whether the node has the component.
func (c Component) applies(n *node.Node) error {
	switch c {
	case Containerd, Docker:
		if !n.Runtime.Known() {
			return errUnseen
		}
		return checks.OnRuntime(runtimes[c])(n)
	case Antrea, Calico, Flannel, AzureCNS, AzureVNet:
		if !n.CNI.Known() {
			if n.Logged[logged[c]].Known() {
				return nil
			}
			return errUnseen
		}
		return checks.RequireCNI(n, plugins[c])
	case RKE2, WMCO:
		if !n.Platform.Known() {
			return errUnseen
		}
		return checks.OnPlatform(platforms[c])(n)
	}
	return nil
}

var (
	runtimes = map[Component]string{Containerd: "containerd", Docker: "docker"}
	plugins  = map[Component]node.CNI{Antrea: node.Antrea, Calico: node.Calico,
		Flannel: node.Flannel, AzureCNS: node.Azure, AzureVNet: node.Azure}
	platforms = map[Component]node.Platform{RKE2: node.RKE2, WMCO: node.OpenShift}
)

// shownBy is the command that shows the version.
func (c Component) shownBy() string {
	switch c {
	case Windows, Kubelet, Containerd, Docker, RKE2:
		return "kubectl get node {node} -o wide"
	case Wins:
		return "wins.exe --version"
	case WMCO:
		return `kubectl get node {node} -o jsonpath='{.metadata.annotations}'`
	}
	return "kubectl get pods -A --field-selector spec.nodeName={node} -o custom-columns='" +
		"POD:.metadata.name,IMAGE:.spec.containers[*].image'"
}

// A version is what a component's version was found to be.
type version struct {
	number number
	text   string // "kubelet v1.31.0"
	from   evidence.Because
}

// version is the component's version, if something shows it.
func (c Component) version(s evidence.Snapshot) (version, bool) {
	n := node.About(s)
	raw, from := "", evidence.Because{}
	switch c {
	case Windows:
		if b := n.Build.Value; b.UBR > 0 {
			raw, from = fmt.Sprintf("%d.%d", b.Number, b.UBR), n.Build.From
		}
	case Kubelet, RKE2:
		raw, from = n.KubeletRaw, n.Kubelet.From
	case Containerd, Docker:
		rt := n.Runtime.Value
		_, raw, _ = strings.Cut(rt.Raw, "://")
		from = n.Runtime.From
	case WMCO:
		raw, from = annotated(s)
	default:
		logs := n.Logged[logged[c]]
		// the plugin is a part of the node's image, and may be older than the pods
		if raw, from = c.imageTag(s); raw == "" || c == AzureVNet && logs.Known() {
			raw, from = logs.Value, logs.From
		}
		if c == KubeProxy && raw == "" { // a part of the same release
			raw, from = n.KubeletRaw, n.Kubelet.From
		}
	}
	number, ok := parseNumber(raw)
	if !ok {
		return version{}, false
	}
	raw = evidence.Clip(evidence.Clean(raw), node.MaxFact)
	return version{number, c.name() + " " + raw, from}, true
}

// annotated is the version that the operator wrote on the Node that it configured.
func annotated(s evidence.Snapshot) (string, evidence.Because) {
	const key = "windowsmachineconfig.openshift.io/version"
	o := evidence.Node.In(s)
	v := o.Metadata.Annotations[key]
	return v, o.Field("metadata", "annotations", key).Because("%s: %s", key, v)
}

// imageTag is the tag of the component's image in the pods of this node.
func (c Component) imageTag(s evidence.Snapshot) (string, evidence.Because) {
	for _, p := range evidence.Pods.In(s) {
		for i, container := range p.Spec.Containers {
			if tag, ok := c.tagOf(container.Image); ok {
				return tag, p.Field("spec", "containers", i, "image").Because("%s", container.Image)
			}
		}
	}
	return "", evidence.Because{}
}

// tagOf is the tag of an image, if it is one of the component.
func (c Component) tagOf(image string) (tag string, ok bool) {
	image, _, _ = strings.Cut(image, "@")
	repository, tag := cutTag(image)
	return tag, slices.ContainsFunc(images[c], func(end string) bool {
		return repository == end || strings.HasSuffix(repository, "/"+end)
	})
}

// runsIn tells whether a container of the pod has an image of the component.
func (c Component) runsIn(p evidence.Pod) bool {
	return slices.ContainsFunc(p.Spec.Containers, func(container evidence.Container) bool {
		_, ok := c.tagOf(container.Image)
		return ok
	})
}

// cutTag parts an image at the colon of its tag: the registry's port has one too.
func cutTag(image string) (repository, tag string) {
	at := strings.LastIndexByte(image, ':')
	if at < 0 || strings.Contains(image[at:], "/") {
		return image, ""
	}
	return image[:at], image[at+1:]
}
