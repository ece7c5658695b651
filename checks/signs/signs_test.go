package signs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf16"

	"doctor/checks/evidence"
)

const meta = `{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}`

func record(t testing.TB, files map[string]string, list ...evidence.Sign) []evidence.SignMatch {
	t.Helper()
	tree := fstest.MapFS{"meta.json": {Data: []byte(meta)}}
	for path, text := range files {
		tree[path] = &fstest.MapFile{Data: []byte(text)}
	}
	s, err := evidence.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	s, problems := Record(s, list)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var all []evidence.SignMatch
	seen := map[string]bool{}
	for _, sign := range list {
		if !seen[sign.Check] {
			all = append(all, s.Signs(sign.Check)...)
			seen[sign.Check] = true
		}
	}
	return all
}

func utf16le(s string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return string(b)
}

func TestSignsAreFoundWhereverTheyStand(t *testing.T) {
	sign := evidence.Sign{Check: "podcidr-not-assigned", Text: "pod cidr not assigned"}
	const log = "I1120 09:57:59.1 start\nE1120 09:58:00.0 main.go:330] node \"win-1\" POD cidr not assigned\r\nend\nnode pod cidr not assigned again\n"
	for name, content := range map[string]string{
		"in a plain log, in any case":           log,
		"in UTF-16 as PowerShell writes it":     utf16le(log),
		"in the last line without a line break": strings.TrimSuffix(log, " again\n"),
		"behind a byte order mark":              "\xef\xbb\xbf" + log,
	} {
		t.Run(name, func(t *testing.T) {
			got := record(t, map[string]string{"logs/flanneld/flanneld.log": content}, sign)
			if len(got) != 1 {
				t.Fatalf("%d matches, want 1: %v", len(got), got)
			}
			m := got[0]
			if m.Line != 2 || m.More != 1 || !strings.Contains(m.Found, "POD cidr not assigned") ||
				strings.Contains(m.Found, "\r") {
				t.Errorf("match %+v", m)
			}
			if want := time.Date(2026, 11, 20, 9, 58, 0, 0, time.UTC); !m.Time.Equal(want) {
				t.Errorf("time %v, want %v", m.Time, want)
			}
		})
	}
}

func TestASignKeepsToItsPlace(t *testing.T) {
	files := map[string]string{
		"logs/kubelet/kubelet.log": "unknown flag: --network-plugin here\n",
		"events.json":              `[{"log":"System","provider":"SCM","time":"2026-11-20T09:00:00Z","message":"unknown flag: --network-plugin\nand more"}]`,
		"api/events.json":          `{"items":[{"reason":"Failed","message":"unknown flag: --network-plugin","involvedObject":{"name":"web"}}]}`,
		"api/pods.json":            `{"items":[{"metadata":{"name":"web"},"status":{"containerStatuses":[{"name":"c","state":{"waiting":{"reason":"X","message":"unknown flag: --network-plugin"}}}]}}]}`,
		"api/node.json":            `{"metadata":{"name":"win-1"},"status":{"conditions":[{"type":"Ready","status":"False","message":"unknown flag: --network-plugin"}]}}`,
	}
	in := evidence.InFile
	for in, want := range map[string]evidence.Place{
		"kubelet":            evidence.InLine("logs/kubelet/kubelet.log", 1),
		evidence.InEvents:    in("events.json").At(0),
		evidence.InPodEvents: in("api/events.json").At("items", 0),
		evidence.InPods: in("api/pods.json").At("items", 0, "status", "containerStatuses", 0,
			"state", "waiting",
			"message"),
		evidence.InNode: in("api/node.json").At("status", "conditions", 0),
	} {
		got := record(t, files, evidence.Sign{Check: "c", Text: "unknown flag:", In: []string{in}})
		if len(got) != 1 || got[0].Place() != want {
			t.Errorf("in %s: %+v, want one match at %v", in, got, want)
		}
	}
	if got := record(t, files, evidence.Sign{Check: "c", Text: "unknown flag:"}); len(got) != 5 {
		t.Errorf("everywhere: %d matches, want 5", len(got))
	}
}

func TestAllTextsOfASignMustStandInOneLine(t *testing.T) {
	sign := evidence.Sign{Check: "c", Text: "does not match the host", Also: []string{"Sandbox"}}
	got := record(t,
		map[string]string{
			"logs/kubelet/k.log": "the os does not match the host\nsandbox\nsandbox of web does not match the host\n"}, sign)
	if len(got) != 1 || got[0].Line != 3 || got[0].More != 0 {
		t.Errorf("%+v, want line 3 only", got)
	}
}

func TestATextInsideAnotherIsFoundToo(t *testing.T) {
	got := record(t, map[string]string{"logs/kubelet/k.log": "x: network not found here\n"},
		evidence.Sign{Check: "a", Text: "network not found"},
		evidence.Sign{Check: "b", Text: "not found"}, evidence.Sign{Check: "b", Text: "work not"})
	if len(got) != 3 {
		t.Errorf("%d matches, want all 3: %+v", len(got), got)
	}
}

// TestNothingHidesAtASeam puts the text at every place around the buffer's end, in one endless line.
func TestNothingHidesAtASeam(t *testing.T) {
	const text = "the text that betrays"
	for shift := -len(text) - 2; shift <= len(text)+2; shift++ {
		log := strings.Repeat("x", bufferSize+shift) + text + strings.Repeat("y", bufferSize)
		got := record(t, map[string]string{"logs/kubelet/k.log": log},
			evidence.Sign{Check: "c", Text: text})
		if len(got) != 1 || got[0].Line != 1 || len(got[0].Found) > maxLine+8 ||
			!strings.Contains(got[0].Found, text) {
			t.Fatalf("shift %d: %d matches", shift, len(got))
		}
	}
}

func TestTenThousandMatchesAreCounted(t *testing.T) {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "2026-11-20T09:%02d:%02dZ no network here\n", i/60%60, i%60)
	}
	got := record(t, map[string]string{"logs/kubelet/k.log": b.String()},
		evidence.Sign{Check: "c", Text: "no network here"})
	if len(got) != 1 || got[0].More != 9_999 || got[0].Line != 1 {
		t.Fatalf("%+v", got)
	}
	if got[0].Time.Minute() != 0 || got[0].Last.Minute() != 46 {
		t.Errorf("first %v, last %v", got[0].Time, got[0].Last)
	}
}

func TestALogThatCannotBeReadToItsEndIsNamed(t *testing.T) {
	s, err := evidence.Load(brokenFS{fstest.MapFS{"meta.json": {Data: []byte(meta)},
		"logs/kubelet/k.log": {Data: []byte("no network here\n")}}})
	if err != nil {
		t.Fatal(err)
	}
	s, problems := Record(s, []evidence.Sign{{Check: "c", Text: "no network here"}})
	if len(problems) != 1 || !strings.Contains(problems[0].String(), "logs/kubelet/k.log") {
		t.Errorf("problems %v", problems)
	}
	if len(s.Signs("c")) != 1 {
		t.Error("what was read before the error is lost")
	}
}

// brokenFS breaks off every log behind its content.
type brokenFS struct{ fs.FS }

func (b brokenFS) Open(name string) (fs.File, error) {
	f, err := b.FS.Open(name)
	if err == nil && strings.HasPrefix(name, "logs/kubelet/") {
		return brokenFile{f}, nil
	}
	return f, err
}

type brokenFile struct{ fs.File }

func (f brokenFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if err == io.EOF {
		err = errors.New("device not ready")
	}
	return n, err
}

func TestLineTime(t *testing.T) {
	now := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	for line, want := range map[string]string{
		`E1231 23:59:58.000001    1234 main.go:330] x`:                      "2025-12-31T23:59:58Z",
		`I0102 09:00:00.1 x`:                                                "2026-01-02T09:00:00Z",
		`time="2026-01-02T09:00:00.123456789Z" level=error msg=x`:           "2026-01-02T09:00:00Z",
		`time="2026-01-02T09:00:00.1+01:00" level=error msg=x`:              "2026-01-02T08:00:00Z",
		`2026/01/02 09:00:00 [cni] x`:                                       "2026-01-02T09:00:00Z",
		`2026-01-02 09:00:00,5 x`:                                           "2026-01-02T09:00:00Z",
		`7/25/2024 6:59:37 PM error while staging: x`:                       "2024-07-25T18:59:37Z", // rke2's service
		`07/25/2024 12:05:09 AM x`:                                          "2024-07-25T00:05:09Z",
		`25/07/2024 18:59:37 x`:                                             "2024-07-25T18:59:37Z",
		`25.07.2024 18:59:37 x`:                                             "2024-07-25T18:59:37Z",
		`01/12/2026 09:00:00 it would be in the future else`:                "0001-01-01T00:00:00Z",
		`02/01/2026 09:00:00 so would this with the month first`:            "2026-01-02T09:00:00Z",
		`05/06/2024 09:00:00 it may be either`:                              "0001-01-01T00:00:00Z",
		`Build Date: "2024-07-03T08:11:02Z"`:                                "0001-01-01T00:00:00Z", // Azure's CSI drivers
		`2026-01-02 09:00:00.5 [INFO] builddate="2025-01-01T10:00:00+0000"`: "2026-01-02T09:00:00Z",
		`no time at all`:                                                    "0001-01-01T00:00:00Z",
		`E1399 99:99:99 no time either`:                                     "0001-01-01T00:00:00Z",
	} {
		if got := evidence.LineTime(line, now).Format(time.RFC3339); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte("a line\npod cidr not assigned\n"))
	f.Add([]byte(utf16le("pod cidr not assigned\n")))
	f.Add([]byte("\x00\xff\xfe\n\n\n2026-99-99T99:99:99 pod cidr not assigned"))
	f.Fuzz(func(t *testing.T, log []byte) {
		for _, m := range record(t, map[string]string{"logs/x/y": string(log)},
			evidence.Sign{Check: "c", Text: "pod cidr"},
			evidence.Sign{Check: "c", Text: "cidr not"}) {
			if m.Line < 1 || m.More < 0 || strings.ContainsAny(m.Found, "\x1b\x07\n\r") {
				t.Errorf("%+v", m)
			}
		}
	})
}

func TestALogThatIsWithheldIsNamed(t *testing.T) {
	s, err := evidence.Load(fstest.MapFS{"meta.json": {Data: []byte(meta)},
		"logs/kubelet/k.log":       {Data: []byte("well\n")},
		"logs/kubelet/old.log.gap": {Data: []byte("denied: run as Administrator\n")},
		"logs/docker.gap":          {Data: []byte("absent: no log of docker was found\n")}})
	if err != nil {
		t.Fatal(err)
	}
	_, unsearched := Record(s, []evidence.Sign{{Check: "c", Text: "no network here"}})
	if len(unsearched) != 1 ||
		unsearched[0].String() != "logs/kubelet/old.log: denied: run as Administrator" {
		t.Errorf("unsearched is %v", unsearched)
	}
}
