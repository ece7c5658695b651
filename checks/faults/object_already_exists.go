package faults

import (
	"regexp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "object-already-exists",
	Title:    "a pod is given an address that another HNS endpoint holds",
	Category: checks.CategoryNetwork,
	Doc: `host-local counts addresses up from the start of the node's subnet and knows nothing
of the host's own endpoint there, which on host-gw and l2bridge is the second one. Nor does it know
of endpoints that HNS still has of pods long gone. HNS refuses the pod's endpoint with "The object
already exists", 0x1392.

The check compares host-local's reservations for containers with the addresses of the host's
endpoints; an orphan is only told by the refusal itself. A route that exists already (0x1392 too,
from "route add") is harmless and not meant.`,
	Fix: checks.Steps(
		checks.Inspect("Get-HnsEndpoint | Select-Object Name, IPAddress, State", ""),
		checks.Inspect(`Get-ChildItem C:\var\lib\cni\networks\{network}`, ""),
		checks.Run("Get-HnsEndpoint | Where-Object IPAddress -eq '<address of the refused pod>' | Remove-HnsEndpoint", "let the range of host-local begin behind the gateway and the host's endpoint (rangeStart .3 or later), and remove endpoints of pods that are gone").
			Costs("removing an endpoint cuts off whatever still uses its address: make sure that no running pod has it")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/74766",
		"https://github.com/kubernetes/kubernetes/issues/72696",
		"https://github.com/kubernetes/kubernetes/pull/74836",
		"https://github.com/microsoft/SDN/issues/298",
		"https://github.com/microsoft/SDN/issues/333", "https://github.com/microsoft/SDN/pull/524"},
	Breaks:  []*checks.Effect{effectPodStart},
	Partial: true,
	Needs:   []evidence.Need{hnsLogs},
	Uses:    []evidence.Need{evidence.HNSEndpoints, evidence.HNSNetworks, node.NeedLeases{}},
	Signs: []checks.Sign{
		existsSign("HNSEndpoint"),
		existsSign("hcnCreateEndpoint"),
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		hosts := map[node.Address]evidence.HNSEndpoint{}
		for _, e := range evidence.HNSEndpoints.In(s) {
			if strings.HasSuffix(strings.ToLower(e.Name), "_ep") && !e.Remote {
				for _, a := range node.ParseAddresses(e.Addresses...) {
					hosts[a] = e
				}
			}
		}
		for _, l := range node.About(s).Leases(s) {
			if e, taken := hosts[l.Address]; taken {
				f := s.File(l.Path)
				if holder, _, _ := strings.Cut(strings.TrimSpace(f.Text), "\n"); f.Gap.Kind == "" &&
					sandboxID.MatchString(strings.TrimSpace(holder)) {
					return []checks.Finding{checks.Findingf(checks.Fail, l.Address.String(),
						"host-local reserved %s for the container %.12s, and the host's endpoint %s has that address", l.Address, holder, e.Name).
						At(evidence.InLine(f.Path, 1), "%s", holder).At(e.Field(), "%s: %s", e.Name,
						strings.Join(e.Addresses, ", "))}, nil
				}
			}
		}
		return leftToLogs(s, "object-already-exists")
	},
})

// sandboxID is a container's id. A reservation that somebody made to keep the address free holds another word.
var sandboxID = regexp.MustCompile(`^[0-9a-f]{64}$`)

func existsSign(also ...string) checks.Sign {
	return unlike(checks.SignOfCode("ERROR_OBJECT_ALREADY_EXISTS",
		"HNS refuses a pod's endpoint because its address or name is taken", also...),
		"IP forward entry", "bridge HNSEndpoint", "LoadBalancer", "PolicyList")
}
