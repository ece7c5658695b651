package faults

import (
	"path"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// Events of the service manager about a start, and the exit codes that it gives such a service.
// Neither depends on the language of Windows.
const (
	serviceNotStarted   = 7000
	serviceDependency   = 7001 // a service that it depends on did not start
	serviceNotConnected = 7009
	serviceExited       = 7023 // with an error
	serviceExitedOwn    = 7024 // with an error of its own
	serviceNotLoggedOn  = 7038
	serviceNoLogonRight = 7041

	exitNoAnswer    = 1053 // ERROR_SERVICE_REQUEST_TIMEOUT
	exitLogonFailed = 1069 // ERROR_SERVICE_LOGON_FAILED
)

// startedServices are the services whose start is judged.
var startedServices = []string{"kubelet", "kube-proxy", "kubeproxy", "containerd", "docker", "flanneld",
	"rke2", "k3s", "csi-proxy", "CalicoNode", "CalicoFelix"}

// A failedStart is a service that did not start, and what says so.
type failedStart struct {
	name    string
	service evidence.Service // zero where it is not recorded
	because []evidence.Because
}

// failedStarts lists the services that stand still, and of which an event since the boot with this
// id, or the exit code, says that they did not start. says judges the event where its id does not
// suffice.
func failedStarts(s evidence.Snapshot, id int, exitCode int64,
	says func(evidence.WindowsEvent, evidence.Service) bool) []failedStart {
	var list []failedStart
	complete := evidence.Services.Gap(s).Kind == ""
	for _, name := range startedServices {
		f := failedStart{name: name}
		for _, svc := range evidence.Services.In(s) {
			if strings.EqualFold(svc.Name, name) {
				f.service = svc
			}
		}
		recorded := f.service.Name != ""
		if f.service.Running() || !recorded && complete || strings.EqualFold(f.service.StartType, "disabled") ||
			startedOtherwise(node.About(s), name) {
			continue
		}
		if recorded && exitCode > 0 && f.service.Exit() == exitCode {
			f.because = append(f.because, f.service.Field("exitCode").Because("%s: state %s, exit code %d",
				f.service.Name, f.service.State, exitCode))
		}
		names := []string{name, f.service.DisplayName}
		if e, ok := startEvent(s, id, names, func(e evidence.WindowsEvent) bool {
			return says == nil || says(e, f.service)
		}); ok {
			f.because = append(f.because, e.Field().Because("%s", evidence.Clean(e.Message)))
		}
		if len(f.because) == 0 {
			continue
		}
		if id != serviceNotStarted {
			all := func(evidence.WindowsEvent) bool { return true }
			if e, ok := startEvent(s, serviceNotStarted, names, all); ok {
				f.because = append(f.because, e.Field().Because("%s", evidence.Clean(e.Message)))
			}
		}
		list = append(list, f)
	}
	return list
}

// startedOtherwise tells whether the node does without this service: its component runs as a pod, by
// rke2 or by another service, or the node uses another runtime.
func startedOtherwise(n *node.Node, name string) bool {
	for _, c := range n.Components {
		if !node.EqualsAny(name, c.Service) {
			continue
		}
		if c.Name == "runtime" && n.Runtime.Known() {
			return !usesRuntime(n, evidence.Service{Name: name})
		}
		running, _ := c.Running()
		return running
	}
	return false
}

// startsFinding returns what the failed starts show. Without the service manager's events, only
// services that run or have an exit code acquit.
func startsFinding(s evidence.Snapshot, findings []*checks.Finding) ([]*checks.Finding, error) {
	if len(findings) > 0 || evidence.WindowsEvents.Known(s) && !anonymous(evidence.WindowsEvents.In(s)) {
		return findings, nil
	}
	if evidence.Services.Gap(s).Kind != "" ||
		slices.ContainsFunc(evidence.Services.In(s), func(svc evidence.Service) bool {
			return !svc.Running() && svc.ExitCode == nil &&
				slices.ContainsFunc(startedServices, func(n string) bool { return strings.EqualFold(n, svc.Name) })
		}) {
		return nil, checks.Unknown(evidence.NotShown.Gap("the service manager's events"))
	}
	return nil, nil
}

// startEvent is the last event about a service's start, unless the service changed its state since.
func startEvent(s evidence.Snapshot, id int, names []string,
	says func(evidence.WindowsEvent) bool) (last evidence.WindowsEvent, ok bool) {
	booted := evidence.OSInfo.In(s).BootedAt.Time
	var changed evidence.WindowsEvent
	for _, e := range evidence.WindowsEvents.In(s) {
		if !strings.EqualFold(e.Provider, "Service Control Manager") || e.Time.Before(booted) ||
			s.Now().Sub(e.Time.Time) > checks.LongAgo || !namesService(e.Message, names) {
			continue
		}
		switch {
		case e.ID == id && says(e) && !e.Time.Before(last.Time.Time):
			last, ok = e, true
		case e.ID == serviceChangedState && e.Time.After(changed.Time.Time):
			changed = e
		}
	}
	return last, ok && !changed.Time.After(last.Time.Time)
}

// startSigns are what a log says of a failed start, for each service: nothing else tells whose it is.
func startSigns(text, says string, fix func(service string) checks.Fix, also ...string) []checks.Sign {
	var signs []checks.Sign
	for _, name := range []string{"kubelet", "kube-proxy", "containerd", "docker", "flanneld", "rke2",
		"csi-proxy"} {
		signs = append(signs, checks.Sign{Text: strings.ReplaceAll(text, "NAME", name), Also: also,
			In: []string{"other"}, Until: []string{"The " + name + " service entered the running state"},
			Says: says, Fix: fix(name)})
	}
	return signs
}

// netStart is what net.exe prints of it. It prints most numbers for shares and users, too.
func netStart(number, says string) checks.Sign {
	return checks.Sign{Text: "System error " + number + " has occurred", Says: says}
}

// scStart is what sc.exe prints of a start that failed, with the number of the error.
func scStart(number, says string) checks.Sign {
	return checks.Sign{Text: "[SC] StartService", Also: []string{number}, Until: []string{"4  RUNNING"},
		Says: says}
}

// serviceSwitches are what programs need on their command line to answer the service manager.
var serviceSwitches = []struct {
	programs []string
	flag     string
}{
	{[]string{"kubelet", "kube-proxy", "kubeproxy", "csi-proxy"}, "--windows-service"},
	{[]string{"containerd", "dockerd"}, "--run-service"},
}

// missingSwitch is the flag without which the service's program does not answer the service manager;
// "" where it has it, or where another program wraps it.
func missingSwitch(svc evidence.Service) string {
	if svc.BinPath == "" || svc.Args == nil || svc.Wrapper != "" {
		return ""
	}
	program := strings.ToLower(path.Base(strings.ReplaceAll(svc.BinPath, `\`, "/")))
	program = strings.TrimSuffix(program, ".exe")
	for _, row := range serviceSwitches {
		if slices.Contains(row.programs, program) && !slices.ContainsFunc(svc.Args, func(arg string) bool {
			name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
			return strings.EqualFold(name, strings.TrimLeft(row.flag, "-")) && value != "false"
		}) {
			return row.flag
		}
	}
	return ""
}
