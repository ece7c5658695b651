package faults

import (
	"regexp"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// The node of Kubernetes 1.5 to 1.8 on Windows Server 2016: docker's transparent
// network for pods, Routing and Remote Access between the adapters, and a
// kube-proxy that puts each Service address on an adapter of the host.

// The adapters of that setup, under the names that Windows gives them.
const (
	transparentAdapter = "vEthernet (HNSTransparent)"
	serviceAdapter     = "vEthernet (KubeProxySwitch)"
)

// proxySixth is the release whose kube-proxy listens on Service addresses by
// itself. Those before had netsh forward, which knows TCP only.
var proxySixth = evidence.Version{Major: 1, Minor: 6}

var gen15Sources = []evidence.Need{evidence.Env, evidence.Services,
	evidence.File(`C:\k\kubeproxystart.ps1`), evidence.File(`C:\k\start-kubeproxy.ps1`),
	evidence.File(`C:\k\start-kube-proxy.ps1`)}

var setsServiceAdapter = regexp.MustCompile(
	`(?mi)^[^#\n]*\bINTERFACE_TO_ADD_SERVICE_IP\b["']?\s*[=,]\s*["']([^"'\n]+)["']`)

// serviceAdapterName is the adapter that kube-proxy is told to put Service
// addresses on, wherever it is told.
func serviceAdapterName(n *node.Node, s evidence.Snapshot) (string, evidence.Because, bool) {
	const name = "INTERFACE_TO_ADD_SERVICE_IP"
	for _, svc := range n.Components["kube-proxy"].Services {
		if v := svc.Env[name]; v != "" {
			return v, svc.Field("env", name).Because("%s: %s=%s", svc.Name, name, v), true
		}
	}
	for _, need := range gen15Sources {
		path, ok := need.(evidence.File)
		if !ok {
			continue
		}
		if m := setsServiceAdapter.FindStringSubmatch(s.File(string(path)).Text); m != nil {
			return m[1], evidence.InFile(s.File(string(path)).Path).Because("%s=%s", name, m[1]),
				true
		}
	}
	if v := evidence.Env.In(s)[name]; v != "" {
		return v, evidence.Env.Field(s, name).Because("%s=%s", name, v), true
	}
	return "", evidence.Because{}, false
}

// adapterCalled finds an adapter of the host by its name.
func adapterCalled(s evidence.Snapshot, name string) (evidence.Adapter, bool) {
	for _, a := range evidence.Adapters.In(s) {
		if strings.EqualFold(a.Name, name) {
			return a, true
		}
	}
	return evidence.Adapter{}, false
}

// adapterNames lists the adapters for a finding.
func adapterNames(s evidence.Snapshot) string {
	var names []string
	for _, a := range evidence.Adapters.In(s) {
		names = append(names, a.Name)
	}
	if len(names) > 12 {
		names = append(names[:12], "…")
	}
	return strings.Join(names, ", ")
}

var noAdapters = evidence.NotShown.Gap("any network adapter")
