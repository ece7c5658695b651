package faults

import (
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "pod-address-mismatch",
	Title:    "HNS has no endpoint with the address of a running pod",
	Healthy:  "Each running pod has its address in HNS",
	Category: checks.CategoryNetwork,
	Doc: `Each pod with a network of its own has an endpoint in HNS, and the Service controllers send
traffic to the address in its status. After a crash of HNS, after a network was removed, or when two
plugins work on one node, pods keep running without their endpoint, or with another address: they
cannot be reached until they are created again.

The check compares the addresses of pods of this node that have been Ready for five minutes, or whose
sandbox is that old, with the local endpoints of HNS. Pods of the host network must have an address of the node. It also
compares what Calico and the controller of EKS wrote to the pod, and host-local's reservations: an
address without one is given to the next pod a second time.`,
	Fix: checks.Steps(
		checks.Inspect("Get-HnsEndpoint | Select-Object ID, IPAddress, VirtualNetworkName",
			"Compare the addresses of the endpoints with those of the pods."),
		checks.Run("kubectl delete pod POD -n NAMESPACE",
			"Delete the pod: its controller creates another one with a new endpoint.").
			Costs("The pod is down until its replacement is Ready."),
		checks.Verify("kubectl get pod -o wide --field-selector spec.nodeName={node}",
			"each pod has an address that HNS has")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/windows-networking/"},
	Shows:    []*checks.Effect{effectHNSNetwork},
	Explains: []string{"hns-lb-missing-or-stale"},
	Needs:    []evidence.Need{evidence.Pods, evidence.HNSEndpoints},
	Uses: slices.Concat([]evidence.Need{evidence.Node, evidence.HNSNetworks, evidence.Adapters, evidence.CRI,
		node.NeedLeases{}, evidence.FileIndex}, node.CNISources),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if slices.ContainsFunc(evidence.HNSEndpoints.In(s), func(e evidence.HNSEndpoint) bool {
			return e.Truncated
		}) {
			return nil, checks.Unknown(evidence.CutByRecorder.Gap("inner values of the endpoints"))
		}
		local := localEndpoints(s)
		host := append(hostAddresses(s), node.About(s).ManagementIPs.Value...)
		looked := false
		var findings []*checks.Finding
		for _, p := range sandboxedPods(s) {
			ips := node.ParseAddresses(append(podIPs(p), p.Status.PodIP)...)
			if len(ips) == 0 {
				continue
			}
			looked = true
			if hostPod(p) {
				if len(host) > 0 && !slices.Contains(host, ips[0]) {
					findings = append(findings, checks.Findingf(checks.Warn, p.FullName(),
						"pod %s of the host network has the address %s, which the node does not have",
						p.FullName(), ips[0]).
						At(p.Field("status"), "podIP is %s", ips[0]).
						At(evidence.Adapters.Field(s), "addresses: %s", someOf(host)))
				}
				continue
			}
			for _, ip := range ips {
				if _, ok := local[ip]; !ok {
					findings = append(findings, checks.Findingf(checks.Warn, p.FullName(),
						"pod %s has the address %s, but HNS has no endpoint with it",
						p.FullName(), ip).
						At(p.Field("status"), "podIP is %s", ip).
						At(evidence.HNSEndpoints.Field(s), "%d endpoints of this node", len(local)))
				}
			}
			findings = append(findings, annotatedElsewhere(p, ips)...)
		}
		if !looked {
			return nil, checks.Skip("no pod of this node has been Ready for five minutes")
		}
		return append(findings, unreserved(s, local)...), nil
	},
})

// sandboxedPods are the pods of this node with a network that is not new: those that are settled, and those
// whose sandbox has run for as long. Their containers may come and go, their network does not.
func sandboxedPods(s evidence.Snapshot) []evidence.Pod {
	settled := settledPods(s)
	return slices.DeleteFunc(slices.Clone(evidence.Pods.In(s)), func(p evidence.Pod) bool {
		return !slices.ContainsFunc(settled, func(q evidence.Pod) bool { return p.FullName() == q.FullName() }) &&
			!(runsHere(s, p) && hasOldSandbox(s, p))
	})
}

func runsHere(s evidence.Snapshot, p evidence.Pod) bool {
	return p.Status.Phase == "Running" && p.Metadata.DeletionTimestamp == nil && !onOtherNode(s, p)
}

// settledPods are the pods of this node that were Ready for so long that all evidence of them,
// which is not read at one moment, belongs together.
func settledPods(s evidence.Snapshot) []evidence.Pod {
	return slices.DeleteFunc(slices.Clone(evidence.Pods.In(s)), func(p evidence.Pod) bool {
		if !p.Ready() || !runsHere(s, p) {
			return true
		}
		for _, c := range p.Status.ContainerStatuses {
			if c.State.Running == nil || c.State.Running.StartedAt.IsZero() ||
				s.Now().Sub(c.State.Running.StartedAt.Time) < proxyPatience {
				return true
			}
		}
		return len(p.Status.ContainerStatuses) == 0
	})
}

// hasOldSandbox tells whether the runtime has run the sandbox of the pod for so long.
func hasOldSandbox(s evidence.Snapshot, p evidence.Pod) bool {
	return slices.ContainsFunc(evidence.CRI.In(s).Sandboxes, func(b evidence.CRISandbox) bool {
		made := b.Created()
		return b.Metadata.Name == p.Metadata.Name && b.Metadata.Namespace == p.Metadata.Namespace &&
			b.State == "SANDBOX_READY" && !made.IsZero() && s.Now().Sub(made) > proxyPatience
	})
}

// onOtherNode tells whether the pod was scheduled to another node: lists of a whole cluster have such.
func onOtherNode(s evidence.Snapshot, p evidence.Pod) bool {
	name := node.About(s).Name
	return name.Known() && p.Spec.NodeName != "" && !strings.EqualFold(p.Spec.NodeName, name.Value)
}

// podIPs are the addresses of a pod of both families.
func podIPs(p evidence.Pod) []string {
	var list []string
	for _, ip := range p.Status.PodIPs {
		list = append(list, ip.IP)
	}
	return list
}

// hostPod tells whether a pod has no network of its own.
func hostPod(p evidence.Pod) bool { return p.Spec.HostNetwork || p.HostProcess() }

// localEndpoints are the endpoints of this node by address.
func localEndpoints(s evidence.Snapshot) map[node.Address]evidence.HNSEndpoint {
	list := map[node.Address]evidence.HNSEndpoint{}
	for _, e := range evidence.HNSEndpoints.In(s) {
		if !e.Remote {
			for _, ip := range node.ParseAddresses(e.Addresses...) {
				list[ip] = e
			}
		}
	}
	return list
}

// annotatedElsewhere finds annotations with the address of a pod that the pod does not have.
func annotatedElsewhere(p evidence.Pod, ips []node.Address) []*checks.Finding {
	var findings []*checks.Finding
	for _, name := range []string{"cni.projectcalico.org/podIP", "cni.projectcalico.org/podIPs",
		"vpc.amazonaws.com/PrivateIPv4Address"} {
		for _, ip := range node.ParseAddresses(p.Metadata.Annotations[name]) {
			if !slices.Contains(ips, ip) {
				findings = append(findings, checks.Findingf(checks.Warn, p.FullName(),
					"pod %s has the address %s, but its annotation %s says %s", p.FullName(),
					ips[0], name, ip).
					At(p.Field("metadata", "annotations", name), "%s",
						p.Metadata.Annotations[name]))
			}
		}
	}
	return findings
}

// unreserved finds addresses of pods that host-local has not reserved, where it has reserved others.
func unreserved(s evidence.Snapshot,
	local map[node.Address]evidence.HNSEndpoint) []*checks.Finding {
	if evidence.FileIndex.Gap(s).Kind != "" {
		return nil // single files of a folder that nobody has listed
	}
	leases := node.About(s).Leases(s)
	reserved := func(ip node.Address) bool {
		return slices.ContainsFunc(leases, func(l node.Lease) bool { return l.Address == ip })
	}
	var lost []string
	found := false
	for _, p := range settledPods(s) {
		for _, ip := range node.ParseAddresses(p.Status.PodIP) {
			e, ok := local[ip]
			if !ok || hostPod(p) {
				continue
			}
			if f := ofAnother(s, leases, ip, e); len(f) > 0 {
				return f
			}
			if reserved(ip) {
				found = true
			} else {
				lost = append(lost, ip.String())
			}
		}
	}
	if !found || len(lost) == 0 {
		return nil
	}
	return []*checks.Finding{checks.Findingf(checks.Warn, lost[0],
		"host-local has no reservation for %s: it gives the address to another pod",
		firstThree(lost)).
		At(evidence.FileIndex.Field(s), "%d reservations", len(leases)).
		At(evidence.HNSEndpoints.Field(s), "endpoints of running pods have %s", firstThree(lost))}
}

// namedAfterSandbox is how the names of endpoints begin that the plugins of flannel and of containernetworking
// make: with the id of the sandbox.
var namedAfterSandbox = regexp.MustCompile(`^[0-9a-f]{64}_`)

// ofAnother finds a reservation of the address for another sandbox than the endpoint is of.
func ofAnother(s evidence.Snapshot, leases []node.Lease, ip node.Address,
	e evidence.HNSEndpoint) []*checks.Finding {
	id := namedAfterSandbox.FindString(e.Name)
	at := slices.IndexFunc(leases, func(l node.Lease) bool { return l.Address == ip })
	if id == "" || at < 0 {
		return nil
	}
	f := s.File(leases[at].Path)
	owner, _, _ := strings.Cut(strings.TrimSpace(f.Text), "\n")
	owner = strings.TrimSpace(owner)
	if f.Gap.Kind != "" || len(owner) != 64 || owner == strings.TrimSuffix(id, "_") {
		return nil
	}
	return []*checks.Finding{checks.Findingf(checks.Warn, ip.String(),
		"host-local reserved %s for the sandbox %.12s, but the endpoint belongs to %.12s", ip,
		owner, id).
		At(evidence.InFile(f.Path), "%s", owner).
		At(e.Field("Name"), "%s", node.EndpointName(e))}
}
