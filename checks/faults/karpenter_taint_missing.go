package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// The labels with which Karpenter launches a node, and which it sets on one that it has taken over, and the taint that
// it looks for.
const (
	karpenterPool       = "karpenter.sh/nodepool"
	karpenterRegistered = "karpenter.sh/registered"
	karpenterTaint      = "karpenter.sh/unregistered"
)

var _ = register(&checks.Check{
	ID:       "karpenter-taint-missing",
	Title:    "kubelet does not register with the taint of Karpenter",
	Healthy:  "Karpenter has registered the node",
	Category: checks.CategoryNode,
	Doc: `Karpenter from 1.0 takes a node over only if the kubelet registers it with the taint karpenter.sh/unregistered. Where
Karpenter writes the user data, it adds the taint; custom user data (amiFamily Custom) must contain it. Without it, the node
is Ready and runs pods, but its NodeClaim stays unregistered, and Karpenter terminates the machine after 15 minutes.

The check looks at nodes whose kubelet sets the label karpenter.sh/nodepool and that have no label karpenter.sh/registered,
and at the flag --register-with-taints and the configuration of the kubelet.`,
	Fix: checks.Steps(
		checks.Do("Add --register-with-taints=karpenter.sh/unregistered=true:NoExecute to the arguments of the kubelet in the user data of the EC2NodeClass (KubeletExtraArgs of the bootstrap script)."),
		checks.Do("Delete the NodeClaim, so that Karpenter launches a new machine.").Costs("The pods of this node move."),
		checks.Verify("kubectl get nodeclaims", "READY is True")),
	Links: []string{
		"https://github.com/aws/karpenter-provider-aws/issues/6821",
		"https://github.com/aws/karpenter-provider-aws/pull/7616",
		"https://karpenter.sh/docs/concepts/nodeclasses/#custom",
	},
	Needs: []evidence.Need{evidence.Node, node.NeedKubeletFlags},
	Uses:  node.KubeletSources,
	Signs: []checks.Sign{
		// pkg/controllers/nodeclaim/lifecycle of kubernetes-sigs/karpenter; the NodeClaim may be that of another node
		{Text: "missing required startup taint, " + karpenterTaint, In: []string{"other"}, Level: checks.Warn, Says: lacksKarpenterTaint},
		{Text: "Missing " + karpenterTaint + " taint", Or: []string{karpenterTaint + " taint must be present on Karpenter-managed nodes"},
			In: []string{"other", evidence.InPodEvents}, Level: checks.Warn, Says: lacksKarpenterTaint},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n, object := node.About(s), evidence.Node.In(s)
		pool := object.Metadata.Labels[karpenterPool]
		if pool == "" {
			return nil, checks.Skip("Karpenter did not launch this node")
		}
		labels, _ := n.KubeletFlag("node-labels")
		registers := func(taint evidence.Taint) bool { return taint.Key == karpenterTaint }
		config := n.KubeletConfig(s)
		flag, _ := n.KubeletFlag("register-with-taints")
		age := s.Now().Sub(object.Metadata.CreationTimestamp.Time)
		switch {
		case object.Metadata.Labels[karpenterRegistered] == "true", strings.Contains(flag.Value, karpenterTaint),
			slices.ContainsFunc(config.RegisterWithTaints, registers), slices.ContainsFunc(object.Spec.Taints, registers):
			return nil, nil
		case !strings.Contains(labels.Value, karpenterPool): // a person set it
			return nil, checks.Skip("Karpenter did not launch this node")
		case age < 5*time.Minute:
			return nil, checks.Unknown(evidence.NotDecided.Gap("the node registered only %s before the recording", age.Round(time.Second)))
		case config.Named && config.Gap.Kind != "":
			return nil, checks.Unknown(config.Gap)
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, pool,
			"the kubelet does not register the node with the taint %s, so Karpenter does not take it over", karpenterTaint).
			At(object.Field("metadata", "labels", karpenterRegistered), "%s: %s, and %s is not set", karpenterPool, pool, karpenterRegistered).
			With(labels.From)}, nil
	},
})

const lacksKarpenterTaint = "Karpenter does not take a node over: its kubelet did not register it with the taint karpenter.sh/unregistered"
