package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/sorted"
)

// fact writes one line of a form field: the value and where it was learnt, or
// the prompt for it.
func fact[T any](p *section, label string, f node.Fact[T], text func(T) string, prompt string) {
	value := ""
	if f.Known() {
		value = text(f.Value)
	}
	p.valueOr(label, value, f.From.Path, prompt, f.Gap)
}

// valueOr writes a value, or the prompt for it where there is none.
func (p *section) valueOr(label, value, path, prompt string, gap evidence.Gap) {
	if value == "" {
		p.put("- %s: %s\n", label, missing(prompt, gap))
		return
	}
	p.value(label, value, path)
}

func (p *section) value(label, value, path string) {
	from := ""
	if path != "" {
		from = " (" + cited(path) + ")"
	}
	p.put("- %s: %s%s\n", label, cited(value), from)
}

func itself(s string) string { return s }

func (d *issue) kubernetes() *section {
	p := newSection("Kubernetes version", 3000, "line")
	p.valueOr("API server", evidence.APIVersion.In(d.s).GitVersion, evidence.APIVersion.Path(),
		"the server's version, of `kubectl version`", evidence.APIVersion.Gap(d.s))
	p.valueOr("kubelet", d.r.Node.Kubelet, d.n.Kubelet.From.Path, "`kubelet --version`",
		d.n.Kubelet.Gap)
	images := d.images("kube-proxy", "kubeproxy")
	for _, image := range images {
		p.value("kube-proxy", image, evidence.Pods.Path())
	}
	// The Node's kubeProxyVersion is the kubelet's own version under another name,
	// so it says nothing of kube-proxy.
	if len(images) == 0 {
		p.put("- kube-proxy: %s\n", notRecorded("`kube-proxy --version`"))
	}
	return p
}

// images lists the images on the node's pods whose name holds one of the words.
func (d *issue) images(words ...string) []string {
	var list []string
	for _, pod := range evidence.Pods.In(d.s) {
		for _, c := range pod.Spec.Containers {
			name := strings.ToLower(c.Image)
			if slices.ContainsFunc(words, func(w string) bool {
				return strings.Contains(name, w)
			}) && !slices.Contains(list, c.Image) {
				list = append(list, c.Image)
			}
		}
	}
	slices.Sort(list)
	return list[:min(len(list), maxImages)]
}

const maxImages = 12

// places are the labels that tell where a machine stands and what it is.
var places = []struct{ what, label string }{
	{"region", "topology.kubernetes.io/region"}, {"zone", "topology.kubernetes.io/zone"},
	{"machine type", "node.kubernetes.io/instance-type"},
}

func (d *issue) cloud() *section {
	p := newSection("Cloud provider", 3000, "line")
	node := evidence.Node.In(d.s)
	// what follows holds account numbers
	scheme, _, named := strings.Cut(node.Spec.ProviderID, "://")
	switch {
	case d.n.Cloud.Known():
		p.value("cloud", d.n.Cloud.Value, d.n.Cloud.From.Path)
	case named:
		p.put("- cloud: %s calls itself %s\n", code("spec.providerID"), cited(scheme))
	case node.Metadata.Name != "":
		p.put("- cloud: %s (the Node object has no spec.providerID)\n",
			notRecorded("the cloud or hypervisor, if the node is in one"))
	default:
		p.put("- cloud: %s\n", missing("the cloud or hypervisor, if the node is in one",
			evidence.Node.Gap(d.s)))
	}
	for _, at := range places {
		if v := node.Metadata.Labels[at.label]; v != "" {
			p.value(at.what, v, evidence.Node.Path())
		}
	}
	machine := ""
	if m := evidence.OSInfo.In(d.s).Machine; m.Manufacturer != "" {
		machine = strings.TrimSpace(m.Manufacturer + " " + m.Model)
	}
	p.valueOr("machine", machine, evidence.OSInfo.Path(),
		"its manufacturer and model, of `systeminfo`", evidence.OSInfo.Gap(d.s))
	return p
}

// system prints the four columns that the form asks of wmic, which newer builds
// do not have, and then what they leave out.
func (d *issue) system() *section {
	p := newSection("OS version", 4000, "line")
	os := evidence.OSInfo.In(d.s)
	caption, number, version := "not recorded", "not recorded", "not recorded"
	if name := d.caption(); name != "" {
		caption = "Microsoft " + strings.TrimPrefix(name, "Microsoft ")
	}
	if b := d.n.Build; b.Known() {
		number, version = fmt.Sprint(b.Value.Number), fmt.Sprintf("10.0.%d", b.Value.Number)
	}
	bits, from := d.architecture()
	columns := [][2]string{{"BuildNumber", number}, {"Caption", caption},
		{"OSArchitecture", cmp.Or(bits, "not recorded")}, {"Version", version}}
	var head, row strings.Builder
	for _, c := range columns {
		wide := max(width(c[0]), width(c[1]))
		head.WriteString(pad(c[0], wide+2))
		row.WriteString(pad(c[1], wide+2))
	}
	p.block(fence("text", []string{strings.TrimRight(head.String(), " "),
		strings.TrimRight(row.String(), " ")}) + "\n")
	fact(p, "build", d.n.Build, node.Build.String, "what `winver` shows")
	if d.n.Build.Known() && d.n.Build.Value.UBR < 0 {
		p.put("- revision: %s\n", notRecorded("the number behind the build, of `winver`"))
	}
	if kind := strings.Join(given(os.InstallationType, os.Edition), ", "); kind != "" {
		p.value("installed as", kind, evidence.OSInfo.Path())
	}
	p.valueOr("architecture", bits, from, "`$env:PROCESSOR_ARCHITECTURE`", evidence.Gap{})
	d.hotfixes(p)
	return p
}

// caption is the product as Windows calls it; the registry's name of Windows 11 is that of 10.
func (d *issue) caption() string {
	name := Plain(cmp.Or(evidence.OSInfo.In(d.s).ProductName,
		evidence.Node.In(d.s).Status.NodeInfo.OSImage), false)
	if release := evidence.WindowsName(d.n.Build.Value.Number); strings.HasPrefix(release,
		"Windows 11") && !strings.Contains(name, "Windows 11") {
		name = release
	}
	return clip(cmp.Or(name, d.r.Node.OS), maxValue)
}

// architecture is in wmic's words, with where it was learnt.
func (d *issue) architecture() (bits, path string) {
	node := evidence.Node.In(d.s)
	for _, told := range []struct{ value, path string }{
		{node.Status.NodeInfo.Architecture, evidence.Node.Path()},
		{node.Metadata.Labels["kubernetes.io/arch"], evidence.Node.Path()},
		{evidence.Env.In(d.s)["PROCESSOR_ARCHITECTURE"], evidence.Env.Path()},
	} {
		switch strings.ToLower(told.value) {
		case "":
		case "amd64":
			return "64-bit", told.path
		case "arm64":
			return "ARM 64-bit Processor", told.path
		default:
			return clip(Plain(told.value, false), maxValue), told.path
		}
	}
	return "", ""
}

const maxHotfixes = 8

func (d *issue) hotfixes(p *section) {
	if gap := evidence.Hotfixes.Gap(d.s); gap.Kind != "" {
		p.put("- updates: %s\n", missing("`Get-HotFix`", gap))
		return
	}
	list := slices.Clone(evidence.Hotfixes.In(d.s))
	sorted.By(list, func(a, b evidence.Hotfix) int {
		return b.InstalledAt.Compare(a.InstalledAt.Time)
	})
	ids := mapped(list[:min(len(list), maxHotfixes)], func(h evidence.Hotfix) string {
		return clip(h.ID, maxValue)
	})
	if len(ids) > 0 {
		p.value("updates, the newest first", strings.Join(ids, ", "), evidence.Hotfixes.Path())
	}
}

func (d *issue) runtime() *section {
	p := newSection("Container runtime (CRI) and version (if applicable)", 2000, "line")
	fact(p, "runtime", d.n.Runtime, func(r node.Runtime) string {
		return strings.Replace(r.Raw, "://", " ", 1)
	}, "`containerd --version`")
	if r := d.n.Runtime; r.Known() && r.Value.Version == (evidence.Version{}) {
		p.put("- version: %s\n", notRecorded("`containerd --version` or `docker version`"))
	}
	fact(p, "pause image", node.SandboxImage(d.n, d.s), itself,
		"the sandbox image, of `crictl info`")
	return p
}

// installed are the marks that the ways to set a node up leave on its disk.
var installed = []struct{ start, by string }{
	{`C:\k\StartKubelet.ps1`,
		"the scripts of sig-windows-tools, or an image of image-builder, which write it too"},
	{`C:\k\start.ps1`, "start.ps1 of microsoft/SDN"},
	{`C:\var\lib\kubelet\kubeadm-flags.env`, "kubeadm"},
	{`C:\etc\kubernetes\node\bin\`, "the scripts for Google Compute Engine"},
	{`C:\etc\rancher\wins\`, "Rancher's wins"},
	{`C:\CalicoWindows\`, "the scripts of Calico for Windows"},
}

// installers are services that set nodes up.
var installers = map[string]string{
	"rke2":                           "RKE2",
	"rancher-wins":                   "Rancher's wins",
	"windows-instance-config-daemon": "OpenShift's operator for Windows machines",
}

// installTools lists what is seen; which of several marks is the one that counts,
// only a person knows, so the question stays.
func (d *issue) installTools() *section {
	p := newSection("Install tools", 3000, "line")
	if f := d.n.Platform; f.Known() && f.Value != node.SelfManaged {
		p.value("set up by", string(f.Value), f.From.Path)
	}
	for _, svc := range evidence.Services.In(d.s) {
		if by := installers[strings.ToLower(svc.Name)]; by != "" {
			p.put("- seen: service %s of %s\n", cited(svc.Name), by)
		}
	}
	for _, mark := range installed {
		if _, ok := d.s.HasFile(mark.start); ok {
			p.put("- seen: %s of %s\n", code(mark.start), mark.by)
		}
	}
	for _, cm := range evidence.ConfigMaps.In(d.s) {
		if cm.Metadata.Name == "kubeadm-config" {
			p.put("- seen: the ConfigMap %s: the control plane is kubeadm's\n",
				code("kubeadm-config"))
			break
		}
	}
	if evidence.Node.In(d.s).Metadata.Annotations["cluster.x-k8s.io/machine"] != "" {
		p.put("- seen: the Node's annotation %s of Cluster API\n", code("cluster.x-k8s.io/machine"))
	}
	if c := d.n.Components["kubelet"]; c != nil && len(c.Services) > 0 &&
		c.Services[0].Wrapper != "" {
		p.value("the kubelet's service runs under", c.Services[0].Wrapper, evidence.Services.Path())
	}
	p.put("- %s\n", notRecorded("with what, and in which version, the node was set up"))
	return p
}
