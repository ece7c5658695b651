package faults

import (
	"regexp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "vethernet-missing",
	Title:    "vEthernet adapter of the pod network is missing",
	Healthy:  "vEthernet adapter of the pod network exists",
	Category: checks.CategoryNetwork,
	FAQ:      []int{11},
	Doc: `An l2bridge or overlay network binds a virtual switch to the physical adapter, and the
host connects through a virtual one, named after the physical adapter: "vEthernet (Ethernet)". If it
is missing, the switch was not created or lost its host adapter.

Adapters of the NAT network, of HNS itself and of single containers are ignored.`,
	Fix: checks.Steps(
		checks.Inspect("Get-NetAdapter -Physical",
			"Compare the adapter's name with InterfaceName in the start script (default: Ethernet)."),
		checks.Run("{restart network agent}",
			"Restart the program that creates the HNS network, with the right adapter name.").
			Costs("The node loses its network for a few seconds."),
		checks.Verify("Get-NetAdapter -Name 'vEthernet*'", "an adapter with Status Up")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/microsoft/SDN/issues/194"},
	Judges: effectHostAdapter,
	Applies: func(n *node.Node) error {
		if n.Backend.Known() && n.Backend.Value == node.Transparent {
			return checks.Skip("the pod network is transparent")
		}
		if !n.Backend.Known() {
			return checks.Unknown(n.Backend.Gap)
		}
		return nil
	},
	Needs: []evidence.Need{evidence.Adapters},
	Uses:  []evidence.Need{evidence.HNSNetworks, evidence.Processes, evidence.Pods},
	Signs: []checks.Sign{
		// a second run of the start script prints it on a healthy node too
		{Text: "An adapter was not found.", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var names []string
		for _, a := range evidence.Adapters.In(s) {
			if onSwitch(a) {
				return nil, nil
			}
			names = append(names, a.Name)
		}
		if len(names) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("any network adapter"))
		}
		if err := awaitsFirstPod(node.About(s), s); err != nil {
			return nil, err
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, "vEthernet",
			"No vEthernet adapter is connected to the pod network's switch (found: %s)",
			strings.Join(names, ", ")).
			At(evidence.Adapters.Field(s), "no adapter is called vEthernet (…): %s",
				strings.Join(names, ", "))}, nil
	},
})

// onSwitch tells whether the adapter connects the host to the pod network's switch.
func onSwitch(a evidence.Adapter) bool { return a.Compartment <= 1 && isHostSide(a.Name) }

// docker names an adapter by the first digits of the container's id.
var containerID = regexp.MustCompile(`^[0-9a-f]{12,}(_|$)`)

// isHostSide tells the host's own vEthernet adapter from those of NAT, HNS,
// containers (an identifier, in a compartment of their own) and of the endpoint
// that flannel host-gw gives the host on the pod network (cbr0_ep).
func isHostSide(name string) bool {
	lower := strings.ToLower(name)
	inner, ok := strings.CutPrefix(lower, "vethernet (")
	if !ok {
		return false
	}
	for _, other := range []string{"nat)", "hns internal", "default switch)", "cid-", "container"} {
		if strings.HasPrefix(inner, other) {
			return false
		}
	}
	inner = strings.TrimSuffix(inner, ")")
	return !strings.HasSuffix(inner, "_ep") && !containerID.MatchString(inner)
}
