package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "service-logon-failed",
	Title:    "Service of a node component cannot log on",
	Healthy:  "Services of node components can log on",
	Category: checks.CategoryComponents,
	Doc: `The Service Control Manager starts a service under its account. Event 7038 says that the logon
failed: the password was changed or has expired, or the account is locked or was deleted. Event
7041 says that the account has no right to log on as a service: a Group Policy that defines the
right replaces the accounts that had it before.

The check looks for these events and error 1069 of the services of Kubernetes and the runtime.`,
	Fix: logonFix("SERVICE"),
	Links: []string{
		"https://learn.microsoft.com/en-us/troubleshoot/windows-server/system-management-components/service-startup-permissions",
		"https://learn.microsoft.com/en-us/previous-versions/windows/it-pro/windows-server-2008-R2-and-2008/cc756339(v=ws.10)",
	},
	Breaks:   []*checks.Effect{effectNetworkAgent, effectKubeletStart, effectKubeProxy, effectRuntime},
	Needs:    []evidence.Need{evidence.Any(evidence.WindowsEvents, evidence.Services, evidence.Logs("other"))},
	Uses:     []evidence.Need{evidence.WindowsEvents, evidence.Services, evidence.OSInfo},
	FromPart: []evidence.Need{evidence.Services, evidence.WindowsEvents},
	Signs: slices.Concat(startSigns("The NAME service was unable to log on as", saysNotLoggedOn, logonFix),
		startSigns("The NAME service failed to start due to the following error", saysNotLoggedOn, logonFix,
			"due to a logon failure"),
		[]checks.Sign{scStart(" 1069", "a service that sc.exe starts cannot log on with its account (error 1069)"),
			netStart("1069", "a service cannot log on with its account (error 1069)")}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		starts := failedStarts(s, serviceNotLoggedOn, exitLogonFailed, nil)
		if len(starts) == 0 {
			starts = failedStarts(s, serviceNoLogonRight, 0, nil)
		}
		if len(starts) == 0 { // the event before it is lost
			starts = failedStarts(s, serviceNotStarted, 0, saysLogonFailed)
		}
		for _, f := range starts {
			findings = append(findings, checks.Findingf(checks.Fail, f.name,
				"the service %s cannot log on with its account", f.name).With(f.because...).Cure(logonFix(f.name)))
		}
		return startsFinding(s, findings)
	},
})

const saysNotLoggedOn = "a service of a node component cannot log on with its account"

// saysLogonFailed tells whether event 7000 has this reason, in its text or as a number.
func saysLogonFailed(e evidence.WindowsEvent, _ evidence.Service) bool {
	return strings.HasSuffix(strings.TrimRight(e.Message, ". \r\n"), "%%1069") ||
		evidence.Sign{Text: "due to a logon failure"}.Fits("", e.Message)
}

func logonFix(service string) checks.Fix {
	return checks.Steps(
		checks.Inspect(`Get-CimInstance Win32_Service -Filter "State='Stopped'" | Select-Object Name, StartName`,
			"Find the services that are stopped, and their accounts."),
		checks.Run("sc.exe config "+service+" obj= LocalSystem",
			"Let the service run as LocalSystem, or give it the new password."),
		checks.Run("Start-Service "+service,
			"Start the service."),
		checks.Verify("Get-Service "+service, "Status is Running"))
}
