package ui

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"doctor/checks"
)

func TestJUnitReportsOneFailurePerCause(t *testing.T) {
	fault := func(id string, status checks.Status) checks.Result {
		return checks.Result{ID: id, Category: checks.CategoryNode, Status: status,
			Findings: []checks.ReportFinding{found(string(status), "finding of "+id)}}
	}
	for _, row := range []struct {
		name    string
		causes  []checks.Cause
		results []checks.Result
		want    map[string]string // failed cases, with their type
	}{
		{"a cause and what follows from it are one failure",
			[]checks.Cause{{ID: "cause", Consequences: []string{"next", "last"}}},
			[]checks.Result{fault("cause", checks.StatusFail), fault("next", checks.StatusFail),
				fault("last", checks.StatusWarn)},
			map[string]string{"cause": "fail"}},
		{"a warning alone is no failure",
			[]checks.Cause{{ID: "cause"}},
			[]checks.Result{fault("cause", checks.StatusWarn)},
			map[string]string{}},
		{"a warning from which a fail follows is the failure",
			[]checks.Cause{{ID: "cause", Consequences: []string{"next"}}},
			[]checks.Result{fault("cause", checks.StatusWarn), fault("next", checks.StatusFail)},
			map[string]string{"cause": "warn"}},
		{"fails that explain each other stay failures", nil,
			[]checks.Result{fault("chicken", checks.StatusFail), fault("egg", checks.StatusFail)},
			map[string]string{"chicken": "fail", "egg": "fail"}},
		{"two causes of one consequence are two failures",
			[]checks.Cause{{ID: "cause", Consequences: []string{"next"}},
				{ID: "other", Consequences: []string{"next"}}},
			[]checks.Result{fault("cause", checks.StatusFail), fault("other", checks.StatusFail),
				fault("next", checks.StatusFail)},
			map[string]string{"cause": "fail", "other": "fail"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := blank()
			r.Causes = row.causes
			for _, result := range row.results {
				add(&r, result)
			}
			var doc junitSuites
			if err := xml.Unmarshal(draw(t, "junit", r, Style{}), &doc); err != nil {
				t.Fatal(err)
			}
			failed, text := map[string]string{}, map[string]string{}
			for _, c := range doc.Suites[0].Cases {
				if c.Failure != nil {
					failed[c.Name], text[c.Name] = c.Failure.Type, c.Failure.Text
				}
			}
			if diff := cmp.Diff(row.want, failed); diff != "" {
				t.Error(diff)
			}
			if doc.Failures != len(row.want) {
				t.Errorf("the document counts %d failures, want %d", doc.Failures, len(row.want))
			}
			for _, c := range row.causes {
				for _, id := range c.Consequences {
					if _, is := failed[c.ID]; is &&
						!strings.Contains(text[c.ID], "finding of "+id) {
						t.Errorf("the failure of %s does not say what follows: %s", c.ID, id)
					}
				}
			}
			for _, c := range doc.Suites[0].Cases {
				result := r.Result(c.Name)
				if _, is := failed[c.Name]; !is && result.Status == checks.StatusFail &&
					(c.Skipped == nil || !strings.Contains(c.Skipped.Message,
						"explained by "+row.causes[0].ID)) {
					t.Errorf("%s does not name the cause that explains it", c.Name)
				}
			}
		})
	}
}

// junitShape is what an element of JUnit XML may hold, for the readers that check it: Jenkins
// (https://plugins.jenkins.io/xunit, "JUnit") and Maven Surefire
// (https://maven.apache.org/surefire/maven-surefire-plugin/xsd/surefire-test-report.xsd), which
// knows neither testsuites nor hostname. An attribute with a ! is required; elements keep this order.
var junitShape = map[string]struct{ inside, attributes, elements string }{
	"testsuites": {"", "name tests failures errors time", "testsuite"},
	"testsuite": {"testsuites", "name! tests! failures! errors! skipped! time timestamp hostname",
		"testcase"},
	"testcase": {"testsuite", "name! time! classname",
		"failure skipped error system-out system-err"},
	"failure":    {"testcase", "message type", ""},
	"error":      {"testcase", "message type", ""},
	"skipped":    {"testcase", "message", ""},
	"system-out": {"testcase", "", ""},
	"system-err": {"testcase", "", ""},
}

var junitValues = map[string]*regexp.Regexp{
	"tests": digits, "failures": digits, "errors": digits, "skipped": digits,
	"time":      regexp.MustCompile(`^\d+(\.\d+)?$`),
	"timestamp": regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`),
	"name":      regexp.MustCompile(`\S`),
}

var digits = regexp.MustCompile(`^\d+$`)

// misshapen says what a build server refuses in a document.
func misshapen(document []byte) error {
	var open []string // elements
	order := []int{0} // which of its parent's elements the last one was
	d := xml.NewDecoder(bytes.NewReader(document))
	for {
		token, err := d.Token()
		if err == io.EOF && len(open) == 0 {
			return nil
		} else if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			name, parent := token.Name.Local, ""
			shape, known := junitShape[name]
			if len(open) > 0 {
				parent = open[len(open)-1]
				at := slices.Index(strings.Fields(junitShape[parent].elements), name)
				if at < order[len(order)-1] {
					return fmt.Errorf("%s has %s, or has it too late", parent, name)
				}
				order[len(order)-1] = at
			}
			if !known || parent != shape.inside {
				return fmt.Errorf("%q has %s", parent, name)
			}
			given := map[string]bool{}
			for _, a := range token.Attr {
				given[a.Name.Local] = true
				if !slices.Contains(strings.Fields(strings.ReplaceAll(shape.attributes, "!", "")),
					a.Name.Local) {
					return fmt.Errorf("%s has the attribute %s", name, a.Name.Local)
				}
				if value := junitValues[a.Name.Local]; value != nil && !value.MatchString(a.Value) {
					return fmt.Errorf("%s of %s is %q", a.Name.Local, name, a.Value)
				}
			}
			for _, attribute := range strings.Fields(shape.attributes) {
				if required, is := strings.CutSuffix(attribute, "!"); is && !given[required] {
					return fmt.Errorf("%s lacks %s", name, required)
				}
			}
			open, order = append(open, name), append(order, 0)
		case xml.EndElement:
			open, order = open[:len(open)-1], order[:len(order)-1]
		case xml.CharData:
			if text := strings.TrimSpace(string(token)); text != "" &&
				(len(open) == 0 || junitShape[open[len(open)-1]].elements != "") {
				return fmt.Errorf("%v has the text %q", open, text)
			}
		}
	}
}

func TestBuildServersReadTheJUnit(t *testing.T) {
	documents := map[string][]byte{"no results": draw(t, "junit", checks.Report{}, Style{}),
		"a fleet": []byte(fleetAs(t, "junit", fleetOf20(), Style{}))}
	for name, r := range map[string]checks.Report{"flannel": flannel(), "healthy": healthy(),
		"hostile": hostile(attack + "]]>")} {
		documents[name] = draw(t, "junit", r, Style{})
	}
	for name, document := range documents {
		if err := misshapen(document); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := string(documents["flannel"])
	for _, row := range []struct{ name, old, new string }{
		{"a count of skipped cases over all suites", "<testsuites ", `<testsuites skipped="1" `},
		{"a count that is no number", ` failures="`, ` failures="x`},
		{"a suite without a name", `<testsuite name=`, `<testsuite hostname=`},
		{"a time zone", `:31" tests`, `:31Z" tests`},
		{"an element that no reader knows", "<testsuite ", "<note/><testsuite "},
		{"a case outside of a suite", "</testsuites>", `<testcase name="a" time="0"/></testsuites>`},
		{"text between elements", "</testsuites>", "text</testsuites>"},
		{"a failure behind its output", "<failure ", "<system-out></system-out><failure "},
		{"an end that is missing", "</testsuites>", ""},
	} {
		bad := strings.Replace(good, row.old, row.new, 1)
		if bad == good {
			t.Errorf("%s: the sample has no %s", row.name, row.old)
		} else if misshapen([]byte(bad)) == nil {
			t.Errorf("%s is not noticed", row.name)
		}
	}
}
