package evidence

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Pod is a v1 Pod.
type Pod struct {
	Placed   `json:"-"`
	Metadata Metadata  `json:"metadata"`
	Spec     PodSpec   `json:"spec"`
	Status   PodStatus `json:"status"`
}

// DescribedPod is the annotation of a pod that was read out of kubectl describe, which prints neither
// affinities nor spec.os: what such a pod lacks may only not be shown.
const DescribedPod = "doctor/described"

// FullName is namespace/name.
//
//go:noinline
func (p Pod) FullName() string { return p.Metadata.Namespace + "/" + p.Metadata.Name }

// PodStatus is the status of a Pod.
type PodStatus struct {
	Phase                 string            `json:"phase"`
	Reason                string            `json:"reason"`
	Message               string            `json:"message"`
	PodIP                 string            `json:"podIP"`
	PodIPs                []PodIP           `json:"podIPs"`
	HostIP                string            `json:"hostIP"`
	StartTime             Time              `json:"startTime"`
	Conditions            []Condition       `json:"conditions"`
	ContainerStatuses     []ContainerStatus `json:"containerStatuses"`
	InitContainerStatuses []ContainerStatus `json:"initContainerStatuses"`
}

// A PodIP is one address of a pod.
type PodIP struct {
	IP string `json:"ip"`
}

// Ready tells whether the pod's Ready condition is True.
func (p Pod) Ready() bool {
	i := ofType(p.Status.Conditions, "Ready")
	return i >= 0 && p.Status.Conditions[i].Status == "True"
}

// ReadySince is when a Ready pod became Ready; zero for one that is not, or where it is not known.
func (p Pod) ReadySince() time.Time {
	if !p.Ready() {
		return time.Time{}
	}
	return p.ReadyChanged()
}

// ReadyChanged is when the pod last became Ready or ceased to be; zero where it is not known.
func (p Pod) ReadyChanged() time.Time {
	i := ofType(p.Status.Conditions, "Ready")
	if i < 0 {
		return time.Time{}
	}
	return p.Status.Conditions[i].LastTransitionTime.Time
}

// Statuses lists the states of all containers, init containers first.
//
//go:noinline
func (p Pod) Statuses() []ContainerStatus {
	return slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses)
}

// StatusField is the place of one of Statuses, by its number there.
func (p Pod) StatusField(i int, steps ...any) Place {
	if n := len(p.Status.InitContainerStatuses); i >= n {
		return p.Field("status", "containerStatuses", i-n).At(steps...)
	}
	return p.Field("status", "initContainerStatuses", i).At(steps...)
}

// ContainerStatus is the state of one container.
type ContainerStatus struct {
	Name         string         `json:"name" as:"name"`
	Image        string         `json:"image"`
	Ready        bool           `json:"ready"`
	ContainerID  string         `json:"containerID"`
	RestartCount int            `json:"restartCount"`
	State        ContainerState `json:"state"`
	LastState    ContainerState `json:"lastState"`
}

// ContainerState is waiting, running or terminated.
type ContainerState struct {
	Waiting *struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	} `json:"waiting"`
	Running *struct {
		StartedAt Time `json:"startedAt"`
	} `json:"running"`
	Terminated *TerminatedState `json:"terminated"`
}

// TerminatedState says how a container ended.
type TerminatedState struct {
	ExitCode   int64  `json:"exitCode"`
	Reason     string `json:"reason"`
	Message    string `json:"message"`
	StartedAt  Time   `json:"startedAt"`
	FinishedAt Time   `json:"finishedAt"`
}

// Manifests is manifests.json: the pods that manifests describe, where `doctor
// lint` reads files in place of a node.
var Manifests = listKind[Manifest]("manifests.json")

// Manifest is one pod that a manifest describes, itself or as a template.
type Manifest struct {
	File string `json:"file"` // as it was named: deploy/web.yaml, or - for standard input
	Line int    `json:"line"` // of the object, from 1
	Kind string `json:"kind"` // of the object: Deployment
	// where the pod's spec lies in the object: spec.template.spec
	At string `json:"at"`
	// under the object's name, with the template's labels and annotations
	Pod   Pod            `json:"pod"`
	Lines map[string]int `json:"lines"` // path below the object → line in the file
}

// PodSpec is the spec of a Pod, as far as checks read it. What Windows ignores or refuses is kept
// as it stands, since a field that is set and one that is not are two things there.
type PodSpec struct {
	NodeName     string            `json:"nodeName,omitempty"`
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	Affinity     *Affinity         `json:"affinity,omitempty"`
	Tolerations  []Toleration      `json:"tolerations,omitempty"`
	OS           *struct {
		Name string `json:"name"`
	} `json:"os,omitempty"`
	HostNetwork           bool            `json:"hostNetwork,omitempty"`
	HostPID               json.RawMessage `json:"hostPID,omitempty"`
	HostIPC               json.RawMessage `json:"hostIPC,omitempty"`
	HostUsers             json.RawMessage `json:"hostUsers,omitempty"`
	ShareProcessNamespace json.RawMessage `json:"shareProcessNamespace,omitempty"`
	DNSPolicy             string          `json:"dnsPolicy,omitempty"`
	DNSConfig             *struct {
		Nameservers []string `json:"nameservers"`
	} `json:"dnsConfig,omitempty"`
	EnableServiceLinks            *bool             `json:"enableServiceLinks,omitempty"`
	RestartPolicy                 string            `json:"restartPolicy,omitempty"`
	RuntimeClassName              string            `json:"runtimeClassName,omitempty"`
	TerminationGracePeriodSeconds *int64            `json:"terminationGracePeriodSeconds,omitempty"`
	SecurityContext               *SecurityContext  `json:"securityContext,omitempty"`
	Containers                    []Container       `json:"containers,omitempty"`
	InitContainers                []Container       `json:"initContainers,omitempty"`
	PullSecrets                   []json.RawMessage `json:"imagePullSecrets,omitempty"`
	EphemeralContainers           []Container       `json:"ephemeralContainers,omitempty"`
	Volumes                       []Volume          `json:"volumes,omitempty"`
}

// SecurityContext is that of a pod or of a container. All but the Windows
// options and RunAsNonRoot is for Linux.
type SecurityContext struct {
	WindowsOptions *WindowsOptions `json:"windowsOptions,omitempty"`
	RunAsNonRoot   *bool           `json:"runAsNonRoot,omitempty"`

	AllowPrivilegeEscalation json.RawMessage `json:"allowPrivilegeEscalation,omitempty"`
	AppArmorProfile          json.RawMessage `json:"appArmorProfile,omitempty"`
	Capabilities             json.RawMessage `json:"capabilities,omitempty"`
	FSGroup                  json.RawMessage `json:"fsGroup,omitempty"`
	FSGroupChangePolicy      json.RawMessage `json:"fsGroupChangePolicy,omitempty"`
	Privileged               json.RawMessage `json:"privileged,omitempty"`
	ProcMount                json.RawMessage `json:"procMount,omitempty"`
	ReadOnlyRootFilesystem   json.RawMessage `json:"readOnlyRootFilesystem,omitempty"`
	RunAsGroup               json.RawMessage `json:"runAsGroup,omitempty"`
	RunAsUser                json.RawMessage `json:"runAsUser,omitempty"`
	SELinuxChangePolicy      json.RawMessage `json:"seLinuxChangePolicy,omitempty"`
	SELinuxOptions           json.RawMessage `json:"seLinuxOptions,omitempty"`
	SeccompProfile           json.RawMessage `json:"seccompProfile,omitempty"`
	SupplementalGroups       json.RawMessage `json:"supplementalGroups,omitempty"`
	SupplementalGroupsPolicy json.RawMessage `json:"supplementalGroupsPolicy,omitempty"`
	Sysctls                  json.RawMessage `json:"sysctls,omitempty"`
}

// WindowsOptions is securityContext.windowsOptions.
type WindowsOptions struct {
	HostProcess            *bool  `json:"hostProcess,omitempty"`
	RunAsUserName          string `json:"runAsUserName,omitempty"`
	GMSACredentialSpecName string `json:"gmsaCredentialSpecName,omitempty"`
	// what the admission webhook fills in for the name
	GMSACredentialSpec string `json:"gmsaCredentialSpec,omitempty"`
}

// HostProcess tells whether the pod runs as HostProcess containers.
//
//go:noinline
func (p Pod) HostProcess() bool {
	_, is := p.hostProcess()
	return is
}

// HostProcessField is the place where the pod asks for that.
func (p Pod) HostProcessField() Place {
	of := p.Field("spec")
	if container, _ := p.hostProcess(); container >= 0 {
		of = of.At("containers", container)
	}
	return of.At("securityContext", "windowsOptions", "hostProcess")
}

// hostProcess finds the container that asks for HostProcess containers, or -1 for the pod itself.
func (p Pod) hostProcess() (container int, found bool) {
	is := func(c *SecurityContext) bool {
		return c != nil && c.WindowsOptions != nil && c.WindowsOptions.HostProcess != nil &&
			*c.WindowsOptions.HostProcess
	}
	if is(p.Spec.SecurityContext) {
		return -1, true
	}
	for i, c := range p.Spec.Containers {
		if is(c.SecurityContext) {
			return i, true
		}
	}
	return -1, false
}

// ContainerField is the place of a container by its number among the init
// containers and the others behind them.
func (p Pod) ContainerField(i int, steps ...any) Place {
	if n := len(p.Spec.InitContainers); i >= n {
		return p.Field("spec", "containers", i-n).At(steps...)
	}
	return p.Field("spec", "initContainers", i).At(steps...)
}

// VolumeMount is where a container has a volume of its pod.
type VolumeMount struct {
	Name             string `json:"name"`
	MountPath        string `json:"mountPath"`
	SubPath          string `json:"subPath,omitempty"`
	SubPathExpr      string `json:"subPathExpr,omitempty"`
	MountPropagation string `json:"mountPropagation,omitempty"`
	ReadOnly         bool   `json:"readOnly,omitempty"`
}

// Container is one container of a pod.
type Container struct {
	Name       string   `json:"name" as:"name"`
	Image      string   `json:"image,omitempty"`
	PullPolicy string   `json:"imagePullPolicy,omitempty"`
	Command    []string `json:"command,omitempty"`
	Args       []string `json:"args,omitempty"`
	WorkingDir string   `json:"workingDir,omitempty"`
	Env        []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env,omitempty"`
	Ports []struct {
		ContainerPort int    `json:"containerPort"`
		HostPort      int    `json:"hostPort"` // 0 where the port is not published on the node
		Protocol      string `json:"protocol"` // TCP where it is empty
	} `json:"ports,omitempty"`
	Resources       Resources        `json:"resources,omitzero"`
	VolumeMounts    []VolumeMount    `json:"volumeMounts,omitempty"`
	VolumeDevices   json.RawMessage  `json:"volumeDevices,omitempty"`
	SecurityContext *SecurityContext `json:"securityContext,omitempty"`
	RestartPolicy   string           `json:"restartPolicy,omitempty"` // Always: a sidecar
	LivenessProbe   *Probe           `json:"livenessProbe,omitempty"`
	ReadinessProbe  *Probe           `json:"readinessProbe,omitempty"`
	StartupProbe    *Probe           `json:"startupProbe,omitempty"`
	Lifecycle       struct {
		PostStart struct {
			Sleep *struct {
				Seconds int64 `json:"seconds"`
			} `json:"sleep,omitempty"`
		} `json:"postStart,omitzero"`
	} `json:"lifecycle,omitzero"`
}

// Probe is how the kubelet probes a container. What is not set is 0, and has the default of Kubernetes.
type Probe struct {
	InitialDelaySeconds int `json:"initialDelaySeconds,omitempty"`
	PeriodSeconds       int `json:"periodSeconds,omitempty"`
	TimeoutSeconds      int `json:"timeoutSeconds,omitempty"`
	FailureThreshold    int `json:"failureThreshold,omitempty"`
	HTTPGet             *struct {
		Host string `json:"host,omitempty"`
		Path string `json:"path,omitempty"`
	} `json:"httpGet,omitempty"`
	Exec *struct {
		Command []string `json:"command,omitempty"`
	} `json:"exec,omitempty"`
}

// Resources are a container's requests and limits, as quantities or bare numbers.
type Resources struct {
	Requests map[string]Quantity `json:"requests,omitempty"`
	Limits   map[string]Quantity `json:"limits,omitempty"`
}

// Quantity is a resource quantity as it is written: 500m, 2Gi, or a bare number.
type Quantity string

// UnmarshalJSON takes a number for what it looks like, as Kubernetes does.
func (q *Quantity) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*q = Quantity(s)
		return nil
	}
	var n json.Number
	err := json.Unmarshal(b, &n)
	*q = Quantity(n.String())
	return err
}

var quantitySuffixes = map[string]string{
	"n": "1/1000000000", "u": "1/1000000", "m": "1/1000", "": "1",
	"k": "1e3", "M": "1e6", "G": "1e9", "T": "1e12", "P": "1e15", "E": "1e18",
	"Ki": "1024", "Mi": "1048576", "Gi": "1073741824", "Ti": "1099511627776",
	"Pi": "1125899906842624", "Ei": "1152921504606846976",
}

// ParseQuantity reads a Kubernetes quantity of memory or storage: 2Gi, 500M,
// 1.5Gi, 1e9. Fractions of a byte are rounded up, as Kubernetes rounds them. A
// percentage is no quantity.
func ParseQuantity(s string) (int64, error) {
	s = strings.TrimSpace(s)
	digits := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+"), "0123456789.")
	number, suffix := s[:len(s)-len(digits)], digits
	value, ok := new(big.Rat).SetString(number)
	if len(s) > 64 || !ok {
		return 0, fmt.Errorf("%q is not a quantity such as 2Gi", s[:min(len(s), 64)])
	}
	factor, known := quantitySuffixes[suffix]
	if !known {
		exponent, err := strconv.Atoi(suffix[1:])
		if err != nil || suffix[0] != 'e' && suffix[0] != 'E' || exponent < -30 || exponent > 30 {
			return 0, fmt.Errorf("%q is not a quantity such as 2Gi", s)
		}
		factor = fmt.Sprintf("1e%d", exponent)
	}
	scale, _ := new(big.Rat).SetString(factor)
	value.Mul(value, scale)
	whole, rest := new(big.Int).QuoRem(value.Num(), value.Denom(), new(big.Int))
	whole.Add(whole, big.NewInt(int64(rest.Sign()))) // away from zero
	if !whole.IsInt64() || whole.Int64() == math.MinInt64 {
		return 0, fmt.Errorf("%s is more than a number of bytes can be", s)
	}
	return whole.Int64(), nil
}

// SizeText writes a number of bytes the way a person says it.
func SizeText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
