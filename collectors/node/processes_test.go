package node

import (
	"slices"
	"testing"
	"time"

	"doctor/checks/evidence"
)

func TestProcessRows(t *testing.T) {
	rows := []evidence.Process{
		processRow{pid: 3268, parent: 3140, name: "kubelet.exe", created: 134_090_299_010_000_000,
			threads: 27, workingSet: 109051904, private: 98_000_000, handles: 412}.
			process(processDetail{`C:\k\kubelet.exe`,
				`"C:\k\kubelet.exe" --node-ip=10.1.36.50 --token abc`}),
		processRow{pid: 4, name: "System", threads: 176}.process(processDetail{}),
		processRow{pid: 9, name: "gone.exe", created: 1 << 62}.process(processDetail{}),
	}
	got := decoded(t, evidence.Processes, rows)
	k, sys := got[0], got[1]
	if !slices.Equal(k.Args, []string{"--node-ip=10.1.36.50", "--token", "abc"}) ||
		k.Exe != `C:\k\kubelet.exe` ||
		!k.StartedAt.Equal(time.Date(2025, 12, 1, 2, 31, 41, 0, time.UTC)) || k.Threads != 27 ||
		k.WorkingSetBytes != 109051904 || k.PPID != 3140 || k.PrivateBytes != 98_000_000 ||
		k.Handles != 412 {
		t.Errorf("kubelet: %+v", k)
	}
	if sys.Name != "System" || sys.Args != nil || !sys.StartedAt.IsZero() {
		t.Errorf("System: %+v", sys)
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
