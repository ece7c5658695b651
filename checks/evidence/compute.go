package evidence

// What Windows runs below the container runtime: compute systems, the ports of the virtual switch,
// the packets that its filters dropped.
var (
	ComputeInfo = jsonKind[Compute]("compute.json")
	VFPPorts    = listKind[VFPPort]("vfp.json")
	WFPInfo     = jsonKind[WFP]("wfp.json")
)

// Compute is compute.json.
type Compute struct {
	// The compute systems of the host compute service. Left out where they were not listed.
	Systems []ComputeSystem `json:"systems,omitzero"`
	// The shims of containerd. Left out where they were not listed: then processes.json has them.
	Shims []Shim `json:"shims,omitzero"`
}

// ComputeSystem is one container or virtual machine.
type ComputeSystem struct {
	ID    string `json:"id"`              // of a container the one that the runtime gave it
	Type  string `json:"type,omitempty"`  // Container, VirtualMachine
	State string `json:"state,omitempty"` // such as Running
	Owner string `json:"owner,omitempty"` // such as containerd-shim-runhcs-v1.exe
}

// Shim is a process containerd-shim-runhcs-v1.
type Shim struct {
	Namespace string `json:"namespace,omitempty"` // of containerd, such as k8s.io
	ID        string `json:"id"`                  // of the sandbox that it runs
	PID       int    `json:"pid,omitempty"`
}

// VFPPort is one port of a virtual switch, as its filtering platform sees it.
type VFPPort struct {
	Placed   `json:"-"`
	Name     string `json:"name"`               // a GUID
	Friendly string `json:"friendly,omitempty"` // of a pod the id of its endpoint
	MAC      string `json:"mac,omitempty"`      // such as 00-15-5D-BB-6E-B1
	Switch   string `json:"switch,omitempty"`
	Blocked  *bool  `json:"blocked,omitempty"` // it forwards nothing
	// The rules of the layer LB_DSR, one for each load balancer in DSR mode. Left out where the
	// rules were not listed.
	DSRRules []string `json:"dsrRules,omitzero"`
}

// WFP is wfp.json: what the Windows Filtering Platform dropped.
type WFP struct {
	Drops []WFPDrop `json:"drops"`           // those that are alike are counted together
	Total int       `json:"total,omitempty"` // all drops, those that are not listed included
}

// WFPDrop are packets of one kind that one filter dropped.
type WFPDrop struct {
	Direction     string `json:"direction,omitempty"` // in, out
	Protocol      string `json:"protocol,omitempty"`  // tcp, udp, or a number
	LocalAddress  string `json:"localAddress,omitempty"`
	LocalPort     int    `json:"localPort,omitempty"`
	RemoteAddress string `json:"remoteAddress,omitempty"`
	RemotePort    int    `json:"remotePort,omitempty"`
	Program       string `json:"program,omitempty"` // such as kubelet.exe
	Filter        string `json:"filter,omitempty"`  // its id
	Count         int    `json:"count"`
	Last          Time   `json:"last,omitzero"`
}
