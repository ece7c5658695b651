package foreign

import (
	"fmt"
	"io/fs"
	"net/netip"
	"path"
	"strings"

	"doctor/checks/evidence"
	"doctor/collectors/certfile"
)

// convertNetwork gives the readers of collectlogs' files the same outputs under Rancher's names.
func (r rancher) convertNetwork(out *output) {
	network, dumps := r.src.folder("network"), r.src.folder("network/hns")
	dumps.texts["ports.txt"] = network.text("vfpports.txt")
	dumps.texts["hnsdiag.txt"] = network.readText("hnsdiaglistall", maxDump)
	hns := readHNS(dumps)
	hns.convert(out, rancherMisses(
		"the version of HNS, and no object of it in the recording carries one",
		"collect `Get-HnsNetwork | ConvertTo-Json -Depth 20`, or "+runBundle))
	if _, gap := hns.list(len(hnsKinds) - 1); gap.Kind == evidence.NotCollected {
		out.Gap("hns-namespaces.json", misses(rancherTool, "hns-namespaces.json"))
	}

	ip := r.text("network/ipconfigall.txt")
	net := interfaces{
		ip:        ip,
		sections:  parseIPConfig(ip.content),
		adapterOf: netAdaptersOf(printed(r.text("network/networkadapter").content)),
		mtus:      parseNetshInterfaces(r.text("network/ipv4subinterfaces").content, true),
	}
	out.write("adapters.json")(net.adapters())
	out.write("dns-client.json")(net.dnsClient())
	routes := r.text("network/networkroutes")
	if len(parseNetRoutes(routes.content)) == 0 {
		routes = r.text("network/ipv4routes.txt")
	}
	out.write("routes.json")(readRoutes(routes, net))
}

// byAddress knows the interface of an address where only ipconfig and
// Get-NetAdapter told of both: `route print` names interfaces by address.
func (n interfaces) byAddress() interfaces {
	adapters, _ := n.adapters()
	for _, a := range adapters {
		for _, p := range a.Addresses {
			if prefix, err := netip.ParsePrefix(p); err == nil && a.IfIndex > 0 {
				n.addresses = append(n.addresses, netIPAddress{alias: a.Name, ifIndex: a.IfIndex,
					prefix: prefix})
			}
		}
	}
	return n
}

// Where RKE2 keeps on the node what the script copies.
const (
	rke2Agent  = `C:\var\lib\rancher\rke2\agent`
	rke2Config = `C:\etc\rancher\rke2`
)

// rke2Certificates are the certificates that the script copies. The first is
// how the kubelet signs in: without it the others acquit nobody.
var rke2Certificates = []string{"client-kubelet.crt", "serving-kubelet.crt", "client-ca.crt",
	"server-ca.crt"}

const maxCertificateFile = 1 << 20

// certificate reads the certificates of a file.
func (r rancher) certificate(file string) ([]evidence.Certificate, error) {
	src := r.src.folder("certs/rke2")
	at := src.at(file)
	if at == "" {
		return nil, fmt.Errorf("%s is not in the recording", file)
	}
	content, err := readBounded(src.fsys, at, maxCertificateFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path.Base(at), err)
	}
	list := certfile.Read(rke2Agent+`\`+file, content)
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no certificate", path.Base(at))
	}
	return list, nil
}

func (r rancher) convertCertificates(out *output) {
	var list []evidence.Certificate
	for i, file := range rke2Certificates {
		certs, err := r.certificate(file)
		if err != nil && i == 0 {
			out.Gap("certificates.json", missingf(
				"the kubelet's certificate is not in this recording of %s: certs/rke2: %v; collect %s\\%s (not for its key)", rancherTool, err, rke2Agent, file))
			return
		}
		list = append(list, certs...)
	}
	out.JSON("certificates.json", list)
}

func (r rancher) convertFiles(out *output) {
	n := &copies{tool: rancherTool, out: out}
	config := r.src.folder("config/rke2")
	for _, file := range sortedValues(config.names.files) {
		switch strings.ToLower(file) {
		case "config.yaml", "config.yml":
			n.copied(config, file, rke2Config+`\`+file)
		case "00-rke2-defaults.conf":
			n.copied(config, file, rke2Agent+`\etc\kubelet.conf.d\`+file)
		default:
			n.copied(config, file, rke2Config+`\config.yaml.d\`+file)
		}
	}
	n.copied(r.src.folder("containerd"), "config.toml", rke2Agent+`\etc\containerd\config.toml`)
	n.copied(r.src.folder("config/wins"), "config", `C:\etc\rancher\wins\config`)
	n.copied(r.src.folder("config/flannel"), "net-conf.json", `C:\etc\kube-flannel\net-conf.json`)
	if r.rke1() {
		cni := r.src.folder("config/cni")
		for _, file := range sortedValues(cni.names.files) {
			n.copied(cni, file, `C:\etc\cni\net.d\`+file)
		}
		n.folder(cni.folder("networks"), `C:\var\lib\cni\networks`, maxCopiedDepth)
		n.folder(cni.folder("flannel"), `C:\var\lib\cni\flannel`, maxCopiedDepth)
		n.folder(cni.folder("cacheresults"), `C:\var\lib\cni\cache\results`, maxCopiedDepth)
	} else {
		n.folder(r.src.folder("config/cni"), rke2Agent+`\etc\cni`, maxCopiedDepth)
	}
	n.write(missingf(
		"this recording of %s contains no configuration file; collect %s\\config.yaml and %s\\etc",
		rancherTool, rke2Config, rke2Agent))
}

// rke1 tells the recording of the older script, for nodes with docker.
func (r rancher) rke1() bool {
	return !hasFolder(r.src.names, "containerd") && !hasFolder(r.src.names, "k8s") &&
		(hasFolder(r.src.names, "docker") || hasFolder(r.src.names, "nginx") ||
			hasFolder(r.src.names, "containerlogs"))
}

// containerComponents tell by the name of a container, or of its pod, whose logs these are.
var containerComponents = []namedLog{
	{"kube-flannel", "flanneld"}, {"flannel", "flanneld"}, {"kube-proxy", "kube-proxy"},
	{"kubelet", "kubelet"},
	{"calico", "calico-node"}, {"felix", "calico-node"}, {"confd", "calico-node"},
	{"antrea-ovs", "ovs"}, {"antrea", "antrea-agent"}, {"csi-proxy", "csi-proxy"},
}

func containerComponent(file string) string { return componentNamed(containerComponents, file, "pods") }

// convertLogs places the logs of the components. What PowerShell made of the
// event log of service rke2 is no log: its lines are cut to the console's width.
func (r rancher) convertLogs(out *output) {
	isLog := func(name string) bool { return strings.Contains(name, ".log") }
	out.logs(r.src.folder("k8s/components"), isLog, containerComponent)
	out.logs(r.src.folder("containerd"), func(name string) bool {
		return isLog(name) && strings.HasPrefix(name, "containerd")
	}, func(string) string { return "containerd" })
	out.log(r.src.folder("eventlogs"), "csi-proxy.log", "csi-proxy")
	for _, dir := range []string{"k8s/containerlogs", "containerlogs", "containerlogs/rke"} {
		out.logs(r.src.folder(dir), func(string) bool { return true }, containerComponent)
	}
}

// logs places the files of a folder that are logs, each under its component. isLog is given names in
// lower case.
func (o *output) logs(src *source, isLog func(name string) bool, component func(name string) string) {
	for _, file := range sortedValues(src.names.files) {
		if isLog(strings.ToLower(file)) {
			o.log(src, file, component(file))
		}
	}
}

// log places a log; one that is empty says as little as none.
func (o *output) log(src *source, file, component string) {
	name := "logs/" + component + "/" + file
	if !src.hollow(file) && !o.Has(name) {
		o.place(name, src, file)
	}
}

// hasLogs tells whether a log of the component is placed.
func (o *output) hasLogs(component string) bool {
	entries, err := fs.ReadDir(o.FS(), "logs/"+component)
	return err == nil && len(entries) > 0
}
