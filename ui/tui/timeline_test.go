package tui

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
)

// ofNode is the screen of a recorded node.
func ofNode(t testing.TB, name string, opt Options) model {
	t.Helper()
	r, s := diagnosed(t, name)
	opt.Catalogue = faults.Catalogue()
	m, _ := newModel(opt, false).update(<-Finished(r, s).Updates)
	return m
}

// diagnosed is a recorded node, read and judged once for all tests.
func diagnosed(t testing.TB, name string) (checks.Report, evidence.Snapshot) {
	t.Helper()
	type diagnosis struct {
		sync.Once
		report   checks.Report
		snapshot evidence.Snapshot
	}
	found, _ := diagnoses.LoadOrStore(name, &diagnosis{})
	d := found.(*diagnosis)
	d.Do(func() {
		d.snapshot = recorded(t, name)
		d.report = checks.Diagnose(d.snapshot, faults.Catalogue(), checks.Source{Kind: "demo"},
			checks.Program{})
	})
	return d.report, d.snapshot
}

var diagnoses sync.Map // by the node's name

func ofTree(t testing.TB, tree fstest.MapFS, opt Options) model {
	t.Helper()
	s, err := evidence.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	s, _ = signs.Record(s, faults.Catalogue().Signs())
	r := checks.Diagnose(s, faults.Catalogue(), checks.Source{Kind: "demo"}, checks.Program{})
	opt.Catalogue = faults.Catalogue()
	m, _ := newModel(opt, false).update(<-Finished(r, s).Updates)
	return m
}

// withTasks is the model once the keys were pressed and what they asked for has come.
func withTasks(m model, names ...string) model {
	for _, n := range names {
		var do effect
		if m, do = m.update(keyMsg(n)); do.task != nil {
			m, _ = m.update(answer{do.layer, do.task()})
		}
	}
	return m
}

func TestGoldenTimeline(t *testing.T) {
	for _, size := range goldenSizes {
		for _, s := range []struct {
			name string
			keys []string
		}{
			{"timeline", []string{"t"}},
			{"timeline-component", []string{"t", "3"}},
			{"timeline-filter", []string{"t", "/", "!", "p", "r", "o", "c", "e", "s", "s"}},
			{"timeline-end", []string{"t", "G"}},
		} {
			name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				golden(t, name,
					seen(withTasks(ofNode(t, "podcidr-not-assigned",
						Options{Width: size[0], Height: size[1]}), s.keys...)))
			})
		}
	}
}

func TestTheTimelineOpensAtTheFirstBadMinute(t *testing.T) {
	m := withTasks(ofNode(t, "flanneld-not-running", Options{Width: 80, Height: 24}), "t")
	if got := seen(m); !strings.Contains(got, "first bad minute") ||
		!strings.Contains(got, "› 09:30") {
		t.Errorf("it opened at:\n%s", got)
	}
	if got := seen(withTasks(m, "G", "B")); !strings.Contains(got, "› 09:30") {
		t.Errorf("B led to:\n%s", got)
	}
}

func TestEnterOpensTheEvidenceAtItsLine(t *testing.T) {
	m := withTasks(ofNode(t, "podcidr-not-assigned", Options{Width: 80, Height: 24}), "t", "enter")
	if got := ruleLabel(m); !strings.Contains(got, "logs/flanneld/start.log") {
		t.Errorf("enter opened %q", got)
	}
}

func TestAnUpdateRenewsTheTimelineAndTheMomentStays(t *testing.T) {
	m := withTasks(ofNode(t, "podcidr-not-assigned", Options{Width: 80, Height: 24}), "t", "G", "k",
		"k")
	before := m.layers[0].screen.(timelineScreen)
	m, _ = m.update(m.shown)
	m = withTasks(m, "0") // a task of an update may be lost: the next key asks again
	after := m.layers[0].screen.(timelineScreen)
	was, _ := before.selected()
	is, _ := after.selected()
	if !before.all.Entries[was].At.Equal(after.all.Entries[is].At) {
		t.Errorf("the cursor went from %v to %v", before.all.Entries[was].At,
			after.all.Entries[is].At)
	}
}

func TestTheSameKeyDoesNotOpenAScreenTwice(t *testing.T) {
	m := withTasks(ofNode(t, "podcidr-not-assigned", Options{Width: 80, Height: 24}), "t", "t", "s",
		"t")
	if len(m.layers) != 1 {
		t.Errorf("%d screens are open", len(m.layers))
	}
}

func hostileEvents(n int) fstest.MapFS {
	r := rand.New(rand.NewPCG(3, 4))
	var list []string
	for i := range n {
		at := time.Date(2026, 11, 18, 9, 0, 0, 0,
			time.UTC).Add(time.Duration(i) * 37 * time.Minute / 10)
		text, _ := json.Marshal(hostile[r.IntN(len(hostile))] + " kubelet")
		list = append(list,
			fmt.Sprintf(`{"provider":"nssm","id":%d,"level":"error","time":%q,"message":%s}`, i,
				at.Format(time.RFC3339), text))
	}
	return fstest.MapFS{
		"meta.json": {
			Data: []byte(`{"layout":"evidence/v1","collectedAt":"2026-11-20T10:00:00Z"}`)},
		"events.json": {Data: []byte("[" + strings.Join(list, ",") + "]")}}
}

func TestEveryFrameOfAHostileTimelineFits(t *testing.T) {
	base := ofTree(t, hostileEvents(200), Options{})
	base = withTasks(base, "t")
	if n := len(base.layers[0].screen.(timelineScreen).all.Entries); n < 50 {
		t.Fatalf("only %d entries were read: %v", n,
			evidence.WindowsEvents.Gap(base.shown.Evidence))
	}
	for _, size := range [][2]int{{30, 8}, {40, 15}, {63, 11}, {80, 24}, {101, 30}, {200, 60}} {
		for _, ascii := range []bool{false, true} {
			m := base
			m.ascii, m.width, m.height = ascii, size[0], size[1]
			for _, k := range []string{"0", "pgdown", "G", "k", "tab", "g", "n", "/", "宽", "enter",
				"esc"} {
				m = withTasks(m, k)
				lines := draw(m)
				if len(lines) != size[1] {
					t.Fatalf("%v after %s: %d lines", size, k, len(lines))
				}
				for _, l := range lines {
					if text := l.String(); ansi.StringWidth(text) > size[0] ||
						ansi.StringWidthWc(text) > size[0] {
						t.Fatalf("%v after %s: %q is too wide", size, k, text)
					}
				}
			}
		}
	}
}

// BenchmarkTimelineKey is a key press to frame with 100,000 entries.
func BenchmarkTimelineKey(b *testing.B) {
	var events strings.Builder
	for i := range 100_000 {
		at := time.Date(2026, 11, 19, 0, 0, 0, 0,
			time.UTC).Add(time.Duration(i) * 900 * time.Millisecond)
		fmt.Fprintf(&events,
			`%s{"provider":"nssm","id":%d,"level":"error","time":%q,"message":"event number %d of the kubelet's service on this node"}`,
			map[bool]string{true: "[", false: ","}[i == 0], i, at.Format(time.RFC3339), i)
	}
	m := withTasks(ofTree(b,
		fstest.MapFS{
			"meta.json": {
				Data: []byte(`{"layout":"evidence/v1","collectedAt":"2026-11-20T10:00:00Z"}`)},
			"events.json": {Data: []byte(events.String() + "]")}}, Options{Width: 120, Height: 40}),
		"t")
	for _, k := range []string{"k", "pgup", "G", "1", "n"} {
		b.Run(k, func(b *testing.B) {
			for b.Loop() {
				m = withTasks(m, k)
				draw(m)
			}
		})
	}
	b.Run("filter", func(b *testing.B) {
		m := withTasks(m, "0", "/")
		for b.Loop() {
			m = withTasks(m, "z", "backspace")
			draw(m)
		}
	})
}
