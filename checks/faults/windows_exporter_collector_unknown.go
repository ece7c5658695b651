package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "windows-exporter-collector-unknown",
	Title:    "windows_exporter exits: unknown collector",
	Healthy:  "windows_exporter knows its collectors",
	Category: checks.CategoryComponents,
	Doc: `windows_exporter ends at once when --collectors.enabled names a collector that it does not have: a
name in further quotation marks, one of a newer release, or one that was renamed (cs and logon
were removed, container needs the privileges of the node). Metrics of the node are missing then.

The check looks for the exporter's last line.`,
	Fix: checks.Steps(
		checks.Edit("windows-exporter DaemonSet",
			"Correct --collectors.enabled: names with commas between them, no spaces and no further quotation marks."),
		checks.Verify("curl.exe http://127.0.0.1:9182/health", `{"status":"ok"}`)),
	Links: []string{
		"https://github.com/prometheus-community/windows_exporter/issues/628",
		"https://github.com/prometheus-community/windows_exporter#collectors",
	},
	Breaks: []*checks.Effect{},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("windows-exporter"), evidence.Logs("other"))},
	Uses:   []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Moot:   noProgram("windows_exporter", "windows-exporter", "windows_exporter"),
	Signs: []checks.Sign{
		{Text: "Couldn't load collectors",
			Also:  []string{"nknown collector"},
			Level: checks.Warn,
			Says:  "windows_exporter is given a collector that it does not have"},
		// until 0.11, as wmi_exporter (exporter.go): windows_exporter 366
		{Text: "Couldn't load collectors: collector '", Also: []string{"' not available"},
			Level: checks.Warn,
			Says:  "windows_exporter is given a collector that it does not have"},
		// since 0.30 (cmd/windows_exporter/main.go)
		{Text: "couldn't enable collectors", Also: []string{"unknown collector"},
			Level: checks.Warn,
			Says:  "windows_exporter is given a collector that it does not have"},
	},
})
