package collectors_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/tree"
)

func collect(ctx context.Context, list ...collectors.Collector) (fs.FS, []collectors.Reading) {
	t := tree.New()
	var last []collectors.Reading
	collectors.Run(ctx, t, list, func(r []collectors.Reading) { last = r })
	return t.FS(), last
}

func content(t *testing.T, fsys fs.FS, name string) string {
	t.Helper()
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return "nothing"
	}
	return strings.TrimSpace(string(b))
}

func TestWhatACollectorDoesNotBringBecomesAGap(t *testing.T) {
	for _, row := range []struct {
		name string
		read func(ctx context.Context, r *collectors.Record) error
		want string
	}{
		{"it hangs, and does not look at its context", nil,
			"timeout: HNS networks did not answer within 3s"},
		{"it has no right to look", func(context.Context, *collectors.Record) error {
			return fmt.Errorf("opening: %w", syscall.EACCES)
		},
			"denied: run as Administrator"},
		{"this system has no such interface", func(context.Context, *collectors.Record) error {
			return fmt.Errorf("HNS: %w", errors.ErrUnsupported)
		}, "unsupported: HNS: unsupported operation"},
		{"what it reads is not there", func(context.Context, *collectors.Record) error {
			return &fs.PathError{Op: "open", Path: "a", Err: fs.ErrNotExist}
		},
			"absent: open a: file does not exist"},
		{"it panics", func(context.Context, *collectors.Record) error {
			panic("no DLL")
		}, "error: the collector panicked (a bug in doctor): no DLL"},
		{"it says nothing at all", func(context.Context, *collectors.Record) error {
			return nil
		}, "error: the collector returned no data"},
		{"it knows the gap", func(_ context.Context, r *collectors.Record) error {
			r.Gap("hns-networks.json",
				collectors.GapError(evidence.NotFound.Gap("the service %s", "hns\x1b[31m")))
			return nil
		}, "absent: the service hns was not found"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				one := collectors.Collector{Name: "HNS networks",
					Answers: []string{"hns-networks.json"}, Deadline: 3 * time.Second,
					Read: row.read}
				if row.read == nil {
					stop := make(chan bool)
					defer close(stop)
					one.Read = func(context.Context, *collectors.Record) error {
						<-stop
						return nil
					}
				}
				other := collectors.Collector{Name: "memory", Answers: []string{"memory.json"},
					Deadline: 3 * time.Second,
					Read: func(_ context.Context, r *collectors.Record) error {
						r.JSON("memory.json", 1)
						return nil
					}}
				fsys, readings := collect(t.Context(), one, other)
				if got := content(t, fsys, "hns-networks.json.gap"); got != row.want {
					t.Errorf("the gap is %q, and should be %q", got, row.want)
				}
				if got := content(t, fsys, "memory.json"); got != "1" {
					t.Errorf("the other collector's evidence is %s", got)
				}
				if took := time.Since(began); took > 3*time.Second {
					t.Errorf("the run took %s", took)
				}
				if readings[0].Gap.String() != row.want || readings[1].Gap.Kind != "" {
					t.Errorf("the readings tell %q and %q", readings[0].Gap, readings[1].Gap)
				}
			})
		})
	}
}

func TestWhatComesTooLateIsIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := make(chan bool)
		tr := tree.New()
		collectors.Run(t.Context(), tr,
			[]collectors.Collector{{Name: "slow", Answers: []string{"a.json"},
				Deadline: time.Second,
				Read: func(_ context.Context, r *collectors.Record) error {
					time.Sleep(5 * time.Second)
					r.JSON("a.json", "late")
					close(late)
					return nil
				}}}, func([]collectors.Reading) {})
		<-late
		if got := content(t, tr.FS(), "a.json"); got != "nothing" {
			t.Errorf("a.json holds %s", got)
		}
	})
}

func TestACollectorWaitsForTheEvidenceThatItReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var states []string
		tr := tree.New()
		collectors.Run(t.Context(), tr, []collectors.Collector{
			{Name: "files", After: []string{"services"}, Answers: []string{"files.json"},
				Deadline: 3 * time.Second,
				Read: func(_ context.Context, r *collectors.Record) error {
					time.Sleep(2 * time.Second)
					r.JSON("files.json", tr.Has("services.json"))
					return nil
				}},
			{Name: "services", Answers: []string{"services.json"}, Deadline: 3 * time.Second,
				Read: func(_ context.Context, r *collectors.Record) error {
					time.Sleep(2 * time.Second)
					r.JSON("services.json", 1)
					return nil
				}},
		}, func(list []collectors.Reading) {
			if list[0].State == collectors.Waiting && list[1].State == collectors.Done {
				return // a moment that may be told and may be not
			}
			state := fmt.Sprintf("files %d, services %d", list[0].State, list[1].State)
			if !slices.Contains(states, state) {
				states = append(states, state)
			}
		})
		if got := content(t, tr.FS(), "files.json"); got != "true" {
			t.Errorf("files.json holds %s", got)
		}
		if got, want := strings.Join(states, "; "),
			"files 0, services 1; files 1, services 2; files 2, services 2"; got != want {
			t.Errorf("the states were %s, and should be %s", got, want)
		}
	})
}

func TestTheRunEndsWhenItsTimeIsOver(t *testing.T) {
	for _, row := range []struct{ name, want string }{
		{"time is over",
			"timeout: HNS networks had not answered when the time limit of the whole run ended"},
		{"somebody interrupts", "not-collected: the run was interrupted"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stop := make(chan bool)
				defer close(stop)
				ctx, cancel := context.WithCancel(t.Context())
				if row.name == "time is over" {
					ctx, cancel = context.WithTimeout(t.Context(), time.Second)
				} else {
					time.AfterFunc(time.Second, cancel)
				}
				defer cancel()
				fsys, _ := collect(ctx, collectors.Collector{Name: "HNS networks",
					Answers: []string{"hns-networks.json"}, Deadline: time.Minute,
					Read: func(context.Context, *collectors.Record) error { <-stop; return nil }})
				if got := content(t, fsys, "hns-networks.json.gap"); got != row.want {
					t.Errorf("the gap is %q, and should be %q", got, row.want)
				}
			})
		})
	}
}

func TestACollectorAwaitsOthersInTheMiddleOfItsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan bool)
		defer close(stop)
		began := time.Now()
		fsys, _ := collect(t.Context(),
			collectors.Collector{Name: "services", Answers: []string{"services.json"},
				Deadline: 3 * time.Second,
				Read: func(_ context.Context, r *collectors.Record) error {
					time.Sleep(time.Second)
					r.JSON("services.json", 1)
					return nil
				}},
			collectors.Collector{Name: "processes", Answers: []string{"processes.json"},
				Deadline: 3 * time.Second, Read: func(context.Context, *collectors.Record) error {
					<-stop
					return nil
				}},
			collectors.Collector{Name: "security", Answers: []string{"security.json"},
				Deadline: 3 * time.Second, Read: func(ctx context.Context,
					r *collectors.Record) error {
					r.Await(ctx, "services", "nobody")
					first := time.Since(began)
					told, cancel := context.WithTimeout(ctx, time.Second)
					defer cancel()
					r.Await(told, "processes")
					r.JSON("security.json", []string{first.String(), time.Since(began).String()})
					return nil
				}})
		if got := strings.Join(strings.Fields(content(t, fsys, "security.json")),
			""); got != `["1s","2s"]` {
			t.Errorf("it went on after %s", got)
		}
	})
}

func TestACollectorEndsBeforeItsDeadlineToTellWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, row := range []struct{ left, margin, early time.Duration }{
			{4 * time.Second, 100 * time.Millisecond, 100 * time.Millisecond},
			{400 * time.Millisecond, 100 * time.Millisecond, 50 * time.Millisecond},
		} {
			outer, cancel := context.WithTimeout(t.Context(), row.left)
			inner, stop := collectors.BeforeDeadline(outer, row.margin)
			began := time.Now()
			<-inner.Done()
			if took := time.Since(began); took != row.left-row.early || outer.Err() != nil {
				t.Errorf("of %s it gets %s", row.left, took)
			}
			stop()
			cancel()
		}
		inner, stop := collectors.BeforeDeadline(t.Context(), time.Second)
		if at, ok := inner.Deadline(); ok {
			t.Errorf("a run without an end gets one at %s", at)
		}
		if stop(); inner.Err() == nil {
			t.Error("it is not canceled")
		}
	})
}
