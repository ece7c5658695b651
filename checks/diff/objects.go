package diff

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"

	"doctor/checks/evidence"
)

// nodeFields are the fields of a Node object that say how the node is set up and how it is.
func nodeFields(_ *flattened, fields map[string]any) map[string]any {
	meta, spec, status := fieldsOf(fields, "metadata"), fieldsOf(fields, "spec"), fieldsOf(fields, "status")
	labels, zones, conditions, versions := map[string]any{}, map[string]any{}, map[string]any{}, map[string]any{}
	for name, value := range fieldsOf(meta, "labels") {
		switch {
		case strings.HasSuffix(name, "/hostname"):
		case strings.Contains(name, "topology"), strings.Contains(name, "failure-domain"):
			zones[name] = value
		default:
			labels[name] = value
		}
	}
	info, allocatable := fieldsOf(status, "nodeInfo"), fieldsOf(status, "allocatable")
	for _, name := range []string{"kernelVersion", "osImage", "containerRuntimeVersion", "kubeletVersion",
		"kubeProxyVersion", "architecture"} {
		versions[name] = info[name]
	}
	for _, c := range listOf(status, "conditions") {
		if kind := textOf(c, "type"); kind != "" {
			conditions[kind] = fmt.Sprintf("%v (%v)", c["status"], c["reason"])
		}
	}
	return withoutNil(map[string]any{"label": labels, "zone": zones, "condition": conditions, "version": versions,
		"taints": spec["taints"], "unschedulable": spec["unschedulable"], "podCIDRs": spec["podCIDRs"],
		"allocatable": map[string]any{"cpu": allocatable["cpu"], "pods": allocatable["pods"]}})
}

func withoutNil(m map[string]any) map[string]any {
	for name, v := range m {
		if inner, ok := v.(map[string]any); ok {
			withoutNil(inner)
		} else if v == nil {
			delete(m, name)
		}
	}
	return m
}

func fieldsOf(m map[string]any, name string) map[string]any {
	fields, _ := m[name].(map[string]any)
	return fields
}

func listOf(m map[string]any, name string) (list []map[string]any) {
	items, _ := m[name].([]any)
	for _, item := range items {
		if fields, ok := item.(map[string]any); ok {
			list = append(list, fields)
		}
	}
	return list
}

func textOf(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

// adapterName leaves out the adapters of pods, which come and go.
func adapterName(f *flattened, fields map[string]any) string {
	if n, ok := fields["compartment"].(float64); ok && n > 1 {
		return ""
	}
	name := textOf(fields, "name")
	if inner, ok := strings.CutPrefix(name, "vEthernet ("); ok && isHash(strings.TrimSuffix(inner, ")")) {
		return ""
	}
	return f.id.common(name)
}

func isHash(s string) bool {
	return len(s) >= 12 && strings.Trim(s, "0123456789abcdef") == ""
}

func networkName(f *flattened, fields map[string]any) string {
	return f.id.common(cmp.Or(textOf(fields, "Name"), textOf(fields, "name")))
}

// endpointClass puts the endpoints of a network's pods together: pods differ, and what HNS does for
// them should not. Endpoints of other nodes, and those that are the host's own, are left out.
func endpointClass(f *flattened, fields map[string]any) string {
	if remote, _ := fields["IsRemoteEndpoint"].(bool); remote {
		return ""
	}
	if flags, _ := fields["Flags"].(float64); int(flags)&1 != 0 {
		return ""
	}
	address := textOf(fields, "IPAddress")
	for _, ip := range listOf(fields, "IpConfigurations") {
		address = textOf(ip, "IpAddress")
	}
	namespace := textOf(fields, "HostComputeNamespace") + textOf(fieldsOf(fields, "Namespace"), "ID")
	addr, err := netip.ParseAddr(address)
	if err != nil || strings.Trim(namespace, "0-{}") == "" || len(f.id.podCIDRs) > 0 && !f.id.isPod(addr) {
		return ""
	}
	if network := textOf(fields, "VirtualNetworkName"); network != "" {
		return "pods on " + network
	}
	return "pods"
}

// sharedPolicy recognizes the policies that all pods of a network have alike; others follow from what a
// pod asks for (host ports) or who may reach it (ACLs).
func sharedPolicy(_ string, fields map[string]any) bool {
	switch textOf(fields, "Type") {
	case "OutBoundNAT", "ROUTE", "SDNRoute", "PA", "ProviderAddress":
		return true
	}
	return textOf(fields, "Type") == "" // an element of a policy
}

// frontend is the VIP, port and protocol of a load balancer.
func frontend(_ *flattened, fields map[string]any) string {
	for _, policy := range listOf(fields, "Policies") {
		if vips, _ := policy["VIPs"].([]any); len(vips) > 0 {
			return fmt.Sprintf("%v:%v/%s", vips[0], policy["ExternalPort"], protocol(policy["Protocol"]))
		}
	}
	vips, _ := fields["FrontendVIPs"].([]any)
	mappings := listOf(fields, "PortMappings")
	if len(mappings) == 0 {
		return ""
	}
	vip := any("node")
	if len(vips) > 0 {
		vip = vips[0]
	}
	return fmt.Sprintf("%v:%v/%s", vip, mappings[0]["ExternalPort"], protocol(mappings[0]["Protocol"]))
}

func protocol(v any) string { return strings.ToUpper(evidence.ProtocolName(fmt.Sprint(v))) }

// balancer are the settings of a load balancer and the number of its backends: these are known by
// GUID alone.
func balancer(_ *flattened, fields map[string]any) map[string]any {
	out := map[string]any{}
	for _, policy := range listOf(fields, "Policies") {
		out["IsDSR"], out["ILB"], out["InternalPort"] = policy["IsDSR"], policy["ILB"], policy["InternalPort"]
	}
	for _, mapping := range listOf(fields, "PortMappings") {
		out["InternalPort"], out["Flags"] = mapping["InternalPort"], mapping["Flags"]
	}
	if flags, ok := fields["Flags"]; ok {
		out["LoadBalancerFlags"] = flags
	}
	refs, _ := fields["References"].([]any)
	backends, _ := fields["HostComputeEndpoints"].([]any)
	out["backends"] = len(refs) + len(backends)
	return withoutNil(out)
}

func routeName(f *flattened, fields map[string]any) string {
	if strings.HasPrefix(textOf(fields, "destination"), "127.") {
		return ""
	}
	return "to " + f.id.common(textOf(fields, "destination")) + " by " + f.id.common(textOf(fields, "nextHop"))
}

// dynamicPort is where Windows takes ports from that no program asks for by number.
const dynamicPort = 32768

func fixedPort(field string, fields map[string]any) bool {
	port, _ := fields["port"].(float64)
	return field != "listeners" || port < dynamicPort
}

func fileName(f *flattened, fields map[string]any) string {
	name := textOf(fields, "path")
	if volatileFile(strings.ReplaceAll(name, `\`, "/")) {
		return ""
	}
	return f.id.common(name)
}

// probeName names a probe by these fields. The pod that it was sent from is any pod.
func probeName(names ...string) func(*flattened, map[string]any) string {
	return func(f *flattened, fields map[string]any) string {
		var parts []string
		for _, name := range names {
			value := f.id.common(textOf(fields, name))
			if name == "from" && value != "node" {
				value = "a pod"
			}
			parts = append(parts, value)
		}
		return strings.Join(parts, " ")
	}
}
