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

var _ = register(checks.Check{
	ID:       "flannel-vxlan-node-to-pod",
	Title:    "the node itself does not reach pods of other nodes",
	Category: checks.CategoryNetwork,
	Doc: `On flannel's VXLAN network a Windows node has no interface in the overlay: its own
connections reach the pods on it (with flannel 0.12.0 or later, and a Windows that knows the
HostRoute policy), and never the pods of other nodes. Pods reach each other everywhere. The
Kubernetes documentation lists this as a limit.

A tool on the node that calls pods directly therefore fails. The check only tells where a probe ran
into it. If the node does not reach even a pod of its own that others reach, that is a warning.`,
	Fix: checks.Steps(
		checks.Run("kubectl run probe --image=mcr.microsoft.com/windows/nanoserver:{osTag} --rm -it --overrides='{\"spec\":{\"nodeName\":\"{node}\"}}' -- cmd", "call pods of other nodes from a pod, or through a NodePort of another node; where local pods do not answer either, use flannel 0.12.0 or later")),
	Links: []string{"https://kubernetes.io/docs/concepts/services-networking/windows-networking/",
		"https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md"},
	Applies: checks.OnAll(checks.OnFlannel, checks.OnBackend(node.OverlayNet)),
	Needs:   []evidence.Need{evidence.ReachProbes, node.NeedClusterCIDRs, node.NeedPodCIDRs},
	Uses:    append(slices.Clone(node.ClusterSources), evidence.Node, evidence.OSInfo),
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		probes := evidence.ReachProbes.In(s)
		var findings []checks.Finding
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
					"the node does not reach %s, a pod of another node: Windows as documented for flannel VXLAN", p.Target).With(probed.ReachBecause(p), n.Backend.From)
				if heard {
					f = f.With(probed.ReachBecause(pod))
				}
				findings = append(findings, f)
			case local && heard:
				old := n.Build.Known() && n.Build.Value.Number < hostRouteBuild
				findings = append(findings, checks.Findingf(cond(old, checks.Info, checks.Warn),
					p.Target, "the node does not reach %s, a pod of its own, which %s does: flannel before 0.12.0, or a Windows without HostRoute", p.Target, pod.From).
					With(probed.ReachBecause(p), probed.ReachBecause(pod)))
			}
		}
		if !asked {
			return nil, checks.Unknown(
				evidence.NotProbed.Gap("a connection from the node itself to a pod"))
		}
		return findings, nil
	},
})
