package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// flannelDiffers compares what flanneld has written, to its file and to the Node object, with the
// configuration that it reads at its start.
func flannelDiffers(n *node.Node, s evidence.Snapshot) []*checks.Finding {
	var findings []*checks.Finding
	lease := s.File(node.SubnetEnv)
	env := evidence.DecodeFlannelSubnet(lease.Text)
	object := evidence.Node.In(s)
	const kind = "flannel.alpha.coreos.com/backend-type"
	for f, c := range node.FlannelNetConfs(s) {
		if n.CNI.Value != node.Flannel {
			break
		}
		if want := node.ParsePrefixes(c.Network); lease.Gap.Kind == "" && len(want) > 0 &&
			len(node.ParsePrefixes(env.Network)) > 0 && !sameList([]string{c.Network},
			strings.Split(env.Network, ",")) {
			findings = append(findings, checks.Findingf(checks.Warn, "flanneld",
				"flanneld has written the network %s, but its configuration has %s", env.Network,
				c.Network).
				At(f.Field("Network"), "Network is %s", c.Network).
				At(evidence.InLine(lease.Path, env.Lines["FLANNEL_NETWORK"]), "%s", env.Network))
		}
		if told := object.Metadata.Annotations[kind]; told != "" && c.Backend.Type != "" &&
			!strings.EqualFold(told, c.Backend.Type) {
			findings = append(findings, checks.Findingf(checks.Warn, "flanneld",
				"flanneld has announced the backend %s, but its configuration has %s", told,
				c.Backend.Type).
				At(f.Field("Backend", "Type"), "Backend.Type is %s", c.Backend.Type).
				At(object.Field("metadata", "annotations", kind), "%s", told))
		}
	}
	for _, path := range node.SourceVIPFiles {
		f := s.File(path)
		vip, err := evidence.DecodeSourceVIP([]byte(f.Text))
		used := n.Proxy().SourceVIP
		if have, ok := node.ParseAddress(vip.IP); f.Gap.Kind == "" && err == nil && ok && used.Set {
			if flag, ok := node.ParseAddress(used.Value); ok && flag != have {
				findings = append(findings, checks.Findingf(checks.Warn, "kube-proxy",
					"kube-proxy runs with the source VIP %s, but %s has %s", flag, path, have).
					At(f.At(vip.Spot), "%s", have).With(used.From))
			}
		}
	}
	for _, p := range n.Components["flanneld"].Processes {
		flag, set := evidence.ParseFlags(p.Args).Get("ip-masq")
		on := set && flag != "false" && flag != "0"
		if lease.Gap.Kind == "" && env.IPMasq != nil && *env.IPMasq != on {
			findings = append(findings, checks.Findingf(checks.Warn, "flanneld",
				"flanneld has written FLANNEL_IPMASQ=%t, but runs with --ip-masq %t", *env.IPMasq,
				on).
				At(evidence.InLine(lease.Path, env.Lines["FLANNEL_IPMASQ"]), "FLANNEL_IPMASQ=%t",
					*env.IPMasq).
				At(p.Field("args"), "--ip-masq %t", on))
		}
	}
	return findings
}
