package bundle

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCleanName(t *testing.T) {
	deep := strings.Repeat("d/", maxDepth)
	for name, row := range map[string]struct {
		raw, path string
		folder    bool
		reason    string
	}{
		"a plain path": {raw: "logs/kubelet.log", path: "logs/kubelet.log"},
		"backslashes separate": {raw: `system\network\ip.txt`,
			path: "system/network/ip.txt"},
		"a folder in PowerShell's spelling": {raw: `system\network\`, path: "system/network",
			folder: true},
		"dots and double slashes go": {raw: "./a//b/./c", path: "a/b/c"},
		"the root itself":            {raw: "./", path: ".", folder: true},
		"what only begins like a device": {raw: "console/com10/nul-1.txt",
			path: "console/com10/nul-1.txt"},
		"a device": {raw: "files/NUL",
			reason: "Windows keeps the name NUL for a device"},
		"a device with an ending":     {raw: "con.tar.gz", reason: "for a device"},
		"a device with a blank":       {raw: "aux .txt", reason: "for a device"},
		"a device with a stream":      {raw: "a/prn:x", reason: "for a device"},
		"a folder called like a port": {raw: "lpt\u00b2/x", reason: "for a device"},
		"a colon further on stays":    {raw: "logs/C:drive", path: "logs/C:drive"},
		"an old code page":            {raw: "K\x81hler.log", path: "K\uFFFDhler.log"},
		"three dots are a name":       {raw: "a/.../b", path: "a/.../b"},
		"the deepest": {raw: strings.TrimSuffix(deep, "/"),
			path: strings.TrimSuffix(deep, "/")},
		"upwards":                  {raw: "../../etc/passwd", reason: "leads upwards"},
		"upwards and down again":   {raw: "a/../b", reason: "leads upwards"},
		"upwards with backslashes": {raw: `a\..\..\b`, reason: "leads upwards"},
		"absolute":                 {raw: "/etc/passwd", reason: "absolute"},
		"a share":                  {raw: `\\server\c$\x`, reason: "absolute"},
		"an NT path":               {raw: `\\?\C:\x`, reason: "absolute"},
		"a drive":                  {raw: `C:\Windows\x`, reason: "drive letter"},
		"a drive behind a dot":     {raw: `.\c:\x`, reason: "drive letter"},
		"relative to a drive":      {raw: "c:x", reason: "drive letter"},
		"NUL":                      {raw: "a\x00.log", reason: "control characters"},
		"a line end":               {raw: "a\nb", reason: "control characters"},
		"C1 control":               {raw: "a\u009bb", reason: "control characters"},
		"nothing":                  {raw: "", reason: "no name"},
		"too long": {raw: strings.Repeat("a", maxPath+1),
			reason: "longer than 1024 bytes"},
		"far too long": {raw: strings.Repeat("./", 1<<20) + "a",
			reason: "longer than 1024 bytes"},
		"too deep": {raw: deep + "x", reason: "more than 64 folders deep"},
	} {
		t.Run(name, func(t *testing.T) {
			path, folder, reason := cleanName(row.raw)
			if path != row.path || folder != row.folder {
				t.Errorf("path %q, folder %v, want %q, %v", path, folder, row.path, row.folder)
			}
			if (reason == "") != (row.reason == "") || !strings.Contains(reason, row.reason) {
				t.Errorf("the reason is %q, want %q in it", reason, row.reason)
			}
		})
	}
}

func TestPrintable(t *testing.T) {
	for raw, want := range map[string]string{
		"kubelet.log":                 "kubelet.log",
		"größe.log":                   "größe.log",
		"\x1b[31mred\x07\r\n":         "?[31mred???",
		"gpj\u202egol.exe":            "gpj?gol.exe",
		"bad\xff":                     "bad?",
		strings.Repeat("ä", 101):      strings.Repeat("ä", 100) + " …",
		"x" + strings.Repeat("€", 90): "x" + strings.Repeat("€", 67) + " …",
	} {
		if got := printable(raw); got != want || !utf8.ValidString(got) {
			t.Errorf("printable(%q) is %q, want %q", raw, got, want)
		}
	}
}

func TestBytesText(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1000: "1000 bytes", 2 << 10: "2 KiB",
		3 << 20: "3 MiB", 4 << 30: "4 GiB", 4<<30 + 1: "4294967297 bytes"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
