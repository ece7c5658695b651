package node

import (
	"slices"

	"doctor/checks/evidence"
)

// LeaseFolder is where host-local keeps a folder for each network, and in it a file for each address
// that it gave away.
const LeaseFolder = `C:\var\lib\cni\networks`

// A Lease is an address that host-local reserved: a file of that name.
type Lease struct {
	Address Address
	Path    string // C:\var\lib\cni\networks\cbr0\10.244.2.5
}

// Leases lists the reservations of host-local on the pod network, wherever the
// folder is named after the CNI configuration or after the HNS network.
func (n *Node) Leases(s evidence.Snapshot) []Lease {
	names := slices.Clone(n.Networks.Value)
	if f := n.Intended(); f != nil && f.Config != nil {
		names = append(names, f.Config.Name)
	}
	for _, net := range evidence.HNSNetworks.In(s) {
		names = append(names, net.Name)
	}
	names = append(names, usualNetworks(n.CNI.Value, n.Backend.Value)...)
	names = append(names, "cbr0", "vxlan0", "flannel.4096", "l2bridge") // where neither is recorded
	var list []Lease
	for i, name := range names {
		if name == "" || slices.Contains(names[:i], name) {
			continue
		}
		for _, file := range s.FilesIn(LeaseFolder + `\` + name) {
			a, ok := ParseAddress(file)
			if ok && !slices.ContainsFunc(list, func(l Lease) bool { return l.Address == a }) {
				list = append(list, Lease{a, LeaseFolder + `\` + name + `\` + file})
			}
		}
	}
	return list
}

// NeedLeases is host-local's reservations as a Need.
type NeedLeases struct{}

// Gap is "" where at least one reservation is recorded; an empty folder is not told from a missing one.
func (NeedLeases) Gap(s evidence.Snapshot) evidence.Gap {
	if len(About(s).Leases(s)) > 0 {
		return evidence.Gap{}
	}
	return evidence.NotShown.Gap("any reservation below %s", LeaseFolder)
}

// Name is what explain calls it.
func (NeedLeases) Name() string { return "the reservations of pod addresses" }

// Paths holds the HNS networks too: their names are the names of the folders of reservations.
func (NeedLeases) Paths() []string {
	return []string{evidence.EvidencePath(LeaseFolder) + "/", evidence.HNSNetworks.Path()}
}
