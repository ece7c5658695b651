package checks

import (
	"cmp"
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
			list = append(list, Provenance{fact, evidence.Clip(evidence.Clean(value), node.MaxFact),
				from.Shown()})
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
	add("node address", joined(n.ManagementIPs.Value), n.ManagementIPs.Known(),
		n.ManagementIPs.From)
	return list
}

// Named is a text of the fix with the names filled in.
func (f Fix) Named(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	var pairs []string // of one pass, so that a name in a value stays what it is
	for _, p := range f.Names {
		if strings.Contains(text, p.Name) {
			pairs = append(pairs, p.Name, p.Value)
		}
	}
	switch len(pairs) {
	case 0:
		return text
	case 2: // as most are; a Replacer costs a kilobyte for each
		return strings.ReplaceAll(text, pairs[0], pairs[1])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// placeholders of a Fix, with what stands for each where the fact is not known.
func placeholders(s evidence.Snapshot, n *node.Node) []Placeholder {
	var list []Placeholder
	add := func(name, value, unknown string) {
		value = evidence.Clip(evidence.Clean(value), node.MaxFact)
		if !evidence.InCommand(value) || name == "{node}" && value != evidence.Name(value) {
			value = "" // a command of the recording's own
		}
		list = append(list, Placeholder{name, cmp.Or(value, unknown), value != ""})
	}
	add("{node}", n.Name.Value, "<node>")
	add("{network}", first(n.Networks.Value), "<HNS network>")
	add("{podCIDR}", first(n.PodCIDRs.Value), "<podCIDR>")
	add("{clusterCIDR}", first(n.ClusterCIDRs.Value), "<cluster CIDR>")
	add("{serviceCIDR}", first(n.ServiceCIDRs.Value), "<service CIDR>")
	add("{clusterDNS}", first(n.ClusterDNS.Value), "<cluster DNS address>")
	add("{managementIP}", first(n.ManagementIPs.Value), "<node IP>")
	add("{osTag}", node.OSTag(n.Build.Value.Number), "<Windows version>")
	add("{runtime}", n.Runtime.Value.Name, "containerd")
	add("{cniDir}", n.CNIDir.Value, "<CNI configuration folder>")
	add("{cniFile}", n.CNIFilePath(), "<CNI configuration file>")
	add("{binDir}", first(n.BinDirs.Value), "<CNI plugin folder>")
	pull := "crictl --timeout 30m pull"
	if strings.HasPrefix(n.Runtime.Value.Name, "docker") {
		pull = "docker pull"
	}
	add("{pull}", pull, "")
	agent := "rke2"
	if _, ok := node.ServiceNamed(s, "k3s"); ok || len(s.LogFiles("k3s")) > 0 {
		agent = "k3s"
	}
	add("{rke2}", agent, "")
	add("{kubeletConfig}", n.KubeletConfigPath(s), "<kubelet configuration file>")
	kubeconfig := ""
	if f, ok := n.KubeletFlag("kubeconfig"); ok && f.Value != "" {
		kubeconfig = evidence.CleanWinPath(f.Value)
	}
	add("{kubeconfig}", kubeconfig, "<kubeconfig of the kubelet>")
	add("{runtimeConfig}", n.ContainerdConfigPath(s), "<containerd config.toml>")
	for _, component := range node.Managed {
		for _, action := range node.Actions {
			command, shown := n.Command(s, action, component)
			if !shown && evidence.Services.Known(s) {
				command = "" // the text of the step says it; no command would be right
			}
			add("{"+action+" "+component+"}", command, "")
		}
	}
	return list
}

func first[T any](list []T) string { return joined(list[:min(len(list), 1)]) }

func joined[T any](list []T) string { return evidence.Listed(list).String() }
