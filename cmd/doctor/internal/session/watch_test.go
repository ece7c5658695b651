package session

import (
	"archive/zip"
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"doctor/checks"
	"doctor/collectors"
	"doctor/collectors/bundle"
	"doctor/collectors/foreign"
)

// broken is a node whose kubelet stops when stopped is set. What is not cheap counts its readings.
func broken(t *testing.T, stopped *atomic.Bool, full *atomic.Int32) *Live {
	t.Helper()
	return reader(t,
		collectors.Collector{Name: "services", Answers: []string{"services.json"},
			Read: func(_ context.Context, r *collectors.Record) error {
				state := "running"
				if stopped.Load() {
					state = "stopped"
				}
				r.JSON("services.json", []map[string]any{{"name": "kubelet", "displayName": "kubelet", "state": state,
					"startType": "automatic", "account": "LocalSystem", "binPath": `C:\k\kubelet.exe`, "args": []string{}}})
				return nil
			}},
		collectors.Collector{Name: "os", Answers: []string{"os.json"},
			Read: func(_ context.Context, r *collectors.Record) error {
				full.Add(1)
				r.JSON("os.json", map[string]any{"build": 20348, "ubr": 2700, "productName": "Windows Server 2022 Datacenter"})
				return nil
			}})
}

// TestAWatchTellsWhatBreaksAndRecovers reads the cheap state in between, and all of it seldom.
func TestAWatchTellsWhatBreaksAndRecovers(t *testing.T) {
	var stopped atomic.Bool
	var full atomic.Int32
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var told []string
	reports := 0
	err := Watch(ctx, broken(t, &stopped, &full), Watching{Every: time.Millisecond, Full: time.Hour,
		Changed: func(c Change) {
			if c.ID == "kubelet-not-running" {
				told = append(told, c.Change)
			}
		},
		Read: func(_ *Live, r checks.Report, whole bool, _ []Change) {
			reports++
			if whole != (reports == 1) {
				t.Errorf("reading %d is whole: %v", reports, whole)
			}
			if r.Node.Build == "" {
				t.Error("what is not cheap is gone from a later reading")
			}
			switch reports {
			case 3:
				stopped.Store(true)
			case 6:
				stopped.Store(false)
			case 9:
				cancel()
			}
		}}, func(err error) { t.Error(err) })
	if err == nil || full.Load() != 1 || !slices.Equal(told, []string{Appeared, Recovered}) {
		t.Errorf("%v: %v, %d whole readings", err, told, full.Load())
	}
}

// TestARecorderWritesTheMinutesBefore: the bundle is a recording of the node with those before it.
func TestARecorderWritesTheMinutesBefore(t *testing.T) {
	var stopped atomic.Bool
	var full atomic.Int32
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	folder := filepath.Join(t.TempDir(), "recorder")
	var told []string
	r := &Recorder{Folder: folder, Keep: time.Hour, Bundles: 1, Options: Options{Since: time.Hour},
		Until: func(c Change) bool { return c.ID == "kubelet-not-running" },
		Tell:  func(text string) { told = append(told, text) }}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	// A reading of an earlier watch, which the bundle has too, and one that is too old.
	early := filepath.Join(r.ring(), framePrefix+time.Now().Add(-time.Minute).UTC().Format(frameStamp)+".zip")
	old := filepath.Join(r.ring(), framePrefix+time.Now().Add(-3*time.Hour).UTC().Format(frameStamp)+".zip")
	err := Watch(ctx, broken(t, &stopped, &full), Watching{Every: time.Millisecond, Full: time.Hour, Due: r.Due,
		Changed: func(Change) {},
		Read: func(l *Live, report checks.Report, whole bool, changes []Change) {
			if err := r.Record(ctx, l, report, whole, changes); err != nil {
				t.Fatal(err)
			}
			frames, err := r.frames()
			if err != nil || len(frames) == 0 {
				t.Fatalf("%v %v", frames, err)
			}
			if !stopped.Load() {
				for _, name := range []string{early, old} {
					if err := os.WriteFile(name, redated(t, frames[0], name), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				stopped.Store(true)
			}
			if len(told) > 0 {
				cancel()
			}
		}}, func(err error) { t.Error(err) })
	if ctx.Err() != context.Canceled || len(told) != 1 || !strings.Contains(told[0], "kubelet-not-running: wrote ") {
		t.Fatalf("%v %q", err, told)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("a reading that is older than is kept is still there")
	}
	if info, err := os.Stat(early); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	list, err := filepath.Glob(filepath.Join(folder, "doctor-*.zip"))
	if err != nil || len(list) != 1 {
		t.Fatalf("%v %v", list, err)
	}
	archive, err := bundle.Open(list[0])
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	nodes, err := foreign.Search(archive)
	if err != nil || len(nodes) < 2 {
		t.Fatalf("%d recordings: %v", len(nodes), err)
	}
	src, err := Open(Options{From: list[0]})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	_, report, _ := Judge(src, broken(t, &stopped, &full).checks, checks.Program{})
	if report.Result("kubelet-not-running").Status != checks.StatusFail {
		t.Errorf("the last reading shows %s", report.Result("kubelet-not-running").Status)
	}
}

// redated is a kept reading with the time that a name gives it.
func redated(t *testing.T, from, name string) []byte {
	t.Helper()
	z, err := zip.OpenReader(from)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	at, err := frameTime(name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range z.File {
		content, err := fs.ReadFile(z, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == "meta.json" {
			content = regexp.MustCompile(`"collectedAt": *"[^"]*"`).ReplaceAll(content,
				[]byte(`"collectedAt":"`+at.Format(time.RFC3339)+`"`))
		}
		to, err := w.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
