package foreign

import (
	"strings"

	"doctor/checks/evidence"
)

// A lack is what loose files may not show, and the command that does.
type lack struct{ what, command string }

var pieceLacks = map[string]lack{
	"os.json":             {"the version of Windows", "systeminfo"},
	"services.json":       {"the services", "Get-Service | Format-List *"},
	"processes.json":      {"the processes", "Get-Process"},
	"features.json":       {"the Windows features", "doctor bundle"},
	"hotfixes.json":       {"the updates", "Get-HotFix"},
	"memory.json":         {"the memory", "systeminfo"},
	"disks.json":          {"the disks", "doctor bundle"},
	"firewall.json":       {"the firewall", "doctor bundle"},
	"certificates.json":   {"the certificates", "doctor bundle"},
	"security.json":       {"access lists and Defender", "doctor bundle"},
	"time.json":           {"the state of the clock", "doctor bundle"},
	"env.json":            {"the environment", "doctor bundle"},
	"events.json":         {"the event logs", "doctor bundle"},
	"files.json":          {"configuration files", "doctor bundle"},
	"pending-reboot.json": {"whether a reboot is pending", "doctor bundle"},
	"probes/reach.json":   {"whether anything can be reached", "doctor bundle"},
	"probes/dns.json":     {"answers to DNS questions", "doctor bundle"},
	"ports.json": {"the ranges of ports",
		"netsh int ipv4 show excludedportrange tcp; netsh int ipv4 show dynamicport tcp"},
	"vfp.json":           {"the ports of VFP", "vfpctrl /list-vmswitch-port"},
	"adapters.json":      {"the network adapters", "ipconfig /allcompartments /all"},
	"dns-client.json":    {"the DNS settings of the node", "ipconfig /allcompartments /all"},
	"routes.json":        {"the routes", "route print"},
	"hns-networks.json":  {"the HNS networks", "Get-HnsNetwork | ConvertTo-Json -Depth 20"},
	"hns-endpoints.json": {"the HNS endpoints", "Get-HnsEndpoint | ConvertTo-Json -Depth 20"},
	"hns-loadbalancers.json": {"the HNS load balancers",
		"Get-HnsPolicyList | ConvertTo-Json -Depth 20"},
	"hns-namespaces.json": {"the HNS namespaces",
		"Get-HnsNamespace | ConvertTo-Json -Depth 20"},
	"hns-globals.json": {"the version of HNS", "Get-HnsNetwork | ConvertTo-Json -Depth 20"},
	"cri.json":         {"the state of the container runtime", "crictl info"},
	"api/node.json":    {"the Node object", "kubectl get node NODE -o yaml"},
	"api/version.json": {"the version of the API server", "kubectl version -o json"},
	"logs/kubelet":     {"a log of the kubelet", `Get-Content C:\var\log\kubelet\*.log -Tail 2000`},
	"logs/kube-proxy":  {"a log of kube-proxy", "kubectl logs -n kube-system KUBE-PROXY-POD"},
	"logs/containerd":  {"a log of containerd", "doctor bundle"},
	"logs/flanneld":    {"a log of flanneld", "kubectl logs -n kube-flannel FLANNEL-POD"},
}

func init() {
	for _, l := range apiLists {
		pieceLacks[l.path] = lack{l.words, l.ask}
	}
}

// misses is the gap of a file of the layout that a tool does not collect, with the command that does.
func misses(tool, path string) evidence.Gap {
	l, ask := pieceLacks[path], runBundle
	if l.command != "doctor bundle" {
		ask = "collect `" + l.command + "`, or " + runBundle
	}
	return missingf("%s does not collect %s; %s", tool, l.what, ask)
}

// uncollected makes the gaps of all that a tool does not collect. own are those that have more to say.
func (o *output) uncollected(tool string, own map[string]evidence.Gap) {
	for path, why := range own {
		if !o.Has(path) {
			o.Gap(path, why)
		}
	}
	for path := range pieceLacks {
		if !strings.HasPrefix(path, "logs/") && !o.Has(path) {
			o.Gap(path, misses(tool, path))
		}
	}
}
