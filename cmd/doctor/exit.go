package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/cmd/doctor/internal/session"
)

// The exit status, the same for every format.
const (
	exitFine    = 0 // no fault found; checks that could not run do not count
	exitTrouble = 1 // internal error, or the node or recording cannot be read
	exitUsage   = 2 // usage error
	exitFail    = 3 // at least one fault
	exitWarn    = 4 // no fault, at least one warning, and --fail-on warn
	exitUnknown = 5 // neither, at least one check that could not run, and --fail-on unknown
	// the bundle was refused: a secret was found in it, or it is not what was written
	exitRefused     = 6
	exitInterrupted = 130
)

// streams are the program's three files; a test hands in its own.
type streams struct {
	in, out, err *os.File
	name         string // what this program is called by
}

// calls is a text that calls this program by its name.
func (s streams) calls(text string) string {
	if s.name == "doctor" {
		return text
	}
	return ownName.ReplaceAllString(text, "${1}${3}"+s.name+"${2}${4}")
}

// tell says one thing beside the result, on standard error.
func (s streams) tell(what string) {
	fmt.Fprintf(s.err, "%s: %s\n", s.name, evidence.Clean(s.calls(what)))
}

// ownName is the name of this program where a command begins with it: where one stands, or before one
// of its own commands or flags.
var ownName = regexp.MustCompile("(?m)(`|^ +|: |; |\\| )doctor([ `]|$)|" +
	`([^\w./-]|^)doctor( (?:bundle|convert|diff|explain|fleet|lint|mcp|probe|version|watch)\b| --\w)`)

// exit is an error that knows its status. Without an err there is nothing to
// say: the report has said it.
type exit struct {
	status int
	err    error
}

func (e exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

// trouble is an error that is nobody's mistake in using the program; nil stays nil.
func trouble(err error) error {
	if err == nil {
		return nil
	}
	return exit{exitTrouble, err}
}

// unlessEnded is trouble, but for an error of a screen whose time was over.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return trouble(err)
}

// failOn is the value of --fail-on: what gives a status of its own beside a fault.
type failOn []string

// failLevels are the values of --fail-on. A fault always counts, so fail adds nothing.
var failLevels = []string{"fail", "warn", "unknown"}

const failOnUsage = "exit with 4 on warnings (warn), with 5 on checks that could not run (unknown); both with a comma"

func (f failOn) validate() error {
	for _, level := range f {
		if !slices.Contains(failLevels, level) {
			return fmt.Errorf("--fail-on takes warn, unknown or warn,unknown, not %q%s",
				evidence.Clean(level), didYouMean(level, failLevels))
		}
	}
	return nil
}

// verdict turns a report into the exit status.
func verdict(r checks.Report, f failOn) error {
	return f.status(func(s checks.Status) bool { return r.Count(s) > 0 })
}

// status is the exit status where has tells which verdicts there are.
func (f failOn) status(has func(checks.Status) bool) error {
	switch {
	case has(checks.StatusFail):
		return exit{status: exitFail}
	case has(checks.StatusWarn) && slices.Contains(f, "warn"):
		return exit{status: exitWarn}
	case has(checks.StatusUnknown) && slices.Contains(f, "unknown"):
		return exit{status: exitUnknown}
	}
	return nil
}

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
	return strings.ToValidUTF8(line[:min(len(line), npdLine)], ""), status
}
