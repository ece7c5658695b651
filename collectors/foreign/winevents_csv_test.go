package foreign

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"doctor/checks/evidence"
)

func TestTimesOfExports(t *testing.T) {
	rows := func(stamps ...string) string {
		return "#TYPE Selected.System.Diagnostics.Eventing.Reader.EventLogRecord\r\n\"TimeCreated\",\"Message\"\r\n\"" + strings.Join(stamps, "\",\"x\"\r\n\"") + "\",\"x\"\r\n"
	}
	written := time.Date(2024, 9, 3, 10, 0, 0, 0, time.UTC)
	tests := []struct {
		name, csv string
		written   time.Time
		want      string
	}{
		{"in English, a day that can be no month",
			rows("8/20/2024 9:15:01 PM", "8/20/2024 12:15:01 AM"), time.Time{},
			"[2024-08-20T00:15:01Z 2024-08-20T21:15:01Z]"},
		{"in German", rows("20.08.2024 09:15:01", "19.08.2024 23:00:00"), time.Time{},
			"[2024-08-19T23:00:00Z 2024-08-20T09:15:01Z]"},
		{"in Chinese, the year first", rows("2024/8/9 9:15:01", "2024/8/8 下午 9:15:01"), time.Time{},
			"[2024-08-08T21:15:01Z 2024-08-09T09:15:01Z]"},
		{"two readings, one of them in order", rows("9/3/2024 9:15:01 AM", "8/4/2024 9:15:01 AM",
			"8/2/2024 9:15:01 AM"), time.Time{},
			"[2024-08-02T09:15:01Z 2024-08-04T09:15:01Z 2024-09-03T09:15:01Z]"},
		{"two readings in order, one of them up to when it was written",
			rows("9/3/2024 9:15:01 AM", "9/2/2024 9:15:01 AM"), written,
			"[2024-09-02T09:15:01Z 2024-09-03T09:15:01Z]"},
		{"two readings in order", rows("9/3/2024 9:15:01 AM", "9/2/2024 9:15:01 AM"), time.Time{},
			"[none none]"},
		{"no times at all", rows("yesterday", "today"), written, "[none none]"},
		{"the oldest first", rows("8/20/2024 9:15:01 AM", "8/21/2024 9:15:01 AM"), time.Time{},
			"[2024-08-20T09:15:01Z 2024-08-21T09:15:01Z]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events, cut := parseExport(bufio.NewReader(strings.NewReader(tt.csv)), tt.written)
			var got []string
			for _, e := range events {
				at := "none"
				if dated(e) {
					at = e.Time.Format(time.RFC3339)
				}
				got = append(got, at)
			}
			if fmt.Sprint(got) != tt.want || cut != "" {
				t.Errorf("times are %v (%s), want %s", got, cut, tt.want)
			}
		})
	}
}

func TestColumnsOfExports(t *testing.T) {
	tests := []struct{ name, csv, want, cut string }{
		{"Get-EventLog",
			"#TYPE System.Diagnostics.EventLogEntry#EKS/kubelet/0\r\n\"EventID\",\"MachineName\",\"Data\",\"Index\",\"EntryType\",\"Message\",\"Source\",\"TimeGenerated\"\r\n\"7\",\"W\",\"System.Byte[]\",\"1\",\"Information\",\"a\r\nb\",\"kubelet\",\"2024-08-20 09:15:01\"\r\n", "7|kubelet|Information|a\nb", ""},
		{"without a #TYPE line, parted by semicolons",
			"\"Id\";\"ProviderName\";\"Message\"\n\"7031\";\"Service Control Manager\";\"he said \"\"no\"\", twice\"\n", `7031|Service Control Manager||he said "no", twice`, ""},
		{"a row that breaks off", "\"Id\",\"Message\"\n\"1\",\"whole\"\n\"2\",\"bro", "1|||whole",
			"it breaks off after 1 events"},
		{"an error in place of it",
			"Get-WinEvent : No events were found that match the specified selection criteria.\n",
			"", "its first line names no column Message"},
		{"nothing", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events, cut := parseExport(bufio.NewReader(strings.NewReader(tt.csv)), time.Time{})
			got := ""
			for _, e := range events {
				got += fmt.Sprintf("%d|%s|%s|%s", e.ID, e.Provider, e.Level, e.Message)
			}
			if got != tt.want || cut != tt.cut {
				t.Errorf("got %q (%s), want %q (%s)", got, cut, tt.want, tt.cut)
			}
		})
	}
}

func FuzzExport(f *testing.F) {
	f.Add(eksKubeletCSV)
	f.Add("\"TimeCreated\";\"Message\"\n\"20.08.2024 09:15:01\";\"x\"\n")
	f.Add("#TYPE a\n#TYPE b\n\"Message\"\n\"")
	f.Fuzz(func(t *testing.T, s string) {
		events, _ := parseExport(bufio.NewReader(strings.NewReader(s)), collected)
		for _, e := range events {
			if dated(e) && !plausible(e.Time.Time) {
				t.Errorf("%q was read as %s", e.stamp, e.Time)
			}
		}
		export{events: events}.excerpt("System")
	})
}

func FuzzTables(f *testing.F) {
	for name, content := range aksFilesOf() {
		if strings.Contains(name, "cri-containerd") ||
			strings.HasPrefix(name, "kubectl-describe") || name == aksTranscript ||
			name == "processes.txt" || name == "disk-usage.txt" {
			f.Add(content)
		}
	}
	f.Add(eksImages("pause:1"))
	f.Add(eksFilesOf()["volumes"])
	f.Fuzz(func(t *testing.T, s string) {
		readCrictlImages(s)
		readCrictlPods(s)
		readCrictlContainers(s)
		images := readCtrImages(s)
		inUse := readCtrContainers(s)
		if p := pauseImage(inUse, images); p != "" && !isPause(p) {
			t.Errorf("%q is no pause image", p)
		}
		readDescribedNode(s)
		for _, e := range readDescribedEvents(s, collected) {
			if e["involvedObject"] == nil {
				t.Errorf("event %v is about nothing", e)
			}
		}
		tr := readTranscript(textFile{name: "t", content: s})
		tr.because("x")
		t1 := textFile{name: "f", content: s}
		for _, read := range []func(textFile) (any, string){
			func(t textFile) (any, string) { v, g := readDrives(t); return v, g.String() },
			func(t textFile) (any, string) {
				v, g := readProcesses(t)
				if v == nil {
					return nil, g.String()
				}
				return v, ""
			},
		} {
			if v, gap := read(t1); v == nil && gap == "" {
				t.Error("neither a value nor a reason")
			}
		}
		pageFiles(s)
	})
}

// FuzzCloudRecordings puts anything in the place of any file: a conversion makes a
// tree that loads, whatever it was given.
func FuzzCloudRecordings(f *testing.F) {
	for i := range 12 {
		f.Add(uint16(i*7), "Get-Thing : Access is denied.\r\n    + CategoryInfo : x")
		f.Add(uint16(i*7+3), "\xff\xfe\x00")
	}
	f.Fuzz(func(t *testing.T, which uint16, content string) {
		for _, m := range []fstest.MapFS{aksZip(t), eksZip(t)} {
			names := sortedKeysOf(m)
			m[names[int(which)%len(names)]].Data = []byte(content)
			nodes, err := Find(m)
			if err != nil || len(nodes) != 1 {
				t.Fatalf("%v, %v", nodes, err)
			}
			tree, err := nodes[0].Evidence(m)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := evidence.Load(tree); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func sortedKeysOf(m fstest.MapFS) []string { return slices.Sorted(maps.Keys(m)) }
