package faults_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

func TestTheKubeletsVersionIsReadFromItsLog(t *testing.T) {
	for name, row := range map[string]struct{ log, node, want string }{
		"the new wording": {
			`I1120 09:00:00.000000    1 server.go:440] "Kubelet version" kubeletVersion="v1.29.4"`,
			"", "v1.29.4"},
		"the old wording": {
			"I1120 09:00:00.000000    1 server.go:411] Version: v1.19.7", "", "v1.19.7"},
		"the last start counts": {
			"I1120 08:00:00.0 1 server.go:411] Version: v1.19.7\nI1120 09:00:00.0 1 server.go:440] Version: v1.23.1", "", "v1.23.1"},
		"the Node object comes first": {"I1120 09:00:00.0 1 server.go:411] Version: v1.19.7",
			nodeOf("v1.28.15", "containerd://1.7.2"), "v1.28.15"},
		"a version of something else": {"I1120 09:00:00.0 1 other.go:411] Version: v1.19.7",
			"", ""},
		"no version at all where one is due": {
			`I1120 09:00:00.0 1 server.go:440] "Kubelet version" kubeletVersion="?"`, "", ""},
	} {
		tree := shortMeta + "-- logs/kubelet/k.log --\n" + row.log + "\n" + row.node
		s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte(tree))))
		if err != nil {
			t.Fatal(err)
		}
		s, _ = signs.Record(s, faults.Catalogue().Only().Signs())
		if got := diagnose(s).Node.Kubelet; got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
