package symptom

import (
	"strings"

	"doctor/checks/evidence"
)

// Advice is how something that could not be told can be told. Its text goes on
// from "First", so it is an order.
type Advice struct {
	Text     string
	Commands []string
}

var (
	elevate   = Advice{"run doctor on the node as Administrator", []string{"doctor"}}
	askRights = Advice{"get the rights in the cluster that reading the node takes", []string{"doctor explain rbac"}}
	viaAPI    = Advice{"let doctor ask the cluster too, from the node or from anywhere", []string{"doctor --node {node}"}}
	fromPod   = Advice{"measure from inside a pod of this node", []string{"doctor --from-pod NAMESPACE/POD"}}
	onNode    = Advice{"run doctor on the node itself, or make a bundle there", []string{"doctor", "doctor bundle"}}
	longer    = Advice{"run doctor again with more time; if it hangs again, what hangs is the finding", []string{"doctor --timeout 60s"}}
	active    = Advice{"run doctor again without --passive", []string{"doctor"}}
	readItem  = Advice{"see why the file could not be read", nil}
	newer     = Advice{"look by hand: this Windows cannot tell it to doctor", nil}
	openCheck = Advice{"open the check and see what it lacks", nil}
)

// notHeld is how evidence words the gap of what was never asked for.
const notHeld = "this recording holds no "

// HowToTell reads from a gap how it can be closed.
func HowToTell(gap string) Advice {
	_, path, named := strings.Cut(gap, notHeld)
	measured := strings.Contains(gap, "probe") || strings.Contains(gap, "asked") || strings.Contains(gap, "recorded, and the node's view")
	switch kind := kindOf(gap); {
	case kind == evidence.Denied && strings.Contains(gap, "Administrator"):
		return elevate
	case kind == evidence.Denied && (strings.Contains(gap, "may not") || strings.Contains(gap, "rbac") || strings.Contains(gap, "kubeconfig")):
		return askRights
	case kind == evidence.Denied:
		return elevate
	case kind == evidence.Timeout:
		return longer
	case kind == evidence.Unsupported:
		return newer
	case kind == evidence.Error:
		return readItem
	case strings.Contains(gap, "--passive"):
		return active
	case named && strings.HasPrefix(path, "api/"):
		return viaAPI
	case named && strings.HasPrefix(path, "probes/"), !named && measured, strings.Contains(gap, "--from-pod"):
		return fromPod
	case named:
		return onNode
	}
	return openCheck
}

// kindOf finds a gap's kind, which stands at its beginning or behind the path.
func kindOf(gap string) string {
	if kind := evidence.Gap(gap).Kind(); isKind(kind) {
		return kind
	}
	_, rest, _ := strings.Cut(gap, ": ")
	if kind := evidence.Gap(rest).Kind(); isKind(kind) {
		return kind
	}
	return ""
}

func isKind(s string) bool {
	switch s {
	case evidence.Absent, evidence.Denied, evidence.Timeout, evidence.Unsupported, evidence.NotCollected, evidence.Error:
		return true
	}
	return false
}
