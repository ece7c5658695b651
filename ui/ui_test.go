package ui

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/fixtures/schema"
)

func TestAnUnknownFormatNamesTheFormats(t *testing.T) {
	err := Write(io.Discard, "yam\x1bl", blank(), Style{})
	if err == nil || !strings.Contains(err.Error(), "json, junit, markdown, openreports, text") ||
		strings.Contains(err.Error(), "\x1b") {
		t.Errorf("the error is %v", err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAWriterThatFailsIsReported(t *testing.T) {
	for _, format := range Formats() {
		if err := Write(brokenPipe{}, format, flannel(), Style{}); !errors.Is(err,
			io.ErrClosedPipe) {
			t.Errorf("%s: the error is %v", format, err)
		}
	}
}

func TestNoLineIsWiderThanThePage(t *testing.T) {
	for _, columns := range []int{40, 57, 60, 80, 100, 120} {
		for _, style := range []Style{{Width: columns}, {Width: columns, ASCII: true}} {
			for _, r := range []checks.Report{flannel(), healthy(), unseen(), blank()} {
				whole := commandsOf(r)
				for line := range strings.Lines(string(draw(t, "text", r, style))) {
					line = strings.TrimRight(line, "\n")
					if width(line) > columns && !slices.ContainsFunc(whole, func(c string) bool {
						return strings.Contains(line, c)
					}) {
						t.Errorf("width %d: this line takes %d columns: %s", columns, width(line),
							line)
					}
				}
			}
		}
	}
}

func commandsOf(r checks.Report) []string {
	var list []string
	for _, result := range r.Results {
		list = append(list, result.Fix.Commands()...)
	}
	return list
}

func TestColourChangesNoText(t *testing.T) {
	for _, columns := range []int{40, 80, 120} {
		plain := draw(t, "text", flannel(), Style{Width: columns})
		coloured := draw(t, "text", flannel(), Style{Width: columns, Colour: true})
		if !bytes.Contains(coloured, []byte("\x1b[")) {
			t.Errorf("width %d: nothing is coloured", columns)
		}
		if got := colours.ReplaceAll(coloured, nil); !bytes.Equal(got, plain) {
			t.Errorf("width %d: without its colours the page differs:\n%s", columns, got)
		}
	}
}

func TestTheLastLineIsTheVerdict(t *testing.T) {
	faultWithoutFix := blank()
	add(&faultWithoutFix, checks.Result{ID: "a-fault", Category: checks.CategoryNode,
		Status: checks.StatusFail})
	faultWithoutFix.Causes = []checks.Cause{{ID: "a-fault"}}
	orphan := blank()
	add(&orphan, checks.Result{ID: "a-fault", Category: checks.CategoryNode,
		Status: checks.StatusWarn})
	dark := blank()
	addMany(&dark, checks.CategoryNode, checks.StatusUnknown, evidence.NeedsAdministrator.Gap(), "",
		"a", "b")
	paste := dark
	paste.Unexplained = []checks.Unexplained{{Path: "logs/other/pasted.txt", Line: 3}, {Path: "b", Line: 1}}
	for _, tt := range []struct {
		name   string
		report checks.Report
		want   string
	}{
		{"errors of a paste are not called health", paste,
			"no check explains 2 error lines; read this one first: logs/other/pasted.txt:3"},
		{"a cause is mended by its first command that does more than look", flannel(),
			"fix first: Restart-Service flanneld   (podcidr-not-assigned)"},
		{"nothing is wrong", healthy(), "no fault found"},
		{"what could not be told is said", unseen(),
			"no fault found, but 14 checks could not run"},
		{"no check could run", dark, "no result: 2 checks could not run"},
		{"no check was selected", blank(), "nothing was looked at: no check was selected"},
		{"a cause without a remedy is named", faultWithoutFix, "look first at a-fault"},
		{"a fault that is no cause is not called health", orphan, "1 fault found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := strings.Split(strings.TrimSuffix(string(draw(t, "text", tt.report, Style{})),
				"\n"), "\n")
			if got := lines[len(lines)-1]; got != tt.want {
				t.Errorf("the last line is %q, not %q", got, tt.want)
			}
		})
	}
}

func TestTheFixInOneLine(t *testing.T) {
	look := &checks.Step{Kind: checks.StepInspect, Command: "Get-Service kubelet"}
	for _, tt := range []struct {
		name string
		fix  checks.Fix
		want string
	}{
		{"a look is passed over", checks.Steps(look,
			&checks.Step{Kind: checks.StepRun, Text: "Start it.", Command: "Start-Service kubelet"}),
			"Start-Service kubelet"},
		{"a change that has no command is what its text says", checks.Steps(look,
			&checks.Step{Kind: checks.StepRun, Text: "Move the machine."}), "Move the machine."},
		{"a change of a file names file and line", checks.Steps(look, &checks.Step{
			Kind: checks.StepEdit, Text: "Remove the comment.", File: `C:\k\a.conf`, Line: 22}),
			`Edit C:\k\a.conf line 22: Remove the comment.`},
		{"a file without a certain line", checks.Steps(&checks.Step{Kind: checks.StepEdit,
			Text: "Add the CIDR.", File: `C:\k\a.conf`}), `Edit C:\k\a.conf: Add the CIDR.`},
		{"where nothing changes anything, the first look", checks.Steps(look),
			"Get-Service kubelet"},
		{"no fix at all", checks.Fix{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.fix.InOneLine().String(); got != tt.want {
				t.Errorf("the fix in one line is %q, not %q", got, tt.want)
			}
		})
	}
}

func TestAFaultOutsideAllChainsIsShown(t *testing.T) {
	r := flannel()
	add(&r, checks.Result{ID: "left-out", Category: checks.CategoryNode, Status: checks.StatusFail,
		Findings: []checks.ReportFinding{found("fail",
			"nothing explains this, and nothing names it a cause")}})
	if text := string(draw(t, "text", r, Style{})); !strings.Contains(text, "✗ fail    left-out") {
		t.Errorf("the fault is not shown:\n%s", text)
	}
}

func TestGapsAreGroupedByReason(t *testing.T) {
	groups := GapGroups(flannel())
	var got []string
	for _, g := range groups {
		got = append(got, g.Reason(nil)+" / "+strings.Join(g.Paths, " ")+" / "+
			strings.Join(g.Checks, " "))
	}
	want := []string{
		"denied: run as Administrator / hns-endpoints.json hns-loadbalancers.json / hns-stale-endpoint hns-endpoint-duplicate-ip lb-policy-missing",
		"not-collected: not part of this recording / dns-client.json probes/dns.json / dns-service-unreachable dns-suffix-missing",
		"error: line 3: unexpected end of JSON input / cri.json / image-too-new",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the groups are\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestReportsKeepToTheSchema(t *testing.T) {
	validate := schema.Validators(t, Schema())("")
	bare := blank() // with every list nil, as a writer of reports may leave them
	bare.Causes, bare.Results, bare.Gaps = nil, nil, nil
	nils := flannel()
	nils.Results[0].Findings, nils.Results[0].Links = nil, nil
	for name, r := range map[string]checks.Report{"flannel": flannel(), "healthy": healthy(),
		"unseen": unseen(), "empty": blank(), "bare": bare, "nils": nils} {
		if err := validate(draw(t, "json", r, Style{})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheSchemaRefusesWhatIsNoReport(t *testing.T) {
	validate := schema.Validators(t, Schema())("")
	for name, spoil := range map[string]func(*checks.Report){
		"a status that does not exist": func(r *checks.Report) {
			r.Results[0].Status = "maybe"
		},
		"a fault without a finding": func(r *checks.Report) {
			r.Results[0].Status = checks.StatusFail
		},
		"a verdict of unknown without a gap": func(r *checks.Report) {
			r.Results[0].Status = checks.StatusUnknown
		},
		"a skip without a reason": func(r *checks.Report) {
			r.Results[0].Status = checks.StatusSkip
		},
		"a category that does not exist": func(r *checks.Report) {
			r.Results[0].Category = "weather"
		},
		"a source that does not exist": func(r *checks.Report) { r.Source.Kind = "hearsay" },
		"an id that is no id": func(r *checks.Report) {
			r.Causes[0].ID = "Pod CIDR"
		},
		"a finding without evidence": func(r *checks.Report) {
			r.Result("podcidr-not-assigned").Findings[0].Because = nil
		},
		"a gap without its kind":  func(r *checks.Report) { r.Gaps[0].Reason = "no idea" },
		"a format of another age": func(r *checks.Report) { r.Schema = "doctor.report/v0" },
	} {
		r := flannel()
		spoil(&r)
		if validate(draw(t, "json", r, Style{})) == nil {
			t.Errorf("%s was let through", name)
		}
	}
}

func TestJSONLosesNothing(t *testing.T) {
	r := blank()
	r.Node.Name = `节点 <a> & 😀 \u003c \\u003e "quoted"`
	doc := draw(t, "json", r, Style{ASCII: true})
	if i := bytes.IndexFunc(doc, func(r rune) bool {
		return r > 0x7e || r < 0x20 && r != '\n'
	}); i >= 0 {
		t.Errorf("byte %d is %q", i, doc[i])
	}
	var back struct{ Node checks.NodeFacts }
	if err := json.Unmarshal(doc, &back); err != nil || back.Node.Name != r.Node.Name {
		t.Errorf("the name came back as %q (%v)", back.Node.Name, err)
	}
	if !bytes.Contains(doc, []byte(`<a> & \ud83d\ude00`)) {
		t.Errorf("not readable: %s", doc)
	}
}

func TestJUnitIsXMLWithItsCountsRight(t *testing.T) {
	for name, r := range map[string]checks.Report{"flannel": flannel(),
		"hostile": hostile(attack + "]]>")} {
		var back junitSuites
		if err := xml.Unmarshal(draw(t, "junit", r, Style{}), &back); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		cases, failures, skipped, announced := 0, 0, 0, 0
		for _, s := range back.Suites {
			cases, announced = cases+len(s.Cases), announced+s.Skipped
			for _, c := range s.Cases {
				if c.Failure != nil {
					failures++
				}
				if c.Skipped != nil {
					skipped++
				}
			}
		}
		if cases != len(r.Results) || back.Tests != cases || back.Failures != failures ||
			announced != skipped {
			t.Errorf("%s: %d cases with %d failures and %d skipped, announced as %d, %d and %d",
				name, cases, failures, skipped, back.Tests, back.Failures, announced)
		}
		explained := 0
		for _, result := range r.Results {
			if result.Status == checks.StatusFail && len(causesOf(r, result.ID)) > 0 {
				explained++
			}
		}
		if want := r.Count(checks.StatusFail) - explained; failures != want {
			t.Errorf("%s: %d failures, not %d", name, failures, want)
		}
		if want := r.Count(checks.StatusUnknown) + r.Count(checks.StatusSkip) +
			explained; skipped != want {
			t.Errorf("%s: %d skipped, not %d", name, skipped, want)
		}
	}
}

func TestMarkdownShowsEvidenceAsItIs(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a plain sentence stays readable", "the node is NotReady (12 s)",
			"the node is NotReady (12 s)"},
		{"emphasis and links", "*a* [b](c) _d_", `\*a\* \[b\](c) \_d\_`},
		{"HTML", `<img src=x>&lt;`, "&lt;img src=x&gt;&amp;lt;"},
		{"a mention of a person", "ask @admin", "ask @<!-- -->admin"},
		{"a mention of a ticket", "see #12", "see #<!-- -->12"},
		{"a heading", "# big", `\# big`},
		{"a list", "- item", `\- item`},
		{"a numbered list", "12. item", `12\. item`},
		{"a rule", "=== x", `\=== x`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := inline(tt.in); got != tt.want {
				t.Errorf("%q became %q, not %q", tt.in, got, tt.want)
			}
		})
	}
	if got := fence("text", []string{"a ```` b"}); !strings.HasPrefix(got, "`````text\n") ||
		!strings.HasSuffix(got, "\n`````\n") {
		t.Errorf("the fence is %q", got)
	}
	if got, want := code("`x`"), "`` `x` ``"; got != want {
		t.Errorf("the code span is %q, not %q", got, want)
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		name, in    string
		first, rest int
		want        []string
	}{
		{"words stay whole", "one two three", 7, 7, []string{"one two", "three"}},
		{"a first line without room stays empty", "three", 3, 7, []string{"", "three"}},
		{"a word that no line holds is cut", "aaaaaaaaaa", 4, 4, []string{"aaaa", "aaaa", "aa"}},
		{"a wide character is never halved", "中文中文", 5, 5, []string{"中文", "中文"}},
		{"no text is one empty line", "  ", 5, 5, []string{""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Wrap(tt.in, tt.first, tt.rest); !slices.Equal(got, tt.want) {
				t.Errorf("%q became %q, not %q", tt.in, got, tt.want)
			}
		})
	}
	// Wrapping costs no more than the length of the text: this takes minutes otherwise.
	if got, want := len(Wrap(strings.Repeat("a", 4<<20), 64, 64)), 4<<20/64; got != want {
		t.Errorf("a word of 4 MiB takes %d lines, not %d", got, want)
	}
}

func TestPlain(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		ascii    bool
		want     string
	}{
		{"one line is made of several", "a\nb\tc", false, "a b c"},
		{"what is not ASCII is spelt out", "节点 x…", true, `\u{8282 70b9} x...`},
		{"Latin letters with accents are not ASCII", "große", true, `gro\u{df}e`},
		{"what turns the direction of writing goes", "a\u202eb", false, "ab"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Plain(tt.in, tt.ascii); got != tt.want {
				t.Errorf("%q became %q, not %q", tt.in, got, tt.want)
			}
		})
	}
}

// foreign finds a byte that has no business in an output.
func foreign(doc []byte, ascii bool) (rune, bool) {
	for len(doc) > 0 {
		r, size := utf8.DecodeRune(doc)
		if r == utf8.RuneError && size == 1 || unicode.IsControl(r) && r != '\n' || ascii &&
			r >= 0x80 {
			return r, true
		}
		doc = doc[size:]
	}
	return 0, false
}

func FuzzEvidenceCannotReachTheTerminal(f *testing.F) {
	f.Add(attack, 80)
	f.Add("\u009b31m", 40)
	f.Add("größer als \u00a0 ÿ", 60)
	f.Add("中文中文中文中文中文中文中文中文中文中文中文中文中文中文中文", 41)
	f.Add(strings.Repeat("a", 500)+"\ufe0f\u0301", 120)
	f.Fuzz(func(t *testing.T, s string, columns int) {
		r := hostile(s)
		for _, format := range Formats() {
			for _, ascii := range []bool{false, true} {
				doc := draw(t, format, r, Style{Width: columns, ASCII: ascii})
				if bad, ok := foreign(doc, ascii); ok {
					t.Errorf("%s holds %q:\n%q", format, bad, doc)
				}
			}
		}
		if doc := draw(t, "text", r, Style{Width: columns, Colour: true}); bytes.Count(doc,
			[]byte("\x1b")) != len(colours.FindAll(doc, -1)) {
			t.Errorf("an escape sequence that is no colour:\n%q", doc)
		}
		var back any
		if err := json.Unmarshal(draw(t, "json", r, Style{}), &back); err != nil {
			t.Error(err)
		}
		if err := xml.Unmarshal(draw(t, "junit", r, Style{}), new(junitSuites)); err != nil {
			t.Error(err)
		}
	})
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")
