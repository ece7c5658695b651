package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"doctor/checks/evidence"
	"doctor/ui"
)

// packer is a bundler whose work a test decides.
func packer(write func(ctx context.Context, path string, tell func(BundleProgress)) (BundleDone,
	error)) *Bundler {
	return &Bundler{Folder: `C:\Users\Administrator`, Since: 24 * time.Hour, MaxSize: 24 << 20,
		Name: func(evidence.Snapshot) string { return "doctor-win-1-20261120T100200Z.zip" },
		Write: func(ctx context.Context, _ evidence.Snapshot, path string,
			tell func(BundleProgress)) (BundleDone, error) {
			return write(ctx, path, tell)
		}}
}

func packing(w, h int, b *Bundler) model {
	m := finished(sample(), Options{Width: w, Height: h})
	m.bundler = b
	return after(m, "b")
}

// pressed is a key with what it asks for.
func pressed(m model, name string) (model, func() tea.Msg) {
	m, do := m.update(keyMsg(name))
	return m, do.task
}

// worked hands the answer of a task to the model.
func worked(m model, task func() tea.Msg) (model, func() tea.Msg) {
	m, do := m.update(answer{m.layers[len(m.layers)-1].number, task()})
	return m, do.task
}

func written(path string) BundleDone {
	return BundleDone{Path: path, Size: 1234567, Files: 131,
		Redacted: []Redacted{{"password", 12}, {"bearer", 1}},
		LeftOut: []ui.LeftOut{{Path: "logs/kubelet/kubelet.log", Bytes: 190 << 20},
			{Path: "original/hns.etl",
				Why: evidence.Phrasef("a %s file is binary, and cannot be redacted", ".etl")}},
		Issue: "<!--\nWritten by doctor.\n-->\n\n### What happened?\n\n1 cause found\n\n1. `podcidr-not-assigned`: the Node object win-1 has no podCIDR\n   What follows from it: `flannel-subnet-env-missing`\n"}
}

func TestGoldenBundleScreens(t *testing.T) {
	b := packer(func(_ context.Context, path string, tell func(BundleProgress)) (BundleDone,
		error) {
		return written(`C:\Users\Administrator\` + path), nil
	})
	half := BundleProgress{Phase: "writing", Files: 31, Of: 131, Bytes: 12 << 20,
		Total: 40 << 20, Left: 12 * time.Second}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 15}, {200, 60}} {
		asking := packing(size[0], size[1], b)
		writing, task := pressed(asking, "enter")
		halfWay, _ := writing.update(answer{writing.layers[0].number, half})
		done, _ := worked(writing, task)
		failed, _ := writing.update(answer{writing.layers[0].number,
			bundleEnd{err: errors.New(`D:\x.zip cannot be written: there is no such folder`)}})
		for _, s := range []struct {
			name string
			m    model
		}{{"bundle-asking", asking}, {"bundle-writing", halfWay},
			{"bundle-stopping", after(halfWay, "esc")},
			{"bundle-written", done}, {"bundle-failed", failed}, {"bundle-end", after(done, "G")}} {
			name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
			t.Run(name, func(t *testing.T) { golden(t, name, seen(s.m)) })
		}
	}
}

func TestTheNameOfABundleMayBeChanged(t *testing.T) {
	got := ""
	b := packer(func(_ context.Context, path string, _ func(BundleProgress)) (BundleDone, error) {
		got = path
		return written(path), nil
	})
	for _, c := range []struct {
		name string
		keys []string
		want string
	}{
		{"as it is proposed", nil, "doctor-win-1-20261120T100200Z.zip"},
		{"its end", []string{"backspace", "backspace", "backspace", "backspace", "-2.zip"},
			"doctor-win-1-20261120T100200Z-2.zip"},
		{"another", []string{"ctrl+u", "D:\\q?bQ ", "space", "x.zip"}, "D:\\q?bQ  x.zip"},
		{"an empty one is the proposed one", []string{"ctrl+u"},
			"doctor-win-1-20261120T100200Z.zip"},
		{"in another script", []string{"ctrl+u", "节点.zip"}, "节点.zip"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, task := pressed(after(packing(80, 24, b), c.keys...), "enter")
			m, _ = worked(m, task)
			if got != c.want || !strings.Contains(seen(m), "the bundle is written") {
				t.Errorf("%q is written, want %q:\n%s", got, c.want, seen(m))
			}
		})
	}
}

func TestABundleTellsHowFarItIs(t *testing.T) {
	b := packer(func(_ context.Context, path string, tell func(BundleProgress)) (BundleDone,
		error) {
		tell(BundleProgress{Phase: "writing", Files: 1, Of: 3, Bytes: 10, Total: 30})
		return BundleDone{}, errors.New("the disk is full")
	})
	m, task := pressed(packing(80, 24, b), "enter")
	for n := 0; task != nil && n < 5; n++ {
		m, task = worked(m, task)
	}
	if got := seen(m); !strings.Contains(got, "the disk is full") ||
		!strings.Contains(got, "File  doctor-win-1") {
		t.Errorf("after it failed, the screen shows:\n%s", got)
	}
}

func TestEscStopsABundle(t *testing.T) {
	b := packer(func(ctx context.Context, _ string, _ func(BundleProgress)) (BundleDone, error) {
		<-ctx.Done()
		return BundleDone{}, ctx.Err()
	})
	m, task := pressed(packing(80, 24, b), "enter")
	m = after(m, "r", "b", "s") // lead nowhere while it is written
	if len(m.layers) != 1 {
		t.Errorf("%d screens are open", len(m.layers))
	}
	m = after(m, "esc")
	if got := seen(m); !strings.Contains(got, "nothing will be left") {
		t.Errorf("the screen does not say that it stops:\n%s", got)
	}
	m, _ = worked(m, task)
	if got := seen(m); !strings.Contains(got, "nothing was written") {
		t.Errorf("the screen does not say that it stopped:\n%s", got)
	}
	if m = after(m, "esc"); len(m.layers) != 0 {
		t.Error("esc does not lead back")
	}
}

func TestTheIssueTextIsCopiedWhole(t *testing.T) {
	for _, c := range []struct {
		name  string
		issue string
		want  string
	}{
		{"a short one", "### What happened?\n\nx\n", "### What happened?\n\nx"},
		{"one that no terminal takes", strings.Repeat("x", maxCopy+1), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := packer(func(_ context.Context, path string, _ func(BundleProgress)) (BundleDone,
				error) {
				return BundleDone{Path: path, Issue: c.issue}, nil
			})
			m, task := pressed(packing(80, 24, b), "enter")
			m, _ = worked(m, task)
			if _, do := m.update(keyMsg("c")); do.copy != c.want {
				t.Errorf("copied %.80q, want %q", do.copy, c.want)
			}
		})
	}
}

func TestABundleOfANodeThatIsBeingReadSaysSo(t *testing.T) {
	m := startLive(40, 15, halfRead())
	m.bundler = packer(nil)
	if got := seen(after(m, "b")); !strings.Contains(got, "still being read") {
		t.Errorf("the screen shows:\n%s", got)
	}
	if got := seen(after(startLive(40, 15, live(whole)), "b")); !strings.Contains(got,
		"no bundle can be made") {
		t.Errorf("without a bundler the screen shows:\n%s", got)
	}
}

// TestLeavingStopsTheBundle: whatever way the screen ends, what it was writing is
// gone before the program goes on to its own end.
func TestLeavingStopsTheBundle(t *testing.T) {
	for _, key := range []string{"\x03", "Q"} {
		t.Run(fmt.Sprintf("%q", key), func(t *testing.T) {
			began, cleaned := make(chan bool), false
			b := packer(func(ctx context.Context, _ string, _ func(BundleProgress)) (BundleDone,
				error) {
				close(began)
				<-ctx.Done()
				time.Sleep(50 * time.Millisecond) // as removing a file may take
				cleaned = true
				return BundleDone{}, ctx.Err()
			})
			feed := Finished(sample(), evidence.Snapshot{})
			feed.Bundle = b
			in, keys := pipe()
			go func() {
				keys <- "b"
				keys <- "\r"
				<-began
				keys <- key
			}()
			if _, err := Run(t.Context(), in, &bytes.Buffer{}, feed, Options{}); err != nil {
				t.Fatal(err)
			}
			if !cleaned {
				t.Error("Run returned while the bundle was being written")
			}
		})
	}
}

// pipe is a keyboard: what is sent comes out one read at a time.
func pipe() (reader, chan<- string) {
	c := make(chan string)
	return reader{c}, c
}

type reader struct{ c <-chan string }

func (r reader) Read(p []byte) (int, error) { return copy(p, <-r.c), nil }

func TestABundleScreenWithHostileTextsFits(t *testing.T) {
	for _, text := range hostile {
		b := packer(func(context.Context, string, func(BundleProgress)) (BundleDone, error) {
			return BundleDone{Path: text, Redacted: []Redacted{{text, 1 << 40}},
				LeftOut: []ui.LeftOut{{Path: text, Why: evidence.Phrasef("%s", text)}},
				Issue:   text + "\n    " + text}, nil
		})
		b.Name, b.Folder = func(evidence.Snapshot) string { return text }, text
		for i, size := range [][2]int{{30, 8}, {40, 15}, {80, 24}, {80, 24}, {200, 60}} {
			m := packing(size[0], size[1], b)
			m.ascii = i%2 == 0
			fits(t, m)
			m, task := pressed(m, "enter")
			fits(t, m)
			m, _ = worked(m, task)
			fits(t, m)
			fits(t, after(m, "G"))
		}
	}
}

func fits(t *testing.T, m model) {
	t.Helper()
	lines := draw(m)
	if len(lines) != m.height {
		t.Fatalf("%dx%d: %d lines", m.width, m.height, len(lines))
	}
	for i, l := range lines {
		text := l.String()
		if l.width() > m.width || strings.ContainsFunc(text, func(c rune) bool {
			return c < 0x20 || c >= 0x7f && c < 0xa0 || m.ascii && c >= 0x80
		}) {
			t.Fatalf("%dx%d: line %d takes %d cells: %q", m.width, m.height, i, l.width(), text)
		}
	}
}
