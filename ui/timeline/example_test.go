package timeline_test

import (
	"fmt"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
	"doctor/ui/timeline"
)

// The first bad minute is that of the entry with which the report's first cause began.
func ExampleIn() {
	recording, err := fixtures.Open("kubelet-removed-flag")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := evidence.Load(recording.FS())
	if err != nil {
		fmt.Println(err)
		return
	}
	s, _ = signs.Record(s, faults.Catalogue().Signs())
	report := checks.Diagnose(s, faults.Catalogue(), checks.Source{Kind: "demo"}, checks.Program{})
	t := timeline.In(nil, s, &report)
	first := t.Entries[t.FirstBad]
	fmt.Println(first.At.UTC().Format("15:04"), t.Cause)
	// Output:
	// 09:10 kubelet-removed-flag
}
