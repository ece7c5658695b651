package evidence_test

import (
	"testing"
	"testing/fstest"

	"doctor/checks/evidence"
)

// TestNobodyGetsWhatWasNotWorkedOut: the first check that asks panics, and so does the next.
func TestNobodyGetsWhatWasNotWorkedOut(t *testing.T) {
	s, err := evidence.Load(fstest.MapFS{"meta.json": {Data: []byte(
		`{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-01-31T10:00:00Z"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a value that was not worked out is handed out")
				}
			}()
			evidence.Memo(s, "key", func(evidence.Snapshot) []string { panic("strange evidence") })
		}()
	}
}

// TestPartsKeepWhatTheLogsSay: a check that reads a part of a list reads its signs, too.
func TestPartsKeepWhatTheLogsSay(t *testing.T) {
	s, err := evidence.Load(fstest.MapFS{"meta.json": {Data: []byte(`{"layout":"evidence/v1","node":"win-1"}`)},
		"api/pods-part.json": {Data: []byte(`{"items":[]}`)}})
	if err != nil {
		t.Fatal(err)
	}
	s = s.WithScan(evidence.LogScan{Matches: []evidence.SignMatch{{Check: "a"}}, Errors: make([]evidence.ErrorLine, 1),
		Unsearched: make([]evidence.UnsearchedLog, 1)}).WithParts(evidence.Pods)
	if !evidence.Pods.Known(s) || len(s.Signs("a")) != 1 || len(s.Unsearched()) != 1 {
		t.Errorf("the part is %v, with %v and %v", evidence.Pods.Gap(s), s.Signs("a"), s.Unsearched())
	}
}
