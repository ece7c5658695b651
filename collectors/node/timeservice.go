package node

import (
	"strings"

	"doctor/checks/evidence"
	"doctor/collectors"
)

const timeSettings = `SYSTEM\CurrentControlSet\Services\W32Time\`
const timePolicy = `SOFTWARE\Policies\Microsoft\W32Time\`

// readTimeService tells the service's state and the source that it is told to use.
func readTimeService(open hive, services []evidence.Service) (evidence.TimeState, error) {
	for _, s := range services {
		if strings.EqualFold(s.Name, "w32time") {
			return evidence.TimeState{Service: s.State, Source: timeSource(open)}, nil
		}
	}
	return evidence.TimeState{}, collectors.GapError(evidence.NotFound.Gap("the service w32time"))
}

// freeRunning is the name that w32tm gives a clock that nobody corrects.
const freeRunning = "Free-running System Clock"

// timeSource is what the settings name; empty where only the running service
// knows. That a server is set does not mean that it answers.
func timeSource(open hive) string {
	policy, _ := open(timePolicy + "Parameters")
	own, _ := open(timeSettings + "Parameters")
	setting := func(name string) string {
		s, ok := policy.str(name)
		if !ok {
			s = own.text(name)
		}
		return strings.TrimSpace(s)
	}
	kind := strings.ToLower(setting("Type"))
	if !providerOn(open, "NtpClient") {
		kind = "nosync"
	}
	switch kind {
	case "ntp":
		return setting("NtpServer")
	case "nt5ds":
		return "domain hierarchy"
	case "allsync":
		return strings.TrimPrefix(setting("NtpServer")+", domain hierarchy", ", ")
	case "nosync":
		if !otherTimeProvider(open) {
			return freeRunning
		}
	}
	return ""
}

func providerOn(open hive, name string) bool {
	policy, _ := open(timePolicy + `TimeProviders\` + name)
	own, _ := open(timeSettings + `TimeProviders\` + name)
	return firstNumber("Enabled", 1, policy, own) != 0
}

// otherTimeProvider tells whether something else than NTP may set the clock,
// such as the hypervisor's provider.
func otherTimeProvider(open hive) bool {
	k, err := open(timeSettings + "TimeProviders")
	if err != nil {
		return true
	}
	for _, name := range k.subkeys {
		if !strings.EqualFold(name, "NtpClient") && !strings.EqualFold(name, "NtpServer") &&
			providerOn(open, name) {
			return true
		}
	}
	return false
}
