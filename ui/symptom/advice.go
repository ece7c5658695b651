package symptom

import "doctor/checks/evidence"

// Advice is how something that could not be told can be told. Its text goes on
// from "First", so it is an order.
type Advice struct {
	Text     string
	Commands []string
}

// advices are what a reader does about each remedy.
var advices = map[evidence.Remedy]Advice{
	evidence.Elevate: {"run doctor on the node as Administrator", []string{"doctor"}},
	evidence.ClusterRights: {"get the rights in the cluster that reading the node takes",
		[]string{"doctor explain rbac"}},
	evidence.ViaAPI: {"let doctor ask the cluster too, from the node or from anywhere",
		[]string{"doctor --node {node}"}},
	evidence.FromPod: {"measure from inside a pod of this node",
		[]string{"doctor --from-pod NAMESPACE/POD"}},
	evidence.OnNode: {"run doctor on the node itself, or make a bundle there",
		[]string{"doctor", "doctor bundle"}},
	evidence.MoreTime: {
		"run doctor again with more time; if it hangs again, what hangs is the finding",
		[]string{"doctor --timeout 60s"}},
	evidence.WithoutPassive: {"run doctor again without --passive", []string{"doctor"}},
	evidence.ReadFile:       {"see why the file could not be read", nil},
	evidence.ByHand:         {"look by hand: this Windows cannot tell it to doctor", nil},
	evidence.OpenCheck:      {"open the check and see what it lacks", nil},
}

// HowToTell is how a gap can be closed.
func HowToTell(gap evidence.Gap) Advice { return advices[gap.Remedy()] }
