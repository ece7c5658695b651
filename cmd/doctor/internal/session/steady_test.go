package session

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"doctor/collectors"
	"doctor/collectors/tree"
)

// A collector that hangs, as a call of Windows can, is called once, and the others read all the same.
func TestACollectorThatHangsIsNotCalledAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan bool)
		var called atomic.Int32
		var list []collectors.Collector
		for i := range steadyPlaces + 2 { // hang in all places, and beyond
			list = append(list, collectors.Collector{Name: fmt.Sprint("hangs ", i), Deadline: 3 * time.Second,
				Answers: []string{fmt.Sprint("hangs-", i)},
				Read: func(_ context.Context, r *collectors.Record) error {
					if i == 0 {
						called.Add(1)
					}
					<-answers
					return nil
				}})
		}
		list = steady(append(list, collectors.Collector{Name: "reads", Deadline: 3 * time.Second,
			Answers: []string{"reads"}, Read: func(_ context.Context, r *collectors.Record) error {
				r.JSON("reads", true)
				return nil
			}}))
		read := func() (gap string) {
			all := tree.New()
			collectors.Run(t.Context(), all, list, func(got []collectors.Reading) {
				gap = got[0].Gap.String()
			})
			if !all.Has("reads") {
				t.Error("the collector that does not hang could not read")
			}
			return gap
		}
		first, second := read(), read()
		if d := cmp.Diff(first, second); first == "" || d != "" {
			t.Errorf("the gap of the first reading and of the second: %s", d)
		}
		if called.Load() != 1 {
			t.Errorf("it is called %d times", called.Load())
		}
		close(answers)
		synctest.Wait()
		if gap := read(); called.Load() != 2 || gap == first {
			t.Errorf("after it has answered it is called %d times: %s", called.Load(), gap)
		}
	})
}

func TestFewCollectorsReadAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, most := 0, 0
		add := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			now += n
			most = max(most, now)
		}
		one := collectors.Collector{Deadline: time.Second, Read: func(context.Context, *collectors.Record) error {
			add(1)
			time.Sleep(10 * time.Millisecond) // of the bubble
			add(-1)
			return nil
		}}
		list := slices.Repeat([]collectors.Collector{one}, 4*steadyPlaces)
		for i := range list {
			list[i].Name = fmt.Sprint(i)
		}
		collectors.Run(t.Context(), tree.New(), steady(list), func([]collectors.Reading) {})
		if most != steadyPlaces {
			t.Errorf("%d read at a time, not %d", most, steadyPlaces)
		}
	})
}
