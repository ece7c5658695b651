package evidence

import "testing"

func TestWindowsPaths(t *testing.T) {
	for _, row := range []struct{ name, in, clean, stored string }{
		{"a plain path", `C:\run\flannel\subnet.env`, `C:\run\flannel\subnet.env`,
			"files/C/run/flannel/subnet.env"},
		{"no drive means C:", "/run/flannel/subnet.env", `C:\run\flannel\subnet.env`,
			"files/C/run/flannel/subnet.env"},
		{"slashes, small drive and doubled separators", `c:/k//cni\\config/`, `C:\k\cni\config`,
			"files/C/k/cni/config"},
		{"dots are resolved and stop at the root", `D:\k\..\..\x\.\y`, `D:\x\y`, "files/D/x/y"},
		{"a drive of its own", "e:", `E:\`, "files/E"},
		{"the long form", `\\?\C:\k\x`, `C:\k\x`, "files/C/k/x"},
		{"quotes are dropped", `"C:\Program Files\x"`, `C:\Program Files\x`,
			"files/C/Program Files/x"},
		{"folders of Windows by variable", `%ProgramFiles%\containerd`,
			`C:\Program Files\containerd`, "files/C/Program Files/containerd"},
		{"in PowerShell's spelling", `$env:ProgramData\k`, `C:\ProgramData\k`,
			"files/C/ProgramData/k"},
		{"with braces", `${env:SystemDrive}\k`, `C:\k`, "files/C/k"},
		{"with parentheses", `%programfiles(x86)%\k`, `C:\Program Files (x86)\k`,
			"files/C/Program Files (x86)/k"},
		{"an unknown variable stays", `$env:KUBE\x`, `C:\$env:KUBE\x`, "files/C/$env:KUBE/x"},
		{"a share", `\\server\share\x`, `\\server\share\x`, "files/UNC/server/share/x"},
		{"nothing is the root", "", `C:\`, "files/C"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := CleanWinPath(row.in); got != row.clean {
				t.Errorf("CleanWinPath(%q) = %q, want %q", row.in, got, row.clean)
			}
			if got := EvidencePath(row.in); got != row.stored {
				t.Errorf("EvidencePath(%q) = %q, want %q", row.in, got, row.stored)
			}
			if back, ok := WindowsPath(row.stored); !ok || back != row.clean {
				t.Errorf("WindowsPath(%q) = %q, %v, want %q", row.stored, back, ok, row.clean)
			}
		})
	}
	for _, p := range []string{"os.json", "files", "files/CC/x", "files/1/x", "logs/files/C/x"} {
		if got, ok := WindowsPath(p); ok {
			t.Errorf("WindowsPath(%q) = %q for a path that is no copy", p, got)
		}
	}
}
