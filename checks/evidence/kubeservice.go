package evidence

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"time"
)

// KubeService is a v1 Service. Its name keeps it apart from a Windows Service.
type KubeService struct {
	Placed   `json:"-"`
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		Type                  string            `json:"type"`
		Selector              map[string]string `json:"selector"`
		ClusterIP             string            `json:"clusterIP"`
		ClusterIPs            []string          `json:"clusterIPs"`
		ExternalTrafficPolicy string            `json:"externalTrafficPolicy"`
		InternalTrafficPolicy string            `json:"internalTrafficPolicy"`
		SessionAffinity       string            `json:"sessionAffinity"`
		SessionAffinityConfig *struct {
			ClientIP *struct {
				TimeoutSeconds *int `json:"timeoutSeconds"`
			} `json:"clientIP"`
		} `json:"sessionAffinityConfig"`
		Ports []ServicePort `json:"ports"`
	} `json:"spec"`
	Status struct {
		LoadBalancer struct {
			Ingress []struct {
				IP string `json:"ip"`
			} `json:"ingress"`
		} `json:"loadBalancer"`
	} `json:"status"`
}

// FullName is namespace/name.
func (s KubeService) FullName() string { return s.Metadata.Namespace + "/" + s.Metadata.Name }

// ServicePort is one port of a Service.
type ServicePort struct {
	Name       string `json:"name"`
	Protocol   string `json:"protocol"`
	Port       int    `json:"port"`
	TargetPort any    `json:"targetPort"` // a number, or the name of a port of the pods
	NodePort   int    `json:"nodePort"`
}

// ClusterIPs lists the service's addresses; a headless service has none.
func (s KubeService) ClusterIPs() []string {
	ips := s.Spec.ClusterIPs
	if len(ips) == 0 {
		ips = []string{s.Spec.ClusterIP}
	}
	var list []string
	for _, ip := range ips {
		if ip != "" && ip != "None" {
			list = append(list, ip)
		}
	}
	return list
}

// EndpointSlice is a discovery.k8s.io/v1 EndpointSlice.
type EndpointSlice struct {
	Placed    `json:"-"`
	Metadata  Metadata          `json:"metadata"`
	Endpoints []ServiceEndpoint `json:"endpoints"`
	Ports     []struct {
		Name     string `json:"name"`
		Protocol string `json:"protocol"`
		Port     int    `json:"port"`
	} `json:"ports"`
}

// Slices goes over the EndpointSlices of the Service.
func (s KubeService) Slices(in Snapshot) iter.Seq[EndpointSlice] {
	return func(yield func(EndpointSlice) bool) {
		for _, slice := range EndpointSlices.In(in) {
			if slice.Metadata.Namespace == s.Metadata.Namespace &&
				slice.Metadata.Labels["kubernetes.io/service-name"] == s.Metadata.Name && !yield(slice) {
				return
			}
		}
	}
}

// ServiceEndpoint is one backend of a Service.
type ServiceEndpoint struct {
	Addresses  []string          `json:"addresses"`
	NodeName   string            `json:"nodeName"`
	Topology   map[string]string `json:"topology"` // v1beta1 names the node here
	Conditions struct {
		Ready       *bool `json:"ready"`
		Terminating bool  `json:"terminating"`
	} `json:"conditions"`
}

// Terminating tells whether the pod behind it is being deleted; kube-proxy may still use it.
func (e ServiceEndpoint) Terminating() bool { return e.Conditions.Terminating }

// Node names the node of the backend; "" where the slice does not say.
func (e ServiceEndpoint) Node() string {
	return cmp.Or(e.NodeName, e.Topology["kubernetes.io/hostname"])
}

// Ready tells whether the backend takes connections; a slice that does not say so means yes.
func (e ServiceEndpoint) Ready() bool { return e.Conditions.Ready == nil || *e.Conditions.Ready }

// objectKind holds exactly one Kubernetes object; a List of one is accepted,
// because that is what `kubectl get nodes win-1 -o json` habits leave behind.
func objectKind[T any](path string) *Kind[T] { return newKind[T](path, decodeObject) }

func decodeObject(b []byte, v any) (*origin, error) {
	var head struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := decodeJSON(b, &head); err != nil {
		return nil, err
	}
	if len(head.Items) > 1 {
		return nil, fmt.Errorf("it holds a list of %d objects where one is meant", len(head.Items))
	}
	in := &origin{bare: true}
	if len(head.Items) == 1 {
		b, in.prefix = bytes.TrimSpace(head.Items[0]), "/items/0"
	}
	if err := decodeJSON(b, v); err != nil {
		return nil, err
	}
	if p, ok := v.(placer); ok {
		p.place(in, 0)
	}
	return in, nil
}

// CRI is cri.json: what the container runtime said, in CRI v1's own JSON names.
var CRI = jsonKind[CRIState]("cri.json")

// CRIState holds the answers of the runtime service and the image service. A live node's are CRI
// v1's own JSON, of which these are the fields that are read, or that tables of crictl show.
type CRIState struct {
	Version CRIVersion `json:"version,omitzero"`
	Status  CRIStatus  `json:"status,omitzero"`
	// The runtime's configuration, whose shape differs by version.
	Config     json.RawMessage `json:"config,omitempty"`
	Images     []CRIImage      `json:"images,omitzero"`
	Sandboxes  []CRISandbox    `json:"sandboxes,omitzero"`
	Containers []CRIContainer  `json:"containers,omitzero"`
}

// CRIVersion names the runtime.
type CRIVersion struct {
	RuntimeName    string `json:"runtimeName"` // containerd, docker
	RuntimeVersion string `json:"runtimeVersion"`
}

// CRIStatus is the runtime's state.
type CRIStatus struct {
	Conditions []CRICondition `json:"conditions"`
}

// CRICondition is RuntimeReady or NetworkReady.
type CRICondition struct {
	Type    string `json:"type"`
	Status  bool   `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// CRIImage is one image of the runtime.
type CRIImage struct {
	ID       string   `json:"id,omitempty"`
	RepoTags []string `json:"repoTags"`
}

// CRISandbox is one pod sandbox.
type CRISandbox struct {
	ID       string      `json:"id"`
	State    string      `json:"state"` // SANDBOX_READY, SANDBOX_NOTREADY
	Metadata CRIMetadata `json:"metadata"`

	CreatedAt string `json:"createdAt,omitempty"` // nanoseconds since 1970
}

// Created is when the sandbox was made; zero where that is not recorded.
func (b CRISandbox) Created() time.Time {
	ns, err := strconv.ParseInt(b.CreatedAt, 10, 64)
	if err != nil || ns <= 0 {
		return time.Time{}
	}
	return time.Unix(0, ns)
}

// CRIContainer is one container of a sandbox.
type CRIContainer struct {
	ID        string       `json:"id"`
	SandboxID string       `json:"podSandboxId"`
	State     string       `json:"state"` // CONTAINER_RUNNING, CONTAINER_EXITED, …
	Image     CRIImageSpec `json:"image"`
	Metadata  CRIMetadata  `json:"metadata"`
}

// CRIImageSpec is the image that a container was made of.
type CRIImageSpec struct {
	Image string `json:"image"`
}

// CRIMetadata names a sandbox or a container.
type CRIMetadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"` // of a sandbox
	Attempt   int    `json:"attempt"`             // how often it was created before
}

// ConfigValue looks a key up in the runtime's configuration, at any depth and in any case:
// "sandboxImage" lies elsewhere in each version of containerd.
func (c CRIState) ConfigValue(key string) string {
	value, _ := c.configValue(key, Place{})
	return value
}

func (c CRIState) configValue(key string, in Place) (string, Place) {
	var tree any
	if json.Unmarshal(c.Config, &tree) != nil {
		return "", Place{}
	}
	return findString(tree, key, in, 0)
}

// CRIConfigValue is the same of a snapshot, with the place where it is.
func CRIConfigValue(s Snapshot, key string) (string, Place) {
	return CRI.In(s).configValue(key, CRI.Field(s, "config"))
}
