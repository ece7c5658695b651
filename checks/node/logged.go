package node

import (
	"cmp"
	"strings"

	"doctor/checks/evidence"
)

// loggedKubelet is what stands under a Sign's Check for the version that the
// kubelet prints when it starts: all that a pasted log tells of it.
const loggedKubelet = "the kubelet's version"

// FactSigns are texts of logs that tell a fact of the node.
var FactSigns = []evidence.Sign{
	{Check: loggedKubelet, Text: `"Kubelet version" kubeletVersion="`, In: []string{"kubelet"}},
	{Check: loggedKubelet, Text: "server.go:", Also: []string{"] Version: v1."}, In: []string{"kubelet"}},
}

// learnLogged takes a version from the last line that tells it.
func learnLogged(s evidence.Snapshot, f *Fact[evidence.Version], fact string) {
	for _, m := range s.Signs(fact) {
		line := cmp.Or(m.Tail, m.Found)
		at := strings.LastIndex(line, "v1.")
		if at < 0 {
			continue
		}
		text := line[at:]
		if end := strings.IndexAny(text, "\" \t,"); end >= 0 {
			text = text[:end]
		}
		if v, ok := evidence.ParseVersion(text); ok && !f.Known() {
			*f = Fact[evidence.Version]{Value: v, From: evidence.Because{Path: m.Path, Line: m.Line, Text: "the kubelet logged its version as " + text}}
		}
	}
}
