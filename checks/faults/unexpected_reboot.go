package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// Events about the ends of the system: EventLog 6008, Kernel-Power 41, BugCheck 1001. Windows Error
// Reporting writes 1001 too, into the Application log.
const (
	eventUncleanShutdown = 6008
	eventPowerLoss       = 41
	eventBugcheck        = 1001
)

var _ = register(&checks.Check{
	ID:       "unexpected-reboot",
	Title:    "Windows crashed or was switched off without a shutdown",
	Healthy:  "Windows was shut down cleanly before the last boot",
	Category: checks.CategoryNode,
	Doc: `After a crash of Windows (a bugcheck), a reset or a loss of power, the next boot writes event
6008 or Kernel-Power 41, and BugCheck 1001 with the stop code where Windows crashed. All containers
ended at that moment, HNS lost what it does not keep, and NDIS may keep the network compartments of
the containers that ran. Drivers of networks, storage and antivirus programs are the usual cause of
bugchecks on nodes; a reset of the virtual machine from outside leaves no stop code.

The check looks at the events of the last day. A bugcheck is a fault if it repeats; a single one,
and a reboot without a shutdown, are warnings: the node may run well since.`,
	Fix: checks.Steps(
		checks.Inspect("Get-WinEvent -FilterHashtable @{LogName='System'; Id=41,1001,6008} -MaxEvents 10 | Format-List TimeCreated, ProviderName, Message",
			"Read when Windows went down, and the stop code."),
		checks.Inspect("Get-ChildItem C:\\Windows\\Minidump, C:\\Windows\\MEMORY.DMP -ErrorAction SilentlyContinue",
			"Find the memory dump: it names the driver."),
		checks.Do("Install the current cumulative update of Windows, and update the driver that the dump names.").
			Costs("The update reboots the node and stops its pods."),
		checks.Do("If there is no stop code, ask the platform whether it reset or moved the virtual machine."),
		checks.Verify("Get-WinEvent -FilterHashtable @{LogName='System'; Id=41,1001,6008} -MaxEvents 1 | Select-Object TimeCreated",
			"no new event since the fix")),
	Links: []string{
		"https://learn.microsoft.com/en-us/troubleshoot/windows-server/performance/troubleshoot-unexpected-reboots-system-event-logs",
		"https://github.com/kubernetes/kubernetes/issues/66947"},
	Breaks: []*checks.Effect{effectContainers},
	Needs:  []evidence.Need{evidence.WindowsEvents},
	// The message of BugCheck 1001 where somebody pasted it alone. In the events its time counts.
	Signs: []checks.Sign{{Text: "The computer has rebooted from a bugcheck",
		Or: []string{"La vérification d’erreur était", "La vérification d'erreur était"},
		In: []string{"other"}, Level: checks.Warn, Says: "Windows crashed: the message of a bugcheck"}},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		events := evidence.WindowsEvents.In(s)
		if len(events) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("the events of the System log"))
		}
		var crashes, unclean []evidence.WindowsEvent
		for _, e := range events {
			if s.Now().Sub(e.Time.Time) > checks.LongAgo {
				continue
			}
			switch kind := endOfSystem(e); kind {
			case eventBugcheck:
				crashes = append(crashes, e)
			case eventUncleanShutdown, eventPowerLoss:
				unclean = append(unclean, e)
			}
		}
		quote := func(f *checks.Finding, e evidence.WindowsEvent) []*checks.Finding {
			return []*checks.Finding{f.With(e.Field().Because("%s", evidence.Clean(e.Message)))}
		}
		switch {
		case len(crashes) > 0:
			last := crashes[len(crashes)-1]
			level := checks.Warn
			if len(crashes) > 1 {
				level = checks.Fail
			}
			return quote(checks.Findingf(level, "windows",
				"Windows crashed in the last day: bugcheck %s (crashes: %d), last reported at %s",
				stopCode(last), len(crashes), last.Time.UTC().Format("2006-01-02 15:04 UTC")),
				last), nil
		case len(unclean) > 0:
			last := unclean[len(unclean)-1]
			return quote(checks.Findingf(checks.Warn, "windows",
				"Windows went down without a shutdown in the last day, reported at %s",
				last.Time.UTC().Format("2006-01-02 15:04 UTC")), last), nil
		case anonymous(events):
			return nil, checks.Unknown(evidence.NotShown.Gap("the events of the System log"))
		}
		return nil, nil
	},
})

// endOfSystem is the id of an event about how the system went down, or 0. Other providers use the
// same numbers; where the recorder kept no provider only 6008 is certain.
func endOfSystem(e evidence.WindowsEvent) int {
	provider := strings.ToLower(e.Provider)
	switch e.ID {
	case eventUncleanShutdown:
		if provider == "" || provider == "eventlog" {
			return e.ID
		}
	case eventPowerLoss:
		if strings.Contains(provider, "kernel-power") {
			return e.ID
		}
	case eventBugcheck:
		if strings.Contains(provider, "bugcheck") ||
			strings.Contains(provider, "wer-systemerrorreporting") {
			return e.ID
		}
	}
	return 0
}

// stopCode is the code in a message of BugCheck, which Windows translates around it.
func stopCode(e evidence.WindowsEvent) evidence.Phrase {
	at := strings.Index(e.Message, "0x")
	if at < 0 {
		return evidence.Phrasef("code not recorded")
	}
	code := e.Message[at:]
	if end := strings.IndexFunc(code[2:], func(r rune) bool {
		return !strings.ContainsRune("0123456789abcdefABCDEF", r)
	}); end >= 0 {
		code = code[:2+end]
	}
	return verbatim(code)
}
