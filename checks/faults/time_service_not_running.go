package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// What w32tm calls a clock that nobody corrects.
var noTimeSources = []string{"local cmos clock", "free-running system clock"}

// Services that keep the clock in place of the one of Windows.
var otherTimeServices = []string{"NTP", "NetTimeSvc", "chronyd"}

// skewUnnoticed is a difference to the API server that nothing minds.
const skewUnnoticed = time.Second

var _ = register(checks.Check{
	ID:       "time-service-not-running",
	Title:    "nothing keeps the node's clock right",
	Category: checks.CategoryNode,
	Doc: `The Windows Time service (w32time) sets the clock. Outside of a domain Windows starts
it by a trigger and stops it again, and images that were trimmed have it disabled; a service that
runs without a source, which w32tm calls "Local CMOS Clock" or "Free-running System Clock", keeps
nothing right either. The clock of a virtual machine then drifts, and jumps when its host pauses or
moves it, until certificates and tokens are not valid yet or not any more.

A node whose clock nobody keeps is a warning. A Meinberg NTP or NetTime service in its place is as
good.`,
	Fix: checks.Steps(
		checks.Run("Set-Service w32time -StartupType Automatic",
			"start the Windows Time service with the machine and give it a source").
			Costs("the clock may jump once: what measures time across that moment is off by the difference"),
		checks.Run("Start-Service w32time", ""),
		checks.Run("w32tm /config /manualpeerlist:NTP-SERVER /syncfromflags:manual /update", ""),
		checks.Run("w32tm /resync", "")),
	Links: []string{
		"https://learn.microsoft.com/en-us/windows-server/networking/windows-time-service/windows-time-service-tools-and-settings"},
	Explains: []string{"cert-expired-or-clock-skew"},
	Needs:    []evidence.Need{evidence.Any(evidence.TimeService, evidence.Services)},
	Uses:     []evidence.Need{evidence.TimeService, evidence.Services},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		clock := evidence.TimeService.In(s)
		state, start, place := clock.Service, "", evidence.TimeService.Field(s, "service")
		for _, svc := range evidence.Services.In(s) {
			switch {
			case node.EqualsAny(svc.Name, otherTimeServices) && svc.Running():
				return nil, nil
			case strings.EqualFold(svc.Name, "w32time"):
				start = strings.ToLower(svc.StartType)
				if state == "" {
					state, place = svc.State, svc.Field("state")
				}
			}
		}
		level, right := checks.Warn, evidence.Phrase{}
		if skew, ok := skewOf(clock); ok && skew.Abs() <= skewUnnoticed && start != "disabled" {
			right = evidence.Phrasef("; so far the clock is right")
		}
		source := strings.ToLower(strings.TrimSpace(clock.Source))
		switch {
		case state == "":
			return nil, checks.Unknown(evidence.NotShown.Gap("the state of the service w32time"))
		case !strings.EqualFold(state, "running"):
			return []checks.Finding{checks.Findingf(level, "w32time",
				"the Windows Time service is %s, start type %s%s", state, orUnknown(start), right).
				At(place, "w32time is %s", state)}, nil
		case slices.Contains(noTimeSources, source):
			return []checks.Finding{checks.Findingf(level, "w32time",
				"the Windows Time service runs without a source: %s%s", clock.Source, right).
				At(evidence.TimeService.Field(s, "source"), "source is %s", clock.Source)}, nil
		}
		return nil, nil
	},
})

// skewOf is how far the node's clock is from the API server's, where that was measured.
func skewOf(t evidence.TimeState) (time.Duration, bool) {
	if t.APIServerSkewMS == nil {
		return 0, false
	}
	const most = int64(1<<63-1) / int64(time.Millisecond)
	return time.Duration(max(-most, min(most, *t.APIServerSkewMS))) * time.Millisecond, true
}
