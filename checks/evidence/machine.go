package evidence

import "strings"

// The state of the machine itself: one Kind for each file of the layout.
var (
	OSInfo        = jsonKind[OS]("os.json")
	Services      = listKind[Service]("services.json")
	Processes     = listKind[Process]("processes.json")
	Features      = jsonKind[map[string]string]("features.json") // name → installed, available, pending, absent
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

// OS is os.json.
type OS struct {
	ProductName      string  `json:"productName"` // "Windows Server 2019 Datacenter"; wrong on Windows 11, so judge by Build
	DisplayVersion   string  `json:"displayVersion"`
	Build            int     `json:"build"` // 17763
	UBR              int     `json:"ubr"`   // the revision behind the build; 0 where the recorder could not tell
	Edition          string  `json:"edition"`
	InstallationType string  `json:"installationType"` // Server, Server Core, Client, Nano Server
	BootedAt         Time    `json:"bootedAt"`
	Machine          Machine `json:"machine"`
}

// Machine is what the firmware says of itself.
type Machine struct {
	Manufacturer string `json:"manufacturer"`
	Model        string `json:"model"`
	Virtual      *bool  `json:"virtual"` // nil where the recorder did not say
}

// Service is one entry of the service manager. For an nssm service, BinPath,
// Args and Env are those of the wrapped program.
type Service struct {
	Name        string            `json:"name"`
	DisplayName string            `json:"displayName"`
	State       string            `json:"state"`     // running, stopped, paused, start-pending, …
	StartType   string            `json:"startType"` // automatic, delayed, manual, disabled
	Account     string            `json:"account"`
	BinPath     string            `json:"binPath"`
	Args        []string          `json:"args"`
	PID         int               `json:"pid"`
	ExitCode    int64             `json:"exitCode"`
	DependsOn   []string          `json:"dependsOn"`
	Env         map[string]string `json:"env"`
	Recovery    []RecoveryAction  `json:"recovery"` // nil where the recorder could not read it
	Wrapper     string            `json:"wrapper"`  // nssm, or empty for a native service
}

// RecoveryAction is what the service manager does when the service dies.
type RecoveryAction struct {
	Action  string `json:"action"` // restart, reboot, run-command, none
	DelayMS int64  `json:"delayMs"`
}

// Running tells whether the service manager reports the service as running.
func (s Service) Running() bool { return strings.EqualFold(s.State, "running") }

// Process is one running process.
type Process struct {
	PID             int      `json:"pid"`
	PPID            int      `json:"ppid"`
	Name            string   `json:"name"` // kubelet.exe
	Exe             string   `json:"exe"`
	Args            []string `json:"args"`
	StartedAt       Time     `json:"startedAt"`
	Threads         int      `json:"threads"`
	WorkingSetBytes int64    `json:"workingSetBytes"`
}

// Hotfix is one installed update.
type Hotfix struct {
	ID          string `json:"id"` // KB5044281
	InstalledAt Time   `json:"installedAt"`
}

// Memory is memory.json.
type Memory struct {
	TotalBytes       int64      `json:"totalBytes"`
	AvailableBytes   int64      `json:"availableBytes"`
	CommitLimitBytes int64      `json:"commitLimitBytes"` // RAM and page files: what Windows can promise
	CommitUsedBytes  int64      `json:"commitUsedBytes"`
	PageFiles        []PageFile `json:"pageFiles"` // nil where the recorder could not read them, empty where there is none
}

// PageFile is one page file.
type PageFile struct {
	Path      string `json:"path"`
	SizeBytes int64  `json:"sizeBytes"`
	Automatic bool   `json:"automatic"`
}

// Disk is one volume.
type Disk struct {
	Drive      string `json:"drive"` // C:
	FileSystem string `json:"fileSystem"`
	TotalBytes int64  `json:"totalBytes"`
	FreeBytes  int64  `json:"freeBytes"`
}

// Firewall is firewall.json.
type Firewall struct {
	Profiles []FirewallProfile `json:"profiles"`
	Rules    []FirewallRule    `json:"rules"`
}

// FirewallProfile is the state of domain, private or public.
type FirewallProfile struct {
	Name            string `json:"name"`
	Enabled         bool   `json:"enabled"`
	DefaultInbound  string `json:"defaultInbound"`  // block, allow
	DefaultOutbound string `json:"defaultOutbound"` // block, allow
}

// FirewallRule is one rule.
type FirewallRule struct {
	Name        string   `json:"name"`
	DisplayName string   `json:"displayName"`
	Enabled     bool     `json:"enabled"`
	Direction   string   `json:"direction"` // in, out
	Action      string   `json:"action"`    // allow, block
	Protocol    string   `json:"protocol"`  // tcp, udp, any, or a number
	LocalPorts  []string `json:"localPorts"`
	Profiles    []string `json:"profiles"`
}

// Certificate is one certificate file of the node.
type Certificate struct {
	Path      string `json:"path"`
	Subject   string `json:"subject"`
	Issuer    string `json:"issuer"`
	NotBefore Time   `json:"notBefore"`
	NotAfter  Time   `json:"notAfter"`
}

// Security is security.json.
type Security struct {
	ACLs      []ACL       `json:"acls"`
	BitLocker []BitLocker `json:"bitLocker"`
	Defender  *Defender   `json:"defender"` // nil where the recorder could not look
}

// ACL is the access list of a path, in the security descriptor language.
type ACL struct {
	Path string `json:"path"`
	SDDL string `json:"sddl"`
}

// BitLocker is the protection of one drive.
type BitLocker struct {
	Drive      string `json:"drive"`
	Protection string `json:"protection"` // on, off, unknown
}

// Defender is the state of real-time protection and its exclusions.
type Defender struct {
	Running    bool `json:"running"`
	Exclusions struct {
		Paths     []string `json:"paths"`
		Processes []string `json:"processes"`
	} `json:"exclusions"`
}

// TimeState is time.json.
type TimeState struct {
	Service         string `json:"service"` // running, stopped
	Source          string `json:"source"`
	APIServerSkewMS *int64 `json:"apiServerSkewMs"` // nil where it was not measured
}

// Reboot is pending-reboot.json.
type Reboot struct {
	Pending bool     `json:"pending"`
	Reasons []string `json:"reasons"`
}
