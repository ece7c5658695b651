package faults

import (
	"strings"
	"testing"

	"doctor/checks/evidence"
)

func TestNoCommandWritesTheMarkOfASecret(t *testing.T) {
	what := evidence.Phrasef("Set --v=4.")
	for _, row := range []struct{ name, arg, want string }{
		{"parameters that are shown are set", "--v=2", `AppParameters '--v=2 --v=4'`},
		{"a secret that a bundle does not show stays", "--token=<secret:token:a1b2c3>", "nssm edit kubelet"},
	} {
		step := setParameters(evidence.Service{Name: "kubelet", Args: []string{row.arg}},
			row.arg+" --v=4", what)
		if !strings.Contains(step.Command, row.want) {
			t.Errorf("%s: the command is %q, want %q in it", row.name, step.Command, row.want)
		}
	}
}
