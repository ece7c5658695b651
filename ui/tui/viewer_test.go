package tui

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/charmbracelet/lipgloss"

	"doctor/checks"
	"doctor/checks/evidence"
)

const evidenceMeta = `{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:02:00Z"}`

// sampleFiles are the evidence that the sample report speaks of, and some more.
func sampleFiles() fstest.MapFS {
	log := &strings.Builder{}
	for i := 1; i <= 300; i++ {
		switch i {
		case 41:
			log.WriteString(
				"E1120 10:01:07 failed to acquire lease: node \"win-1\" pod cidr not assigned\r\n")
		case 43:
			log.WriteString("W1120 10:01:08 节点 win-1 没有分配到网段,所以没有网络 " + strings.Repeat("宽", 90) +
				"\r\n")
		case 44:
			log.WriteString("E1120 10:01:09 network cbr0 not found\r\n")
		default:
			fmt.Fprintf(log,
				"I1120 10:01:%02d main.go:%d] waiting for the lease of this node, round %d, with nothing new\r\n", i%60, i, i)
		}
	}
	wide := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune("Dienst gestartet\r\nDienst beendet: Größe\r\n")) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	return fstest.MapFS{
		"meta.json": {Data: []byte(evidenceMeta)},
		"api/node.json": {
			Data: []byte(`{"kind": "Node", "metadata": {"name": "win-1"},` + "\n" +
				` "spec": {"taints": []},` + "\n" +
				` "status": {"nodeInfo": {"kubeletVersion": "v1.28.4"}}}`)},
		"memory.json": {Data: []byte(`{"commitUsedBytes": 33900000000}`)},
		"hns-networks.json": {
			Data: []byte(`[{"Name": "nat", "Type": "NAT"}, {"Name": "external"}]`)},
		"hns-endpoints.json.gap": {Data: []byte("denied: run as Administrator\n")},
		"files.json": {
			Data: []byte(
				`[{"path":"C:\\run\\flannel\\subnet.env","outcome":"absent"},{"path":"C:\\k\\config","outcome":"denied","detail":"it holds credentials"}]`)},
		"files/C/k/cni/config/c.con": {Data: []byte("plain\n")},
		"logs/flanneld/flanneld.log": {Data: []byte(log.String())},
		"logs/kubelet/wide.log":      {Data: wide},
		"logs/kubelet/empty.log":     {},
	}
}

func evidenceOf(t testing.TB, fsys fs.FS) evidence.Snapshot {
	t.Helper()
	s, err := evidence.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// withEvidence is the sample's screen with the files that it speaks of.
func withEvidence(t testing.TB, r checks.Report, fsys fs.FS, opt Options) model {
	t.Helper()
	m, _ := newModel(opt, false).update(<-Finished(r, evidenceOf(t, fsys)).Updates)
	return m
}

// worked is the model once all tasks have brought their answers.
func carriedOut(m model, do effect) model {
	for do.task != nil {
		m, do = m.update(answer{do.layer, do.task()})
	}
	return m
}

// through presses keys, and waits for what they began.
func through(m model, names ...string) model {
	for _, n := range names {
		m = carriedOut(m.update(keyMsg(n)))
	}
	return m
}

// viewing opens a file as another screen does.
func viewing(m model, path string, line int) model {
	return carriedOut(m.open(newViewer(path, line)))
}

func TestGoldenEvidence(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 15}, {200, 60}} {
		for _, s := range []struct {
			name, path string
			keys       []string
		}{
			{"browser", "", []string{"e"}},
			{"browser-cited", "", []string{"e", "f"}},
			{"browser-search", "", []string{"e", "/", "win-1", "enter"}},
			{"browser-search-next", "", []string{"e", "/", "win-1", "enter", "n", "n", "n"}},
			{"viewer-log", "logs/flanneld/flanneld.log", nil},
			{"viewer-wrapped", "logs/flanneld/flanneld.log", []string{"z", "j", "j"}},
			{"viewer-search", "logs/flanneld/flanneld.log", []string{"/", "ROUND 7", "enter", "n"}},
			{"viewer-json", "api/node.json", nil},
			{"viewer-gap", "hns-endpoints.json", nil},
		} {
			name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				m := withEvidence(t, sample(), sampleFiles(),
					Options{Width: size[0], Height: size[1]})
				if s.path != "" {
					m = viewing(m, s.path, 0)
				}
				golden(t, name, seen(through(m, s.keys...)))
			})
		}
	}
	t.Run("viewer-ascii-80x24", func(t *testing.T) {
		m := withEvidence(t, sample(), sampleFiles(), Options{Width: 80, Height: 24, ASCII: true})
		golden(t, "viewer-ascii-80x24", seen(viewing(m, "logs/flanneld/flanneld.log", 0)))
	})
}

// cursorLine is the line of the screen that the cursor stands on.
func cursorLine(m model) string {
	for _, l := range strings.Split(seen(m), "\n") {
		if strings.HasPrefix(l, "›") {
			return strings.Join(strings.Fields(strings.TrimPrefix(l, "›")), " ")
		}
	}
	return ""
}

func TestTheViewerGoesWhereItIsTold(t *testing.T) {
	for _, row := range []struct {
		name, path string
		line       int
		keys       []string
		want       string
	}{
		{"opens at the line that a finding cites", "logs/flanneld/flanneld.log", 44, nil,
			"44 ✗ E1120 10:01:09 network cbr0 not found"},
		{"opens at the first cited line", "logs/flanneld/flanneld.log", 0, nil, "41 ✗ E1120"},
		{"tab goes to the next one", "logs/flanneld/flanneld.log", 0, []string{"tab"},
			"44 ✗ E1120"},
		{"and from the last to the first", "logs/flanneld/flanneld.log", 0, []string{"tab", "tab"},
			"41 ✗ E1120"},
		{"opens JSON where the field would be", "api/node.json", 0, nil, "2 ✗ ▾ spec"},
		{"goes to a number", "logs/flanneld/flanneld.log", 0, []string{":", "2", "9", "9", "enter"},
			"299 I1120"},
		{"stays at the last line", "logs/flanneld/flanneld.log", 0,
			[]string{":", "9", "9", "9", "9", "enter"}, "300 I1120"},
		{"G is the end", "logs/flanneld/flanneld.log", 0, []string{"G"}, "300 I1120"},
		{"g is the start", "logs/flanneld/flanneld.log", 0, []string{"G", "g"}, "1 I1120"},
		{"search goes down", "logs/flanneld/flanneld.log", 0, []string{"/", "ROUND 10", "enter",
			"n"}, "101 I1120"},
		{"and up", "logs/flanneld/flanneld.log", 0, []string{"/", "round 10", "enter", "N"},
			"10 I1120"},
		{"and around", "logs/flanneld/flanneld.log", 0, []string{"/", "round 10,", "enter"},
			"10 I1120"},
		{"in Chinese", "logs/flanneld/flanneld.log", 1, []string{"/", "网段", "enter"}, "43 W1120"},
		{"in a tree", "api/node.json", 0, []string{"/", "KUBELETVERSION", "enter"},
			`3 kubeletVersion "v1.28.4"`},
		{"in what is folded", "api/node.json", 0, []string{"g", "-", "/", "win-1", "enter"},
			`1 name "win-1"`},
		{"UTF-16 is read as text", "logs/kubelet/wide.log", 2, nil, "2 Dienst beendet: Größe"},
		{"JSON as it is stored", "api/node.json", 0, []string{"v"}, `2 ✗ "spec": {"taints": []},`},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := withEvidence(t, sample(), sampleFiles(), Options{Width: 100, Height: 24})
			m = through(viewing(m, row.path, row.line), row.keys...)
			if got := cursorLine(m); !strings.HasPrefix(got, row.want) {
				t.Errorf("the cursor is on %q, want %q\n%s", got, row.want, seen(m))
			}
		})
	}
}

func TestWhatIsFoundIsScrolledIntoSight(t *testing.T) {
	m := withEvidence(t, sample(), sampleFiles(), Options{Width: 60, Height: 24})
	m = through(viewing(m, "logs/flanneld/flanneld.log", 1), "/", "round 200", "enter")
	if got := cursorLine(m); !strings.HasPrefix(got, "200 ") ||
		!strings.Contains(got, "round 200") {
		t.Errorf("the cursor is on %q\n%s", got, seen(m))
	}
}

func TestASearchCanBeStopped(t *testing.T) {
	m := withEvidence(t, sample(), sampleFiles(), Options{Width: 80, Height: 24})
	m = through(viewing(m, "logs/flanneld/flanneld.log", 0), "/", "nowhere")
	m, search := m.update(keyMsg("enter"))
	if !strings.Contains(seen(m), "searching for nowhere") {
		t.Errorf("nothing tells of the search:\n%s", seen(m))
	}
	m = through(m, "esc")
	if m = carriedOut(m, search); strings.Contains(seen(m), "not found: nowhere") ||
		len(m.layers) != 1 {
		t.Errorf("the stopped search still speaks, or the viewer is gone:\n%s", seen(m))
	}
	if m = through(m, "n"); !strings.Contains(seen(m), "not found: nowhere") {
		t.Errorf("the next search says nothing:\n%s", seen(m))
	}
}

func TestTheTreeFollowsTheEvidence(t *testing.T) {
	files := sampleFiles()
	m := through(withEvidence(t, sample(), files, Options{Width: 80, Height: 40}), "e")
	files = sampleFiles()
	files["os.json"] = &fstest.MapFile{Data: []byte("{}")}
	u := <-Finished(sample(), evidenceOf(t, files)).Updates
	m, _ = m.update(u)
	if m = through(m, "j"); !strings.Contains(seen(m), "os.json") {
		t.Errorf("the new file is missing:\n%s", seen(m))
	}
}

func TestAGapTellsItsReason(t *testing.T) {
	m := withEvidence(t, sample(), sampleFiles(), Options{Width: 120, Height: 30})
	for path, want := range map[string]string{
		"hns-endpoints.json": "denied: run as Administrator", "cri.json": "not-collected:",
		"files/C/k/config": "it holds credentials",
	} {
		if got := seen(viewing(m, path, 3)); !strings.Contains(got, want) {
			t.Errorf("%s shows no %q:\n%s", path, want, got)
		}
	}
	tree := seen(through(m, "e", "+"))
	for _, want := range []string{"hns-endpoints.json  ? denied: run as Administrator",
		"subnet.env  absent", "config  ? denied: it holds credentials"} {
		if !strings.Contains(tree, want) {
			t.Errorf("the tree has no %q:\n%s", want, tree)
		}
	}
}

func TestTheBrowserOpensAndComesBack(t *testing.T) {
	m := withEvidence(t, sample(), sampleFiles(), Options{Width: 80, Height: 24})
	m = through(m, "e", "/", "flanneld.l", "enter", "enter")
	if got := cursorLine(m); !strings.HasPrefix(got, "41 ✗") {
		t.Errorf("opened at %q", got)
	}
	m = through(m, "esc")
	if got := cursorLine(m); !strings.HasPrefix(got, "flanneld.log") {
		t.Errorf("back at %q", got)
	}
	if m = through(m, "esc", "esc"); len(m.layers) != 0 {
		t.Errorf("%d layers are still open", len(m.layers))
	}
}

// hostileFiles have hostile names and hostile content.
func hostileFiles(r *rand.Rand) fstest.MapFS {
	fsys := fstest.MapFS{"meta.json": {Data: []byte(evidenceMeta)}}
	for i, text := range hostile {
		name := strings.ToValidUTF8(strings.NewReplacer("/", "", "\x00", "").Replace(text), "")
		if name = "x" + name; len(name) > 200 {
			name = strings.ToValidUTF8(name[:200], "")
		}
		fsys[fmt.Sprintf("logs/%s/%d.log", name,
			i)] = &fstest.MapFile{Data: []byte(strings.Repeat(text+"\n"+
			hostile[r.IntN(len(hostile))], 30))}
		fsys[fmt.Sprintf("%d.json", i)] = &fstest.MapFile{Data: fmt.Appendf(nil,
			`{%q: [%q, {%q: 1}], "text": "a\nb"}`, strings.ToValidUTF8(text, ""), "v\x1b[2J", "宽")}
		fsys[fmt.Sprintf("%d.gap", i)] = &fstest.MapFile{Data: []byte("error: " + text)}
	}
	return fsys
}

func TestEveryFrameOfTheEvidenceFits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	fsys := hostileFiles(r)
	paths := evidenceOf(t, fsys).Paths()
	walks := [][]string{nil, {"G"}, {"z"}, {"z", "G", "pgup"}, {"l", "l", "l"},
		{"/", "a", "enter", "n"}, {":", "7"}, {"-", "+", "j", "h"}, {"v", "z", "j"}}
	for range rounds(150) {
		w, h := 20+r.IntN(180), 5+r.IntN(50)
		m := withEvidence(t, hostileReport(r), fsys,
			Options{Width: w, Height: h, ASCII: r.IntN(3) == 0})
		keys := walks[r.IntN(len(walks))]
		if path := paths[r.IntN(len(paths))]; r.IntN(4) == 0 {
			m = through(through(m, "e", "+"), keys...)
		} else {
			m = through(viewing(m, path, r.IntN(5)), keys...)
		}
		lines := draw(m)
		if len(lines) != h {
			t.Fatalf("%dx%d after %q: %d lines", w, h, keys, len(lines))
		}
		for i, l := range lines {
			text := l.String()
			if n := lipgloss.Width(text); n > w {
				t.Fatalf("%dx%d after %q: line %d takes %d cells: %q", w, h, keys, i, n, text)
			}
			if strings.ContainsFunc(text, func(c rune) bool {
				return c < 0x20 || c >= 0x7f && c < 0xa0 || m.ascii && c >= 0x80
			}) {
				t.Fatalf("%dx%d after %q: line %d holds a character that does not belong: %q", w, h,
					keys, i, text)
			}
		}
	}
}

// zipped is a folder's files in a zip, which cannot be read from the middle.
func zipped(t *testing.T, files fstest.MapFS) fs.FS {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := z.AddFS(files); err != nil {
		t.Fatal(err)
	}
	z.Close()
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTheEndIsShownBeforeTheLinesAreCounted(t *testing.T) {
	files := fstest.MapFS{"meta.json": {Data: []byte(evidenceMeta)},
		"logs/kubelet/k.log": {Data: []byte(strings.Repeat("a line of a long log\n", 200_000) +
			"the last line\n")}}
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	for name, fsys := range map[string]fs.FS{"a folder": os.DirFS(dir), "a zip": zipped(t, files)} {
		m := withEvidence(t, sample(), fsys, Options{Width: 80, Height: 24})
		m, do := m.open(newViewer("logs/kubelet/k.log", 0))
		m, do = m.update(answer{do.layer, do.task()}) // opened; the file is not read on yet
		if !strings.Contains(seen(m), "reading 64.0 KiB of 4.0 MiB") {
			t.Errorf("%s: it is not said how far the reading is:\n%s", name, seen(m))
		}
		m, end := m.update(keyMsg("G"))
		m, end = m.update(answer{end.layer, end.task()})
		if shown := strings.Contains(seen(m), "the last line"); shown != (name == "a folder") {
			t.Errorf("%s: end shown at once: %v\n%s", name, shown, seen(m))
		}
		if m = carriedOut(carriedOut(m, end), do); !strings.HasPrefix(cursorLine(m),
			"200001 the last line") {
			t.Errorf("%s: the cursor is on %q\n%s", name, cursorLine(m), seen(m))
		}
		through(m, "esc")
	}
}

func BenchmarkKeyWithABigLogOpen(b *testing.B) {
	dir := b.TempDir()
	big := bytes.Repeat(
		[]byte("I1120 03:05:14.020118    3388 proxier.go:1053] \"Syncing iptables rules\" service=\"kube-system/kube-dns:dns-tcp\" 节点\n"), 10_000)
	os.WriteFile(filepath.Join(dir, "meta.json"), []byte(evidenceMeta), 0o600)
	f, err := os.Create(filepath.Join(dir, "big.log"))
	if err != nil {
		b.Fatal(err)
	}
	for n := 0; n < 500<<20; n += len(big) {
		if _, err := f.Write(big); err != nil {
			b.Fatal(err)
		}
	}
	f.Close()
	s := newStyles(nil, "")
	m := viewing(withEvidence(b, sample(), os.DirFS(dir), Options{Width: 120, Height: 40}),
		"big.log", 0)
	for _, row := range [][]string{{"j", "k"}, {"pgdown", "pgup"}, {"G", "g"}, {"z", "z"},
		{"l", "h"}} {
		b.Run(strings.Join(row, " "), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				m = through(m, row[i%2])
				s.frame(draw(m))
			}
		})
	}
}

// TestADetailLeadsToWhatEachOfItsLinesSays: a file may be cited by several
// findings, each with a pointer of its own.
func TestADetailLeadsToWhatEachOfItsLinesSays(t *testing.T) {
	rep := sample()
	rep.Results[0].Findings = []checks.ReportFinding{
		{Level: "fail", Message: "one",
			Because: []evidence.Because{{Path: "services.json", Field: "/0/state",
				Text: "state stopped"}}},
		{Level: "fail", Message: "two",
			Because: []evidence.Because{{Path: "services.json", Field: "/1/args/1",
				Text: "--logtostderr=false"}}},
		{Level: "fail", Message: "three",
			Because: []evidence.Because{{Path: "events.json", Field: "/1/message",
				Text: "it stopped"}}},
	}
	files := fstest.MapFS{
		"meta.json": {
			Data: []byte(
				`{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:02:00Z"}`)},
		"services.json": {
			Data: []byte(
				"[{\"name\":\"flanneld\",\n\"state\":\"stopped\"},\n{\"name\":\"kubelet\",\n\"args\":[\n\"--v=4\",\n\"--logtostderr=false\"]}]")},
		"events.json": {
			Data: []byte(
				"[\n{\"message\":\"began\",\n\"id\":1},\n{\"message\":\"it stopped\",\n\"id\":2}]")},
	}
	s, err := evidence.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := newModel(Options{Width: 80, Height: 40}, false).update(<-Finished(rep, s).Updates)
	for i, want := range []string{`"stopped"`, "--logtostderr=false", "it stopped"} {
		keys := []string{"enter"}
		for range i + len(rep.Results[0].Fix.Steps) {
			keys = append(keys, "tab")
		}
		at := ""
		for l := range strings.Lines(seen(through(m, append(keys, "enter")...))) {
			if strings.HasPrefix(l, "›") {
				at = l
			}
		}
		if !strings.Contains(at, want) {
			t.Errorf("line %d leads to %q, want %s", i+1, at, want)
		}
	}
}
