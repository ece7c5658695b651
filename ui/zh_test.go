package ui

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
	"doctor/ui/lang"
)

// recordedReport is the diagnosis of a demo.
func recordedReport(t testing.TB, name string) checks.Report {
	t.Helper()
	r, err := fixtures.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Load(r.FS())
	if err != nil {
		t.Fatal(err)
	}
	s, _ = signs.Record(s, faults.Catalogue().Signs())
	return checks.Diagnose(s, faults.Catalogue(), checks.Source{Kind: "demo", Name: name,
		Format: evidence.Layout}, checks.Program{Version: "v0"})
}

func TestChineseText(t *testing.T) {
	zh := lang.Of("zh", faults.Catalogue())
	r := recordedReport(t, "kubelet-removed-flag")
	golden(t, "zh-text-40", draw(t, "text", r, Style{Width: 40, Lang: zh}))
	golden(t, "zh-text-80", draw(t, "text", r, Style{Width: 80, Lang: zh}))
	golden(t, "zh-healthy-40", draw(t, "text", healthy(), Style{Width: 40, Lang: zh}))
	golden(t, "zh-unseen-80", draw(t, "text", unseen(), Style{Width: 80, Lang: zh}))
}

func TestChineseExplain(t *testing.T) {
	zh := lang.Of("zh", faults.Catalogue())
	for name, width := range map[string]int{"zh-explain-40": 40, "zh-explain-80": 80} {
		var b bytes.Buffer
		if err := Explain(&b, faults.Catalogue(), faults.Catalogue().ByID("hns-network-missing"),
			Style{Width: width, Lang: zh}); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
	var b bytes.Buffer
	if err := Catalogue(&b, shelf, Style{Width: 40, Lang: zh}); err != nil {
		t.Fatal(err)
	}
	golden(t, "zh-catalogue-40", b.Bytes())
}

// TestChineseLinesFit: a Chinese character is two columns wide, and what is
// not a command or a link never runs over the edge.
func TestChineseLinesFit(t *testing.T) {
	zh := lang.Of("zh", faults.Catalogue())
	for _, name := range []string{"kubelet-removed-flag", "pod-field-unsupported",
		"hns-lb-missing-or-stale", "cni-config-invalid"} {
		r := recordedReport(t, name)
		for _, columns := range []int{40, 60, 80} {
			for line := range strings.Lines(string(draw(t, "text", r,
				Style{Width: columns, Lang: zh}))) {
				line = strings.TrimSuffix(line, "\n")
				if strings.HasPrefix(line, "先处理") || !strings.ContainsFunc(line, isHan) {
					continue // a command is copied from the screen, and so never broken
				}
				if width(line) > columns {
					t.Errorf("%s at %d columns: a line of %d: %s", name, columns, width(line), line)
				}
			}
		}
	}
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

func TestChineseBreaksWhereAReaderWould(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		columns    int
		want       []string
	}{
		{"between characters", "节点没有页面文件", 6, []string{"节点没", "有页面", "文件"}},
		{"no line begins with a mark that closes", "节点没，有页面", 6, []string{"节点", "没，有", "页面"}},
		{"no line ends with a mark that opens", "节点（没有）", 6, []string{"节点", "（没", "有）"}},
		{"a Latin word stays whole", "由 kubelet 上报", 8, []string{"由", "kubelet", "上报"}},
		{"spaces beside Latin words stay", "由 kubelet 上报", 40, []string{"由 kubelet 上报"}},
		{"nothing is put between what stood together", "kubelet的日志", 40, []string{"kubelet的日志"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Wrap(tt.text, tt.columns, tt.columns); !slices.Equal(got, tt.want) {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestMachinesReadEnglish: what programs read is the same in every language,
// and a terminal without Chinese letters is written to in English.
func TestMachinesReadEnglish(t *testing.T) {
	r := recordedReport(t, "kubelet-removed-flag")
	for _, format := range []string{"json", "junit", "markdown"} {
		if !bytes.Equal(draw(t, format, r, Style{}),
			draw(t, format, r, Style{Lang: lang.Of("zh", faults.Catalogue())})) {
			t.Errorf("%s changes with the language", format)
		}
	}
	if !bytes.Equal(draw(t, "text", r, Style{ASCII: true}),
		draw(t, "text", r, Style{ASCII: true, Lang: lang.Of("zh", faults.Catalogue())})) {
		t.Error("ASCII cannot spell Chinese, and is to stay English")
	}
}
