package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

const azureState = `C:\k\azure-vnet.json`

var _ = register(checks.Check{
	ID:       "hns-element-not-found",
	Title:    "the CNI plugin attaches pods to an HNS network that no longer exists",
	Category: checks.CategoryNetwork,
	FAQ:      []int{11},
	Doc: `A plugin that remembers its HNS network by id asks HNS for that id at every pod. After
a reboot, a restart of HNS or a new virtual switch the id is gone, and each endpoint is refused with
"Element not found", 0x490.

azure-vnet keeps the id in azure-vnet.json, so there the file is compared with the networks of HNS.
A file from before the last boot is no fault in itself: azure-vnet later than 1.0.14 discards it at
the first pod. Other plugins write no such file, and their own complaint is all there is. The same
code from a load balancer is another fault.`,
	Fix: checks.Steps(
		checks.Inspect("Get-HnsNetwork | Select-Object Name, Type, ID", ""),
		checks.Run("{stop kubelet}",
			"stop the kubelet, move the plugin's state away, and start the kubelet: the plugin makes its network anew with the next pod").
			Costs("running pods of this node lose their addresses' bookkeeping: drain {node} first and let them be created again"),
		checks.Run(`Move-Item C:\k\azure-vnet.json, C:\k\azure-vnet-ipam.json $env:TEMP`, ""),
		checks.Run("{start kubelet}", "")),
	Links: []string{"https://github.com/Azure/acs-engine/issues/4046",
		"https://github.com/Azure/azure-container-networking/issues/283",
		"https://github.com/kubernetes/kubernetes/issues/75421",
		"https://github.com/moby/moby/issues/34696"},
	Breaks:   []*checks.Effect{effectHNSNetwork, effectPodStart, effectServices},
	Explains: []string{"sandbox-name-reserved"},
	Partial:  true,
	Needs:    []evidence.Need{evidence.Any(hnsLogs, evidence.File(azureState))},
	Uses:     []evidence.Need{evidence.HNSNetworks, evidence.File(azureState), evidence.OSInfo},
	Signs: []checks.Sign{
		unlike(checks.SignOfCode("ERROR_NOT_FOUND", networkGone, "create", "endpoint",
			"failed in Win32"), notOfBalancers...),
		{Text: "HNS failed with error : Element not found", Not: notOfBalancers, Says: networkGone},
		{Text: "Element not found", Also: []string{"ProvisionEndpoint"}, Not: []string{"create"},
			Says: networkGone},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
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
		var findings []checks.Finding
		for _, net := range state.Networks {
			if net.HNSID == "" || have[strings.ToLower(net.HNSID)] {
				continue
			}
			findings = append(findings, checks.Findingf(checks.Fail, net.ID,
				"azure-vnet keeps the HNS network %s under the id %s, and HNS has no network of that id", net.ID, net.HNSID).
				At(net.HNSIDField(f), "%s: HnsId is %s", net.ID,
					net.HNSID).At(evidence.HNSNetworks.Field(s), "names: %s",
				networkNames(evidence.HNSNetworks.In(s))))
		}
		return findings, nil
	},
})

const networkGone = "HNS no longer has the network on which the CNI plugin wants an endpoint"

// kube-proxy gets the same code for the endpoints of its load balancers.
var notOfBalancers = []string{"LoadBalancer", "PolicyList"}

// discardsOldState tells the versions that throw away state from before a boot.
func discardsOldState(version string) bool {
	v, ok := evidence.ParseVersion(version)
	return ok && v.AtLeast(evidence.Version{Major: 1, Patch: 15})
}
