package timeline

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEntriesAreFoundByTextAndComponent(t *testing.T) {
	tl := staged{files: map[string]string{"events.json": jsonList(
		windows("09:00:00", "nssm", 1, "error", "kubelet ended"), windows("09:01:00", "nssm", 1,
			"error", "containerd ended"),
		windows("09:02:00", "nssm", 1, "error", "Kubelet started"), windows("09:03:00", "nssm", 1,
			"error", "something else"))}}.timeline(t)
	for _, row := range []struct {
		name, component, text string
		want                  []int
	}{
		{"nothing is asked for", "", "", []int{0, 1, 2, 3, 4}},
		{"only not is asked for", "", "!", []int{0, 1, 2, 3, 4}},
		{"a text in any case", "", "ENDED", []int{0, 1}},
		{"a text in the middle", "", "tainer", []int{1}},
		{"a text of the last entry", "", "recorded", []int{4}},
		{"a text that no entry has", "", "flannel", []int{}},
		{"not a text", "", "!ended", []int{2, 3, 4}},
		{"not a text that no entry has", "", "!flannel", []int{0, 1, 2, 3, 4}},
		{"the component's name is found as text", "", "kubelet nssm", []int{0, 2}},
		{"a component", "kubelet", "", []int{0, 2}},
		{"a text in a component", "kubelet", "started", []int{2}},
		{"not a text, in a component", "kubelet", "!started", []int{0}},
	} {
		if diff := cmp.Diff(row.want, tl.Select(row.component, row.text)); diff != "" {
			t.Errorf("%s:\n%s", row.name, diff)
		}
	}
	want := []Component{{"kubelet", 2}, {"windows", 2}, {"containerd", 1}}
	if diff := cmp.Diff(want, tl.Components); diff != "" {
		t.Error(diff)
	}
}

func TestAsManyEntriesAsFitAreAllKept(t *testing.T) {
	list := []Entry{{At: time.Unix(1, 0), Text: "a"}, {At: time.Unix(2, 0), Text: "b"}}
	for most, want := range map[int]int{1: 1, 2: 2, 3: 2} {
		kept, left := bounded(append([]Entry(nil), list...), most)
		if len(kept) != want || left != 2-want || kept[len(kept)-1].Text != "b" {
			t.Errorf("of two, %d at most: %d kept, %d left out", most, len(kept), left)
		}
	}
}
