package checks

import (
	"cmp"
	"fmt"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// nodeFacts is the node in one line, for the header of a report.
func nodeFacts(n *node.Node) NodeFacts {
	var f NodeFacts
	f.Name = evidence.Clip(evidence.Clean(n.Name.Value), node.MaxFact)
	f.OS = evidence.Clip(evidence.Clean(n.OS.Value), node.MaxFact)
	if n.Build.Known() {
		f.Build = n.Build.Value.String()
	}
	if n.Kubelet.Known() {
		f.Kubelet = evidence.Clip(evidence.Clean(n.KubeletRaw), node.MaxFact)
	}
	f.Runtime = evidence.Clip(evidence.Clean(n.Runtime.Value.Raw), node.MaxFact)
	f.Network = strings.TrimSpace(string(n.CNI.Value) + " " + n.BackendName())
	f.Platform, f.Generation = string(n.Platform.Value), string(n.Generation.Value)
	f.Provenance = provenance(n)
	return f
}

// provenance lists the facts that are known, each with where it was found.
func provenance(n *node.Node) []Provenance {
	list := []Provenance{}
	add := func(fact, value string, known bool, from evidence.Because) {
		if known {
			list = append(list, Provenance{fact, evidence.Clip(evidence.Clean(value), node.MaxFact), from.Shown()})
		}
	}
	add("name", n.Name.Value, n.Name.Known(), n.Name.From)
	add("Windows", n.OS.Value, n.OS.Known(), n.OS.From)
	add("build", n.Build.Value.String(), n.Build.Known(), n.Build.From)
	add("kubelet", n.Kubelet.Value.String(), n.Kubelet.Known(), n.Kubelet.From)
	add("runtime", n.Runtime.Value.Raw, n.Runtime.Known(), n.Runtime.From)
	add("platform", string(n.Platform.Value), n.Platform.Known(), n.Platform.From)
	add("generation", string(n.Generation.Value), n.Generation.Known(), n.Generation.From)
	add("network plugin", string(n.CNI.Value), n.CNI.Known(), n.CNI.From)
	add("backend", n.Backend.Value.Label(), n.Backend.Known(), n.Backend.From)
	add("HNS network", strings.Join(n.Networks.Value, " or "), n.Networks.Known(), n.Networks.From)
	add("podCIDR", joined(n.PodCIDRs.Value), n.PodCIDRs.Known(), n.PodCIDRs.From)
	add("cluster CIDR", joined(n.ClusterCIDRs.Value), n.ClusterCIDRs.Known(), n.ClusterCIDRs.From)
	add("service CIDR", joined(n.ServiceCIDRs.Value), n.ServiceCIDRs.Known(), n.ServiceCIDRs.From)
	add("cluster DNS", joined(n.ClusterDNS.Value), n.ClusterDNS.Known(), n.ClusterDNS.From)
	add("node address", joined(n.ManagementIPs.Value), n.ManagementIPs.Known(), n.ManagementIPs.From)
	return list
}

// fill puts the node's own names into a fix.
func fill(n *node.Node, f Fix) Fix {
	r := placeholders(n)
	filled := Fix{Text: r.Replace(f.Text), Impact: r.Replace(f.Impact), Commands: []string{}}
	for _, c := range f.Commands {
		filled.Commands = append(filled.Commands, evidence.Clean(r.Replace(c)))
	}
	return filled
}

// placeholders of a Fix, with what stands for each where the fact is not known.
func placeholders(n *node.Node) *strings.Replacer {
	prefixes := func(f node.Fact[[]node.Prefix], unknown string) string {
		if len(f.Value) == 0 {
			return unknown
		}
		return f.Value[0].String()
	}
	word := func(s, unknown string) string { return cmp.Or(evidence.Clip(evidence.Clean(s), node.MaxFact), unknown) }
	first := func(list []string, unknown string) string {
		return word(strings.Join(list[:min(len(list), 1)], ""), unknown)
	}
	addresses := func(f node.Fact[[]node.Address], unknown string) string {
		if len(f.Value) == 0 {
			return unknown
		}
		return f.Value[0].String()
	}
	return strings.NewReplacer(
		"{node}", word(n.Name.Value, "<node>"),
		"{network}", first(n.Networks.Value, "<HNS network>"),
		"{podCIDR}", prefixes(n.PodCIDRs, "<podCIDR>"),
		"{clusterCIDR}", prefixes(n.ClusterCIDRs, "<cluster CIDR>"),
		"{serviceCIDR}", prefixes(n.ServiceCIDRs, "<service CIDR>"),
		"{clusterDNS}", addresses(n.ClusterDNS, "<cluster DNS address>"),
		"{managementIP}", addresses(n.ManagementIPs, "<node IP>"),
		"{osTag}", cmp.Or(node.OsTag(n.Build.Value.Number), "<Windows version>"),
		"{runtime}", word(n.Runtime.Value.Name, "containerd"),
		"{cniDir}", word(n.CNIDir.Value, "<CNI configuration folder>"),
		"{cniFile}", word(n.CNIFilePath(), "<CNI configuration file>"),
		"{binDir}", first(n.BinDirs.Value, "<CNI plugin folder>"),
	)
}

func joined[T fmt.Stringer](list []T) string {
	var texts []string
	for _, v := range list {
		texts = append(texts, v.String())
	}
	return strings.Join(texts, ", ")
}
