package ui_test

import (
	"fmt"
	"strings"
	"time"

	"doctor/checks"
	"doctor/ui"
)

// Write draws a finished report. Formats lists the others.
func ExampleWrite() {
	report := checks.Report{
		Schema:      "doctor.report/v1",
		Source:      checks.Source{Kind: "folder", Name: "case-17"},
		CollectedAt: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC),
		Node:        checks.NodeFacts{Name: "win-1"},
		Results: []checks.Result{
			{ID: "pagefile-disabled", Category: checks.CategoryNode, Status: checks.StatusPass},
			{ID: "reboot-pending", Category: checks.CategoryNode, Status: checks.StatusPass},
		},
	}
	var b strings.Builder
	if err := ui.Write(&b, "junit", report, ui.Style{}); err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "testcase") {
			fmt.Print(strings.TrimLeft(line, " "))
		}
	}
	// Output:
	// <testcase name="pagefile-disabled" classname="doctor.node" time="0"></testcase>
	// <testcase name="reboot-pending" classname="doctor.node" time="0"></testcase>
}
