package faults

import (
	"regexp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "nat-cni-conf-shadows-cni",
	Title:    "NAT configuration is loaded instead of the CNI plugin",
	Healthy:  "CNI configuration of the cluster is loaded",
	Category: checks.CategoryNetwork,
	FAQ:      []int{3},
	Doc: `containerd loads only the first configuration of its folder in alphabetical order
(max_conf_num = 1). The script that installs containerd creates 0-containerd-nat.conf, which sorts
before files such as 10-flannel.conf. Every pod then gets an address of the NAT network and cannot
reach other nodes.

The HNS network nat and the adapter vEthernet (nat) alone are harmless. Without the configuration,
the endpoints of pods show it: the plugin names each after its container and its network.`,
	Fix: checks.Steps(
		checks.Run(`Remove-Item "{cniDir}\0-containerd-nat.conf"`,
			"Delete the NAT configuration.").
			Costs("Pods on the NAT network must be recreated."),
		checks.Run("{restart runtime}",
			"Restart the container runtime: it reads the file at its start.").
			Costs("Running containers are not affected."),
		checks.Verify(`Get-ChildItem "{cniDir}"`, "no configuration of type nat")),
	Links: []string{"https://github.com/kubernetes-sigs/sig-windows-tools/issues/214",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/128",
		"https://github.com/containerd/containerd/blob/main/docs/cri/config.md"},
	Breaks:   []*checks.Effect{effectPodStart, effectPodTraffic},
	Explains: []string{"cni-nameserver-mismatch", "endpoint-address-rejected"},
	Needs:    []evidence.Need{evidence.Any(node.NeedCNIFiles, evidence.HNSEndpoints)},
	FromPart: []evidence.Need{evidence.HNSEndpoints},
	Uses:     []evidence.Need{node.NeedCNIFiles, evidence.HNSEndpoints, evidence.Pods},
	// the script gives a node of Kubernetes nothing that this plugin could set up
	Signs: []checks.Sign{
		{Text: `plugin type="nat"`, Or: []string{`plugin type=\"nat\"`, `plugin type=\\\"nat\\\"`},
			Also: []string{"failed (add)"},
			Says: "the CNI plugin nat sets up pods, in place of the plugin of the cluster"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		first, meant := n.Effective(), n.Intended()
		if first == nil {
			if f := podsOnNAT(n, s); f != nil {
				return []*checks.Finding{f}, nil
			}
			if gap := node.NeedCNIFiles.Gap(s); gap.Kind != "" {
				return nil, checks.Unknown(gap)
			}
			return nil, checks.Unknown(noConfig(first))
		}
		if first.Config == nil {
			if first.Err != nil {
				return nil, checks.Skip("%s does not parse", first.Name)
			}
			return nil, checks.Unknown(first.File.Gap)
		}
		if !strings.EqualFold(first.Config.EffectiveType(), "nat") {
			return nil, nil
		}
		if first == meant && (!n.CNI.Known() || n.CNI.Value == node.NAT) {
			return []*checks.Finding{checks.Findingf(checks.Fail, first.Name,
				"%s of type nat is the only CNI configuration: pods cannot reach other nodes",
				first.Name).
				At(first.TypeField(), "type is %s", first.Config.Type)}, nil
		}
		f := checks.Findingf(checks.Fail, first.Name,
			"%s of type nat is loaded instead of the configuration of the cluster",
			first.Name).At(first.TypeField(), "type is %s", first.Config.Type)
		if first != meant {
			f = checks.Findingf(checks.Fail, first.Name,
				"%s of type nat sorts before %s, so all pods are on the NAT network", first.Name,
				meant.Name).
				At(first.TypeField(), "type is %s",
					first.Config.Type).At(evidence.InFile(meant.File.Path), "is not loaded")
		}
		for _, p := range evidence.Pods.In(s) {
			ip, ok := node.ParseAddress(p.Status.PodIP)
			if cluster := n.ClusterCIDRs.Value; ok && !p.Spec.HostNetwork && len(cluster) > 0 &&
				!node.AnyContains(cluster, ip) {
				f = f.At(p.Field("status", "podIP"), "%s has %s, outside %s", p.FullName(), ip,
					cluster[0])
				break
			}
		}
		return []*checks.Finding{f.Cure(checks.Steps(
			checks.Run(`Remove-Item "`+n.CNIDir.Value+`\`+first.Name+`"`,
				"Delete %s: it is of type nat.", first.Name).
				Costs("Pods on the NAT network must be recreated."),
			checks.Run("{restart runtime}",
				"Restart the container runtime: it reads the file at its start.").
				Costs("Running containers are not affected."),
			checks.Verify(`Get-ChildItem "{cniDir}"`, "no configuration of type nat")))}, nil
	},
})

// podEndpoint is the name that a CNI plugin gives the endpoint of a pod: its sandbox and its network.
var podEndpoint = regexp.MustCompile(`^[0-9a-f]{64}_(.+)$`)

// podsOnNAT finds that all pods of a node with a network of the cluster have endpoints of network nat.
func podsOnNAT(n *node.Node, s evidence.Snapshot) (f *checks.Finding) {
	if !n.CNI.Known() || n.CNI.Value == node.NAT {
		return nil
	}
	for _, e := range evidence.HNSEndpoints.In(s) {
		m := podEndpoint.FindStringSubmatch(e.Name)
		switch {
		case m == nil:
		case !strings.EqualFold(m[1], "nat"):
			return nil
		case f == nil:
			f = checks.Findingf(checks.Fail, "nat",
				"pods are on the NAT network, and none is on the network of %s", n.CNI.Value).
				With(e.Field().Because("%s", node.EndpointName(e)), n.CNI.From)
		}
	}
	return f
}
