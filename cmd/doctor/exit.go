package main

import (
	"os"

	"doctor/checks"
)

// The exit status, the same for every format.
const (
	exitFine    = 0 // no fault found, and every check that applies could tell
	exitTrouble = 1 // doctor itself could not do its work
	exitUsage   = 2 // the command line is wrong
	exitFail    = 3 // at least one fail
	exitWarn    = 4 // no fail, at least one warn, and --fail-on warn
	exitUnknown = 5 // no fault found, but some checks could not tell
	// the bundle was refused: a secret was found in it, or it is not what was written
	exitRefused     = 6
	exitInterrupted = 130
)

// streams are the program's three files; a test hands in its own.
type streams struct{ in, out, err *os.File }

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

func trouble(err error) error { return exit{exitTrouble, err} }

// verdict turns a report into the exit status.
func verdict(r checks.Report, failOn string) error {
	switch {
	case r.Count(checks.StatusFail) > 0:
		return exit{status: exitFail}
	case r.Count(checks.StatusWarn) > 0 && failOn == "warn":
		return exit{status: exitWarn}
	case r.Count(checks.StatusUnknown) > 0:
		return exit{status: exitUnknown}
	}
	return nil
}
