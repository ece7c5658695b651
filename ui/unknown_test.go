package ui

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"doctor/checks"
	"doctor/checks/evidence"
)

func TestUnknownChecksAreGroupedByWhatToDo(t *testing.T) {
	r := blank()
	r.Node.Name = "win-1"
	unknown := func(id string, gap evidence.Gap) {
		addMany(&r, checks.CategoryNode, checks.StatusUnknown, gap, "", id)
	}
	unknown("shown", evidence.NotShown.Gap("the MTU of any pod"))
	unknown("nodes", evidence.NotInRecording.Gap("api/node.json"))
	addMany(&r, checks.CategoryNode, checks.StatusPass, evidence.Gap{}, "", "pass")
	unknown("pods", evidence.NotInRecording.Gap("api/pods.json"))
	unknown("denied", evidence.NeedsAdministrator.Gap())
	unknown("no-reason", evidence.Gap{})
	unknown("malformed", evidence.Unreadable.Gap("cri.json", "line 3"))
	unknown("too-large", evidence.TooLargeToCopy.Gap("kubelet.log"))
	var all []int
	for i := range r.Results {
		all = append(all, i)
	}
	var got []string
	for _, g := range UnknownGroups(&r, all) {
		got = append(got, fmt.Sprint(g.Members, " ", g.Reason(nil), ". ", g.Advice(nil)))
	}
	want := []string{
		"[4] administrator rights are required. " +
			"Run doctor on the node as Administrator: `doctor`.",
		"[1 3] no Kubernetes objects were collected. Read them through the Kubernetes API, or " +
			"save them in the recording as api/KIND.json: `doctor --node win-1`, " +
			"`kubectl get KIND -A -o json`.",
		"[6] cri.json: line 3. Check why the file or the data could not be read.",
		"[7] kubelet.log is too large to copy. Check why the file or the data could not be read.",
		"[0 5] the recording does not show what the checks need. Open the check to see what is " +
			"missing; -o wide shows it for all checks.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	one := UnknownGroups(&r, []int{0})
	if s := one[0].Reason(nil); s != "this recording does not show the MTU of any pod" {
		t.Errorf("one check's own reason reads %q", s)
	}
	for _, g := range UnknownGroups(&r, all) {
		if slices.Index(byUse, g.Remedy) < 0 {
			t.Errorf("the remedy %q has no place in the order", g.Remedy)
		}
	}
}

func TestALogIsShownOnceOnly(t *testing.T) {
	r := blank()
	for _, source := range []string{"the log", "ipconfig"} {
		r.Gaps = append(r.Gaps, checks.EvidenceGap{Path: source, Gap: evidence.ToolOutput.OfKind(evidence.NotCollected,
			"%s shows %s%s; that is not all of %s: run `%s`, and give doctor its output too", source, "a line", "", "it", "doctor")})
	}
	if got, want := shownInPart(r, nil), []string{"ipconfig shows a line.", "the log shows a line."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	r.Causes = []checks.Cause{{ID: "hns-down"}} // whose evidence is a line of the log
	if got, want := shownInPart(r, nil), []string{"ipconfig shows a line."}; !slices.Equal(got, want) {
		t.Errorf("with a cause: got %q, want %q", got, want)
	}
}
