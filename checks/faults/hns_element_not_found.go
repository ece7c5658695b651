package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

const azureState = `C:\k\azure-vnet.json`

var _ = register(&checks.Check{
	ID:       "hns-element-not-found",
	Title:    "CNI plugin uses an HNS network that no longer exists",
	Healthy:  "CNI plugin uses an existing HNS network",
	Category: checks.CategoryNetwork,
	FAQ:      []int{11},
	Doc: `Some plugins store the id of their HNS network and use it for each pod. After a reboot,
a restart of HNS or a new virtual switch that id no longer exists, and HNS refuses each endpoint
with "Element not found", 0x490.

azure-vnet stores the id in azure-vnet.json, and the check compares that file with the networks of
HNS. A file from before the last boot is not a fault: azure-vnet later than 1.0.14 discards it at
the first pod. Other plugins have no such file, so only their errors show the fault. The same code
from a load balancer is another fault.`,
	Fix: checks.Steps(checks.Run("{restart network agent}",
		"Restart the program that creates the HNS network {network}.").
		Costs("The node loses its network for a few seconds while HNS creates the network."),
		checks.Verify("Get-HnsNetwork | Where-Object Name -eq '{network}'",
			"the network {network}")),
	Links: []string{"https://github.com/Azure/acs-engine/issues/4046",
		"https://github.com/Azure/azure-container-networking/issues/283",
		"https://github.com/kubernetes/kubernetes/issues/75421",
		"https://github.com/moby/moby/issues/34696"},
	Breaks:   []*checks.Effect{effectHNSNetwork, effectPodStart, effectServices},
	Explains: []string{"sandbox-name-reserved"},
	Partial:  true,
	Needs:    []evidence.Need{evidence.Any(cniLogs, evidence.File(azureState))},
	Uses:     []evidence.Need{evidence.HNSNetworks, evidence.File(azureState), evidence.OSInfo},
	Signs: []checks.Sign{
		unlike(checks.SignOfCode("ERROR_NOT_FOUND", networkGone, "create", "endpoint",
			"failed in Win32"), notOfThePods...),
		ofPlugin(unlike(checks.SignOfCode("HCN_E_NETWORK_NOT_FOUND", networkGone, "hcnCreateEndpoint"),
			notOfThePods...)),
		{Text: "HNS failed with error : Element not found", Not: notOfThePods, Says: networkGone},
		{Text: "Element not found", Also: []string{"ProvisionEndpoint"}, Not: []string{"create"},
			Says: networkGone},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		const id = "hns-element-not-found"
		f := s.File(azureState)
		if f.Gap.Kind != "" {
			return leftToLogs(s, id)
		}
		state, err := evidence.DecodeAzureNetworks([]byte(f.Text))
		if err != nil {
			return nil, checks.Unknown(evidence.Unreadable.Gap(f.Path, err))
		}
		if gap := evidence.HNSNetworks.Gap(s); gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		_, told := liveSign(s, id)
		if renewed := f.ModifiedAt.Before(evidence.OSInfo.In(s).BootedAt.Time) &&
			!f.ModifiedAt.IsZero(); renewed && !told && discardsOldState(state.Version) {
			return nil, nil
		}
		have := map[string]bool{}
		for _, net := range evidence.HNSNetworks.In(s) {
			have[strings.ToLower(net.ID)] = true
		}
		var findings []*checks.Finding
		for _, net := range state.Networks {
			if net.HNSID == "" || have[strings.ToLower(net.HNSID)] {
				continue
			}
			findings = append(findings, checks.Findingf(checks.Fail, net.ID,
				"azure-vnet uses HNS network %s with id %s, and HNS has no network with that id",
				net.ID, net.HNSID).
				At(net.HNSIDField(f), "%s: HnsId is %s", net.ID,
					net.HNSID).At(evidence.HNSNetworks.Field(s), "names: %s",
				networkNames(evidence.HNSNetworks.In(s))).Cure(azureStateFix))
		}
		return findings, nil
	},
})

// azureStateFix makes azure-vnet create its network again, with the next pod.
var azureStateFix = checks.Steps(
	checks.Run(`{stop kubelet}; Move-Item C:\k\azure-vnet*.json $env:TEMP; {start kubelet}`,
		"Stop the kubelet, move the state files of azure-vnet away, and start the kubelet.").
		Costs("All pods of {node} must be recreated: drain the node first."),
	checks.Verify("Get-HnsNetwork | Where-Object Name -eq '{network}'",
		"the network {network}"))

// ofPlugin leaves out kube-proxy, which creates endpoints too.
func ofPlugin(sign checks.Sign) checks.Sign {
	sign.In = []string{evidence.InPodEvents, evidence.InEvents, "cni", "calico", "containerd", "docker",
		"kubelet"}
	return sign
}

const networkGone = "the HNS network of the CNI plugin no longer exists"

// notOfThePods marks calls that get the same code for something else: kube-proxy's load balancers,
// docker's own networks, an endpoint that is gone when it is to be deleted.
var notOfThePods = []string{"LoadBalancer", "PolicyList", "on network nat", "default network",
	"network controller", `"nat" network`, "delete"}

// discardsOldState reports the versions that throw away state from before a boot.
func discardsOldState(version string) bool {
	v, ok := evidence.ParseVersion(version)
	return ok && v.AtLeast(evidence.Version{Major: 1, Patch: 15})
}
