package ui

import (
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

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
