package unexplained_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"doctor/checks/unexplained"
)

// TestAnErrorOfPowerShellIsItsMessage: the lines below it say where it happened, and Windows prints
// the message in its own language.
func TestAnErrorOfPowerShellIsItsMessage(t *testing.T) {
	const details = `%s C:\hpc\kube-proxy\start.ps1:19 %s9
+         $subnet = $hnsNetwork.Subnets[0].AddressPrefix
+         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
    + CategoryInfo          : InvalidOperation: (:) [], ParentContainsErrorRecordException
    + FullyQualifiedErrorId : NullArray
`
	for _, row := range []struct{ name, text, want string }{
		{"in Chinese", "Finding sourcevip\n无法对 Null 数组进行索引。\n" + fmt.Sprintf(details, "所在位置", "字符: "),
			"2: 无法对 Null 数组进行索引。"},
		{"in German", "Es ist nicht möglich, einen Index auf ein NULL-Array anzuwenden.\n" + fmt.Sprintf(details, "In", "Zeichen:"),
			"1: Es ist nicht möglich, einen Index auf ein NULL-Array anzuwenden."},
		{"in English", "Cannot index into a null array.\n" + fmt.Sprintf(details, "At", "char:"),
			"1: Cannot index into a null array."},
		{"a warning of each import", "WARNING: The names of some imported commands from the module 'hns' include unapproved verbs\n", ""},
		{"nothing but details", strings.Repeat("    + CategoryInfo          : InvalidOperation: (:) []\n", 10_000), ""},
	} {
		var got []string
		for _, e := range unexplained.Lines("logs/other/a.txt", []byte(row.text), 1, time.Time{}) {
			got = append(got, fmt.Sprintf("%d: %s", e.Line, e.Text))
		}
		if strings.Join(got, "\n") != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

// TestAnErrorOfACommandIsAnError: docker and kubectl write their own name before it, and PowerShell
// writes a blank behind that.
func TestAnErrorOfACommandIsAnError(t *testing.T) {
	const refused = "Error response from daemon: hcs::CreateComputeSystem 566516d3: winapi error #3489661095." // microsoft/Windows-Containers issue 544
	for _, text := range []string{refused, "docker: " + refused, "docker : " + refused, "docker.exe : " + refused,
		`C:\Program Files\Docker\Docker\resources\bin\docker.exe: ` + refused} {
		lines := unexplained.Lines("logs/docker/docker.log", []byte(text+"\n"), 1, time.Time{})
		if len(lines) != 1 || lines[0].Level != "error" {
			t.Errorf("%s: %v", text, lines)
		}
	}
}
