package regressions

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// ofDriver tells whether a finding is about that CSI driver.
func ofDriver(name string) func(evidence.Snapshot, *checks.Finding) (evidence.Because, bool) {
	return func(_ evidence.Snapshot, f *checks.Finding) (evidence.Because, bool) {
		return f.Because[0], f.Subject == name
	}
}

// providerIsUnhealthy tells whether a finding is about the Key Vault provider, which answers its liveness
// probe that it is not healthy.
func providerIsUnhealthy(s evidence.Snapshot, f *checks.Finding) (evidence.Because, bool) {
	for _, e := range evidence.PodEvents.In(s) {
		if about := e.About(); e.Reason == "Unhealthy" && about.Namespace+"/"+about.Name == f.Subject &&
			strings.HasPrefix(e.Text(), "Liveness probe failed") && strings.Contains(e.Text(), "statuscode: 503") &&
			slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
				return p.FullName() == f.Subject && KeyVault.runsIn(p)
			}) {
			return e.Field().Because("%s: %s", f.Subject, e.Text()), true
		}
	}
	return evidence.Because{}, false
}

// mappedTwice is a folder of a share that Windows does not map, since it has a mapping of the share:
// nodeserver.go of the drivers, pkg/os/smb/api.go of csi-proxy.
var mappedTwice = regexp.MustCompile(`(?s)mount "[/\\]+[^/\\"]+[/\\]+[^/\\"]+[/\\]+[^/\\"]+.*SmbGlobalMapping.*` +
	`(Multiple connections to a server or shared resource|Windows System Error 1219)`)

// folderOfMappedShare is a pod that waits for such a folder.
func folderOfMappedShare(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	for _, e := range evidence.PodEvents.In(s) {
		about := e.About()
		if mappedTwice.MatchString(e.Text()) && slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
			return p.Metadata.Name == about.Name && p.Metadata.Namespace == about.Namespace && node.PodDown(p)
		}) {
			return e.Field().Because("%s", e.Text()), true
		}
	}
	return evidence.Because{}, false
}

// statusNotReported is a Node whose status is older than its kubelet, which renews its lease.
func statusNotReported(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	o := evidence.Node.In(s)
	ready, told := o.Condition("Ready")
	reported, renewed := ready.LastHeartbeatTime, evidence.NodeLease.In(s).Spec.RenewTime
	for _, p := range evidence.Processes.In(s) {
		started := p.StartedAt
		if told && strings.EqualFold(node.Program(p.Name), "kubelet") && !started.IsZero() && !reported.IsZero() &&
			s.Now().Sub(started.Time) > settled && reported.Before(started.Time) && renewed.After(started.Time) {
			return o.Field("status", "conditions").Because(
				"the kubelet started at %s and renews its lease; the last status is of %s", clock(started), clock(reported)), true
		}
	}
	return evidence.Because{}, false
}

func clock(t evidence.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// A log of panics has some kilobytes for each.
const longPanicLog = 100 << 20

// panicLogGrows is containerd's log of panics with much more than panics.
func panicLogGrows(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	for _, r := range evidence.FileIndex.In(s) {
		if strings.HasSuffix(strings.ToLower(r.Path), `\panic.log`) && r.Bytes != nil && *r.Bytes > longPanicLog {
			return r.Field("bytes").Because("%s has %d bytes", r.Path, *r.Bytes), true
		}
	}
	return evidence.Because{}, false
}

// From this build on, the temporary folder of a system service is that of SystemTemp: GetTempPath2.
const systemTempBuild = 20348

// tempOnDrive is containerd with a folder for layers that is not on the system drive.
func tempOnDrive(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	c, file, gap := node.About(s).ContainerdConfig(s)
	if gap.Kind != "" || c.Temp == "" || onSystemDrive(c.Temp) || node.About(s).Build.Value.Number < systemTempBuild {
		return evidence.Because{}, false
	}
	return evidence.InFile(file.Path).Because("temp is %s", c.Temp), true
}

const daemonJSON = `C:\ProgramData\docker\config\daemon.json`

var dataRoot = regexp.MustCompile(`"data-root"\s*:\s*"([^"]+)"`)

// dataOnDrive is Docker with its data on another drive than that of Windows.
func dataOnDrive(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	file := s.File(daemonJSON)
	root := dataRoot.FindStringSubmatch(file.Text)
	if root == nil || onSystemDrive(root[1]) || node.About(s).Build.Value.Number < systemTempBuild {
		return evidence.Because{}, false
	}
	return file.Field("data-root").Because("data-root is %s", root[1]), true
}

func onSystemDrive(path string) bool {
	return len(path) < 2 || path[1] != ':' || strings.EqualFold(path[:1], "c")
}

// addressGone is what RKE2 says of an address that no adapter has, while HNS removes a network of it.
var addressGone = regexp.MustCompile(`no interface has the ip: ([0-9a-fA-F.:]+)`)

// addressCameBack is an address that RKE2 did not find at its start and that an adapter has, on a node
// whose networks RKE2 has removed and not created again.
func addressCameBack(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	if !evidence.HNSNetworks.Known(s) || slices.ContainsFunc(evidence.HNSNetworks.In(s), func(n evidence.HNSNetwork) bool {
		return n.Name != "nat"
	}) {
		return evidence.Because{}, false
	}
	for _, e := range evidence.WindowsEvents.In(s) {
		gone := addressGone.FindStringSubmatch(e.Message)
		if gone == nil || !strings.EqualFold(e.Provider, "rke2") {
			continue
		}
		for _, a := range evidence.Adapters.In(s) {
			for _, ip := range node.ParseAddresses(a.Addresses...) {
				if ip.String() == gone[1] {
					return e.Field().Because("RKE2 did not find %s at its start, and %s has it now", ip, a.Name), true
				}
			}
		}
	}
	return evidence.Because{}, false
}

// A reconciliation of the operator comes each two minutes; what else writes the file restarts the kubelet.
const reconciled, longRunning = 5 * time.Minute, time.Hour

const wmcoCNIConfig = `C:\k\cni\config\cni.conf`

// configRewritten is a CNI configuration that was written just now, although nothing was set up.
func configRewritten(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	file := s.File(wmcoCNIConfig)
	age := s.Now().Sub(file.ModifiedAt.Time)
	for _, p := range evidence.Processes.In(s) {
		if strings.EqualFold(node.Program(p.Name), "kubelet") && !p.StartedAt.IsZero() &&
			s.Now().Sub(p.StartedAt.Time) > longRunning && !file.ModifiedAt.IsZero() && age < reconciled {
			return evidence.FileRecordField(s, wmcoCNIConfig, "modifiedAt").Because(
				"%s was written at %s, and the kubelet started at %s", wmcoCNIConfig, clock(file.ModifiedAt), clock(p.StartedAt)), true
		}
	}
	return evidence.Because{}, false
}

// Each connection has two processes of its own.
const manySessions = 100

// manySSH are many more connections over SSH than people have.
func manySSH(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	n := 0
	for _, p := range evidence.Processes.In(s) {
		if strings.EqualFold(node.Program(p.Name), "sshd") {
			n++
		}
	}
	return evidence.Processes.Field(s).Because("%d processes of sshd", n), n > manySessions
}

// ruleWithoutAddress is a load balancer for the port of a Service on all addresses of the node.
func ruleWithoutAddress(s evidence.Snapshot, _ *checks.Finding) (evidence.Because, bool) {
	nodePort := map[int]bool{}
	for _, svc := range evidence.KubeServices.In(s) {
		for _, p := range svc.Spec.Ports {
			nodePort[p.NodePort] = true
		}
	}
	for _, lb := range evidence.HNSLoadBalancers.In(s) {
		if len(lb.VIPs) > 0 || lb.Truncated {
			continue
		}
		for _, port := range lb.Ports {
			for _, svc := range evidence.KubeServices.In(s) {
				if svc.Spec.Type == "LoadBalancer" && !nodePort[port.External] &&
					slices.ContainsFunc(svc.Spec.Ports, func(p evidence.ServicePort) bool { return p.Port == port.External }) {
					return lb.Field().Because("a load balancer without an address takes port %d, that of %s", port.External,
						svc.FullName()), true
				}
			}
		}
	}
	return evidence.Because{}, false
}
