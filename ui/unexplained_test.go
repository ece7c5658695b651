package ui

import (
	"strings"
	"testing"
)

func TestALongErrorKeepsItsEnd(t *testing.T) {
	long := "FailedCreatePodSandBox: Failed to create pod sandbox: rpc error: " + strings.Repeat("of the network ", 20) +
		"unexpected end of JSON input"
	for _, row := range []struct {
		name, text string
		n          int
		ascii      bool
		want       string
	}{
		{"a short one stays", "exit status 1", 40, false, "exit status 1"},
		{"a long one", long, 90, false,
			"FailedCreatePodSandBox: Failed to create pod… the network unexpected end of JSON input"},
		{"in ASCII", long, 90, true,
			"FailedCreatePodSandBox: Failed to create p... the network unexpected end of JSON input"},
		{"what stands behind the reason goes first", `"StopPodSandbox failed" err="rpc error: \"x\": context deadline exceeded" podSandboxID="c78f8f72a1"`, 80, false,
			`"StopPodSandbox failed" err="rpc error: \"x\": context deadline exceeded"`},
		{"without a blank", strings.Repeat("x", 100), 30, false, "xxxxxxxxxxxxxx… " + strings.Repeat("x", 13)},
		{"of wide letters", strings.Repeat("错误", 40), 20, false, "错误错误… 错误错误"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := WithoutMiddle(row.text, row.n, row.ascii)
			if got != row.want || width(got) > row.n {
				t.Errorf("%q of %d columns, want %q", got, width(got), row.want)
			}
		})
	}
}
