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

var _ = register(&checks.Check{
	ID:       "time-service-not-running",
	Title:    "Windows Time service does not sync the clock",
	Healthy:  "Windows Time service syncs the clock",
	Category: checks.CategoryNode,
	Doc: `The Windows Time service (w32time) sets the clock. Outside of a domain Windows starts it
by a trigger and stops it again, and trimmed images disable it. A service without a source ("Local
CMOS Clock" or "Free-running System Clock" in w32tm) does not correct the clock either. The clock of
a virtual machine then drifts, and jumps when its host pauses or moves it, until certificates and
tokens are not yet or no longer valid.

A clock that is not synchronized is a warning. A Meinberg NTP or NetTime service is accepted
instead. VMware Tools may set the clock, too: where they run and the clock is correct, it is info.`,
	Fix: checks.Steps(
		checks.Run("Set-Service w32time -StartupType Automatic; Start-Service w32time",
			"Start the Windows Time service, and set it to start with the machine."),
		checks.Run("w32tm /config /manualpeerlist:NTP-SERVER /syncfromflags:manual /update",
			"Set the NTP server of your network as its source."),
		checks.Run("w32tm /resync", "Synchronize the clock of the node.").
			Costs("The clock may jump once."),
		checks.Verify("w32tm /query /source", "the NTP server")),
	Links: []string{
		"https://learn.microsoft.com/en-us/windows-server/networking/windows-time-service/windows-time-service-tools-and-settings"},
	Explains: []string{"cert-expired-or-clock-skew"},
	Needs:    []evidence.Need{evidence.Any(evidence.TimeService, evidence.Services)},
	Uses:     []evidence.Need{evidence.TimeService, evidence.Services},
	FromPart: []evidence.Need{evidence.Services},
	Signs: []checks.Sign{{Text: "did not resync because no time data was available", In: []string{"other"}, Level: checks.Warn,
		Says: "w32tm cannot synchronize the clock: its source gives no time"}},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		clock := evidence.TimeService.In(s)
		state, start, place := clock.Service, "", evidence.TimeService.Field(s, "service")
		var disabled evidence.Place
		tools := false
		for _, svc := range evidence.Services.In(s) {
			switch {
			case node.EqualsAny(svc.Name, otherTimeServices) && svc.Running():
				return nil, nil
			case strings.EqualFold(svc.Name, "VMTools"):
				tools = svc.Running()
			case strings.EqualFold(svc.Name, "w32time"):
				start, disabled = strings.ToLower(svc.StartType), svc.Field("startType")
				if state == "" {
					state, place = svc.State, svc.Field("state")
				}
			}
		}
		level, right := checks.Warn, evidence.Phrase{}
		if skew, ok := skewOf(clock); ok && skew.Abs() <= skewUnnoticed && start != "disabled" {
			right = evidence.Phrasef("; the clock is still correct")
			if tools {
				level, right = checks.Info, evidence.Phrasef("; the clock is correct, and VMware Tools can set it")
			}
		}
		source := strings.ToLower(strings.TrimSpace(clock.Source))
		switch {
		case state == "":
			return nil, checks.Unknown(evidence.NotShown.Gap("the state of the service w32time"))
		case !strings.EqualFold(state, "running"):
			return []*checks.Finding{checks.Findingf(level, "w32time",
				"Windows Time service is %s, start type %s (expected: running)%s", state,
				orUnknown(start), right).
				At(place, "w32time is %s", state)}, nil
		case start == "disabled":
			return []*checks.Finding{checks.Findingf(level, "w32time",
				"Windows Time service is disabled: it will not run after the next boot").
				At(disabled, "start type is disabled")}, nil
		case slices.Contains(noTimeSources, source):
			return []*checks.Finding{checks.Findingf(level, "w32time",
				"Windows Time service is running without a time source: %s%s", clock.Source, right).
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
