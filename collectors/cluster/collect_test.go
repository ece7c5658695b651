package cluster

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestARequestEndsAMomentBeforeItsCollector, which then has the time to tell what it waited for.
func TestARequestEndsAMomentBeforeItsCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, row := range []struct{ time, early time.Duration }{{4 * time.Second, 100 * time.Millisecond}, {500 * time.Millisecond, 50 * time.Millisecond}} {
			outer, cancel := context.WithTimeout(t.Context(), row.time)
			inner, stop := ahead(outer)
			began := time.Now()
			<-inner.Done()
			if took := time.Since(began); took != row.time-row.early || outer.Err() != nil {
				t.Errorf("of %s a request gets %s", row.time, took)
			}
			stop()
			cancel()
		}
		inner, stop := ahead(t.Context())
		defer stop()
		if at, ok := inner.Deadline(); ok {
			t.Errorf("a run without an end gets one at %s", at)
		}
	})
}
