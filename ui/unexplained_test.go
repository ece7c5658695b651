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
			"FailedCreatePodSandBox: Faile… the network of the network unexpected end of JSON input"},
		{"in ASCII", long, 90, true,
			"FailedCreatePodSandBox: Fai... the network of the network unexpected end of JSON input"},
		{"without a blank", strings.Repeat("x", 100), 30, false, "xxxxxxxxx… " + strings.Repeat("x", 18)},
		{"of wide letters", strings.Repeat("错误", 40), 20, false, "错误… 错误错误错误"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := withoutMiddle(row.text, row.n, row.ascii)
			if got != row.want || width(got) > row.n {
				t.Errorf("%q of %d columns, want %q", got, width(got), row.want)
			}
		})
	}
}
