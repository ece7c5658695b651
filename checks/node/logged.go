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
	{Check: loggedKubelet, Text: `"Kubelet version" kubeletVersion="`, In: []string{"kubelet"},
		Innocent: true},
	{Check: loggedKubelet, Text: "server.go:", Also: []string{"] Version: v1."},
		In: []string{"kubelet"}, Innocent: true},
}

// learnLoggedKubelet takes the version from the last line that tells it.
func (n *Node) learnLoggedKubelet(s evidence.Snapshot) {
	for _, m := range s.Signs(loggedKubelet) {
		line := cmp.Or(m.Tail, m.Found)
		at := strings.LastIndex(line, "v1.")
		if at < 0 {
			continue
		}
		text := line[at:]
		if end := strings.IndexAny(text, "\" \t,"); end >= 0 {
			text = text[:end]
		}
		n.learnKubeletVersion(text, m.Place(), "the kubelet logged its version as %s")
	}
}
