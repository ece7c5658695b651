package node

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors/tree"
	"doctor/fixtures"
)

// driveC is a drive C: in memory, on which names are found in any case.
func driveC(files map[string]*fstest.MapFile) volumes {
	drive := caseless{fstest.MapFS(files), map[string]string{}}
	fs.WalkDir(drive.MapFS, ".", func(p string, _ fs.DirEntry, err error) error {
		drive.names[strings.ToLower(p)] = p
		return err
	})
	return func(letter string) (fs.FS, error) {
		if letter != "C" {
			return nil, fs.ErrNotExist
		}
		return drive, nil
	}
}

type caseless struct {
	fstest.MapFS
	names map[string]string
}

func (c caseless) spelled(name string) string {
	if n, ok := c.names[strings.ToLower(name)]; ok {
		return n
	}
	return name
}

func (c caseless) Open(name string) (fs.File, error)      { return c.MapFS.Open(c.spelled(name)) }
func (c caseless) Stat(name string) (fs.FileInfo, error)  { return c.MapFS.Stat(c.spelled(name)) }
func (c caseless) Lstat(name string) (fs.FileInfo, error) { return c.MapFS.Lstat(c.spelled(name)) }
func (c caseless) ReadLink(name string) (string, error) {
	return c.MapFS.ReadLink(c.spelled(name))
}
func (c caseless) ReadDir(name string) ([]fs.DirEntry, error) {
	return c.MapFS.ReadDir(c.spelled(name))
}

func onC(files map[string]string) volumes {
	m := map[string]*fstest.MapFile{}
	for name, text := range files {
		_, rest, _ := strings.Cut(evidence.EvidencePath(name), "files/C/")
		m[rest] = &fstest.MapFile{Data: []byte(text), Mode: 0o644, ModTime: time.Date(2026, 11, 20,
			2, 0, 0, 0, time.UTC)}
	}
	return driveC(m)
}

// copied runs the collector's work and gives what it copied, and its records.
func copiedFrom(t *testing.T, v volumes, o Options, services []evidence.Service,
	processes []evidence.Process) (map[string]string, map[string]evidence.FileRecord) {
	t.Helper()
	kept := map[string]string{}
	c := newCopies(context.Background(), v, func(p string, f tree.File) {
		if _, twice := kept[p]; twice {
			t.Errorf("%s is copied twice", p)
		}
		kept[p] = string(f.Content)
	})
	c.all(o, services, processes)
	return kept, c.records
}

// Each recorded node, put back on a drive, is found again as it was recorded:
// every file with its text, and everything that somebody looked for.
func TestFilesOfTheRecordedNodesAreFoundAgain(t *testing.T) {
	for _, name := range fixtures.Names() {
		if !strings.HasPrefix(name, "healthy-") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			recording, err := fixtures.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			s, err := evidence.Load(recording.FS())
			if err != nil {
				t.Fatal(err)
			}
			onDisk, wanted := map[string]*fstest.MapFile{}, map[string]string{}
			for _, r := range evidence.FileIndex.In(s) {
				wanted[strings.ToLower(r.Path)] = r.Outcome
				if at := strings.TrimPrefix(evidence.EvidencePath(r.Path),
					"files/C/"); r.Outcome == notCopied {
					onDisk[at] = &fstest.MapFile{Data: []byte("MZ\x00\x00"), Mode: 0o644}
				}
			}
			fs.WalkDir(recording.FS(), "files/C", func(p string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					content, _ := fs.ReadFile(recording.FS(), p)
					onDisk[strings.TrimPrefix(p, "files/C/")] = &fstest.MapFile{Data: content,
						Mode: 0o644}
				}
				return err
			})
			kept, records := copiedFrom(t, driveC(onDisk), Options{}, evidence.Services.In(s),
				evidence.Processes.In(s))
			lower := map[string]string{}
			for p, text := range kept {
				lower[strings.ToLower(p)] = text
			}
			for at, f := range onDisk {
				if text, ok := lower[strings.ToLower("files/C/"+
					at)]; !strings.HasPrefix(string(f.Data), "MZ") &&
					(!ok || text != string(f.Data)) {
					t.Errorf("%s: copied %t, %q", at, ok, text)
				}
			}
			for p, outcome := range wanted {
				if r, ok := records[p]; !ok || r.Outcome != outcome {
					t.Errorf("%s: got %q, want %q", p, r.Outcome, outcome)
				}
			}
		})
	}
}

func TestFilesThatArgumentsName(t *testing.T) {
	services := []evidence.Service{
		{Name: "kubelet", BinPath: `C:\Windows\powershell.exe`, Args: []string{"-File", `D:\x.ps1`,
			`-NoProfile`}},
		{Name: "kubelet2", BinPath: `C:\bin\kubelet.exe`,
			Args: []string{`--config=C:\own\kubelet.yaml`, "--kubeconfig", `c:\own\kube.conf`,
				`--resolv-conf=`}},
		{Name: "flanneld", BinPath: `C:\bin\nssm.exe`, Args: []string{`C:\bin\flanneld.exe`,
			`-net-config-path=/own/net.json`}},
		{Name: "containerd", BinPath: `C:\bin\containerd.exe`,
			Args: []string{"-c", `C:\own\containerd.toml`, "--run-service"}},
		{Name: "other", BinPath: `C:\bin\other.exe`, Args: []string{`--config=C:\own\other.yaml`}},
		{Name: "kube-proxy", BinPath: `C:\bin\kube-proxy.exe`,
			Args: []string{`--config=C:\own\proxy.conf`, `--kubeconfig=\\server\share\kubeconfig`}},
	}
	kept, records := copiedFrom(t, onC(map[string]string{
		`C:\own\kubelet.yaml`:    "kind: KubeletConfiguration\nresolvConf: \"C:\\\\own\\\\hostdns.conf\"\n",
		`C:\own\hostdns.conf`:    "nameserver 10.0.0.1\n",
		`C:\own\kube.conf`:       "users:\n- user:\n    token: abcdef\n",
		`C:\own\net.json`:        "{}",
		`C:\own\containerd.toml`: "version = 2\nimports = ['C:\\own\\conf.d\\*.toml']\n[plugins.'io.containerd.grpc.v1.cri'.cni]\nconf_dir = 'C:\\own\\net.d'\nbin_dir = 'C:\\own\\cni'\n",
		`C:\own\conf.d\a.toml`:   "root = 'C:\\x'\n",
		`C:\own\net.d\10.conf`:   `{"cniVersion":"0.3.0","name":"n","type":"sdnbridge","ipam":{"type":"azure-ipam"}}`,
		`C:\own\cni\other.exe`:   "MZ\x00",
		`C:\own\other.yaml`:      "not ours",
		`C:\own\proxy.conf`:      "clientConnection:\n  kubeconfig: C:\\own\\proxy.kubeconfig\n",
	}), Options{Files: []string{`c:\ASKED\file.txt`}, Folders: []string{`C:\asked\folder`}},
		services, nil)

	want := []string{"10.conf", "a.toml", "containerd.toml", "hostdns.conf", "kube.conf",
		"kubelet.yaml", "net.json", "proxy.conf"}
	var got []string
	for p := range kept {
		got = append(got, path.Base(p))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("copied %q, want %q", got, want)
	}
	for p, outcome := range map[string]string{
		`c:\own\cni\sdnbridge.exe`: evidence.Absent, `c:\own\cni\azure-ipam.exe`: evidence.Absent,
		`c:\own\cni\other.exe`:    notCopied,
		`c:\own\proxy.kubeconfig`: evidence.Absent, `c:\asked\file.txt`: evidence.Absent,
		`c:\asked\folder`: evidence.Absent, `d:\x.ps1`: evidence.Absent,
	} {
		if r := records[p]; r.Outcome != outcome {
			t.Errorf("%s: got %+v, want %s", p, r, outcome)
		}
	}
}

func TestFilesThatAreNotCopied(t *testing.T) {
	kept, records := copiedFrom(t, onC(map[string]string{
		`C:\a\config`:     "x\n-----BEGIN RSA PRIVATE KEY-----\nabc\n",
		`C:\a\node.key`:   "key",
		`C:\a\large.json`: strings.Repeat("x", maxCopy+1),
		`C:\a\data`:       "a\x00b",
		`C:\a\fine.json`:  "{}",
		`C:\a\sub\x.json`: "{}",
		`C:\empty\sub\x`:  "",
	}), Options{Files: []string{`C:\a\CON`, `C:\a\fine.json:stream`, `C:\a\FINE.json`},
		Folders: []string{`C:\a`, `C:\empty`}}, nil, nil)
	if got := slices.Collect(maps.Keys(kept)); !slices.Equal(got, []string{"files/C/a/FINE.json"}) {
		t.Errorf("copied %q", got)
	}
	for p, want := range map[string]string{`c:\a\config`: holdsKey, `c:\a\node.key`: byName,
		`c:\a\large.json`: "larger than 1 MiB", `c:\a\data`: byName, `c:\empty`: emptyFolder} {
		if r := records[p]; r.Outcome != notCopied || r.Detail != want {
			t.Errorf("%s: %+v", p, r)
		}
	}
	for _, p := range []string{`c:\a\con`, `c:\a\fine.json:stream`} {
		if r := records[p]; r.Outcome != evidence.Error {
			t.Errorf("%s: %+v", p, r)
		}
	}
}

// Whoever looks for layers that were not removed must know that somebody listed them.
func TestLayersThatWereNotRemoved(t *testing.T) {
	const layers = `\io.containerd.snapshotter.v1.windows\snapshots`
	_, records := copiedFrom(t, onC(map[string]string{
		`C:\Program Files\containerd\config.toml`:   "root = 'C:\\data'\n",
		`C:\data` + layers + `\rm-12\Files\a`:       "",
		`C:\data` + layers + `\rm-12\Files\rm-1\a`:  "",
		`C:\data` + layers + `\7\Files\a`:           "",
		containerdRoot + layers + `\8\Files\rm-2\a`: "",
	}), Options{}, nil, nil)
	var got []string
	for p, r := range records {
		if strings.Contains(p, "snapshots") && r.Outcome == notCopied {
			got = append(got, p)
		}
	}
	slices.Sort(got)
	want := []string{`c:\data` + layers, `c:\data` + layers + `\rm-12`, strings.ToLower(containerdRoot + layers)}
	if !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
}

// What is there and cannot be read is recorded with what is known of it.
func TestFilesThatCannotBeRead(t *testing.T) {
	v := onC(map[string]string{`C:\k\azure-vnet.json.lock`: "1", `C:\k\config`: "x"})
	drive, _ := v("C")
	_, records := copiedFrom(t, func(string) (fs.FS, error) {
		return held{drive.(caseless)}, nil
	}, Options{}, nil, nil)
	for p, want := range map[string]string{`c:\k\azure-vnet.json.lock`: notCopied,
		`c:\k\config`: evidence.Denied, `c:\k\kubeconfig`: evidence.Absent} {
		if r := records[p]; r.Outcome != want ||
			!r.ModifiedAt.IsZero() != (want != evidence.Absent) {
			t.Errorf("%s: %+v", p, r)
		}
	}
}

// held is a drive with a file that another program holds and one that is not
// for everybody.
type held struct{ caseless }

func (h held) Open(name string) (fs.File, error) {
	switch name {
	case "k/azure-vnet.json.lock":
		return nil, errors.New(
			"the process cannot access the file because it is being used by another process")
	case "k/config":
		return nil, fs.ErrPermission
	}
	return h.caseless.Open(name)
}

// A reader of files.json must take what is there and not copied for there.
func TestRecordsDecodeAsTheyAreMeant(t *testing.T) {
	v := onC(map[string]string{`C:\a\node.key`: "key", `C:\a\fine`: "text"})
	r := tree.New()
	r.JSON("meta.json", map[string]string{"layout": evidence.Layout})
	c := newCopies(context.Background(), v, r.Add)
	c.folder(`C:\a`, 1)
	c.file(`C:\b`)
	r.JSON(evidence.FileIndex.Path(), c.list())
	s, err := evidence.Load(r.FS())
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]bool{`C:\a\node.key`: true, `C:\a\fine`: true, `C:\b`: false} {
		if there, known := s.File(p).Exists(); there != want || !known {
			t.Errorf("%s: exists %t, known %t", p, there, known)
		}
	}
}

func TestLinksAreFollowedOnTheirDriveOnly(t *testing.T) {
	drive := fstest.MapFS{"plain": {Data: []byte("plain")},
		"folder/inside": {Data: []byte("folder/inside")}}
	for name, target := range map[string]string{
		"relative": "folder/inside", "up/absolute": `C:\plain`, "up/relative": `..\plain`,
		"device": `\\?\C:\folder`, "up/root": `C:\`, "other": `D:\plain`,
		"share":  `\\server\share\x`,
		"volume": `\??\Volume{0000}\x`, "out": `..\..\..\etc\passwd`, "loop": "loop",
		"gone": "nowhere",
	} {
		drive[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
	}
	v := volumes(func(string) (fs.FS, error) { return linked{drive}, nil })
	for _, c := range []struct{ path, want string }{
		{`C:\plain`, "plain"}, {`C:\relative`, "folder/inside"}, {`C:\up\absolute`, "plain"},
		{`C:\up\relative`, "plain"}, {`C:\device\inside`, "folder/inside"},
		{`C:\up\root\plain`, "plain"},
		{`C:\other`, ""}, {`C:\share`, ""}, {`C:\volume`, ""}, {`C:\out`, ""}, {`C:\loop`, ""},
		{`C:\gone`, ""}, {`\\server\share\x`, ""},
	} {
		content, _, err := v.readVolume(c.path, 100)
		if string(content) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v", c.path, content, err)
		}
	}
}

// linked shows links as such, and never follows one itself.
type linked struct{ fstest.MapFS }

func (l linked) ReadLink(name string) (string, error) { return string(l.MapFS[name].Data), nil }

func (l linked) Lstat(name string) (fs.FileInfo, error) {
	if f := l.MapFS[name]; f != nil && f.Mode&fs.ModeSymlink != 0 {
		return linkInfo(name), nil
	}
	return l.MapFS.Stat(name)
}

type linkInfo string

func (l linkInfo) Name() string       { return path.Base(string(l)) }
func (l linkInfo) Size() int64        { return 0 }
func (l linkInfo) Mode() fs.FileMode  { return fs.ModeSymlink }
func (l linkInfo) ModTime() time.Time { return time.Time{} }
func (l linkInfo) IsDir() bool        { return false }
func (l linkInfo) Sys() any           { return nil }
