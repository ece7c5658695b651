package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       calicoStrictAffinityOff,
	Title:    "Calico IPAM strict affinity is off",
	Healthy:  "Calico IPAM strict affinity is on",
	Category: checks.CategoryNetwork,
	Doc: `On Windows a Calico node owns whole blocks of addresses: HNS has one subnet for each.
With strict affinity off, nodes on Linux may borrow single addresses from such a block, which
Windows cannot route. Calico for Windows therefore does not start, and its CNI plugin refuses each
pod, until IPAM is set to strict affinity. New clusters have it off.

The check reads the IPAM configuration of the cluster, and looks for the refusal in events and logs.`,
	Fix: checks.Steps(
		checks.Run(`kubectl patch ipamconfigurations default --type merge -p 'spec: {strictAffinity: true}'`,
			"Set Calico IPAM to strict affinity. Older releases: calicoctl ipam configure --strictaffinity=true.").
			Costs("A Linux node whose blocks are full gets a new block and no longer borrows addresses."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://github.com/rancher/rke2/issues/1691",
		"https://github.com/Azure/AKS-Edge/issues/43",
		"https://github.com/projectcalico/calico/issues/4404",
		"https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/operator",
	},
	Breaks:  []*checks.Effect{effectNetworkCreation},
	Applies: checks.UnlessOtherCNI(node.Calico),
	Needs: []evidence.Need{evidence.Any(evidence.IPAMConfigs, evidence.PodEvents,
		evidence.Logs("calico-node"), evidence.Logs("kubelet"))},
	Signs: []checks.Sign{
		{Text: "global strict affinity should not be false for Windows node",
			Says: "Calico refuses to work on Windows: strict affinity is off"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if gap := evidence.IPAMConfigs.Gap(s); gap.Kind != "" {
			return nil, checks.Unknown(gap) // what the logs say stands
		}
		var findings []*checks.Finding
		for _, c := range evidence.IPAMConfigs.In(s) {
			if on := c.Spec.StrictAffinity; on != nil && !*on {
				findings = append(findings, checks.Findingf(checks.Fail, c.Metadata.Name,
					"strictAffinity of Calico IPAM is false: Calico refuses to work on Windows").
					At(c.Field("spec", "strictAffinity"), "strictAffinity: false"))
			}
		}
		if len(findings) == 0 && len(evidence.IPAMConfigs.In(s)) == 0 && len(s.Signs(calicoStrictAffinityOff)) > 0 {
			// without one Calico takes its defaults, in which strict affinity is off
			return nil, checks.Unknown(evidence.NotShown.Gap("the IPAMConfig of Calico"))
		}
		return findings, nil
	},
})

const calicoStrictAffinityOff = "calico-strict-affinity-off"
