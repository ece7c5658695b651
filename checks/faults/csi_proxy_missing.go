package faults

import (
	"fmt"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// The signs of csi-proxy-missing that its Run tells apart.
const (
	csiPipeText       = `pipe\csi-proxy-`
	csiPipeEscaped    = `pipe\\csi-proxy-` // as Go quotes it
	csiUnregistered   = "not found in the list of registered CSI drivers"
	csiPipeBusy       = "All pipe instances are busy"
	csiSocketRefused  = "csi.sock: connect: No connection could be made because the target machine actively refused it"
	csiPipeIsMissing  = "The system cannot find the file specified"
	csiAsksForMissing = "a CSI driver does not find csi-proxy's pipe"
	csiDoesNotKeepUp  = "csi-proxy does not keep up: all instances of its pipe are busy"
	csiNotRegistered  = "a CSI driver that a pod needs is not registered on this node"
)

var _ = register(checks.Check{
	ID:       "csi-proxy-missing",
	Title:    "CSI drivers find no csi-proxy, or are not there at all",
	Category: checks.CategoryStorage,
	Doc: `A CSI driver in an ordinary Windows container may not touch disks and shares:
csi-proxy does it for it, on the node, behind named pipes such as \\.\pipe\csi-proxy-filesystem-v1,
one for each group and version. Without csi-proxy, or with one too old to serve the version that is
asked for, the driver exits at its start, never registers, and no volume of it is mounted. Drivers
that run as HostProcess containers need no csi-proxy.

The check looks for csi-proxy as a service, process or pod where a driver asked for its pipe. A
driver that "is not found in the list of registered CSI drivers" has either met this fault or has no
node plugin for Windows here; the text does not tell which. A service csi-proxy that should start
with the machine and does not run is a warning by itself.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Service csi-proxy", ""),
		checks.Inspect(
			`Get-ChildItem \\.\pipe\ | Where-Object Name -like 'csi-proxy-*' | Select-Object Name`,
			""),
		checks.Run(`New-Service csi-proxy -BinaryPathName 'C:\etc\kubernetes\node\bin\csi-proxy.exe -windows-service -log_file=C:\var\log\csi-proxy.log -logtostderr=false' -StartupType Automatic`, "install csi-proxy 1.0 or later as a service (or as a HostProcess DaemonSet), or a version of the driver that runs as a HostProcess container; then let the driver's pod start anew"),
		checks.Run("Start-Service csi-proxy", ""),
		checks.Inspect("kubectl get csinode {node} -o jsonpath='{.spec.drivers[*].name}'", "")),
	Links: []string{
		"https://github.com/kubernetes-csi/csi-proxy",
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/233",
		"https://github.com/kubernetes-csi/csi-proxy/issues/115",
		"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/1322",
		"https://github.com/kubernetes-sigs/azurefile-csi-driver/issues/1050",
	},
	Breaks: []*checks.Effect{effectPodStart, effectContainers},
	Needs:  []evidence.Need{evidence.Services},
	Uses:   []evidence.Need{evidence.Processes, evidence.Pods},
	Signs: []checks.Sign{
		{Text: csiPipeText, Or: []string{csiPipeEscaped}, Also: []string{csiPipeIsMissing},
			Says: csiAsksForMissing},
		{Text: csiUnregistered, Says: csiNotRegistered},
		{Text: csiPipeBusy, Also: []string{"csi-proxy-"}, Says: csiDoesNotKeepUp,
			Level: checks.Warn},
		{Text: csiSocketRefused, Also: []string{"plugins"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		proxy := csiProxy(s)
		var findings []checks.Finding
		for _, m := range s.Signs("csi-proxy-missing") {
			if m.Over != "" || len(findings) > 0 || m.Text != csiPipeText &&
				m.Text != csiPipeEscaped {
				continue
			}
			what, gap := proxy.verdict(s, m.Last)
			if gap.Kind != "" {
				return nil, checks.Unknown(gap)
			}
			if what.Format != "" {
				f := checks.Findingf(checks.Fail, "csi-proxy", "%s, and %s",
					evidence.Phrasef(csiAsksForMissing), what).With(proxy.because, checks.Quote(m))
				f.Basis = checks.ByBoth
				findings = append(findings, f)
			}
		}
		for _, m := range s.Signs("csi-proxy-missing") {
			if m.Over != "" || len(findings) > 0 { // the rest follows from what was found
				continue
			}
			f := checks.Findingf(checks.Fail, "CSI driver", "%s", csiNotRegistered)
			switch m.Text {
			case csiPipeBusy:
				f = checks.Findingf(checks.Warn, "csi-proxy", "%s", csiDoesNotKeepUp)
			case csiUnregistered:
			default:
				continue
			}
			f.Basis = checks.ByText
			findings = append(findings, f.With(checks.Quote(m)))
		}
		if svc := proxy.service; len(findings) == 0 && svc != nil && !proxy.runs &&
			strings.HasPrefix(strings.ToLower(svc.StartType), "auto") {
			findings = append(findings, checks.Findingf(checks.Warn, svc.Name,
				"service %s is %s, although it is to start with the machine: drivers that need it cannot mount", svc.Name, svc.State).With(proxy.because))
		}
		return findings, nil
	},
})

// csiProxyState is what the recording shows of csi-proxy.
type csiProxyState struct {
	service *evidence.Service
	runs    bool
	since   time.Time // start of its process, where that is known
	because evidence.Because
}

func csiProxy(s evidence.Snapshot) csiProxyState {
	p := csiProxyState{because: evidence.Services.Field(s).Because("there is no service csi-proxy")}
	for _, svc := range evidence.Services.In(s) {
		if node.EqualsAny(svc.Name, []string{"csi-proxy", "csiproxy"}) ||
			strings.EqualFold(node.Program(svc.BinPath), "csi-proxy") {
			p.service, p.runs = &svc, svc.Running()
			p.because.Text = fmt.Sprintf("service %s is %s, start type %s", svc.Name, svc.State,
				orUnknown(svc.StartType))
		}
	}
	for _, proc := range evidence.Processes.In(s) {
		if strings.EqualFold(node.Program(proc.Name), "csi-proxy") {
			p.runs, p.since = true, proc.StartedAt.Time
		}
	}
	for _, pod := range evidence.Pods.In(s) {
		if strings.HasPrefix(pod.Metadata.Name, "csi-proxy") && podRuns(pod) {
			p.runs = true
		}
	}
	return p
}

// verdict tells what is wrong with csi-proxy, when a driver last missed its pipe at that time.
func (p csiProxyState) verdict(s evidence.Snapshot, missed time.Time) (evidence.Phrase,
	evidence.Gap) {
	switch {
	case p.runs && (missed.IsZero() || p.since.IsZero() || !missed.After(p.since)):
		return evidence.Phrase{}, evidence.Gap{} // it came up after the driver
	case p.runs:
		return evidence.Phrasef(
			"the csi-proxy that runs does not serve it: it is too old for the driver, or the runtime does not hand the pipe in"), evidence.Gap{}
	case p.service != nil:
		return evidence.Phrasef("service csi-proxy is %s", p.service.State), evidence.Gap{}
	}
	// Without a service it could run as a pod or from a console.
	return evidence.Phrasef("there is no csi-proxy on this node"), evidence.Processes.Gap(s)
}
