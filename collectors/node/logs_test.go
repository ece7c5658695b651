package node

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/tree"
)

func TestTailOf(t *testing.T) {
	wide := func(order, text string) string {
		var b strings.Builder
		for _, c := range []byte(text) {
			if order == "LE" {
				b.Write([]byte{c, 0})
			} else {
				b.Write([]byte{0, c})
			}
		}
		return b.String()
	}
	left := func(n int) string {
		return "[doctor: the " + strconv.Itoa(n) + " bytes before this line are left out]\n"
	}
	for _, c := range []struct {
		name, content string
		limit         int64
		want          string
	}{
		{"a log that fits is as it is", "one\ntwo\n", 8, "one\ntwo\n"},
		{"a cut begins at the start of a line", "one\ntwo\nthree\n", 8, left(8) + "three\n"},
		{"a cut that falls on the start of a line loses nothing", "one\ntwo\nthree\n", 6,
			left(8) + "three\n"},
		{"a line without an end is cut where it must be", "abcdefgh", 4, left(4) + "efgh"},
		{"a last line longer than the limit is cut too", "one\ntwothree\n", 4, left(13)},
		{"UTF-16 with its mark keeps it", "\xff\xfe" + wide("LE", "one\ntwo\nthree\n"), 17,
			"\xff\xfe" + wide("LE", left(18)+"three\n")},
		{"UTF-16 without its mark gets one", wide("LE", "one\ntwo\nthree\n"), 13,
			"\xff\xfe" + wide("LE", left(16)+"three\n")},
		{"big-endian UTF-16", "\xfe\xff" + wide("BE", "one\ntwo\nthree\n"), 15,
			"\xfe\xff" + wide("BE", left(18)+"three\n")},
		{"a byte that looks like the end of a line in UTF-16 is none",
			"\xff\xfe" + wide("LE", "ab") + "\x0a\x0a\x0a\x01" + wide("LE", "\nz\n"), 12,
			"\xff\xfe" + wide("LE", left(12)+"z\n")},
		{"the mark of UTF-8 goes with the lines it stands before", "\xef\xbb\xbfone\ntwo\n", 5,
			left(7) + "two\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := strings.NewReader(c.content)
			got, err := tailOf(r, int64(len(c.content)), c.limit)
			if err != nil {
				t.Fatal(err)
			}
			text := string(got.head) + c.content[got.from:got.until]
			if text != c.want || got.size() != int64(len(c.want)) {
				t.Errorf("got  %q (%d bytes)\nwant %q", text, got.size(), c.want)
			}
		})
	}
}

func TestALogThatGrowsKeepsItsSize(t *testing.T) {
	v := onC(map[string]string{`C:\k\kubelet.log`: strings.Repeat("a line of it\n", 1000)})
	f, err := logCopy(v, `C:\k\kubelet.log`, 1000)
	if err != nil {
		t.Fatal(err)
	}
	drive, _ := v("C")
	drive.(caseless).MapFS["k/kubelet.log"].Data = bytes.Repeat([]byte("a line of it\n"), 2000)
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if int64(len(content)) != f.Size || err != nil || !strings.HasSuffix(string(content),
		"\na line of it\n") {
		t.Errorf("%d bytes of %d, %v", len(content), f.Size, err)
	}
}

// recorded runs one collector over a node of the given services and processes.
func recorded(t *testing.T, services []evidence.Service, processes []evidence.Process,
	read func(context.Context, *collectors.Record) error, answers ...string) fs.FS {
	t.Helper()
	out := tree.New()
	out.JSON("meta.json", map[string]string{"layout": evidence.Layout})
	out.JSON("services.json", services)
	out.JSON("processes.json", processes)
	collectors.Run(context.Background(), out,
		[]collectors.Collector{{Name: "x", Answers: answers, Read: read}},
		func([]collectors.Reading) {})
	return out.FS()
}

func logsIn(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var list []string
	fs.WalkDir(tree, "logs", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, strings.TrimPrefix(p, "logs/"))
		}
		return nil
	})
	slices.Sort(list)
	return list
}

func TestLogsAreFound(t *testing.T) {
	files := map[string]string{}
	for _, p := range []string{
		`C:\k\kubelet.err.log`, `C:\k\kubelet.err-20261120T020000.123.log`, `C:\k\azure-vnet.log`,
		`C:\k\azure-vnet.log.1`, `C:\k\azure-vnet.log.2.gz`, `C:\k\kubelet.exe`,
		`C:\k\hnsremediator.log`, `C:\k\anything.log`,
		`C:\k\kubelet.exe.WIN-1.SYSTEM.log.INFO.20261120-020000.3912`,
		`C:\own\out\kubelet-service.log`, `C:\own\containerd.txt`, `C:\own\containerd.log`,
		`C:\own\klogs\kube-proxy.exe.WIN-1.log.INFO.1`, `C:\own\klogs\else.log`,
		`C:\var\log\kubelet\kubelet.err.log`,
		`C:\var\log\pods\kube-system_kube-proxy-windows-x7d2p_6f1c\kube-proxy\0.log`,
		`C:\var\log\pods\kube-flannel_kube-flannel-ds-windows-b_2a\kube-flannel\3.log`,
		`C:\var\log\pods\kube-system_antrea-agent-windows-q_1\antrea-ovs\0.log`,
		`C:\var\log\pods\kube-system_antrea-agent-windows-q_1\antrea-agent\0.log`,
		`C:\var\log\pods\calico-system_calico-node-windows-q_1\felix\0.log`,
		`C:\var\log\pods\default_web-1_9\web\0.log`,
		`C:\var\log\pods\default_web-1_9\web\0.log.20261120-020000`,
		`C:\var\log\calico\cni\cni.log`,
	} {
		files[p] = "a line\n"
	}
	files[`C:\k\empty.log`] = ""
	files[`C:\k\start-proxy.ps1`] = "& C:\\k\\kube-proxy.exe --v=4 --log-dir=C:\\own\\klogs\n"
	files[`C:\etc\cni\net.d\10-calico.conflist`] = `{"plugins":[{"type":"calico","log_file_path":"c:/var/log/calico/cni/cni.log"}]}`
	registry := regFile(t, `[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\kubelet\Parameters]
"AppStdout"="C:\\own\\out\\kubelet-service.log"
"AppStderr"="C:\\own\\out\\gone.log"
`)
	services := []evidence.Service{
		{Name: "kubelet", BinPath: `C:\k\kubelet.exe`, Args: []string{"--v=6"}, Wrapper: "nssm"},
		{Name: "containerd", BinPath: `C:\bin\containerd.exe`, Args: []string{"--run-service",
			"--log-file", `C:\own\containerd.txt`}},
		{Name: "Kubeproxy", BinPath: `C:\Windows\powershell.exe`,
			Args: []string{"-File", `c:\k\start-proxy.ps1`}},
	}
	got := logsIn(t, recorded(t, services, nil, readLogs(Options{}, onC(files), registry, time.Now),
		"logs/"))
	want := []string{
		"antrea-agent/antrea-agent-0.log", "calico-node/felix-0.log", "cni/azure-vnet.log",
		"cni/azure-vnet.log.1", "cni/cni.log",
		"containerd/containerd.log", "containerd/containerd.txt", "flanneld/kube-flannel-3.log",
		"hnsremediator/hnsremediator.log",
		"kube-proxy/kube-proxy-0.log", "kube-proxy/kube-proxy.exe.WIN-1.log.INFO.1",
		"kubelet/k-kubelet.err.log", "kubelet/kubelet-service.log",
		"kubelet/kubelet.err-20261120T020000.123.log", "kubelet/kubelet.err.log",
		"kubelet/kubelet.exe.WIN-1.SYSTEM.log.INFO.20261120-020000.3912",
		"other/anything.log", "ovs/antrea-ovs-0.log", "pods/default_web-1_web-0.log",
		"pods/default_web-1_web-0.log.20261120-020000",
	}
	for i, p := range want { // which of two that are called alike keeps its name does not matter
		if p == "kubelet/k-kubelet.err.log" && !slices.Contains(got, p) {
			want[i] = "kubelet/kubelet-kubelet.err.log"
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestNewestLogs(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var logs []foundLog
	for i := range 30 {
		logs = append(logs, foundLog{name: strconv.Itoa(i),
			modified: now.Add(-time.Duration(i) * time.Hour)})
	}
	slices.Reverse(logs)
	for _, c := range []struct {
		name  string
		logs  []foundLog
		since time.Duration
		want  int
	}{
		{"no more than twenty", logs, 0, maxLogs},
		{"those of the time that is asked for", logs, 150 * time.Minute, 3},
		{"the last one, however old", logs[:5], time.Hour, 1},
		{"none", nil, time.Hour, 0},
	} {
		got := newest(c.logs, c.since, now)
		if len(got) != c.want {
			t.Errorf("%s: %d", c.name, len(got))
		}
		if !slices.IsSortedFunc(got, func(a, b foundLog) int {
			return b.modified.Compare(a.modified)
		}) {
			t.Errorf("%s: not the newest first", c.name)
		}
	}
}

// What may not be read is told, by the component whose logs they are.
func TestRefusedLogsAreGaps(t *testing.T) {
	v := refusing{onC(map[string]string{`C:\var\log\kubelet\kubelet.log`: "x",
		`C:\var\log\containerd\containerd.log`: "x"})}
	out := recorded(t, nil, nil, readLogs(Options{}, v.volumes, regFile(t, ""), time.Now), "logs/")
	if got, want := logsIn(t, out), []string{"containerd/containerd.log.gap",
		"kubelet.gap"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	s, err := evidence.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	if gap := evidence.Logs("kubelet").Gap(s); gap != evidence.NeedsAdministrator.Gap() {
		t.Errorf("the gap is %q", gap)
	}
}

// refusing is a drive on which the kubelet's logs may not be listed, nor those
// of containerd be read.
type refusing struct{ to volumes }

func (r refusing) volumes(letter string) (fs.FS, error) {
	fsys, err := r.to(letter)
	if err != nil {
		return nil, err
	}
	return refusingFS{fsys.(caseless)}, nil
}

type refusingFS struct{ caseless }

func (r refusingFS) Open(name string) (fs.File, error) {
	if ok, _ := path.Match("var/log/kubelet*", name); ok ||
		strings.HasSuffix(name, "containerd.log") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return r.caseless.Open(name)
}

var _ fs.ReadLinkFS = caseless{fstest.MapFS{}, nil}
