package main

import (
	"path/filepath"
	"testing"
)

// TestNormalLogsAreNoFaultForWhoeverPastesThem: doctor finds out by itself whose log it is given, and
// what else is in it.
func TestNormalLogsAreNoFaultForWhoeverPastesThem(t *testing.T) {
	files, err := filepath.Glob("../../fixtures/normal/*.log")
	if err != nil || len(files) < 90 {
		t.Fatalf("%d normal logs, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			if out, _, status := doctor(t, "-q", "--fail-on", "warn", file); status == exitFail ||
				status == exitWarn {
				t.Errorf("status %d:\n%s", status, out)
			}
		})
	}
}
