package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/sorted"
)

// restart is a start of HNS after the one of the boot.
type restart struct {
	at    time.Time // zero where there was none
	what  evidence.Phrase
	crash bool
	from  evidence.Because
}

// Events of the service manager, which writes their texts in the system's language.
const (
	serviceCrashed      = 7031 // with a recovery action
	serviceCrashedAgain = 7034 // without one
	serviceChangedState = 7036
)

// kube-proxy is started by the time that HNS has its network; a process of HNS
// that is this much younger was not there when kube-proxy came.
const hnsHeadStart = 2 * time.Minute

// hnsRestart finds the last start of HNS that pods or kube-proxy lived through.
func hnsRestart(s evidence.Snapshot, proxied time.Time) (r restart, known bool) {
	names := []string{"host network service"}
	pid := 0
	for _, svc := range evidence.Services.In(s) {
		if strings.EqualFold(svc.Name, "hns") {
			pid = svc.PID
			if len(svc.DisplayName) > len("hns") {
				names = append(names, strings.ToLower(svc.DisplayName))
			}
		}
	}
	booted := evidence.OSInfo.In(s).BootedAt.Time
	events := evidence.WindowsEvents.In(s)
	order := make([]int, len(events))
	for i := range order {
		order[i] = i
	}
	// PowerShell lists the newest first
	sorted.By(order, func(a, b int) int {
		return events[a].Time.Compare(events[b].Time.Time)
	})
	changes, stopped := 0, false
	for _, i := range order {
		e := events[i]
		if !strings.EqualFold(e.Provider, "Service Control Manager") || e.Time.Before(booted) ||
			!anyIn(e.Message, names) {
			continue
		}
		from := e.Field().Because("%s", evidence.Clean(e.Message))
		switch e.ID {
		case serviceCrashed, serviceCrashedAgain:
			r = restart{e.Time.Time, evidence.Phrasef("the Host Network Service stopped unexpectedly"), true, from}
		case serviceChangedState:
			// The first change since the boot is its start; after it come a stop and a start in turn, in whatever language.
			changes++
			stop := strings.Contains(e.Message, "stopped")
			if !r.crash && !stop && (stopped || changes > 2) {
				r = restart{e.Time.Time, evidence.Phrasef("the Host Network Service was restarted"),
					false, from}
			}
			stopped = stop
		}
	}
	if !r.at.IsZero() {
		return r, true
	}
	for _, p := range evidence.Processes.In(s) {
		if pid == 0 || p.PID != pid || p.StartedAt.IsZero() || proxied.IsZero() {
			continue
		}
		if p.StartedAt.Sub(proxied) > hnsHeadStart {
			return restart{p.StartedAt.Time,
				evidence.Phrasef("the HNS process was restarted"), false,
				p.Field("startedAt").Because("%s, which hosts hns, has run since %s", p.Name,
					p.StartedAt.UTC().Format("2006-01-02 15:04 UTC"))}, true
		}
		return restart{}, true
	}
	return restart{}, evidence.WindowsEvents.Known(s) && !anonymous(events)
}

// anonymous tells whether the recorder kept no event's provider: some tools export
// the message alone, or only the events about other services. That there is none of
// the service manager's then says nothing.
func anonymous(events []evidence.WindowsEvent) bool {
	return len(events) > 0 && !slices.ContainsFunc(events, func(e evidence.WindowsEvent) bool {
		return e.Provider != ""
	})
}

func anyIn(text string, names []string) bool {
	text = strings.ToLower(text)
	for _, name := range names {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// proxyStart is since when kube-proxy runs.
func proxyStart(s evidence.Snapshot) (time.Time, evidence.Because) {
	c := node.About(s).Components["kube-proxy"]
	for _, p := range c.Processes {
		if !p.StartedAt.IsZero() {
			return p.StartedAt.Time, p.Field("startedAt").Because("%s has run since %s", p.Name,
				p.StartedAt.UTC().Format("2006-01-02 15:04 UTC"))
		}
	}
	for _, p := range c.Pods {
		for i, st := range p.Status.ContainerStatuses {
			if run := st.State.Running; run != nil && !run.StartedAt.IsZero() && !c.BeforeBoot(p) {
				return run.StartedAt.Time, p.Field("status", "containerStatuses", i, "state",
					"running", "startedAt").Because("%s has run since %s", p.FullName(),
					run.StartedAt.UTC().Format("2006-01-02 15:04 UTC"))
			}
		}
	}
	return time.Time{}, evidence.Because{}
}
