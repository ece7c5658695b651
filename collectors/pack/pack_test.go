package pack

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks/evidence"
	"doctor/collectors/bundle"
	"doctor/collectors/redact"
)

const meta = `{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}`

func node(t testing.TB, files map[string]string) evidence.Snapshot {
	t.Helper()
	m := fstest.MapFS{"meta.json": {Data: []byte(meta)}}
	for name, content := range files {
		m[name] = &fstest.MapFile{Data: []byte(content), ModTime: end}
	}
	s, err := evidence.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func options() Options {
	return Options{Redactor: redact.New(redact.Options{}),
		SearchedFor: map[string]string{"a-check": "1234"}}
}

// made is a bundle that was written and opened again.
type made struct {
	fs.FS
	path     string
	manifest Manifest
}

func pack(t *testing.T, s evidence.Snapshot, o Options) made {
	t.Helper()
	name := filepath.Join(t.TempDir(), "b.zip")
	result, err := Write(context.Background(), name, s, o)
	if err != nil {
		t.Fatal(err)
	}
	only(t, name)
	a, err := bundle.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	m := made{FS: a.FS(), path: name}
	if err := json.Unmarshal([]byte(m.read(t, "manifest.json")), &m.manifest); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() != result.Size {
		t.Errorf("the size is said to be %d, and is %d", result.Size, info.Size())
	}
	return m
}

// only fails unless the folder holds the named file and nothing else.
func only(t *testing.T, name string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Dir(name))
	if err != nil || len(list) != 1 || list[0].Name() != filepath.Base(name) {
		t.Errorf("the folder holds %v", list)
	}
}

// nothing fails unless the folder of name is empty.
func nothing(t *testing.T, name string) {
	t.Helper()
	if list, _ := os.ReadDir(filepath.Dir(name)); len(list) > 0 {
		t.Errorf("%s was left behind", list[0].Name())
	}
}

func (m made) read(t testing.TB, name string) string {
	t.Helper()
	content, err := fs.ReadFile(m.FS, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// The arguments of a gap quote what a program said.
func TestTheGapsOfABundleKeepTheirCodesAndNoSecret(t *testing.T) {
	const secret = "hunter2-and-more-of-it"
	m := pack(t, node(t, map[string]string{
		"cri.json.gap": "error: login failed: password=" + secret + "\n",
		"gaps.json":    `{"cri.json": {"kind": "error", "code": "reported", "args": ["login failed: password=` + secret + `"]}}`,
	}), options())
	index := m.read(t, "gaps.json")
	if strings.Contains(index, secret) || strings.Contains(m.read(t, "cri.json.gap"), secret) {
		t.Errorf("the secret is in the bundle: %s", index)
	}
	s, err := evidence.Load(m.FS)
	if err != nil {
		t.Fatal(err)
	}
	if g := evidence.CRI.Gap(s); g.Code != evidence.Reported || !strings.HasPrefix(g.String(),
		"error: login failed: password=<secret:") {
		t.Errorf("%+v", g)
	}
}

func TestABundleHoldsTheEvidence(t *testing.T) {
	utf16 := "\xff\xfen\x00e\x00t\x00\r\x00\n\x00"
	m := pack(t, node(t, map[string]string{
		"hns-networks.json":           `[{"Name":"cbr0"}]`,
		"services.json.gap":           "denied: run as Administrator\n",
		"files/C/k/ipconfig.txt":      utf16,
		"logs/kubelet/kubelet.log":    "one\r\ntwo\n",
		"logs/kubelet/kubelet.dmp":    "MDMP\x93\xa7",
		"logs/kubelet/binary.log":     strings.Repeat("\x00\x01\x02\x03\x90", 1000),
		"original/winevt/System.evtx": "ElfFile\x00",
		"original/minutes.txt":        "hello\n",
		"logs/containerd/turned.log": "thirty lines\nof ASCII\n" +
			"E\x00r\x00r\x00o\x00r\x00\r\x00\n\x00",
		"logs/containerd/zeros.log": "begin\n" + strings.Repeat("\x00", 400) + "\nend\n",
		"logs/containerd/empty.log": "",
	}), options())
	for name, want := range map[string]string{
		"meta.json":                    meta,
		"hns-networks.json":            `[{"Name":"cbr0"}]`,
		"collectlogs/network.txt":      `[{"Name":"cbr0"}]`,
		"services.json.gap":            "denied: run as Administrator\n",
		"files/C/k/ipconfig.txt":       "\ufeffnet\r\n",
		"logs/kubelet/kubelet.log":     "one\r\ntwo\n",
		"logs/kubelet/kubelet.dmp.gap": "not-collected: left out of the bundle: a .dmp file is binary, and cannot be redacted\n",
		"logs/kubelet/binary.log.gap":  "not-collected: left out of the bundle: it is binary, and cannot be redacted\n",
		"original/minutes.txt":         "hello\n",
		"logs/containerd/turned.log":   "thirty lines\nof ASCII\nError\r\n",
		"logs/containerd/empty.log":    "",
	} {
		if got := m.read(t, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := m.read(t, "logs/containerd/zeros.log"); !strings.HasSuffix(got, "end\n") {
		t.Errorf("a log with a run of NULs became %.40q", got)
	}
	if len(m.manifest.LeftOut) != 3 {
		t.Errorf("left out are %v", m.manifest.LeftOut)
	}
	for _, f := range m.manifest.Files {
		if _, err := fs.Stat(m.FS, f.Path); (err != nil) != (f.Error != "") {
			t.Errorf("the manifest says %+v, and the file itself %v", f, err)
		}
	}
	s, err := evidence.Load(m.FS)
	if err != nil {
		t.Fatal(err)
	}
	if logs := evidence.LogRecords.In(s).Logs; len(logs) != 2 || logs[0].LeftOutBytes == 0 {
		t.Errorf("logs.json tells of the logs that were left out: %+v", logs)
	}
	if g := s.GapAt("logs/kubelet/kubelet.dmp"); g.Code != evidence.LeftOutOfBundle {
		t.Errorf("the bundle does not say in gaps.json why a file was left out: %+v", g)
	}
	if f := s.File(`C:\k\ipconfig.txt`); f.Text != "net\r\n" || !f.BOM {
		t.Errorf("the file with a byte order mark reads as %+v", f)
	}
}

func TestTheManifestTellsOfEachFile(t *testing.T) {
	m := pack(t, node(t, map[string]string{"logs/kubelet/kubelet.log": klog(20_000, end),
		"env.json": `{"A":"b"}`}), Options{
		MaxSize: 1 << 20, Redactor: redact.New(redact.Options{}), Since: 1,
	})
	of := map[string]File{}
	for _, f := range m.manifest.Files {
		of[f.Path] = f
	}
	err := fs.WalkDir(m.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "manifest.json" {
			return err
		}
		f, known := of[name]
		delete(of, name)
		content := m.read(t, name)
		sum := sha256.Sum256([]byte(content))
		if !known || f.SHA256 != hex.EncodeToString(sum[:]) || f.BytesKept != int64(len(content)) ||
			f.Source == "" {
			t.Errorf("%s is %d bytes; the manifest says %+v", name, len(content), f)
		}
		if f.Truncated != strings.Contains(content, evidence.LeftOut) || f.Truncated &&
			len(f.LeftOut) == 0 {
			t.Errorf("%s: truncated is %v", name, f.Truncated)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range of {
		if f.Error != "" {
			continue
		}
		t.Errorf("the manifest names %s, which is not there", name)
	}
}

func TestSignsPointIntoTheBundle(t *testing.T) {
	o := options()
	o.MaxSize = 1 << 20
	log := noise(30 << 20)
	lines := strings.Split(log, "\n")
	o.Scan.Matches = []evidence.SignMatch{{Check: "a-check", Text: "x", Path: "logs/kubelet/kubelet.log",
		Line: 10_000, More: 3, LastLine: 100_000}}
	o.Scan.Unsearched = []evidence.UnsearchedLog{{Path: "logs/kubelet/old.log",
		Why: "denied: run as Administrator"}}
	m := pack(t, node(t, map[string]string{"logs/kubelet/kubelet.log": log}), o)
	s, err := evidence.Load(m.FS)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(m.read(t, "logs/kubelet/kubelet.log"), "\n")
	found := evidence.SignMatches.In(s)
	if len(found) != 1 || got[found[0].Line-1] != lines[10_000-1] ||
		got[found[0].LastLine-1] != lines[100_000-1] {
		t.Errorf("signs.json says %+v", found)
	}
	index := evidence.LogRecords.In(s)
	if len(index.Logs) != 2 || index.Logs[0].LeftOutLines == 0 || index.Logs[1].Unsearched == "" ||
		index.SearchedFor["a-check"] != "1234" {
		t.Errorf("logs.json says %+v", index)
	}
}

// noise is text that hardly compresses.
func noise(size int) string {
	var b strings.Builder
	sum := sha256.Sum256([]byte("seed"))
	for b.Len() < size {
		sum = sha256.Sum256(sum[:])
		b.WriteString(" " + hex.EncodeToString(sum[:]) + "\n")
	}
	return b.String()
}

func TestABundleIsNoLargerThanAsked(t *testing.T) {
	files := map[string]string{"env.json": `{"A":"b"}`}
	for i := range 5 {
		files[fmt.Sprintf("logs/kubelet/%d.log", i)] = noise((i + 1) << 20)
	}
	for _, most := range []int64{100 << 10, 1 << 20, 4 << 20, 64 << 20} {
		o := options()
		o.MaxSize = most
		m := pack(t, node(t, files), o)
		info, err := os.Stat(m.path)
		if err != nil || info.Size() > most {
			t.Errorf("%d bytes were allowed, and it has %d", most, info.Size())
		}
		if most == 4<<20 && info.Size() < most/2 {
			t.Errorf("of %d bytes allowed %d are used, and logs were cut", most, info.Size())
		}
	}
}

func TestFactsThatDoNotFit(t *testing.T) {
	o := options()
	o.MaxSize = 64 << 10
	name := filepath.Join(t.TempDir(), "b.zip")
	_, err := Write(context.Background(), name,
		node(t, map[string]string{"files/C/k/noise.txt": noise(1 << 20)}), o)
	if err == nil || !strings.Contains(err.Error(), "give --max-size more") {
		t.Errorf("the error is %v", err)
	}
	nothing(t, name)
}

func TestABundleWithoutEndIsGone(t *testing.T) {
	s := node(t, map[string]string{"logs/kubelet/kubelet.log": noise(8 << 20)})
	for name, row := range map[string]struct {
		name string
		at   int // calls of Progress until the user has had enough
		want string
	}{
		"the user has had enough at once":        {"b.zip", 0, "context canceled"},
		"the user has had enough midway":         {"b.zip", 2, "context canceled"},
		"the user has had enough while checking": {"b.zip", -1, "context canceled"},
		"the folder is not there": {"no/such/b.zip", 1 << 30,
			"b.zip cannot be written: there is no folder "},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			calls := 0
			o := options()
			o.Progress = func(p Progress) {
				if calls++; calls == row.at || row.at < 0 && p.Phase == "checking" {
					cancel()
				}
			}
			if row.at == 0 {
				cancel()
			}
			dir := t.TempDir()
			_, err := Write(ctx, filepath.Join(dir, row.name), s, o)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("the error is %v", err)
			}
			nothing(t, filepath.Join(dir, "b.zip"))
		})
	}
}

func TestWhatWasThereStaysWhenABundleFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "b.zip")
	if err := os.WriteFile(name, []byte("earlier"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Output.Force = true
	o.Conclude = func(Recorded) ([]Document, error) { return nil, errors.New("no report") }
	if _, err := Write(context.Background(), name, node(t, nil), o); err == nil ||
		err.Error() != "no report" {
		t.Errorf("the error is %v", err)
	}
	only(t, name)
	if content, _ := os.ReadFile(name); string(content) != "earlier" {
		t.Errorf("the earlier file holds %q", content)
	}
}

func TestDocumentsSeeWhatTheReceiverSees(t *testing.T) {
	o := options()
	var seen []string
	o.Conclude = func(recorded Recorded) ([]Document, error) {
		s, err := evidence.Load(recorded.FS)
		if err != nil {
			return nil, err
		}
		seen = s.Paths()
		content, err := fs.ReadFile(recorded.FS, "logs/kubelet/kubelet.log")
		return []Document{{"report.txt", func(w io.Writer) error {
			_, err := w.Write(content)
			return err
		}}}, err
	}
	log := noise(3 << 20)
	m := pack(t, node(t, map[string]string{"logs/kubelet/kubelet.log": log}), o)
	if m.read(t, "report.txt") != log {
		t.Error("the log was not read back as it is")
	}
	if !slices.Contains(seen, "signs.json") || !slices.Contains(seen, "logs/kubelet/kubelet.log") {
		t.Errorf("the documents saw %v", seen)
	}
}

// TestTheStreamIsOneThatOthersRead: blocks that were compressed apart make one
// deflate stream, for the standard library's reader as well.
func TestTheStreamIsOneThatOthersRead(t *testing.T) {
	for _, size := range []int{0, 1, blockSize - 1, blockSize, blockSize + 1, 5*blockSize + 17} {
		content := noise(size)[:size]
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		w.RegisterCompressor(zip.Deflate, newDeflater)
		f, err := w.Create("x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, content); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := fs.ReadFile(r, "x")
		if err != nil || string(got) != content {
			t.Errorf("%d bytes came back as %d: %v", size, len(got), err)
		}
	}
}

// A secret that is known and stands somewhere in a form that is not replaced
// costs that file, and not the bundle.
func TestAFileThatHidesASecretIsLeftOut(t *testing.T) {
	hidden := hex.EncodeToString([]byte("Regp4ss!x7Qz"))
	script := "#ps1\n$x=1; $pw = \"Regp4ss!x7Qz\"\nmore text here"
	encoded := base64.StdEncoding.EncodeToString([]byte(script))
	m := pack(t, node(t, map[string]string{
		"files/C/k/config.yaml":            "password: Regp4ss!x7Qz\n",
		"files/C/AzureData/CustomData.txt": hex.EncodeToString([]byte(script)),
		"files/C/AzureData/CustomData.bin": encoded,
		"logs/kubelet/kubelet.log":         "one\n",
		"logs/kubelet/kubelet.err.log":     "one more line, " + hidden + " in it\n",
		"hns-networks.json":                `[{"Name":"` + hidden + `"}]`,
	}), options())
	if got := m.read(t, "files/C/AzureData/CustomData.txt.gap"); !strings.Contains(got,
		"in a form that cannot be taken out") {
		t.Errorf("the gap says %q", got)
	}
	if got := m.read(t, "files/C/AzureData/CustomData.bin"); !strings.Contains(got, "<secret:") ||
		strings.Contains(got, encoded[:16]) {
		t.Errorf("base64, which can be taken out, is %q", got)
	}
	m.read(t, "logs/kubelet/kubelet.err.log.gap")
	m.read(t, "hns-networks.json.gap")
	if _, err := fs.Stat(m.FS, "collectlogs/network.txt"); err == nil {
		t.Error("what was left out is there under its other name")
	}
	if got := m.read(t, "logs/kubelet/kubelet.log"); got != "one\n" {
		t.Errorf("the other log is %q", got)
	}
}

// A report that would tell a secret in a form that is not replaced is no bundle.
func TestABundleWhoseReportTellsASecretIsRefused(t *testing.T) {
	o := options()
	o.Conclude = func(Recorded) ([]Document, error) {
		return []Document{{"report.txt", func(w io.Writer) error {
			_, err := io.WriteString(w, "it is "+hex.EncodeToString([]byte("Regp4ss!x7Qz"))+"\n")
			return err
		}}}, nil
	}
	name := filepath.Join(t.TempDir(), "b.zip")
	_, err := Write(context.Background(), name,
		node(t, map[string]string{"files/C/k/config.yaml": "password: Regp4ss!x7Qz\n"}), o)
	if !errors.Is(err, ErrRefused) || strings.Contains(err.Error(), "Regp4ss") ||
		!strings.Contains(err.Error(),
			"report.txt still holds a secret (password); nothing was written") {
		t.Errorf("the error is %v", err)
	}
	nothing(t, name)
}

func TestMoreSecretsThanCanBeLookedForAreRefused(t *testing.T) {
	var b strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&b, "password=sw0rdfish%06d\n", i)
	}
	for _, path := range []string{"files/C/k/passwords.txt", "logs/kubelet/kubelet.log"} {
		name := filepath.Join(t.TempDir(), "b.zip")
		attempts := 0
		o := options()
		o.Conclude = func(Recorded) ([]Document, error) { attempts++; return nil, nil }
		_, err := Write(context.Background(), name, node(t, map[string]string{path: b.String()}), o)
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), path) || attempts > 0 {
			t.Errorf("%d attempts, and the error is %v", attempts, err)
		}
		nothing(t, name)
	}
}
