package checks

import (
	"slices"

	"doctor/checks/evidence"
)

var _ = Register(Check{
	ID:       "vm-mac-spoofing-disabled",
	Title:    "the hypervisor seems to drop what pods send",
	Category: CategoryNetwork,
	FAQ:      []int{3},
	Doc: `Pods of an l2bridge or overlay network send with MAC addresses that the virtual machine's adapter does not have. Hyper-V drops such frames unless MAC address spoofing is allowed for the adapter, vSphere unless the port group accepts MAC changes and forged transmits. Pods then get an address, HNS looks healthy, and no packet leaves the machine.

Nothing on the node shows the setting. The check convicts where, on a virtual machine, every TCP probe from pods to other hosts fails although the node reaches some, and pods reach the node. The networks of Azure, AWS and Google take care of this themselves.`,
	Fix: Fix{
		Text: "allow MAC address spoofing for the node's virtual adapter, on the hypervisor; on vSphere set promiscuous mode, MAC address changes and forged transmits of the port group to Accept",
		Commands: []string{
			"Set-VMNetworkAdapter -VMName {node} -MacAddressSpoofing On    # on the Hyper-V host, not on the node",
		},
		Impact: "none on the node; loosens a protection of the hypervisor's network",
	},
	Links:    []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/", "https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems"},
	Explains: []string{"icmp-external-not-snated", "dns-pqdn-with-dots"},
	Applies: func(n *Node) error {
		switch n.CNI.Value {
		case Azure, VPC, GKE:
			return Skip("the cloud's network accepts the addresses of pods")
		}
		if n.Backend.Known() && n.Backend.Value == Transparent {
			return Skip("the pod network is transparent")
		}
		return nil
	},
	Needs: []evidence.Need{evidence.OSInfo, evidence.ReachProbes},
	Uses:  []evidence.Need{evidence.Node, evidence.HNSNetworks, evidence.Adapters},
	Run: func(s evidence.Snapshot) ([]Finding, error) {
		n := About(s)
		machine := evidence.OSInfo.In(s).Machine
		if machine.Virtual == nil {
			return nil, Unknown(evidence.NotCollected + ": os.json of this recording does not tell whether the node is a virtual machine")
		}
		if !*machine.Virtual {
			return nil, Skip("the node is no virtual machine")
		}
		var lost []Because
		asked, reachedNode, nodeReaches := 0, false, false
		for _, p := range evidence.ReachProbes.In(s) {
			dest, ok := parseAddress(hostOf(p.Target))
			switch {
			case p.Protocol == "icmp":
				continue
			case p.From == "node":
				nodeReaches = nodeReaches || p.Outcome == "ok"
				continue
			case ok && slices.Contains(n.ManagementIPs.Value, dest):
				reachedNode = reachedNode || p.Outcome == "ok"
				continue
			}
			asked++
			if p.Outcome == "timeout" || p.Outcome == "unreachable" {
				lost = append(lost, Because{Path: evidence.ReachProbes.Path(), Text: p.Protocol + " to " + p.Target + " from " + p.From + ": " + p.Outcome})
			}
		}
		if asked == 0 {
			return nil, Unknown(evidence.NotCollected + ": nothing was probed from inside a pod; the node's view is not the pod's")
		}
		if len(lost) < asked || asked < 2 || !nodeReaches {
			return nil, nil
		}
		f := Findingf(Fail, machine.Model, "none of %d connections from pods to other hosts comes through, though the node's own do: the hypervisor (%s %s) seems to drop the pods' frames", asked, machine.Manufacturer, machine.Model)
		if reachedNode {
			f = f.At(evidence.ReachProbes.Path(), "pods reach the node itself")
		}
		return []Finding{f.With(lost[:min(len(lost), maxQuotes)]...).At(evidence.OSInfo.Path(), "machine is virtual: %s %s", machine.Manufacturer, machine.Model)}, nil
	},
})
