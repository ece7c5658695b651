package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const azureIPAM = `C:\k\azure-vnet-ipam.json`

var _ = register(&checks.Check{
	ID:       "ipam-range-exhausted",
	Title:    "CNI address range exhausted",
	Healthy:  "CNI address range has free addresses",
	Category: checks.CategoryNetwork,
	Doc: `host-local stores one file for each reserved address, azure-vnet-ipam one entry. Failed
pod starts and runtime crashes leave reservations without a pod; kubelet 1.11.0 to 1.11.2 and Docker
before 18.09 leave one at every failure. When the range of the node is exhausted, no new pod gets an
address.

The check compares the number of reservations in the range of this node with its size and with the
number of pods that have an address. A few more reservations than pods are normal: kube-proxy's
source VIP is one, and pods that are being created or deleted. Reservations of a full range that
belong to no HNS endpoint and no pod are leaked.`,
	Fix: checks.Steps(
		checks.Inspect(
			`Get-ChildItem C:\var\lib\cni\networks\{network} | Where-Object Name -match '^\d'`,
			"Find the reservations without a running container: the first line of each file is the container ID."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Drain the node, so that no pod is using an address.").
			Costs("All pods of {node} move to other nodes; their emptyDir volumes are lost."),
		checks.Run("{stop kubelet}", "Stop the kubelet: it must not add pods meanwhile."),
		checks.Run(`Remove-Item C:\var\lib\cni\networks\{network}\ADDRESS`,
			"Delete the reservations that no running container uses.").
			Costs("Deleting the reservation of a running pod gives its address to a second pod."),
		checks.Run("{start kubelet}", "Start the kubelet, then run kubectl uncordon {node}."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"new pods are Running and have an IP")),
	Links: []string{"https://github.com/rancher/rancher/issues/26320",
		"https://github.com/rancher/rancher/issues/14504",
		"https://github.com/Azure/azure-container-networking/issues/145",
		"https://github.com/Azure/azure-container-networking/issues/214",
		"https://github.com/containerd/containerd/issues/6181",
		"https://github.com/k3s-io/k3s/issues/5885",
		"https://github.com/flannel-io/flannel/issues/833",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems"},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"sandbox-name-reserved"},
	Applies: func(n *node.Node) error {
		if n.CNI.Value == node.Calico || n.CNI.Value == node.VPC {
			return checks.Skip("%s does not store its reservations on the node", n.CNI.Value)
		}
		return nil
	},
	Partial: true,
	Needs:   []evidence.Need{evidence.Any(node.NeedLeases{}, evidence.File(azureIPAM))},
	Uses: []evidence.Need{node.NeedLeases{}, evidence.File(azureIPAM), node.NeedPodCIDRs,
		evidence.HNSNetworks, evidence.HNSEndpoints, evidence.Pods},
	Signs: []checks.Sign{
		// host-local before its ranges, of 2017, says "network"
		{Text: "no IP addresses available in range set",
			Or:   []string{"no IP addresses available in network"},
			Says: "host-local has no free address"},
		// A locked store and a pool that is not known end like this too.
		{Text: "Failed to delegate: Failed to allocate address", ConfirmOnly: true},
		{Text: "allocate address: No available addresses",
			Says: "azure-vnet-ipam has no free address"},
		// JSON since 1.5.12: ipam/pool.go
		{Text: "Address request failed with", Also: []string{`"error":"No available addresses"`},
			Says: "azure-vnet-ipam has no free address"},
		{Text: "error while executing IPAM addition", ConfirmOnly: true},
		{Text: "is subnet's gateway", Also: []string{"requested ip"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		if f := s.File(azureIPAM); n.CNI.Value == node.Azure && f.Gap.Kind == "" {
			return azurePools(s, f)
		}
		leases := n.Leases(s)
		if len(leases) == 0 {
			return nil, checks.Unknown(node.NeedLeases{}.Gap(s))
		}
		subnets, where := podSubnets(n, s)
		v4 := node.OfFamily(subnets, true)
		if len(v4) == 0 {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the HNS network's subnet or the node's podCIDR"))
		}
		var taken []node.Address
		for _, l := range leases {
			if v4[0].Contains(l.Address) {
				taken = append(taken, l.Address)
			}
		}
		if v4[0].Bits() < 16 || v4[0].Bits() > 29 {
			return nil, checks.Unknown(evidence.NotShown.Gap("whether the node's range is %s",
				v4[0]))
		}
		// The subnet's first and last address and the gateway are nobody's.
		room := 1<<(32-v4[0].Bits()) - 3
		f := judgePool(s, v4[0].String(), taken, room)
		for i := range f {
			f[i] = f[i].At(evidence.InFile(evidence.EvidencePath(leases[0].Path)),
				"the first of %d reservations in %s", len(taken), v4[0]).With(where)
		}
		return f, nil
	},
})

func azurePools(s evidence.Snapshot, f evidence.NodeFile) ([]*checks.Finding, error) {
	pools, err := evidence.DecodeAzurePools([]byte(f.Text))
	if err != nil {
		return nil, checks.Unknown(evidence.Unreadable.Gap(f.Path, err))
	}
	var findings []*checks.Finding
	for _, p := range pools {
		for _, found := range judgePool(s, p.ID, node.ParseAddresses(p.InUse...), p.Total) {
			findings = append(findings,
				found.At(p.AddressesField(f), "%s: %d of %d addresses are InUse", p.ID,
					len(p.InUse), p.Total).Cure(azureStateFix))
		}
	}
	return findings, nil
}

// spare is how many more reservations than pods are no leak.
const spare = 10

// leaksAddresses tells whether more addresses are reserved without an endpoint and without a pod
// than pods that start or end can explain.
func leaksAddresses(s evidence.Snapshot, taken []node.Address) bool {
	if !evidence.Pods.Known(s) || !evidence.HNSEndpoints.Known(s) {
		return false
	}
	used := map[node.Address]bool{}
	for _, e := range evidence.HNSEndpoints.In(s) {
		if e.Truncated {
			return false
		}
		for _, ip := range node.ParseAddresses(e.Addresses...) {
			used[ip] = true
		}
	}
	between := 1
	for _, p := range evidence.Pods.In(s) {
		for _, ip := range node.ParseAddresses(p.Status.PodIP) {
			used[ip] = true
		}
		if !ownsAddress(p) && !hostPod(p) && p.Status.Phase != "Succeeded" && p.Status.Phase != "Failed" {
			between++
		}
	}
	leaked := 0
	for _, ip := range taken {
		if !used[ip] {
			leaked++
		}
	}
	return leaked > between
}

// judgePool compares what is taken of a pool with its size, and with the pods
// that could have taken it.
func judgePool(s evidence.Snapshot, name string, addresses []node.Address,
	room int) []*checks.Finding {
	taken := len(addresses)
	pods, known := 0, evidence.Pods.Known(s)
	for _, p := range evidence.Pods.In(s) {
		if ownsAddress(p) {
			pods++
		}
	}
	have := evidence.Phrasef("%d pods have an address", pods)
	if !known {
		have = evidence.Phrasef("how many pods have one is not recorded")
	}
	_, told := liveSign(s, "ipam-range-exhausted")
	var f *checks.Finding
	switch {
	case room > 0 && taken >= room && (told || known && taken > pods+spare/2 ||
		leaksAddresses(s, addresses)):
		f = checks.Findingf(checks.Fail, name, "all %d addresses of %s are reserved, and %s", room,
			name, have)
	case room > 0 && taken >= room && !known:
		f = checks.Findingf(checks.Warn, name, "all %d addresses of %s are reserved, and %s", room,
			name, have)
	case known && taken > 2*pods+spare && taken*2 > room:
		f = checks.Findingf(checks.Warn, name,
			"%d of %d addresses of %s are reserved, and only %s: leaked reservations", taken,
			room, name, have)
	default:
		return nil // a node that is full of running pods lacks nothing
	}
	if known {
		f = f.At(evidence.Pods.Field(s), "%s", have)
	}
	return []*checks.Finding{f}
}
