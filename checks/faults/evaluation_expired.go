package faults

import (
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

// The events of an evaluation that has expired: WLMS writes 100 at each start, and User32 1074 names who
// shuts Windows down.
const (
	eventShutdownBy        = 1074
	eventEvaluationExpired = 100
)

// shutdownsApart is longer than WLMS lets Windows run, so that a node without such events is rid of it.
const shutdownsApart = 2 * time.Hour

var _ = register(&checks.Check{
	ID:       "evaluation-expired",
	Title:    "Evaluation license of Windows has expired",
	Healthy:  "Windows is not shut down for its license",
	Category: checks.CategoryNode,
	Doc: `The evaluation edition of Windows Server runs for 180 days. After that, the Windows License
Monitoring Service (WLMS, wlms.exe) shuts Windows down an hour after each start. The node is NotReady until
somebody or the hypervisor starts it again, and all its containers restart each time with exit code
0xC000013A (-1073741510). No log of Kubernetes names the cause.

The check reads the events of the last two hours: User32 1074 of wlms.exe, or WLMS 100, which are the same
in every language. Another edition than an evaluation, recorded now, has been licensed since.`,
	Fix: checks.Steps(
		checks.Inspect(`cscript //nologo C:\Windows\System32\slmgr.vbs /dlv`,
			"Read the edition, the license status, and how often the evaluation can be extended."),
		checks.Run(`cscript //nologo C:\Windows\System32\slmgr.vbs /rearm; Restart-Computer`,
			"If rearms are left, extend the evaluation, to have time.").
			Costs("The node reboots."),
		checks.Run("DISM /Online /Set-Edition:ServerDatacenter /ProductKey:PRODUCT-KEY /AcceptEula",
			"Convert Windows to a licensed edition with your product key, or replace the node by one of a licensed image.").
			Costs("The node reboots."),
		checks.Verify("(Get-ItemProperty 'HKLM:\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion').EditionID",
			"an edition without Eval")),
	Links: []string{
		"https://learn.microsoft.com/en-us/answers/questions/5834757/does-windows-server-evaluation-officially-shut-dow",
		"https://github.com/MicrosoftDocs/microsoft-365-docs/issues/379",
		"https://github.com/ruzickap/packer-templates/issues/10"},
	Breaks:   []*checks.Effect{effectContainers, effectNodeReports},
	Explains: []string{"unexpected-reboot"},
	Needs:    []evidence.Need{evidence.WindowsEvents},
	Uses:     []evidence.Need{evidence.OSInfo},
	// the text of both events where somebody pasted it alone
	Signs: []checks.Sign{{Text: "The license period for this installation of Windows has expired",
		In: []string{"other"}, Says: "the evaluation license of Windows has expired: Windows shuts down every hour"}},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		events, edition := evidence.WindowsEvents.In(s), strings.ToLower(evidence.OSInfo.In(s).Edition)
		if len(events) == 0 || anonymous(events) {
			return nil, checks.Unknown(evidence.NotShown.Gap("the events of the System log"))
		}
		if edition != "" && !strings.Contains(edition, "eval") {
			return nil, nil
		}
		var last evidence.WindowsEvent
		for _, e := range events {
			if (e.ID == eventEvaluationExpired && strings.EqualFold(e.Provider, "WLMS") ||
				e.ID == eventShutdownBy && strings.Contains(strings.ToLower(e.Message), `\wlms.exe`)) &&
				s.Now().Sub(e.Time.Time) <= shutdownsApart && !e.Time.Before(last.Time.Time) {
				last = e
			}
		}
		if last.ID == 0 {
			return nil, nil
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, "windows",
			"the evaluation license of Windows has expired: Windows shuts down every hour, last reported at %s",
			last.Time.UTC().Format("2006-01-02 15:04 UTC")).
			At(last.Field(), "%s: %s", last.Provider, evidence.Clean(last.Message))}, nil
	},
})
