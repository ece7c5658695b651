package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

const onlyMeta = `{"layout":"evidence/v1","node":"win-9","collectedAt":"2026-11-20T10:02:31Z"}`

// diagnosed is a tree and its report as the program makes it.
func diagnosed(t testing.TB, fsys fs.FS, source checks.Source) (checks.Report, evidence.Snapshot) {
	t.Helper()
	s, err := evidence.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	s, _ = signs.Record(s, faults.Catalogue().Signs())
	return checks.Diagnose(s, faults.Catalogue(), source, checks.Program{Version: "v0.1.0"}), s
}

func recording(t testing.TB, name string) (checks.Report, evidence.Snapshot) {
	t.Helper()
	node, err := fixtures.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return diagnosed(t, node.FS(), checks.Source{Kind: "demo", Name: name, Format: evidence.Layout})
}

func issueOf(t testing.TB, r checks.Report, s evidence.Snapshot, about About) string {
	t.Helper()
	var b bytes.Buffer
	if err := Issue(&b, r, s, about); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func readmeOf(t testing.TB, r checks.Report, about About) string {
	t.Helper()
	var b bytes.Buffer
	if err := BundleReadme(&b, r, about); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var inBundle = About{Bundle: "win-1-20261120.zip", Version: "v0.1.0"}

var leftSome = About{Bundle: "win 1 (2).zip", Version: "v0.1.0", Masked: true, LeftOut: []LeftOut{
	{Path: "files/C/k/debug/server.etl", Reason: "a trace: secrets cannot be taken out of it"},
	{Path: "logs/containerd/containerd.log",
		Reason: "lines 4,001 to 911,213: larger than --max-size, and nothing was found in them"},
}}

const attackOnGitHub = attack +
	"-->\n/close\nhttp://e.example GH-7 kubernetes/kubernetes#12 </details>"

// forged is a node whose every text is written by somebody who wants to be read
// as something else.
func forged(with string) fstest.MapFS {
	text := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	evil := text(with)
	return fstest.MapFS{
		"meta.json": {Data: []byte(`{"layout":"evidence/v1","node":` +
			evil + `,"collectedAt":"2026-11-20T10:02:31Z"}`)},
		"os.json": {Data: []byte(`{"productName":` + evil +
			`,"build":20348,"edition":` + evil + `,"machine":{"manufacturer":` + evil + `}}`)},
		"services.json": {
			Data: []byte(`[{"name":"flanneld","state":"paused","startType":` + evil +
				`,"wrapper":` + evil + `,"binPath":` + evil + `},{"name":"csi-proxy","state":` +
				evil + `}]`)},
		"api/node.json": {Data: []byte(`{"metadata":{"name":` + evil +
			`,"labels":{"topology.kubernetes.io/region":` + evil + `}},"spec":{"providerID":` +
			evil + `},"status":{"nodeInfo":{"kubeletVersion":"v1.28.4","architecture":` + evil +
			`,"containerRuntimeVersion":` + evil + `}}}`)},
		"api/pods.json": {
			Data: []byte(
				`{"items":[{"metadata":{"name":"x","namespace":"y"},"spec":{"containers":[{"name":"a","image":"csi-flannel-kube-proxy` + strings.Trim(evil, `"`) + `"}]}}]}`)},
		"files/C/etc/cni/net.d/10-flannel.conf": {
			Data: []byte(
				"{\"name\":\"vxlan0\",\"type\":\"flannel\",\n\"delegate\":{\"type\":\"win-overlay\"} }\n````\n/close\n</details> @admin #1\n")},
		"logs/flanneld/flanneld.log": {
			Data: []byte("/assign @admin\n```\n/close\n</details><img src=x>\x1b[2J\n" +
				"E1120 Failed to find interface to use that matches the interfaces and/or regexes provided ```` @admin http://e.example\n/retitle x\n````\n# heading #1\n")},
	}
}

func TestIssue(t *testing.T) {
	for _, tt := range []struct {
		name  string
		about About
		of    func() (checks.Report, evidence.Snapshot)
	}{
		{"issue-flannel", inBundle, func() (checks.Report, evidence.Snapshot) {
			return recording(t, "podcidr-not-assigned")
		}},
		{"issue-cni", leftSome, func() (checks.Report, evidence.Snapshot) {
			return recording(t, "cni-config-invalid")
		}},
		{"issue-logs-only", inBundle, func() (checks.Report, evidence.Snapshot) {
			return recording(t, "flannel-interface-not-found-from-logs")
		}},
		{"issue-eks", inBundle, func() (checks.Report, evidence.Snapshot) {
			return recording(t, "eks-missing-private-ip")
		}},
		{"issue-healthy", inBundle, func() (checks.Report, evidence.Snapshot) {
			return recording(t, "healthy-azure-cni")
		}},
		{"issue-only-meta", About{}, func() (checks.Report, evidence.Snapshot) {
			return diagnosed(t, fstest.MapFS{"meta.json": {Data: []byte(onlyMeta)}},
				checks.Source{Kind: "directory", Name: "win-9"})
		}},
		{"issue-hostile", About{Bundle: attack, Version: attack,
			LeftOut: []LeftOut{{Path: attack, Reason: attack}}}, func() (checks.Report, evidence.Snapshot) {
			return diagnosed(t, forged(attackOnGitHub), checks.Source{Kind: "foreign", Name: attack,
				Format: attack})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, s := tt.of()
			text := issueOf(t, r, s, tt.about)
			golden(t, tt.name, []byte(text))
			checkIssue(t, text)
		})
	}
}

func TestBundleReadme(t *testing.T) {
	r, _ := recording(t, "podcidr-not-assigned")
	golden(t, "readme", []byte(readmeOf(t, r, inBundle)))
	golden(t, "readme-left-out", []byte(readmeOf(t, r, leftSome)))
	golden(t, "readme-empty", []byte(readmeOf(t, blank(), About{})))
	golden(t, "readme-hostile",
		[]byte(readmeOf(t, hostile(attack), About{Bundle: attack, Version: attack,
			LeftOut: []LeftOut{{Path: attack, Reason: attack}}})))
}

var mention = regexp.MustCompile(`(^|[^\w/])@\w`)

// withoutCode takes the code spans out of a line, as a page of GitHub finds them:
// a run of backticks up to the next run of that length, unless it is escaped.
func withoutCode(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			b.WriteString(line[i : i+2])
			i += 2
		case line[i] == '`':
			end := i
			for end < len(line) && line[end] == '`' {
				end++
			}
			ticks, rest := line[i:end], line[end:]
			closed := -1
			for j := 0; j < len(rest) && closed < 0; {
				k := j
				for k < len(rest) && rest[k] == '`' {
					k++
				}
				if k-j == len(ticks) {
					closed = k
				}
				j = max(k, j+1)
			}
			if closed < 0 {
				b.WriteString(ticks)
			}
			i = end + max(closed, 0)
		default:
			b.WriteByte(line[i])
			i++
		}
	}
	return b.String()
}

// checkIssue holds a text to what is true of every issue.
func checkIssue(t *testing.T, text string) {
	t.Helper()
	if len(text) > maxIssue {
		t.Errorf("the issue has %d bytes, more than %d", len(text), maxIssue)
	}
	if bad, ok := foreign([]byte(text), false); ok {
		t.Errorf("it holds %q", bad)
	}
	if !strings.HasSuffix(text, "\n/sig windows\n") {
		t.Error("it does not end with /sig windows")
	}
	if n := strings.Count(text, "\n### "); n != 10 {
		t.Errorf("it has %d fields, and the form has 10", n)
	}
	_, body, _ := strings.Cut(text, "-->\n")
	fenced := "" // the fence that is open
	folded := 0
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(strings.TrimSpace(line), "/") && line != "/sig windows" {
			t.Errorf("a bot takes this line for a command: %q", line)
		}
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fenced != "":
			if strings.TrimSpace(line) == strings.Repeat("`", len(line)) &&
				len(line) >= len(fenced) {
				fenced = ""
			}
			continue
		case len(ticks) >= 3:
			fenced = ticks
			continue
		}
		switch {
		case strings.HasPrefix(line, "<details><summary>") && strings.HasSuffix(line, "</summary>"):
			folded++
			line = strings.TrimSuffix(strings.TrimPrefix(line, "<details><summary>"), "</summary>")
		case line == "</details>":
			folded--
			continue
		}
		shown := strings.ReplaceAll(withoutCode(line), "<!-- -->", "\x00")
		for _, bad := range []string{"<", "://", "www."} {
			if strings.Contains(shown, bad) {
				t.Errorf("%q is not shown as it is: %q", bad, line)
			}
		}
		if mention.MatchString(shown) {
			t.Errorf("this line tells somebody of the issue: %q", line)
		}
	}
	if fenced != "" {
		t.Error("a code block has no end")
	}
	if folded != 0 {
		t.Error("what is folded away has no end")
	}
}

func TestNoIssueIsTooLongForGitHub(t *testing.T) {
	long := strings.Repeat("@ & < #1 http://x ", 200)
	r := hostile(long)
	for i := range 400 {
		add(&r, checks.Result{ID: fmt.Sprint("more-", i), Category: checks.CategoryNetwork,
			Status: checks.StatusFail,
			Findings: []checks.ReportFinding{found("fail", long,
				evidence.Because{Path: "logs/a.log", Line: 7, Text: long},
				evidence.Because{Path: long, Line: 7, Text: long})}})
		r.Causes = append(r.Causes, checks.Cause{ID: fmt.Sprint("more-", i),
			Consequences: strings.Fields(strings.Repeat("x ", 300))})
	}
	var left []LeftOut
	for range 2000 {
		left = append(left, LeftOut{Path: long, Reason: long})
	}
	_, s := diagnosed(t, forged(strings.Repeat("@ & < #1 http://x ", 200)), checks.Source{})
	text := issueOf(t, r, s, About{Bundle: long, Version: long, Masked: true, LeftOut: left})
	checkIssue(t, text)
	if !strings.Contains(text, "_Cut here to fit into an issue: ") {
		t.Error("it does not say that something was cut")
	}
}

func TestEvidenceIsQuotedWithWhatStandsAroundIt(t *testing.T) {
	var utf16 []byte
	for _, c := range "\ufeffone\r\ntwo /close\r\nthree\r\nfour\r\n" {
		utf16 = append(utf16, byte(c), byte(c>>8))
	}
	numbered := ""
	for n := range 100 {
		numbered += fmt.Sprintf("line %d\n", n+1)
	}
	_, s := diagnosed(t, fstest.MapFS{
		"meta.json":                {Data: []byte(onlyMeta)},
		"logs/kubelet/kubelet.log": {Data: utf16},
		"logs/x/long.log":          {Data: []byte(numbered)},
		"time.json": {
			Data: []byte(`{"service":"stopped","apiServerSkewMs":-94000}`)},
		"features.json": {Data: []byte(`[]`)},
		"services.json": {
			Data: []byte(
				`[{"name":"kubelet","state":"running"},{"name":"FlannelD","state":"paused","args":["--a"],"pid":7}]`)},
	}, checks.Source{})
	for _, tt := range []struct {
		name    string
		because []evidence.Because
		want    []string
	}{
		{"a log of any encoding", []evidence.Because{{Path: "logs/kubelet/kubelet.log", Line: 2,
			Text: "two /close  (and 4 more)", More: 4}},
			[]string{"logs/kubelet/kubelet.log", "      1 | one",
				">     2 | two /close  (and 4 more)", "      3 | three", "      4 | four"}},
		{"a log that is not there leaves the finding's own words",
			[]evidence.Because{{Path: "logs/gone.log", Line: 9, Text: "the line"}},
			[]string{"logs/gone.log", ">     9 | the line"}},
		{"a line that the file does not reach",
			[]evidence.Because{{Path: "logs/kubelet/kubelet.log", Line: 900, Text: "the line"}},
			[]string{"logs/kubelet/kubelet.log", ">   900 | the line"}},
		{"lines apart are shown apart",
			[]evidence.Because{{Path: "logs/x/long.log", Line: 50, Text: "line 50"},
				{Path: "logs/x/long.log", Line: 2, Text: "line 2"}},
			[]string{"logs/x/long.log", "      1 | line 1", ">     2 | line 2", "      3 | line 3",
				"      4 | line 4", "    ... |", "     45 | line 45", "     46 | line 46",
				"     47 | line 47", "     48 | line 48", "     49 | line 49", ">    50 | line 50",
				"     51 | line 51", "     52 | line 52"}},
		{"a field of an object",
			[]evidence.Because{{Path: "time.json", Field: "/apiServerSkewMs",
				Text: "the clock is wrong"}},
			[]string{"time.json", "        | the clock is wrong",
				"        | apiServerSkewMs = -94000"}},
		{"a field that the text quotes already",
			[]evidence.Because{{Path: "time.json", Field: "/service", Text: "service is stopped"}},
			[]string{"time.json", "        | service is stopped"}},
		{"a field that is not there",
			[]evidence.Because{{Path: "time.json", Field: "/source", Text: "no source"}},
			[]string{"time.json", "        | no source"}},
		{"the element of a list, without what the text says",
			[]evidence.Because{{Path: "services.json", Field: "/1/state",
				Text: "FlannelD: state paused"}},
			[]string{"services.json", ">   [1] | FlannelD: state paused", `        | pid: 7`}},
		{"two fields of one element", []evidence.Because{{Path: "services.json", Field: "/0/state",
			Text: "it runs"},
			{Path: "services.json", Field: "/0/name", Text: "it has a name"}},
			[]string{"services.json", ">   [0] | it runs",
				`        | name: "kubelet", state: "running"`,
				">   [0] | it has a name"}},
		{"an element of a file that is not there",
			[]evidence.Because{{Path: "events.json", Field: "/3/message", Text: "hns: gone"}},
			[]string{"events.json", ">   [3] | hns: gone"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := &quoter{s: s, left: maxQuoteAll}
			if got := q.lines(checks.ReportFinding{Because: tt.because}); strings.Join(got,
				"\n") != strings.Join(tt.want, "\n") {
				t.Errorf("it is quoted as\n%s\nand should be\n%s", strings.Join(got, "\n"),
					strings.Join(tt.want, "\n"))
			}
		})
	}
	var many []evidence.Because
	for n := range 60 {
		many = append(many, evidence.Because{Path: fmt.Sprint("logs/x/", n%7, ".log"), Line: n + 1,
			Text: "x"})
	}
	q := &quoter{s: s, left: maxQuoteAll}
	if n := len(q.lines(checks.ReportFinding{Because: many})); n > maxQuoted+7 {
		t.Errorf("a finding brings %d lines, more than %d and the names of 7 files", n, maxQuoted)
	}
	q = &quoter{s: s, left: 0}
	if got := q.lines(checks.ReportFinding{Because: []evidence.Because{{Path: "logs/x/long.log",
		Line: 2, Text: "own"}}}); strings.Join(got, "\n") != "logs/x/long.log\n>     2 | own" {
		t.Errorf("nothing may be read any more, and it is quoted as %q", got)
	}
}

func TestEveryRecordingGivesAnIssue(t *testing.T) {
	for i, name := range fixtures.Names() {
		if i%7 != 0 && testing.Short() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, s := recording(t, name)
			text := issueOf(t, r, s, inBundle)
			checkIssue(t, text)
			for _, c := range r.Causes {
				if !strings.Contains(text, "**`"+c.ID+"`**") {
					t.Errorf("the cause %s is not in the issue", c.ID)
				}
			}
		})
	}
}

func TestADocumentThatCannotBeWrittenIsAnError(t *testing.T) {
	r, s := recording(t, "healthy-eks")
	if err := Issue(brokenPipe{}, r, s, About{}); !errors.Is(err, errBroken) {
		t.Errorf("issue.md: the error is %v", err)
	}
	if err := BundleReadme(brokenPipe{}, r, About{}); !errors.Is(err, errBroken) {
		t.Errorf("README.txt: the error is %v", err)
	}
}

var errBroken = func() error { _, err := brokenPipe{}.Write(nil); return err }()

func FuzzEvidenceCannotReachTheIssue(f *testing.F) {
	f.Add(attack, "a\n/close\n````\n")
	f.Add("-->", "</details>\r\n/lgtm")
	f.Add("/close", "a")
	f.Add("GH-1 www.x.y a/b#1", "\xff\xfe/\x00c\x00")
	f.Fuzz(func(t *testing.T, text, log string) {
		node := forged(text)
		node["logs/x/x.log"] = &fstest.MapFile{Data: []byte(log)}
		node["files/C/etc/cni/net.d/05.conf"] = &fstest.MapFile{Data: []byte(log)}
		s, err := evidence.Load(node)
		if err != nil {
			t.Fatal(err)
		}
		r, about := hostile(text), About{Bundle: text, Version: text,
			LeftOut: []LeftOut{{Path: text, Reason: text}}}
		r.Results[0].Findings[0].Because = []evidence.Because{{Path: "logs/x/x.log", Line: 2,
			Text: text}, {Path: "services.json", Text: text}}
		checkIssue(t, issueOf(t, r, s, about))
		if bad, ok := foreign([]byte(readmeOf(t, r, about)), false); ok {
			t.Errorf("README.txt holds %q", bad)
		}
	})
}
