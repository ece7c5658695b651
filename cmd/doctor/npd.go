package main

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/cmd/doctor/internal/session"
)

// npd is the value of --exit-code for node-problem-detector's custom plugins, which take an exit status
// and one line of 80 bytes:
// https://github.com/kubernetes/node-problem-detector/blob/master/docs/custom_plugin_monitor.md
const npd = "npd"

// The exit statuses of such a plugin.
const (
	npdFine    = 0
	npdProblem = 1
	npdUnknown = 2

	npdLine = 80
)

// diagnoseForNPD answers as a plugin: what goes wrong here is no problem of the node.
func diagnoseForNPD(ctx context.Context, std streams, f flags) error {
	report, err := f.reportForNPD(ctx, std)
	line, status := npdAnswer(report, err)
	fmt.Fprintln(std.out, line)
	if status != npdFine {
		return exit{status: status}
	}
	return nil
}

func (f flags) reportForNPD(ctx context.Context, std streams) (checks.Report, error) {
	list, err := f.selected()
	if err != nil {
		return checks.Report{}, err
	}
	if f.From == "" && f.Demo == "" {
		l, err := session.Start(ctx, f.Options, list)
		if err != nil {
			return checks.Report{}, err
		}
		defer l.Close()
		report, _, err := l.Diagnose(ctx)
		return report, err
	}
	src, err := openRecording(f.Options, std)
	if err != nil {
		return checks.Report{}, err
	}
	defer src.Close()
	_, report, _ := session.Judge(src, list, program())
	return report, nil
}

// npdAnswer is the line and the status for a report. Checks that could not run are no reason to doubt
// those that could, unless all of them did not.
func npdAnswer(r checks.Report, err error) (line string, status int) {
	ran := r.Count(checks.StatusPass) + r.Count(checks.StatusInfo) + r.Count(checks.StatusWarn)
	switch {
	case err != nil:
		line, status = err.Error(), npdUnknown
	case len(r.Causes) > 0:
		line, status = r.Causes[0].ID+": "+r.Causes[0].Title, npdProblem
		if more := len(r.Causes) - 1; more > 0 {
			line = fmt.Sprintf("%s (and %d more): %s", r.Causes[0].ID, more, r.Causes[0].Title)
		}
	case ran == 0:
		line, status = "no check could run", npdUnknown
	default:
		line = "doctor found no fault"
	}
	line = strings.Join(strings.Fields(evidence.Clean(line)), " ")
	for len(line) > npdLine {
		_, size := utf8.DecodeLastRuneInString(line)
		line = line[:len(line)-size]
	}
	return line, status
}
