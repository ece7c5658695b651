package foreign

import (
	"fmt"
	"testing"

	"doctor/checks/evidence"
)

func TestRKE2Whole(t *testing.T) {
	for _, root := range []string{"", "rancher_rke2_WIN-RKE2-1_2026-11-20_10_02_00", "tickets/4711/rancher/log-collector"} {
		s := load(t, rke2Recording(t, root, rke2Healthy(t)))
		if meta := s.Meta(); meta.Node != "win-rke2-1" || !meta.CollectedAt.Equal(rke2At) || meta.Source != "rke2-win-log-collect" {
			t.Errorf("in %q meta is %+v", root, meta)
		}
		for what, got := range map[string]string{
			"os":           fmt.Sprint(evidence.OSInfo.In(s)),
			"hotfixes":     fmt.Sprint(len(evidence.Hotfixes.In(s)), evidence.Hotfixes.Gap(s)),
		} {
			t.Log(what, got)
		}
	}
}
