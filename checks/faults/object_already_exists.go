package faults

import (
	"regexp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "object-already-exists",
	Title:    "Pod address is in use by another HNS endpoint",
	Healthy:  "Pod addresses are free in HNS",
	Category: checks.CategoryNetwork,
	Doc: `host-local assigns addresses from the start of the node's subnet. It does not know the
host's own endpoint there (the second address on host-gw and l2bridge), nor endpoints of deleted
pods that HNS still has. HNS refuses the pod's endpoint with "The object already exists", 0x1392.

The check compares host-local's reservations for containers with the addresses of the host's
endpoints; an orphaned endpoint is known only from the refusal itself. A route that already exists
(also 0x1392, from "route add") is harmless and ignored.`,
	Fix: checks.Steps(
		checks.Inspect("Get-HnsEndpoint | Select-Object Name, IPAddress, State",
			"Find the endpoint that has the address. Check that no running pod uses it."),
		checks.Run("Get-HnsEndpoint | Where-Object IPAddress -eq 'ADDRESS' | Remove-HnsEndpoint",
			"If its pod is gone, remove this endpoint.").
			Costs("A pod that still uses the address loses its network."),
		checks.Edit("{cniFile}",
			"If it is the host's endpoint, set rangeStart of host-local behind it (.3 or later)."),
		checks.Verify("kubectl get pods -A --field-selector spec.nodeName={node}",
			"no pod is in ContainerCreating")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/74766",
		"https://github.com/kubernetes/kubernetes/issues/72696",
		"https://github.com/kubernetes/kubernetes/pull/74836",
		"https://github.com/microsoft/SDN/issues/298",
		"https://github.com/microsoft/SDN/issues/333", "https://github.com/microsoft/SDN/pull/524"},
	Breaks:  []*checks.Effect{effectPodStart},
	Partial: true,
	Needs:   []evidence.Need{cniLogs},
	Uses:    []evidence.Need{evidence.HNSEndpoints, evidence.HNSNetworks, node.NeedLeases{}},
	Signs: []checks.Sign{
		existsSign("HNSEndpoint"),
		existsSign("hcnCreateEndpoint"),
		// pkg/hns/endpoint_windows.go of containernetworking/plugins: an earlier attempt for the same pod
		// left its endpoint; "exits" is what 0.8 says.
		{Text: "is already existed", Also: []string{"HNSEndpoint "}, Fix: removeLeftEndpoint(), Says: endpointLeft},
		{Text: "is already existed", Also: []string{"HostComputeNetwork "}, Fix: removeLeftEndpoint(), Says: endpointLeft},
		{Text: "already exits", Also: []string{"error while Generate"}, Fix: removeLeftEndpoint(), Says: endpointLeft},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
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
					return []*checks.Finding{checks.Findingf(checks.Fail, l.Address.String(),
						"host-local reserved %s for container %.12s, but the host's endpoint %s already uses it", l.Address, holder, e.Name).
						At(evidence.InLine(f.Path, 1), "%s", holder).At(e.Field(), "%s: %s", e.Name,
						strings.Join(e.Addresses, ", ")).Cure(reserveForHost())}, nil
				}
			}
		}
		return leftToLogs(s, "object-already-exists")
	},
})

// reserveForHost keeps the pods away from the address of the host's endpoint.
func reserveForHost() checks.Fix {
	return checks.Steps(
		checks.Edit("{cniFile}",
			"Set rangeStart of host-local behind the address of the host's endpoint (.3 or later)."),
		recreatePods(),
		fixOf("object-already-exists").Steps[3])
}

// sandboxID is a container's id. A reservation that somebody made to keep the address free holds another word.
var sandboxID = regexp.MustCompile(`^[0-9a-f]{64}$`)

func existsSign(also ...string) checks.Sign {
	return unlike(checks.SignOfCode("ERROR_OBJECT_ALREADY_EXISTS",
		"HNS refuses a pod's endpoint: its address or name is in use", also...),
		"IP forward entry", "bridge HNSEndpoint", "LoadBalancer", "PolicyList")
}

const endpointLeft = "HNS still has the endpoint that an earlier attempt made for this pod"

func removeLeftEndpoint() checks.Fix {
	return checks.Steps(
		checks.Run("Get-HnsEndpoint | Where-Object Name -eq 'NAME' | Remove-HnsEndpoint",
			"Remove the endpoint with the name in the error. No container uses it.").
			Costs("If a running pod has it, that pod loses its network."),
		recreatePods(),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"new pods get an address"))
}
