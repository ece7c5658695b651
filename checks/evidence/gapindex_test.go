package evidence

import (
	"strings"
	"testing"
)

func TestAnIndexSaysWhatAGapFileMeans(t *testing.T) {
	s := snapshot(t, map[string]string{
		"hns-networks.json.gap":  "denied: may not look; `doctor explain rbac` prints the required role",
		"hns-endpoints.json.gap": "timeout: edited by hand",
		"memory.json.gap":        "error: a newer doctor says it so",
		"routes.json.gap":        "not-collected: not shown",
		"time.json.gap":          "error: too many arguments",
		"os.json":                `{"build":20348}`,
		"gaps.json": `{
			"HNS-networks.json": {"kind":"denied","code":"not-authorized","args":["list","pods\u001b[31m","no"]},
			"hns-endpoints.json": {"kind":"denied","code":"needs-administrator"},
			"memory.json": {"kind":"error","code":"code-of-the-future","args":["x"]},
			"routes.json": {"kind":"not-collected","code":"not-shown","args":["the account of %s and %[7]s","svc"]},
			"time.json": {"kind":"error","code":"reported","args":["1","2","3","4","5","6","7"]},
			"os.json": {"kind":"denied","code":"needs-administrator"},
			"disks.json": {"kind":"denied","code":"needs-administrator"}}`,
	})
	for _, row := range []struct {
		name string
		gap  Gap
		want Gap
		line string
	}{
		{"the code is known again, in any case of the path, and its arguments are clean",
			HNSNetworks.Gap(s), NotAuthorized.Gap("list", "pods", "no"),
			"denied: may not list pods: no; `doctor explain rbac` prints the required role"},
		{"a line of another kind was edited and counts", HNSEndpoints.Gap(s),
			AsRecorded.OfKind(Timeout, "edited by hand"), "timeout: edited by hand"},
		{"a code of another version leaves the line", MemoryInfo.Gap(s),
			AsRecorded.OfKind(Error, "a newer doctor says it so"),
			"error: a newer doctor says it so"},
		{"a phrase with more holes than arguments has empty ones", Routes.Gap(s),
			NotShown.Gap("the account of %s and %[7]s", "svc"),
			"not-collected: this recording does not show the account of svc and "},
		{"a record with too many arguments is none", TimeService.Gap(s),
			AsRecorded.OfKind(Error, "too many arguments"), "error: too many arguments"},
		{"evidence that is there has no gap", OSInfo.Gap(s), Gap{}, ""},
		{"an index without the .gap file says nothing", Disks.Gap(s),
			NotInRecording.Gap("disks.json"), "not-collected: this recording contains no disks.json"},
	} {
		if row.gap.Kind != row.want.Kind || row.gap.Code != row.want.Code ||
			row.gap.String() != row.line {
			t.Errorf("%s: %+v, %q", row.name, row.gap, row.gap)
		}
	}
	records := s.GapRecords()
	if len(records) != 2 || records["hns-networks.json"].Code != NotAuthorized ||
		records["routes.json"].Code != NotShown {
		t.Errorf("whoever writes the tree anew writes %v", records)
	}
}

func TestABrokenIndexLeavesTheLines(t *testing.T) {
	s := snapshot(t, map[string]string{"gaps.json": `{"a": [`, "routes.json.gap": "denied: no"})
	if got := Routes.Gap(s); got != AsRecorded.OfKind(Denied, "no") {
		t.Errorf("%+v", got)
	}
}

func TestEveryCodeHasItsSentence(t *testing.T) {
	for code, w := range codes {
		n := len(Holes(w.text))
		if w.text == "" || n > maxGapArgs || w.phrase && n == 0 || strings.ContainsAny(string(code),
			" _ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			t.Errorf("%s: %+v", code, w)
		}
	}
	if got := (Gap{Kind: Denied, Code: NeedsAdministrator}).Remedy(); got != Elevate {
		t.Error(got)
	}
}

func TestHolesAreThoseOfFmt(t *testing.T) {
	for format, want := range map[string]string{
		"%s and %q":         "a and \"b\"",
		"%[2]s of %[1]s, %": "b of a, %",
		"100 %% of %.1s":    "100 % of a",
		"%[0]s %[x]s %":     "%[0]s %[x]s %",
		"%[2]s %s":          "b c",
	} {
		if got := Fill(format, texts(format, []any{"a", "b", "c"})); got != want {
			t.Errorf("%q: %q, want %q", format, got, want)
		}
	}
}
