package faults_test

import (
	"fmt"
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

// A recording is searched for the texts of the catalogue's checks, then judged.
func ExampleCatalogue() {
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
	for _, cause := range report.Causes {
		follows := slices.Contains(cause.Consequences, "node-not-ready")
		fmt.Println(cause.ID, "explains node-not-ready:", follows)
	}
	// Output:
	// kubelet-removed-flag explains node-not-ready: true
}
