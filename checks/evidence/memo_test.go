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
