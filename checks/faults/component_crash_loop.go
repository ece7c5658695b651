package faults

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/sorted"
)

// A crash loop: so many ends within so long. The AKS log analysis counts the same.
const (
	crashesOfLoop = 4
	lengthOfLoop  = 30 * time.Minute
)

var _ = register(&checks.Check{
	ID:       "component-crash-loop",
	Title:    "Service of a node component is in a crash loop",
	Healthy:  "Services of node components keep running",
	Category: checks.CategoryComponents,
	Doc: `The service manager writes event 7031 or 7034 each time that a service ends without having
been stopped, and starts it again by its recovery settings, and event 7023 or 7024 if the service
itself reports an error at its end, as docker does. Several such events of the kubelet,
containerd, kube-proxy, flanneld, rke2, k3s or vmcompute within half an hour are a crash loop: the
component starts, finds something that it cannot work with, and exits. Get-Service shows it as
running most of the time. For a service that nssm wraps, nssm writes event 1013 each time that the
program exits, and a warning with a longer delay each time that it ends right after its start.

The check counts the events of the last day since the boot. A loop that lasted until the evidence
was collected is a fault; one that ended half an hour before is reported as info, and single
crashes are a warning. Single events of nssm do not count: a restart may write them. A delay of 16
seconds or more counts: the program has ended at once several times in a row.`,
	Fix: checks.Steps(
		checks.Inspect("Get-WinEvent -FilterHashtable @{LogName='System'; ProviderName='Service Control Manager'; Id=7023,7024,7031,7034} -MaxEvents 20 | Format-List TimeCreated, Message",
			"Read which service ended, and how often."),
		checks.Inspect("Get-ChildItem C:\\k, C:\\var\\log -Recurse -Filter *.log -ErrorAction SilentlyContinue | Sort-Object LastWriteTime | Select-Object -Last 5 FullName, LastWriteTime",
			"Read the last lines of the component's log before each end."),
		checks.Do("Fix the error that the log names, such as a removed flag, a certificate or a file that is missing, and start the service."),
		checks.Verify("Get-WinEvent -FilterHashtable @{LogName='System'; Id=7023,7024,7031,7034} -MaxEvents 1 | Select-Object TimeCreated",
			"no new event since the fix")),
	Links: []string{
		"https://learn.microsoft.com/en-us/windows/win32/services/service-control-manager",
		"https://github.com/Azure/AgentBaker/blob/dev/.github/skills/windows-log-analysis/sub-skills/analyze-services.md",
		"https://nssm.cc/usage", "https://github.com/Azure/AgentBaker/pull/9358"},
	Breaks: []*checks.Effect{effectNodeReports},
	Shows: []*checks.Effect{effectKubeletStart, effectKubelet, effectRuntime, effectKubeProxy,
		effectFlanneld},
	Needs: []evidence.Need{evidence.WindowsEvents},
	Uses:  append(slices.Clone(joinSources), evidence.OSInfo),
	Signs: []checks.Sign{
		{Text: longDelays[0], Or: longDelays[1:],
			Says: "the program of a service that nssm runs ends again and again, each time right after its start",
			Fix:  throttledFix("NAME")},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		events := evidence.WindowsEvents.In(s)
		if len(events) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("the service manager's events"))
		}
		var findings []*checks.Finding
		list := slices.Clone(crashing)
		for _, name := range []string{"kubelet", "runtime", "kube-proxy", "flanneld"} {
			list = append(list, node.About(s).Components[name])
		}
		for _, c := range list {
			f, ok := crashesOf(s, c, crashEvents(s, c))
			e, late := throttled(s, c)
			if late && (!ok || f.Level < checks.Fail) {
				f, ok = checks.Findingf(checks.Fail, c.Name,
					"%s is in a crash loop: nssm delays each start because it ends at once, last at %s",
					label(c), timeOf(e)).With(e.Field().Because("%s", evidence.Clean(e.Message))), true
			}
			if late && len(c.Services) > 0 {
				f = f.Cure(throttledFix(c.Services[0].Name))
			}
			if ok {
				findings = append(findings, f)
			}
		}
		if len(findings) == 0 && anonymous(events) {
			return nil, checks.Unknown(evidence.NotShown.Gap("the service manager's events"))
		}
		return findings, nil
	},
})

// crashing are services that run several components, or without which none of them works. HNS has
// a check of its own.
var crashing = []*node.Component{
	{Name: "rke2", Service: []string{"rke2"}}, {Name: "k3s", Service: []string{"k3s"}},
	{Name: "vmcompute", Service: []string{"vmcompute", "Hyper-V Host Compute Service"}},
}

// nssmProgramEnded is nssm's event about each end of the program that it wraps: its messages.mc,
// NSSM_EVENT_ENDED_SERVICE. It writes one for some ends that were asked for, too.
const nssmProgramEnded = 1013

// longDelays are of nssm's warning that a program "ran for less than" its threshold. It doubles the
// delay each time (service.cpp, throttle_restart): a component that waits for another at boot ends
// before 16 seconds.
var longDelays = []string{"Restart will be delayed by 16000 milliseconds",
	"Restart will be delayed by 32000 milliseconds", "Restart will be delayed by 64000 milliseconds",
	"Restart will be delayed by 128000 milliseconds", "Restart will be delayed by 256000 milliseconds"}

// throttled is the component's newest warning of that kind, if it is recent. Before kubeadm join the
// kubelet cannot but end.
func throttled(s evidence.Snapshot, c *node.Component) (evidence.WindowsEvent, bool) {
	var last evidence.WindowsEvent
	if c.Name == "kubelet" && beforeJoin(s) {
		return last, false
	}
	for _, e := range evidence.WindowsEvents.In(s) {
		text := folded(e.Message)
		if strings.EqualFold(e.Provider, "nssm") && !e.Time.Before(last.Time.Time) &&
			s.Now().Sub(e.Time.Time) <= checks.Recently && namesService(e.Message, c.Service) &&
			slices.ContainsFunc(longDelays, func(t string) bool { return strings.Contains(text, t) }) {
			last = e
		}
	}
	return last, last.Message != ""
}

func throttledFix(service string) checks.Fix {
	return checks.Steps(
		checks.Inspect("Get-WinEvent -FilterHashtable @{LogName='Application'; ProviderName='nssm'} -MaxEvents 20 | Format-List TimeCreated, Message",
			"Read which service and program it is, and its exit code."),
		checks.Inspect("nssm get "+service+" AppStderr; nssm get "+service+" Application; nssm get "+service+" AppParameters",
			"Read the last lines of the log that nssm writes for it. If there is none, run the program with its parameters in a console."),
		checks.Do("Fix the error that the program prints, and start the service."),
		checks.Verify("Get-Service "+service, "Status is Running and stays so"))
}

func ofNSSM(e evidence.WindowsEvent) bool {
	return strings.EqualFold(e.Provider, "nssm") && e.ID == nssmProgramEnded
}

// serviceEnded are the service manager's events about an end that nobody asked for: the process was
// gone, or the service itself reported an error, as dockerd does (cmd/dockerd/service_windows.go).
var serviceEnded = []int{serviceCrashed, serviceCrashedAgain, serviceExited, serviceExitedOwn}

// crashEvents are the component's events of these kinds and 1013 of the last day since the boot, in order.
func crashEvents(s evidence.Snapshot, c *node.Component) []evidence.WindowsEvent {
	names := slices.Clone(c.Service)
	for _, svc := range c.Services {
		names = append(names, svc.DisplayName)
	}
	booted := evidence.OSInfo.In(s).BootedAt.Time
	var list []evidence.WindowsEvent
	for _, e := range evidence.WindowsEvents.In(s) {
		manager := e.Provider == "" || strings.EqualFold(e.Provider, "Service Control Manager")
		ended := manager && slices.Contains(serviceEnded, e.ID) || ofNSSM(e)
		if ended && !e.Time.Before(booted) && s.Now().Sub(e.Time.Time) <= checks.LongAgo &&
			namesService(e.Message, names) {
			list = append(list, e)
		}
	}
	sorted.By(list, func(a, b evidence.WindowsEvent) int {
		return a.Time.Compare(b.Time.Time)
	})
	return list
}

// namesService tells whether a message, in whatever language, names one of the services: as a word
// of its own, since "kubelet" is also the beginning of "kubelet-monitor".
func namesService(message string, names []string) bool {
	words := strings.FieldsFunc(strings.ToLower(message), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	})
	padded := " " + strings.Join(words, " ") + " "
	return slices.ContainsFunc(names, func(name string) bool {
		return name != "" && strings.Contains(padded, " "+strings.ToLower(name)+" ")
	})
}

// crashesOf judges the ends of one component.
func crashesOf(s evidence.Snapshot, c *node.Component,
	events []evidence.WindowsEvent) (*checks.Finding, bool) {
	if len(events) == 0 {
		return nil, false
	}
	managed := slices.DeleteFunc(slices.Clone(events), ofNSSM)
	last := events[len(events)-1]
	quote := func(f *checks.Finding) *checks.Finding {
		return f.With(last.Field().Because("%s", evidence.Clean(last.Message)))
	}
	when := timeOf(last)
	for i := len(events) - crashesOfLoop; i >= 0; i-- {
		end := events[i+crashesOfLoop-1]
		if end.Time.Sub(events[i].Time.Time) > lengthOfLoop {
			continue
		}
		if s.Now().Sub(end.Time.Time) > checks.Recently {
			return quote(checks.Findingf(checks.Info, c.Name,
				"unexpected ends of %s in the last day: %d, last at %s; it has run since",
				label(c), len(events), when)), true
		}
		return quote(checks.Findingf(checks.Fail, c.Name,
			"%s is in a crash loop: %d unexpected ends in the last day, last at %s",
			label(c), len(events), when)), true
	}
	if len(managed) == 0 {
		return nil, false
	}
	last = managed[len(managed)-1]
	return quote(checks.Findingf(checks.Warn, c.Name,
		"unexpected ends of %s in the last day: %d, last at %s", label(c), len(managed),
		timeOf(last))), true
}

// timeOf is when an event was; a pasted one may show it in a form that could be two days.
func timeOf(e evidence.WindowsEvent) any {
	if e.Time.IsZero() {
		return orUnknown("")
	}
	return e.Time.UTC().Format("2006-01-02 15:04 UTC")
}
