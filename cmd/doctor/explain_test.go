package main

import (
	"strings"
	"testing"
)

// TestExplainSearches: what somebody remembers of a check finds it, in titles, texts and signs.
func TestExplainSearches(t *testing.T) {
	for _, row := range []struct {
		name string
		args []string
		want string // the id that is listed
		not  string // one that is not
	}{
		{"words of a title, in any order and case", []string{"networks HNS delete"},
			"docker-network-not-found", "kubelet-removed-flag"},
		{"a text of a log", []string{"br_netfilter"}, "regression-flannel-br-netfilter",
			"kubelet-removed-flag"},
		{"words of the documentation", []string{"versions calico wrong endpoints"},
			"regression-calico-stale-endpoints", "regression-calico-node-service-flag"},
		{"the link that somebody sent", []string{"kubernetes/issues/126965"},
			"regression-kubelet-socket-left-behind", "kubelet-removed-flag"},
		{"Chinese", []string{"遗留已删除 Pod", "--lang", "zh"},
			"regression-kube-proxy-stale-load-balancers", "kubelet-removed-flag"},
		{"as JSON", []string{"br_netfilter", "-o", "json"}, `"regression-flannel-br-netfilter"`,
			`"id": "kubelet-removed-flag"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, errs, status := doctor(t, append([]string{"explain", "--search"}, row.args...)...)
			if status != 0 || !strings.Contains(out, row.want) || strings.Contains(out, row.not) {
				t.Errorf("status %d, want %s and not %s in\n%s%s", status, row.want, row.not, out,
					errs)
			}
		})
	}
	if _, errs, status := doctor(t, "explain", "--search", "zebra crossing"); status == 0 ||
		!strings.Contains(errs, `no check has all words of "zebra crossing"`) {
		t.Errorf("words that nothing holds: status %d, %s", status, errs)
	}
	if _, errs, status := doctor(t, "explain", "cni-config-invalid", "--search", "cni"); status == 0 ||
		!strings.Contains(errs, "leave the id out") {
		t.Errorf("words and an id: status %d, %s", status, errs)
	}
}
