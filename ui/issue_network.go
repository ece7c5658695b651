package ui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

func (d *issue) plugins() *section {
	p := newSection("Related plugins (CNI, CSI, ...) and versions (if applicable)", 12_000, "line")
	d.network(p)
	d.kubeProxy(p)
	d.cniConfig(p)
	d.storage(p)
	return p
}

// agents are words in the images of network plugins' pods: their tags are the
// versions, for the plugins' own files carry none.
var agents = []string{"flannel", "calico", "antrea", "azure-cns", "azure-cni", "azure-npm",
	"cilium", "ovn", "amazon-k8s-cni", "vpc-cni", "multus"}

func (d *issue) network(p *section) {
	p.valueOr("network", d.r.Node.Network, cmp.Or(d.n.CNI.From.Path, d.n.Backend.From.Path),
		"the network plugin and its mode", cmp.Or(d.n.CNI.Gap, d.n.Backend.Gap))
	images := d.images(agents...)
	for _, image := range images {
		p.value("image of its agent", image, evidence.Pods.Path())
	}
	if len(images) == 0 {
		p.put("- its version: %s\n", notRecorded("that of the CNI plugin and of its agent"))
	}
	words := func(list []string) string { return strings.Join(list, " or ") }
	fact(p, "HNS network of pods", d.n.Networks, words, "its name, of `hnsdiag list networks`")
	if v := evidence.HNSVersion.In(d.s).Version; v.Major > 0 {
		p.value("HNS version", fmt.Sprintf("%d.%d", v.Major, v.Minor), evidence.HNSVersion.Path())
	}
	fact(p, "cluster CIDR", d.n.ClusterCIDRs, commas, "the range of all pods")
	if node := evidence.Node.In(d.s); node.Metadata.Name != "" &&
		len(node.Spec.PodCIDRList()) == 0 && !d.n.PodCIDRs.Known() {
		p.put("- pod CIDR of the node: none (%s)\n", code(evidence.Node.Path()))
	} else {
		fact(p, "pod CIDR of the node", d.n.PodCIDRs, commas,
			"`kubectl get node NAME -o jsonpath='{.spec.podCIDRs}'`, where the plugin uses it")
	}
	fact(p, "service CIDR", d.n.ServiceCIDRs, commas, "the API server's --service-cluster-ip-range")
	fact(p, "cluster DNS", d.n.ClusterDNS, commas, "`kubectl get service -n kube-system kube-dns`")
	fact(p, "node address", d.n.ManagementIPs, commas, "the node's InternalIP")
}

func commas[T fmt.Stringer](list []T) string {
	return strings.Join(mapped(list[:min(len(list), maxMissing)], T.String), ", ")
}

// kubeProxy writes the settings that decide how kube-proxy programs HNS.
func (d *issue) kubeProxy(p *section) {
	proxy := d.n.Proxy()
	if proxy.From.Path == "" {
		p.put("- kube-proxy: %s\n",
			missing("its command line or configuration: mode and feature gates", proxy.Gap))
		return
	}
	mode, set := d.proxyMode()
	if set {
		p.value("kube-proxy's mode", mode, proxy.From.Path)
	} else {
		p.put("- kube-proxy's mode: not set (%s)\n", cited(proxy.From.Path))
	}
	gates := mapped(slices.Sorted(maps.Keys(proxy.Gates)), func(name string) string {
		return name + "=" + proxy.Gates[name].Value
	})
	if len(gates) == 0 {
		p.put("  - feature gates: none set in what was recorded\n")
	}
	p.setting("feature gates", strings.Join(gates, ","), len(gates) > 0)
	for _, s := range []struct {
		name string
		node.ProxySetting
	}{
		{"enable-dsr", proxy.EnableDSR}, {"network-name", proxy.NetworkName},
		{"source-vip", proxy.SourceVIP},
		{"cluster-cidr", proxy.ClusterCIDR},
		{"forward-healthcheck-vip", proxy.ForwardHealthCheckVIP},
	} {
		p.setting(s.name, s.Value, s.Set)
	}
	if proxy.Hidden.Kind != "" {
		p.put("  - %s\n", missing("what its start script or configuration sets besides",
			proxy.Hidden))
	}
}

// setting is one of kube-proxy's. One that is not set is left out: what kube-proxy
// takes then depends on its version.
func (p *section) setting(name, value string, set bool) {
	if set {
		p.put("  - %s: %s\n", name, cmp.Or(cited(value), "empty"))
	}
}

// proxyMode is on the command line, or in the configuration that the command line names.
func (d *issue) proxyMode() (mode string, set bool) {
	proxy := d.n.Proxy()
	if f, ok := proxy.Flag("config"); ok && f.Value != "" {
		if c, err := evidence.DecodeKubeProxyConfig([]byte(d.s.File(f.Value).Text)); err == nil &&
			c != nil {
			return c.Mode, c.Mode != ""
		}
		return "", false
	}
	f, ok := proxy.Flag("proxy-mode")
	return f.Value, ok
}

// How much of a configuration is quoted.
const (
	maxConfigLines = 80
	maxConfig      = 5000 // bytes
)

// cniConfig quotes the configuration that pods are meant to get.
func (d *issue) cniConfig(p *section) {
	if !d.n.CNIDir.Known() {
		p.put("- CNI configuration: %s\n", missing("the file in the runtime's CNI folder",
			d.n.CNIDir.Gap))
		return
	}
	folder := cited(d.n.CNIDir.Value)
	file := cmp.Or(d.n.Intended(), d.n.Effective())
	if file == nil {
		p.put("- CNI configuration: none was recorded in %s\n", folder)
		return
	}
	name := cited(file.File.Path)
	if file.File.Gap.Kind != "" {
		p.put("- CNI configuration: %s\n", missing(name, file.File.Gap))
		return
	}
	if n := len(d.n.CNIFiles); n > 1 {
		p.put("- %s has %s; this is the one of the node's plugin\n", folder,
			count(n, "configuration"))
	}
	lines := configLines(file.File.Text)
	p.block(fmt.Sprintf(
		"- CNI configuration %s:\n\n<details><summary>%s</summary>\n\n%s\n</details>\n\n", name,
		count(len(lines), "line"), fence("text", lines)))
}

// configLines numbers the lines of a configuration, as far as there is room for them.
func configLines(text string) []string {
	var lines []string
	used := 0
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = gutter(" ", fmt.Sprint(len(lines)+1),
			clip(Plain(strings.TrimRight(clip(line, 2*maxQuotedLine), "\r\n"), false),
				maxQuotedLine))
		if used += len(line) + 1; used > maxConfig || len(lines) == maxConfigLines {
			return append(lines, gutter(" ", "...", ""))
		}
		lines = append(lines, line)
	}
	return lines
}

// storage names csi-proxy and the drivers, as far as services, processes and pods show them.
func (d *issue) storage(p *section) {
	seen := false
	for _, svc := range evidence.Services.In(d.s) {
		if name := strings.ToLower(svc.Name); name == "csi-proxy" || name == "csiproxy" {
			p.put("- csi-proxy: service %s, %s\n", cited(svc.Name), cited(svc.State))
			p.put("- its version: %s\n", notRecorded("`csi-proxy.exe --version`"))
			seen = true
		}
	}
	for _, image := range d.images("csi", "livenessprobe") {
		p.value("CSI image", image, evidence.Pods.Path())
		seen = true
	}
	if gap := cmp.Or(evidence.Services.Gap(d.s), evidence.Pods.Gap(d.s)); gap.Kind != "" {
		p.put("- CSI: %s\n", missing("the CSI drivers on the node, if there are any", gap))
	} else if !seen {
		p.put("- CSI: neither a service csi-proxy nor a pod of a CSI driver is on this node\n")
	}
}
