package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "service-program-missing",
	Title:    "Program of a node component is missing",
	Healthy:  "Programs of node components exist",
	Category: checks.CategoryComponents,
	Doc: `Event 7000 with "cannot find the file specified", or the path, says that the program of a service
is not where its configuration says: an update removed or renamed it, antivirus software put it
into quarantine, or the path has blanks and no quotes.

The check looks for the event of the services of Kubernetes and the runtime.`,
	Fix: programFix("SERVICE"),
	Links: []string{
		"https://learn.microsoft.com/en-us/windows-server/administration/windows-commands/sc-config",
		"https://learn.microsoft.com/en-us/windows/win32/debug/system-error-codes--0-499-",
	},
	Breaks:   []*checks.Effect{effectNetworkAgent, effectKubeletStart, effectRuntime},
	Needs:    []evidence.Need{evidence.Any(evidence.WindowsEvents, evidence.Logs("other"))},
	Uses:     []evidence.Need{evidence.WindowsEvents, evidence.Services, evidence.OSInfo},
	FromPart: []evidence.Need{evidence.Services, evidence.WindowsEvents},
	Signs: append(startSigns("The NAME service failed to start due to the following error",
		"the program of a service of a node component is missing", programFix, "The system cannot find the"),
		scStart(" 2:", "the program of a service that sc.exe starts is missing (error 2)"),
		scStart(" 3:", "the program of a service that sc.exe starts is missing (error 3)")),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, f := range failedStarts(s, serviceNotStarted, 0, saysFileMissing) {
			findings = append(findings, checks.Findingf(checks.Fail, f.name,
				"the program of the service %s is missing", f.name).With(f.because...).Cure(programFix(f.name)))
		}
		return startsFinding(s, findings)
	},
})

// saysFileMissing tells what event 7000 reports: its text, or the exit code of the service.
func saysFileMissing(e evidence.WindowsEvent, svc evidence.Service) bool {
	exit, message := svc.Exit(), strings.TrimRight(e.Message, ". \r\n")
	return exit == errorFileNotFound || exit == errorPathNotFound ||
		strings.HasSuffix(message, "%%2") || strings.HasSuffix(message, "%%3") ||
		evidence.Sign{Text: "cannot find the file specified"}.Fits("", message) ||
		evidence.Sign{Text: "cannot find the path specified"}.Fits("", message)
}

const (
	errorFileNotFound = 2
	errorPathNotFound = 3 // its folder is missing, too
)

func programFix(service string) checks.Fix {
	return checks.Steps(
		checks.Inspect(`Get-CimInstance Win32_Service -Filter "State='Stopped'" | Select-Object Name, PathName`,
			"Compare the paths of the stopped services with the files of the node."),
		checks.Do("Put the program back, or correct binPath with sc.exe config; look into the quarantine of the antivirus software."),
		checks.Run("Start-Service "+service,
			"Start the service."),
		checks.Verify("Get-Service "+service, "Status is Running"))
}
