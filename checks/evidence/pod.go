package evidence

import "slices"

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
	Name         string         `json:"name"`
	Image        string         `json:"image"`
	Ready        bool           `json:"ready"`
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
