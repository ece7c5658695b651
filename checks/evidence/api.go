package evidence

import (
	"cmp"
	"slices"
	"strings"
)

// The cluster's view: Kubernetes objects in Kubernetes JSON. The types hold the fields that checks
// read, under their Kubernetes names; k8s.io/api would bring a hundred packages into every check.
var (
	Node           = windowsNodeKind("api/node.json")
	Nodes          = objectsKind[NodeObject]("api/nodes.json")
	Pods           = podsOfNode("api/pods.json")
	ListedPods     = objectsKind[Pod]("api/pods.json") // those of other nodes, too
	PodEvents      = objectsKind[Event]("api/events.json")
	KubeServices   = objectsKind[KubeService]("api/services.json")
	EndpointSlices = objectsKind[EndpointSlice]("api/endpointslices.json")
	ConfigMaps     = objectsKind[ConfigMap]("api/configmaps.json")
	DaemonSets     = objectsKind[DaemonSet]("api/daemonsets.json")
	NodeLease      = objectKind[Lease]("api/lease.json")
	APIVersion     = jsonKind[VersionInfo]("api/version.json")
	ServiceCIDRs   = objectsKind[ServiceCIDR]("api/servicecidrs.json") // Kubernetes 1.33 and later
	IPPools        = objectsKind[IPPool]("api/ippools.json")           // of Calico
	IPAMConfigs    = objectsKind[IPAMConfig]("api/ipamconfigs.json")   // likewise
	// of OpenShift's network operator; only other recorders bring them
	NetworkSettings = objectsKind[NetworkSetting]("api/networks.json")
	// those of pods that do not run
	PersistentVolumes = objectsKind[PersistentVolume]("api/persistentvolumes.json")
)

// Lease is the coordination.k8s.io Lease that the kubelet renews. The time of renewal is by the
// node's clock, and that of the managed fields by the API server's.
type Lease struct {
	Placed   `json:"-"`
	Metadata struct {
		ManagedFields []struct {
			Time     Time `json:"time"`
			FieldsV1 struct {
				Spec struct {
					RenewTime *struct{} `json:"f:renewTime"`
				} `json:"f:spec"`
			} `json:"fieldsV1"`
		} `json:"managedFields"`
	} `json:"metadata"`
	Spec struct {
		RenewTime Time `json:"renewTime"`
	} `json:"spec"`
}

// ServiceCIDR is a networking.k8s.io ServiceCIDR.
type ServiceCIDR struct {
	Placed   `json:"-"`
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		CIDRs []string `json:"cidrs"`
	} `json:"spec"`
}

// IPPool is a crd.projectcalico.org or projectcalico.org IPPool: addresses for pods, and how their
// packets travel between nodes.
type IPPool struct {
	Placed   `json:"-"`
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		CIDR         string `json:"cidr"`
		IPIPMode     string `json:"ipipMode"`     // Always, CrossSubnet, Never or empty
		VXLANMode    string `json:"vxlanMode"`    // likewise
		NodeSelector string `json:"nodeSelector"` // all() or empty: any node
		NATOutgoing  bool   `json:"natOutgoing"`  // packets out of the cluster get the address of the node
		Disabled     bool   `json:"disabled"`     // no new addresses are taken from it
	} `json:"spec"`
}

// NetworkSetting is an operator.openshift.io Network.
type NetworkSetting struct {
	Placed   `json:"-"`
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		DefaultNetwork struct {
			Type                string `json:"type"` // OVNKubernetes, OpenShiftSDN
			OVNKubernetesConfig struct {
				HybridOverlayConfig *struct {
					HybridOverlayVXLANPort int `json:"hybridOverlayVXLANPort"` // 0: 4789
				} `json:"hybridOverlayConfig"`
			} `json:"ovnKubernetesConfig"`
		} `json:"defaultNetwork"`
	} `json:"spec"`
}

// IPAMConfig is a crd.projectcalico.org IPAMConfig, or a projectcalico.org IPAMConfiguration.
type IPAMConfig struct {
	Placed   `json:"-"`
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		StrictAffinity *bool `json:"strictAffinity"`
	} `json:"spec"`
}

// Metadata is the part of ObjectMeta that checks read.
type Metadata struct {
	Name              string            `json:"name" as:"name"`
	Namespace         string            `json:"namespace" as:"name"`
	UID               string            `json:"uid"`
	Labels            map[string]string `json:"labels"`
	Annotations       map[string]string `json:"annotations"`
	CreationTimestamp Time              `json:"creationTimestamp"`
	DeletionTimestamp *Time             `json:"deletionTimestamp"`
	OwnerReferences   []OwnerReference  `json:"ownerReferences"`
}

// OwnerReference names the object that made this one.
type OwnerReference struct {
	Kind string `json:"kind" as:"name"`
	Name string `json:"name" as:"name"`
}

// NodeObject is a v1 Node.
type NodeObject struct {
	Placed   `json:"-"`
	Metadata Metadata   `json:"metadata"`
	Spec     NodeSpec   `json:"spec"`
	Status   NodeStatus `json:"status"`
}

// NodeSpec is the spec of a Node.
type NodeSpec struct {
	PodCIDR       string   `json:"podCIDR"`
	PodCIDRs      []string `json:"podCIDRs"`
	ProviderID    string   `json:"providerID"`
	Unschedulable bool     `json:"unschedulable"`
	Taints        []Taint  `json:"taints"`
}

// NodeStatus is the status of a Node.
type NodeStatus struct {
	Addresses []struct {
		Type    string `json:"type"` // InternalIP, Hostname, …
		Address string `json:"address"`
	} `json:"addresses"`
	Conditions []Condition `json:"conditions"`
	NodeInfo   struct {
		KernelVersion           string `json:"kernelVersion"` // 10.0.17763.5329
		OSImage                 string `json:"osImage"`
		ContainerRuntimeVersion string `json:"containerRuntimeVersion"` // containerd://1.7.20
		KubeletVersion          string `json:"kubeletVersion"`
		OperatingSystem         string `json:"operatingSystem"`
		Architecture            string `json:"architecture"`
	} `json:"nodeInfo"`
	Allocatable map[string]string `json:"allocatable"`
	Capacity    map[string]string `json:"capacity"`

	DaemonEndpoints struct {
		KubeletEndpoint struct {
			Port int `json:"Port"`
		} `json:"kubeletEndpoint"`
	} `json:"daemonEndpoints"`
}

// Condition is one condition of a Node or a Pod.
type Condition struct {
	Type               string `json:"type"`
	Status             string `json:"status"`
	Reason             string `json:"reason"`
	Message            string `json:"message"`
	LastHeartbeatTime  Time   `json:"lastHeartbeatTime"`
	LastTransitionTime Time   `json:"lastTransitionTime"`
}

// Condition returns the condition of that type, if the Node has it.
func (n NodeObject) Condition(kind string) (Condition, bool) {
	if i := ofType(n.Status.Conditions, kind); i >= 0 {
		return n.Status.Conditions[i], true
	}
	return Condition{}, false
}

// ofType is the number of the condition of that type, -1 where there is none.
func ofType(conditions []Condition, kind string) int {
	return slices.IndexFunc(conditions, func(c Condition) bool { return c.Type == kind })
}

// InternalIPs lists the node's InternalIP addresses.
func (n NodeObject) InternalIPs() []string {
	var ips []string
	for _, a := range n.Status.Addresses {
		if a.Type == "InternalIP" {
			ips = append(ips, a.Address)
		}
	}
	return ips
}

// AddressField is the place of an address of the node.
func (n NodeObject) AddressField(address string) Place {
	for i, a := range n.Status.Addresses {
		if a.Address == address {
			return n.Field("status", "addresses", i, "address")
		}
	}
	return n.Field("status", "addresses")
}

// ConditionField is the place of the condition of that type.
func (n NodeObject) ConditionField(kind string, steps ...any) Place {
	if i := ofType(n.Status.Conditions, kind); i >= 0 {
		return n.Field("status", "conditions", i).At(steps...)
	}
	return n.Field("status", "conditions")
}

// PodCIDRField is the place of what PodCIDRList lists.
func (n NodeObject) PodCIDRField() Place {
	if len(n.Spec.PodCIDRs) > 0 {
		return n.Field("spec", "podCIDRs")
	}
	return n.Field("spec", "podCIDR")
}

// PodCIDRList lists the node's podCIDRs, of both fields.
func (s NodeSpec) PodCIDRList() []string {
	if len(s.PodCIDRs) > 0 {
		return s.PodCIDRs
	}
	if s.PodCIDR != "" {
		return []string{s.PodCIDR}
	}
	return nil
}

// Event is a v1 Event, in core/v1 or events.k8s.io/v1 form.
type Event struct {
	Placed         `json:"-"`
	Metadata       Metadata        `json:"metadata"`
	Type           string          `json:"type"`
	Reason         string          `json:"reason"`
	Message        string          `json:"message"`
	Note           string          `json:"note"` // events.k8s.io/v1
	Count          int             `json:"count"`
	InvolvedObject ObjectReference `json:"involvedObject"`
	Regarding      ObjectReference `json:"regarding"` // events.k8s.io/v1
	Source         struct {
		Component string `json:"component"`
		Host      string `json:"host"` // the node whose kubelet reports it
	} `json:"source"`
	// events.k8s.io/v1, and of its events in core/v1: the node of a kubelet, and of others a name of
	// their own, such as default-scheduler-HOST
	ReportingController string `json:"reportingController"`
	ReportingComponent  string `json:"reportingComponent"`
	ReportingInstance   string `json:"reportingInstance"`
	FirstTimestamp      Time   `json:"firstTimestamp"`
	LastTimestamp       Time   `json:"lastTimestamp"`
	DeprecatedLast      Time   `json:"deprecatedLastTimestamp"` // events.k8s.io/v1, of events in core/v1
	EventTime           Time   `json:"eventTime"`               // the first time, where there is a series
	DeprecatedCount     int    `json:"deprecatedCount"`
	Series              struct {
		Count        int  `json:"count"`
		LastObserved Time `json:"lastObservedTime"`
	} `json:"series"`
}

// ObjectReference names the object that an event is about.
type ObjectReference struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace" as:"name"`
	Name      string `json:"name" as:"name"`
	FieldPath string `json:"fieldPath,omitempty"` // spec.containers{web}: of a pod's container
}

// OfContainer tells whether a container with this name is what the event is about, as far as it says so.
func (o ObjectReference) OfContainer(name string) bool {
	return o.FieldPath == "" || strings.HasSuffix(o.FieldPath, "{"+name+"}")
}

// OfOtherNode tells whether the kubelet of another node reports the event: a list of all events of a
// cluster has those too.
func (e Event) OfOtherNode(node string) bool {
	component := cmp.Or(e.Source.Component, e.ReportingController, e.ReportingComponent)
	host := cmp.Or(e.Source.Host, e.ReportingInstance)
	return component == "kubelet" && node != "" && host != "" && !strings.EqualFold(host, node)
}

// Text returns the message, whichever API version wrote it.
func (e Event) Text() string {
	return cmp.Or(e.Message, e.Note)
}

// About returns the object that the event is about.
func (e Event) About() ObjectReference {
	if e.InvolvedObject.Name != "" {
		return e.InvolvedObject
	}
	return e.Regarding
}

// At returns when the event was last seen.
func (e Event) At() Time {
	return cmp.Or(e.LastTimestamp, e.Series.LastObserved, e.DeprecatedLast, e.EventTime, e.FirstTimestamp, e.Metadata.CreationTimestamp)
}

// Times returns how often the event was seen, as far as it is known.
func (e Event) Times() int {
	return max(e.Count, e.DeprecatedCount, e.Series.Count, 1)
}

// ConfigMap is a v1 ConfigMap.
type ConfigMap struct {
	Placed   `json:"-"`
	Metadata Metadata          `json:"metadata"`
	Data     map[string]string `json:"data"`
}

// DaemonSet is an apps/v1 DaemonSet.
type DaemonSet struct {
	Placed   `json:"-"`
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		Template struct {
			Spec PodSpec `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

// VersionInfo is the API server's /version.
type VersionInfo struct {
	GitVersion string `json:"gitVersion"`
}

// WindowsEvents is events.json: excerpts of the node's event logs.
var WindowsEvents = listKind[WindowsEvent]("events.json")

// EarlierEvents is earlier.json: what earlier recordings of the node tell beside the last one, which
// is the one that is judged. Only the timeline reads it.
var EarlierEvents = listKind[WindowsEvent]("earlier.json")

// WindowsEvent is one record of a Windows event log.
type WindowsEvent struct {
	Placed   `json:"-"`
	Log      string `json:"log,omitempty"`      // System, Application, EKS, …
	Provider string `json:"provider,omitempty"` // such as Service Control Manager
	// 7031; 0 where the event has none, or it is not known
	ID      int    `json:"id"`
	Level   string `json:"level,omitempty"` // critical, error, warning, information, verbose
	Time    Time   `json:"time,omitzero"`
	Message string `json:"message"`
}

// otherSystem is the error of a Node object whose node runs no Windows: what it shows must not be
// judged by the rules of Windows nodes.
type otherSystem struct{ name, system string }

func (o otherSystem) Error() string { return OtherSystem.Gap(o.name, o.system).String() }

// windowsNodeKind is objectKind for the Node object of the node that is judged.
func windowsNodeKind(path string) *Kind[NodeObject] {
	k := objectKind[NodeObject](path)
	decode := k.decode
	k.decode = func(b []byte) (any, *origin, error) {
		value, from, err := decode(b)
		n, _ := value.(NodeObject)
		if system := n.otherSystem(); err == nil && system != "" {
			err = otherSystem{cmp.Or(n.Metadata.Name, UnknownNode), system}
		}
		return value, from, err
	}
	return k
}

// otherSystem names the operating system of a node that does not run Windows. Tables of kubectl show
// the image and the kernel only, of which Windows has those of one version.
func (n NodeObject) otherSystem() string {
	info := n.Status.NodeInfo
	system := cmp.Or(info.OperatingSystem, n.Metadata.Labels["kubernetes.io/os"],
		n.Metadata.Labels["beta.kubernetes.io/os"])
	switch {
	case system == "linux", system == "" && info.OSImage != "" && info.KernelVersion != "" &&
		!strings.Contains(info.OSImage, "Windows") && !strings.HasPrefix(info.KernelVersion, "10.0."):
		return cmp.Or(info.OSImage, system)
	}
	return ""
}
