package evidence

import "strings"

// The state of the machine itself: one Kind for each file of the layout.
var (
	OSInfo    = jsonKind[OS]("os.json")
	Services  = listKind[Service]("services.json")
	Processes = listKind[Process]("processes.json")
	// Features tells for the name of a feature: installed, available, pending or absent.
	Features      = jsonKind[map[string]string]("features.json")
	Hotfixes      = listKind[Hotfix]("hotfixes.json")
	MemoryInfo    = jsonKind[Memory]("memory.json")
	Disks         = listKind[Disk]("disks.json")
	FirewallInfo  = jsonKind[Firewall]("firewall.json")
	Certificates  = listKind[Certificate]("certificates.json")
	SecurityInfo  = jsonKind[Security]("security.json")
	TimeService   = jsonKind[TimeState]("time.json")
	PendingReboot = jsonKind[Reboot]("pending-reboot.json")
	Env           = jsonKind[map[string]string]("env.json")
)

// The tags are the format: a field without omitempty or omitzero is always written, any other is
// left out where it is not known. A list that was read and holds nothing is written as []. The
// comments become the descriptions in evidence.schema.json.

// OS is os.json.
type OS struct {
	// As the registry names it: "Windows Server 2019 Datacenter". It is wrong on Windows 11, so
	// judge by Build.
	ProductName    string `json:"productName,omitempty"`
	DisplayVersion string `json:"displayVersion,omitempty"` // 21H2, or 1809 and the like until 2004
	Build          int    `json:"build"`                    // such as 17763
	UBR            int    `json:"ubr,omitempty"`            // the revision behind the build
	Edition        string `json:"edition,omitempty"`        // such as ServerDatacenter

	// Server, Server Core, Client or Nano Server.
	InstallationType string  `json:"installationType,omitempty"`
	BootedAt         Time    `json:"bootedAt,omitzero"`
	Machine          Machine `json:"machine,omitzero"`
}

// Machine is what the firmware reports about itself.
type Machine struct {
	Manufacturer string `json:"manufacturer,omitempty"`
	Model        string `json:"model,omitempty"`
	Virtual      *bool  `json:"virtual,omitempty"` // left out where the names do not tell
}

// Service is one entry of the service manager, or one of the drivers that pod networks need.
type Service struct {
	Placed      `json:"-"`
	Name        string `json:"name" as:"name"`
	DisplayName string `json:"displayName,omitempty"`
	// running, stopped, paused, start-pending, stop-pending, continue-pending or pause-pending.
	State string `json:"state"`
	// boot, system, automatic, delayed, manual or disabled.
	StartType string `json:"startType,omitempty"`
	Account   string `json:"account,omitempty"` // such as LocalSystem

	// The program, without its arguments. For an nssm service, binPath, args and env are those of
	// the wrapped program.
	BinPath  string   `json:"binPath,omitempty"`
	Args     []string `json:"args,omitzero"`
	PID      int      `json:"pid,omitempty"`      // left out where it is not running
	ExitCode *int64   `json:"exitCode,omitempty"` // of the last run, by Windows' error codes
	// The services that this one needs.
	DependsOn []string `json:"dependsOn,omitzero"`
	// Its own variables, beside those of the machine; credentials in URLs are removed.
	Env map[string]string `json:"env,omitzero"`
	// What the service manager does at the first failure, the second, and so on. [] is nothing at
	// all.
	Recovery []RecoveryAction `json:"recovery,omitzero"`
	Wrapper  string           `json:"wrapper,omitempty"` // nssm; left out for a native service
}

// RecoveryAction is what the service manager does when the service fails.
type RecoveryAction struct {
	Action  string `json:"action"`  // restart, reboot, run-command, none
	DelayMS int64  `json:"delayMs"` // milliseconds until then
}

// Exit is the exit code of the last run, 0 where it is not recorded.
func (s Service) Exit() int64 {
	if s.ExitCode == nil {
		return 0
	}
	return *s.ExitCode
}

// Running tells whether the service manager reports the service as running.
func (s Service) Running() bool { return strings.EqualFold(s.State, "running") }

// Process is one running process.
type Process struct {
	Placed `json:"-"`
	PID    int    `json:"pid"`
	PPID   int    `json:"ppid,omitempty"` // of the process that started it
	Name   string `json:"name"`           // such as kubelet.exe
	Exe    string `json:"exe,omitempty"`  // its path

	// The command line without the program; left out where it may not be read.
	Args            []string `json:"args,omitzero"`
	StartedAt       Time     `json:"startedAt,omitzero"`
	Threads         int      `json:"threads,omitempty"`
	WorkingSetBytes int64    `json:"workingSetBytes,omitempty"`
	PrivateBytes    int64    `json:"privateBytes,omitempty"` // memory that it shares with nobody
	Handles         int      `json:"handles,omitempty"`
}

// Hotfix is one installed update.
type Hotfix struct {
	Placed      `json:"-"`
	ID          string `json:"id"` // such as KB5044281
	InstalledAt Time   `json:"installedAt,omitzero"`
}

// Memory is memory.json.
type Memory struct {
	TotalBytes     int64 `json:"totalBytes,omitempty"` // RAM
	AvailableBytes int64 `json:"availableBytes,omitempty"`
	// RAM and page files: what Windows can promise to programs, and has promised.
	CommitLimitBytes int64 `json:"commitLimitBytes,omitempty"`
	CommitUsedBytes  int64 `json:"commitUsedBytes,omitempty"`
	// [] where there is none, left out where they could not be read.
	PageFiles []PageFile `json:"pageFiles,omitzero"`
}

// PageFile is one page file.
type PageFile struct {
	Path      string `json:"path"`
	SizeBytes int64  `json:"sizeBytes,omitempty"`
	Automatic bool   `json:"automatic"` // Windows chooses its size
}

// Disk is one volume.
type Disk struct {
	Placed     `json:"-"`
	Drive      string `json:"drive"`                // such as C:
	FileSystem string `json:"fileSystem,omitempty"` // such as NTFS
	TotalBytes int64  `json:"totalBytes"`
	FreeBytes  int64  `json:"freeBytes"`
}

// Firewall is firewall.json.
type Firewall struct {
	Profiles []FirewallProfile `json:"profiles"`
	Rules    []FirewallRule    `json:"rules"` // those about ports and programs of a node
}

// FirewallProfile is the state of domain, private or public.
type FirewallProfile struct {
	Name            string `json:"name"` // domain, private, public
	Enabled         bool   `json:"enabled"`
	DefaultInbound  string `json:"defaultInbound"`  // block, allow
	DefaultOutbound string `json:"defaultOutbound"` // block, allow
}

// FirewallRule is one rule.
type FirewallRule struct {
	Name        string   `json:"name"`
	DisplayName string   `json:"displayName,omitempty"`
	Enabled     bool     `json:"enabled"`
	Direction   string   `json:"direction"`             // in, out
	Action      string   `json:"action"`                // allow, block
	Protocol    string   `json:"protocol"`              // tcp, udp, any, or a number
	LocalPorts  []string `json:"localPorts"`            // 10250, 10000-11000; [] is any
	Profiles    []string `json:"profiles"`              // domain, private, public
	Conditional bool     `json:"conditional,omitempty"` // for some addresses or interfaces only
}

// Certificate is one certificate in a file of the node.
type Certificate struct {
	Placed    `json:"-"`
	Path      string `json:"path"`
	Subject   string `json:"subject"` // such as O=system:nodes,CN=system:node:win-1
	Issuer    string `json:"issuer"`
	NotBefore Time   `json:"notBefore"`
	NotAfter  Time   `json:"notAfter"`
}

// Security is security.json.
type Security struct {
	ACLs      []ACL       `json:"acls"`
	BitLocker []BitLocker `json:"bitLocker,omitzero"`
	Defender  *Defender   `json:"defender,omitempty"` // left out where a part of it may not be read
}

// ACL is the access list of a path.
type ACL struct {
	Path string `json:"path"`
	SDDL string `json:"sddl"` // in the security descriptor definition language
}

// BitLocker is the protection of one drive.
type BitLocker struct {
	Drive      string `json:"drive"`      // such as C:
	Protection string `json:"protection"` // on, off, unknown
}

// Defender is the state of real-time protection and its exclusions.
type Defender struct {
	Running    bool               `json:"running"`
	Exclusions DefenderExclusions `json:"exclusions"`
}

// DefenderExclusions are the files and programs that Defender does not scan.
type DefenderExclusions struct {
	Paths     []string `json:"paths"`
	Processes []string `json:"processes"`
}

// TimeState is time.json.
type TimeState struct {
	Service string `json:"service"` // the state of w32time: running, stopped, …
	// The server that the settings name, "domain hierarchy", or "Free-running System Clock".
	Source string `json:"source,omitempty"`
	// The node's clock less that of the API server, in milliseconds; left out where it was not
	// measured.
	APIServerSkewMS *int64 `json:"apiServerSkewMs,omitempty"`
}

// Reboot is pending-reboot.json.
type Reboot struct {
	Pending bool     `json:"pending"`
	Reasons []string `json:"reasons"` // windows-update, component-based-servicing, …
}

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
