package node

import (
	"slices"
	"testing"
	"time"

	"doctor/checks/evidence"
)

func TestProcessesStarted(t *testing.T) {
	got := decoded(t, evidence.Processes, []evidence.Process{
		{Name: "kubelet.exe", StartedAt: started(134_090_299_010_000_000)},
		{Name: "System"}, {Name: "gone.exe", StartedAt: started(1 << 62)}})
	if !got[0].StartedAt.Equal(time.Date(2025, 12, 1, 2, 31, 41, 0, time.UTC)) ||
		!got[1].StartedAt.IsZero() || !got[2].StartedAt.IsZero() {
		t.Errorf("started at %v", got)
	}
}

func TestArgsOf(t *testing.T) {
	for _, row := range []struct {
		name, line string
		want       []string
	}{
		{"the program is no argument", `"C:\Program Files\k\kubelet.exe" --v=4`, []string{"--v=4"}},
		{"a program alone", `C:\k\kubelet.exe`, []string{}},
		{"a line without a program", `--v=4 -x`, []string{"--v=4", "-x"}},
		{"blanks", ` `, []string{}},
	} {
		if got := argsOf(row.line); got == nil || !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q", row.name, got)
		}
	}
}
