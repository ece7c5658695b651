package session

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/collectors/tree"
)

const kubeletLog = "logs/kubelet/kubelet.log"

// logReading is a whole reading of a node whose kubelet has written log so far.
func logReading(log string) *Live {
	l := stagedReading("running")
	l.tree.Add(kubeletLog, tree.File{Size: int64(len(log)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }})
	return l
}

func TestAReadingKeepsWhatALogGot(t *testing.T) {
	const begin, end = "-----BEGIN RSA PRIVATE KEY-----\n", "-----END RSA PRIVATE KEY-----\n"
	key := strings.Repeat("MIIEowIBAAKCAQEAvT7gk2", 3) + "\n"
	long := strings.Repeat("a line before\n", mostContext/7)
	for _, row := range []struct {
		name       string
		logs       []string // at each reading
		want, lack string   // of the last
	}{
		{"the first time, its end", []string{"one\ntwo\n"}, "one\ntwo\n", ""},
		{"nothing new", []string{"one\n", "one\n"}, "", ""},
		{"the lines that came", []string{"one\ntwo\n", "one\ntwo\nthree\n"}, "three\n", "two"},
		{"a line that is not complete waits", []string{"one\n", "one\ntw", "one\ntwo\n"}, "two\n", "one"},
		{"of a long log", []string{long, long + "new\n"}, "new\n", "before"},
		{"all of a log that begins anew", []string{"one\ntwo\n", "x\n"}, "x\n", ""},
		{"all of one that is as long as the old", []string{"old\n" + strings.Repeat("old\n", 200),
			"new\n" + strings.Repeat("new\n", 300)}, "new\n", "old"},
		{"a secret", []string{"one\n", "one\nREGISTRY_PASSWORD=" + secretOfTest + "\n"},
			"REGISTRY_PASSWORD=", secretOfTest},
		{"a secret under a name that was there before", []string{"password:\n", "password:\n  " + secretOfTest + "\n"},
			"", secretOfTest},
		{"a key that began before", []string{long + begin + key, long + begin + key + key + end + "after\n"},
			"after\n", "MIIEow"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRecorder(t, 1)
			for _, log := range row.logs {
				if err := r.Record(t.Context(), logReading(log), checks.Report{}, true, nil); err != nil {
					t.Fatal(err)
				}
			}
			got := keptIn(t, r.newest, kubeletLog+linesName)
			if row.want == "" && row.lack == "" && got != "" || !strings.Contains(got, row.want) ||
				row.lack != "" && strings.Contains(got, row.lack) {
				t.Errorf("it keeps %.300q", got)
			}
		})
	}
}

// TestManyLogsFillSeveralReadings: a reading keeps a bounded part of them, and the next one goes on.
func TestManyLogsFillSeveralReadings(t *testing.T) {
	const logs = allLines/firstLines + 3
	from := tree.New()
	log := strings.Repeat("a line of a log\n", firstLines/16)
	for i := range logs {
		from.Add(fmt.Sprintf("logs/pods/%03d.log", i), tree.File{Content: []byte(log)})
	}
	r, kept := &Recorder{}, map[string]bool{}
	for reading := range 2 {
		size := 0
		for name, text := range r.newLines(from.FS(), func(b []byte, _ string) ([]byte, error) { return b, nil }) {
			if kept[name] {
				t.Errorf("reading %d keeps %s again", reading, name)
			}
			kept[name] = true
			size += len(text)
		}
		if size >= allLines+mostLines || size == 0 {
			t.Errorf("reading %d keeps %d bytes", reading, size)
		}
	}
	if len(kept) != logs {
		t.Errorf("two readings keep lines of %d logs of %d", len(kept), logs)
	}
}

func TestABundleHasTheLinesOfALogThatIsGone(t *testing.T) {
	r := newRecorder(t, 1)
	for _, log := range []string{"first\n", "first\nhcs::CreateComputeSystem failed\n", "rotated\n"} {
		if err := r.Record(t.Context(), logReading(log), checks.Report{}, true, nil); err != nil {
			t.Fatal(err)
		}
	}
	fail := Change{Change: Appeared, Was: checks.StatusPass, Is: checks.StatusFail}
	if err := r.Record(t.Context(), logReading("rotated\nmore\n"), checks.Report{}, true, []Change{fail}); err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(bundlesOf(t, r)[0])
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var lines strings.Builder
	for _, f := range z.File {
		if strings.Contains(f.Name, "/"+historyRoot) && strings.HasSuffix(f.Name, linesName) ||
			strings.HasPrefix(f.Name, historyRoot) && strings.HasSuffix(f.Name, linesName) {
			lines.WriteString(keptIn(t, bundlesOf(t, r)[0], f.Name))
		}
	}
	if got := lines.String(); got != "first\nhcs::CreateComputeSystem failed\nrotated\n" {
		t.Errorf("its earlier readings have the lines %q", got)
	}
}

// TestARecorderSurvivesAReboot records before and after another start of Windows, by two recorders.
func TestARecorderSurvivesAReboot(t *testing.T) {
	before, after := time.Now().UTC().Add(-48*time.Hour).Truncate(time.Second), time.Now().UTC().Truncate(time.Second)
	reading := func(booted time.Time, log string) *Live {
		l := logReading(log)
		l.tree.JSON("os.json", evidence.OS{Build: 20348, BootedAt: evidence.Time{Time: booted}})
		return l
	}
	r := newRecorder(t, 1)
	for _, log := range []string{"first\n", "first\nlast words\n"} {
		if err := r.Record(t.Context(), reading(before, log), checks.Report{}, true, nil); err != nil {
			t.Fatal(err)
		}
	}
	again := &Recorder{Folder: r.Folder, Keep: r.Keep, Bundles: 1, Tell: r.Tell, Until: r.Until}
	if _, err := again.Start(); err != nil {
		t.Fatal(err)
	}
	fail := Change{Change: Appeared, Was: checks.StatusPass, Is: checks.StatusFail}
	if err := again.Record(t.Context(), reading(after, "fresh\n"), checks.Report{}, true, []Change{fail}); err != nil {
		t.Fatal(err)
	}
	name := bundlesOf(t, again)[0]
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	boots, lines := map[string]bool{}, ""
	for _, f := range z.File {
		switch {
		case strings.HasSuffix(f.Name, "/os.json"), f.Name == "os.json":
			var os evidence.OS
			if err := json.Unmarshal([]byte(keptIn(t, name, f.Name)), &os); err != nil {
				t.Fatal(err)
			}
			boots[os.BootedAt.Format(time.RFC3339)] = true
		case strings.HasSuffix(f.Name, linesName):
			lines += keptIn(t, name, f.Name)
		}
	}
	if !boots[before.Format(time.RFC3339)] || !boots[after.Format(time.RFC3339)] {
		t.Errorf("the bundle has readings of the starts %v, want %v and %v", boots, before, after)
	}
	if !strings.Contains(lines, "last words") {
		t.Errorf("the bundle has the lines %q of before", lines)
	}
}

func keptIn(t *testing.T, name, file string) string {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if s, err := evidence.Load(z); err != nil || len(s.Paths()) == 0 {
		t.Fatalf("%v: %s is no recording", err, name)
	}
	f, err := z.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// FuzzLinesOfALog cuts a log at three places: what the readings keep together is the log.
func FuzzLinesOfALog(f *testing.F) {
	f.Add("one\ntwo\nthree\n", 2, 5)
	f.Fuzz(func(t *testing.T, log string, first, second int) {
		first, second = min(max(first, 0), len(log)), min(max(second, 0), len(log))
		if first > second {
			first, second = second, first
		}
		r, got := &Recorder{}, ""
		for _, end := range []int{first, second, len(log)} {
			t := tree.New()
			t.Add("logs/kubelet/k", tree.File{Size: int64(end), Open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(log[:end])), nil
			}})
			lines := r.newLines(t.FS(), func(b []byte, _ string) ([]byte, error) { return b, nil })
			got += string(lines["logs/kubelet/k"+linesName])
		}
		if want := log[:strings.LastIndex(log, "\n")+1]; got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}
