package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

// hostRouteBuild is the first build whose HNS takes the HostRoute policy, by
// which the node reaches its own pods.
const hostRouteBuild = 18321

// hostRouteFix makes the node reach its own pods.
var hostRouteFix = checks.Steps(
	checks.Do("Upgrade flannel to 0.12.0 or later. On a build before 18321, upgrade Windows too.").
		Costs("If flanneld recreates the HNS network, the node loses its network for a few seconds."),
	checks.Do("Recreate the pods of this node."),
	checks.Verify("Get-HnsEndpoint | Select-Object IPAddress, Policies | ConvertTo-Json -Depth 6",
		"a HostRoute policy on the endpoint of each local pod"))

var _ = register(&checks.Check{
	ID:       "flannel-vxlan-node-to-pod",
	Title:    "Node cannot reach pods on the flannel VXLAN network",
	Healthy:  "Node reaches pods on the flannel VXLAN network",
	Category: checks.CategoryNetwork,
	Doc: `On flannel's VXLAN network a Windows node has no interface in the overlay. Its own
connections reach its local pods (with flannel 0.12.0 or later, and a Windows build with the
HostRoute policy), but never the pods of other nodes. Pods reach each other everywhere. The
Kubernetes documentation lists this as a limit.

So a tool on the node that calls pods directly fails. The check reports this as info where a probe
shows it. It warns if the node does not reach a local pod that others reach.`,
	Fix: checks.Steps(
		checks.Do("Call pods of other nodes from a pod, or through a NodePort of another node.")),
	Links: []string{"https://kubernetes.io/docs/concepts/services-networking/windows-networking/",
		"https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md"},
	Applies: checks.OnAll(checks.OnFlannel, checks.OnBackend(node.OverlayNet)),
	Needs:   []evidence.Need{evidence.ReachProbes, node.NeedClusterCIDRs, node.NeedPodCIDRs},
	Uses:    append(slices.Clone(node.ClusterSources), evidence.Node, evidence.OSInfo),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		probes := evidence.ReachProbes.In(s)
		var findings []*checks.Finding
		asked := false
		for _, p := range probes {
			a, remote := remoteTarget(n, p)
			local := node.AnyContains(n.PodCIDRs.Value, a) && a.IsValid()
			if p.From != "node" || !local && !remote || !probed.GotAnswer(p) &&
				!probed.GotNoAnswer(p) {
				continue
			}
			asked = true
			pod, tried := podProbe(probes, p)
			heard := tried && probed.GotAnswer(pod)
			switch {
			case probed.GotAnswer(p):
			case remote && (!tried || heard):
				f := checks.Findingf(checks.Info, p.Target,
					"the node does not reach %s, a pod of another node: documented limit of flannel VXLAN", p.Target).With(probed.ReachBecause(p), n.Backend.From)
				if heard {
					f = f.With(probed.ReachBecause(pod))
				}
				findings = append(findings, f)
			case local && heard:
				old := n.Build.Known() && n.Build.Value.Number < hostRouteBuild
				findings = append(findings, checks.Findingf(cond(old, checks.Info, checks.Warn),
					p.Target, "the node does not reach its own pod %s, but %s does: flannel before 0.12.0, or Windows without HostRoute", p.Target, pod.From).
					With(probed.ReachBecause(p), probed.ReachBecause(pod)).Cure(hostRouteFix))
			}
		}
		if !asked {
			return nil, checks.Unknown(
				evidence.NotProbed.Gap("a connection from the node itself to a pod"))
		}
		return findings, nil
	},
})
