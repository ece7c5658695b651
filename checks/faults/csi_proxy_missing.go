package faults

import (
	"fmt"
	"slices"
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
	csiPipeBusy       = "All pipe instances are busy"
	csiSocketRefused  = "csi.sock: connect: No connection could be made because the target machine actively refused it"
	csiPipeIsMissing  = "The system cannot find the file specified"
	csiAsksForMissing = "a CSI driver cannot open the csi-proxy pipe"
	csiDoesNotKeepUp  = "csi-proxy is overloaded: all instances of its pipe are busy"
)

var _ = register(&checks.Check{
	ID:       "csi-proxy-missing",
	Title:    "csi-proxy is missing",
	Healthy:  "csi-proxy is available where CSI drivers need it",
	Category: checks.CategoryStorage,
	Doc: `A CSI driver in an ordinary Windows container has no access to disks and shares. csi-proxy
on the node does this work for it, through named pipes such as \\.\pipe\csi-proxy-filesystem-v1, one
for each API group and version. Without csi-proxy, or with a csi-proxy that is too old for the
requested version, the driver exits at its start and does not register, and none of its volumes are
mounted. Drivers in HostProcess containers do not need csi-proxy.

Where a driver requested its pipe, or a pod that mounts one restarts, the check looks for csi-proxy
as a service, process or pod. A csi-proxy service with automatic start that is not running is a warning.`,
	Fix: checks.Steps(
		checks.Run(`New-Service csi-proxy -BinaryPathName 'C:\etc\kubernetes\node\bin\csi-proxy.exe -windows-service -log_file=C:\var\log\csi-proxy.log -logtostderr=false' -StartupType Automatic | Start-Service`,
			"Install csi-proxy 1.0 or later as a service and start it, or use a driver that runs as a HostProcess container."),
		checks.Do("Delete the driver's pod on this node, so that it is created again."),
		checks.Verify("kubectl get csinode {node} -o jsonpath='{.spec.drivers[*].name}'",
			"the name of the driver")),
	Links: []string{
		"https://github.com/kubernetes-csi/csi-proxy",
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/233",
		"https://github.com/kubernetes-csi/csi-proxy/issues/115",
		"https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/1322",
		"https://github.com/kubernetes-sigs/azurefile-csi-driver/issues/1050",
	},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"csi-driver-not-registered"},
	Needs:    []evidence.Need{evidence.Services},
	Uses:     []evidence.Need{evidence.Processes, evidence.Pods},
	Signs: []checks.Sign{
		{Text: csiPipeText, Or: []string{csiPipeEscaped}, Also: []string{csiPipeIsMissing},
			Says: csiAsksForMissing},
		// containerd that cannot mount pipes opens them as files: mount-path-invalid
		{Text: csiPipeBusy, Also: []string{"csi-proxy-"}, Not: []string{"resolve symlink"},
			Says: csiDoesNotKeepUp, Level: checks.Warn},
		{Text: csiSocketRefused, Also: []string{"plugins"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		proxy := csiProxy(s)
		var findings []*checks.Finding
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
				f := checks.Findingf(checks.Fail, "csi-proxy", "%s: %s",
					evidence.Phrasef(csiAsksForMissing), what).With(proxy.because, checks.Quote(m))
				if proxy.service != nil && !proxy.runs {
					f = f.Cure(startCSIProxy(proxy.service))
				}
				f.Basis = checks.ByBoth
				findings = append(findings, f)
			}
		}
		for _, m := range s.Signs("csi-proxy-missing") {
			if m.Over != "" || len(findings) > 0 || m.Text != csiPipeBusy { // the rest follows from what was found
				continue
			}
			f := checks.Findingf(checks.Warn, "csi-proxy", "%s", csiDoesNotKeepUp)
			f.Basis = checks.ByText
			findings = append(findings, f.With(checks.Quote(m)))
		}
		if pod, at := crashingOnPipe(s); at.Text != "" && len(findings) == 0 {
			what, gap := proxy.verdict(s, time.Time{})
			if what.Format != "" && gap.Kind == "" {
				f := checks.Findingf(checks.Fail, "csi-proxy", "%s exits again and again: it uses pipes of csi-proxy, and %s",
					pod.FullName(), what).With(at, proxy.because)
				if proxy.service != nil {
					f = f.Cure(startCSIProxy(proxy.service))
				}
				return []*checks.Finding{f}, nil
			}
		}
		if svc := proxy.service; len(findings) == 0 && svc != nil && !proxy.runs &&
			strings.HasPrefix(strings.ToLower(svc.StartType), "auto") {
			findings = append(findings, checks.Findingf(checks.Warn, svc.Name,
				"service %s is %s (start type: automatic): drivers that need it cannot mount volumes", svc.Name, svc.State).With(proxy.because).Cure(startCSIProxy(svc)))
		}
		return findings, nil
	},
})

// crashingOnPipe finds a pod that mounts a pipe of csi-proxy and does not stay up.
func crashingOnPipe(s evidence.Snapshot) (evidence.Pod, evidence.Because) {
	for _, p := range evidence.Pods.In(s) {
		crashes := slices.ContainsFunc(p.Statuses(), func(st evidence.ContainerStatus) bool {
			return node.ContainerDown(st) && st.RestartCount > 0
		})
		for i, v := range p.Spec.Volumes {
			if crashes && !p.HostProcess() && v.HostPath != nil && strings.Contains(strings.ReplaceAll(v.HostPath.Path, "/", `\`), csiPipeText) {
				return p, p.Field("spec", "volumes", i, "hostPath", "path").Because("%s: hostPath %s",
					p.FullName(), v.HostPath.Path)
			}
		}
	}
	return evidence.Pod{}, evidence.Because{}
}

func startCSIProxy(svc *evidence.Service) checks.Fix {
	return checks.Steps(
		checks.Run("Start-Service "+svc.Name, "Start service %s.", svc.Name),
		checks.Do("Delete the driver's pod on this node, so that it is created again."),
		checks.Verify("Get-Service "+svc.Name, "Status is Running"))
}

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
				"the running csi-proxy does not serve it (too old, or the pipe is not mounted)"),
			evidence.Gap{}
	case p.service != nil:
		return evidence.Phrasef("service csi-proxy is %s", p.service.State), evidence.Gap{}
	}
	// Without a service it could run as a pod or from a console.
	return evidence.Phrasef("csi-proxy is not on this node"), evidence.Processes.Gap(s)
}
