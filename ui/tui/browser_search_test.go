package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// searchable is evidence in which a text is in several files.
func searchable(t testing.TB, opt Options) model {
	t.Helper()
	files := sampleFiles()
	for _, f := range []struct{ path, text string }{
		{"logs/a/a.log", "one\nthe Needle\nthree\nneedle again\n"},
		{"logs/b/b.log", strings.Repeat("-", 60) + "no subnet here\n"},
		{"logs/c/c.log", strings.Repeat("filler\n", 100) + "a needle at the end\n"},
		{"logs/0needle/x.log", "only the name holds it\n"},
		{"z.json", `{"a": {"b": 1, "text": "the needle"}, "c": "needle"}`},
	} {
		files[f.path] = &fstest.MapFile{Data: []byte(f.text)}
	}
	return withEvidence(t, sample(), files, opt)
}

func TestTheEvidenceIsSearchedThrough(t *testing.T) {
	search := []string{"e", "/", "needle", "enter"}
	for _, row := range []struct {
		name string
		keys []string
		want []string // on the screen after it
	}{
		{"what is found is counted", nil, []string{"4 found in 3 of 14 files"}},
		{"each file says how often", nil, []string{"2 found"}},
		{"a file of that name stays in the list", nil, []string{"0needle/"}},
		{"n opens the first match", []string{"n"}, []string{"logs/a/a.log", "line 2 of 4"}},
		{"n goes on in the file", []string{"n", "n"}, []string{"logs/a/a.log", "line 4 of 4"}},
		{"n goes on in the next file", []string{"n", "n", "n"},
			[]string{"logs/c/c.log", "line 101 of 101"}},
		{"n goes on in a document, by its rows", []string{"n", "n", "n", "n"},
			[]string{"z.json", "› ", "text \"the needle\""}},
		{"after the last file comes the first", []string{"n", "n", "n", "n", "n", "n"},
			[]string{"logs/a/a.log", "line 2 of 4"}},
		{"N opens the last match of all", []string{"N"}, []string{"z.json", "c \"needle\""}},
		{"n after a key goes on from the cursor", []string{"G", "n"}, []string{"z.json"}},
		{"N goes back to the end of the file before", []string{"n", "n", "n", "N"},
			[]string{"logs/a/a.log", "line 4 of 4"}},
		{"N before the first match goes to the last file", []string{"n", "N"},
			[]string{"z.json"}},
		{"esc comes back to the file in the list", []string{"n", "n", "n", "esc"},
			[]string{"› ", "c.log"}},
		{"enter opens a file at its first match", []string{"j", "j", "enter"},
			[]string{"logs/a/a.log", "line 2 of 4"}},
		{"another search in the file stays in it", []string{"n", "/", "three", "enter", "n"},
			[]string{"logs/a/a.log", "line 3 of 4"}},
		{"esc clears what was found", []string{"esc"}, []string{"14 files"}},
		{"esc keeps the cursor", []string{"n", "n", "n", "esc", "esc"}, []string{"›       c.log"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := searchable(t, Options{Width: 100, Height: 30})
			got := seen(through(m, append(search, row.keys...)...))
			for _, want := range row.want {
				if !strings.Contains(got, want) {
					t.Errorf("after %q there is no %q:\n%s", row.keys, want, got)
				}
			}
		})
	}
	narrow := searchable(t, Options{Width: 40, Height: 20})
	if got := seen(through(narrow, "e", "/", "no subnet", "enter", "n")); !strings.Contains(got,
		"no subnet") {
		t.Errorf("a match to the side is not shown:\n%s", got)
	}
	m := searchable(t, Options{Width: 100, Height: 30})
	if got := seen(through(m, "e", "/", "zebra", "enter")); !strings.Contains(got,
		"0 found in 0 of 14 files") {
		t.Errorf("nothing says that nothing was found:\n%s", got)
	}
	if got := seen(through(m, "e", "n")); !strings.Contains(got, "search for something first") {
		t.Errorf("n without a search says nothing:\n%s", got)
	}
}

// manyLogs writes files of so many bytes in all, and says how many lines hold the needle.
func manyLogs(t testing.TB, size int) (dir string, needles int) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "meta.json"), []byte(evidenceMeta),
		0o600); err != nil {
		t.Fatal(err)
	}
	line := "I1120 03:05:14.020118    3388 proxier.go:1053] \"Syncing iptables rules\" 节点\n"
	part := []byte(strings.Repeat(line, (1<<20)/len(line)) + "a needle\n")
	if err := os.Mkdir(filepath.Join(dir, "logs"), 0o700); err != nil {
		t.Fatal(err)
	}
	for n := 0; needles*len(part) < size; n++ {
		f, err := os.Create(filepath.Join(dir, "logs", fmt.Sprintf("%02d.log", n)))
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			if _, err := f.Write(part); err != nil {
				t.Fatal(err)
			}
			needles++
		}
		f.Close()
	}
	return dir, needles
}

func TestASearchTellsHowFarItIsAndCanBeStopped(t *testing.T) {
	dir, _ := manyLogs(t, 300<<20)
	m := withEvidence(t, sample(), os.DirFS(dir), Options{Width: 100, Height: 30})
	m = through(m, "e", "/", "needle")
	m, do := m.update(keyMsg("enter"))
	m, do = m.update(answer{do.layer, do.task()})
	if got := seen(m); !strings.Contains(got, "searching: ") || !strings.Contains(got, "esc stop") {
		t.Fatalf("nothing says how far the search is:\n%s", got)
	}
	m, _ = m.update(keyMsg("esc"))
	if m = carriedOut(m, do); !strings.Contains(seen(m), "stopped: ") {
		t.Errorf("nothing says that the search was stopped:\n%s", seen(m))
	}
	if m = through(m, "esc", "esc"); len(m.layers) != 0 {
		t.Errorf("%d screens are still open", len(m.layers))
	}
}

// BenchmarkSearchAllLogs is a search through 500 MB, with the most memory that it held.
func BenchmarkSearchAllLogs(b *testing.B) {
	dir, needles := manyLogs(b, 500<<20)
	m := through(withEvidence(b, sample(), os.DirFS(dir), Options{Width: 100, Height: 30}), "e")
	want := fmt.Sprintf("%d found", needles)
	var most uint64
	b.SetBytes(500 << 20)
	for b.Loop() {
		runtime.GC()
		began := time.Now()
		m, do := through(m, "/", "needle").update(keyMsg("enter"))
		for do.task != nil {
			m, do = m.update(answer{do.layer, do.task()})
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			most = max(most, mem.HeapInuse)
		}
		if got := seen(m); !strings.Contains(got, want) {
			b.Fatalf("after %v there is no %q:\n%s", time.Since(began), want, got)
		}
	}
	b.ReportMetric(float64(most)/(1<<20), "MiB-heap")
}
