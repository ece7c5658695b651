package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-encapsulation-unsupported",
	Title:    "Calico IP pool encapsulation is not supported on Windows",
	Healthy:  "Calico IP pool encapsulation is supported on Windows",
	Category: checks.CategoryNetwork,
	Doc: `A Calico IP pool sets how packets between pods of different nodes travel. Calico for
Windows has VXLAN for all packets, and BGP without encapsulation. It has no IP in IP, and no mode
CrossSubnet, in which packets are encapsulated only between subnets. Linux nodes use what the pool
says: they encapsulate packets to pods on Windows, and Windows drops them. Pods on Linux do not
reach pods on Windows nodes and the reverse; pods on one node reach each other.

A manifest of Calico sets IP in IP where nothing else is chosen, the operator VXLANCrossSubnet. The
operator then installs no Calico for Windows, and the node waits for a CNI configuration.

The check reads the IP pools of the cluster. It is a fault if the node has no CNI configuration and the
operator has not installed Calico for Windows, or if a pod of this node has an address of the pool and
IP in IP is always on; otherwise a warning. A pool without VXLAN is a warning on a node whose Calico
network is an overlay.`,
	Fix: poolFix("POOL"),
	Links: []string{
		"https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/limitations",
		"https://github.com/projectcalico/calico/issues/6996",
		"https://github.com/tigera/docs/issues/1547",
		"https://github.com/tigera/operator/blob/master/pkg/controller/installation/windows_controller.go"},
	Breaks:   []*checks.Effect{effectPodTraffic},
	Explains: []string{"cni-config-uninitialized"},
	Applies:  checks.UnlessOtherCNI(node.Calico),
	Needs:    []evidence.Need{evidence.IPPools},
	Uses: slices.Concat([]evidence.Need{evidence.HNSEndpoints, evidence.HNSNetworks, evidence.Pods, evidence.DaemonSets,
		evidence.Services}, cniConfigSources),
	Signs: []checks.Sign{
		// install-calico-windows.ps1
		{Text: "IPIP is not supported on Windows nodes",
			Says: "the installation of Calico ends: the cluster's pools use IP in IP"},
		// tigera/operator, windows_controller.go
		{Text: "IPPool encapsulation ", Also: []string{"is not supported by Calico for Windows"},
			Says: "the operator does not install Calico for Windows: the encapsulation of the IP pool is not supported"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		used, overlay := podAddresses(s), calicoOverlay(s)
		waiting, err := noCNIConfig(s)
		waits := err == nil && len(waiting) > 0
		refused, refuses := calicoNotInstalled(s)
		for _, p := range evidence.IPPools.In(s) {
			cidr, ok := node.ParsePrefix(p.Spec.CIDR)
			if !ok || !forAnyNode(p.Spec.NodeSelector) {
				continue
			}
			inUse := slices.ContainsFunc(used, cidr.Contains)
			if p.Spec.Disabled && !inUse {
				continue
			}
			if inUse && overlay != nil && p.Spec.IPIPMode != "Always" &&
				(p.Spec.VXLANMode == "" || p.Spec.VXLANMode == "Never") {
				findings = append(findings, checks.Findingf(checks.Warn, p.Metadata.Name,
					"IP pool %s (%s) has no VXLAN, and network %s of this node is an overlay",
					p.Metadata.Name, p.Spec.CIDR, overlay.Name).
					At(p.Field("spec", "vxlanMode"), "vxlanMode: %s", p.Spec.VXLANMode).
					At(overlay.Field("Type"), "%s: %s", overlay.Name, overlay.Type).
					Cure(poolFix(p.Metadata.Name)))
			}
			for _, mode := range []struct{ field, is string }{{"ipipMode", p.Spec.IPIPMode},
				{"vxlanMode", p.Spec.VXLANMode}} {
				level := checks.Warn
				switch {
				case mode.is != "CrossSubnet" && (mode.is != "Always" || mode.field != "ipipMode"):
					continue
				case waits && refuses:
					findings = append(findings, checks.Findingf(checks.Fail, p.Metadata.Name,
						"the operator installs no Calico for Windows: IP pool %s (%s) has %s %s",
						p.Metadata.Name, p.Spec.CIDR, mode.field, mode.is).
						At(p.Field("spec", mode.field), "%s: %s", mode.field, mode.is).
						With(refused).With(waiting[0].Because[0]).
						Explaining("network-agent-not-running").
						Cure(poolFix(p.Metadata.Name)))
					continue
				case waits:
					level = checks.Info // it matters once there is a network
				case inUse && mode.is == "Always":
					level = checks.Fail
				}
				findings = append(findings, checks.Findingf(level, p.Metadata.Name,
					"IP pool %s (%s) has %s %s, which Calico for Windows does not support",
					p.Metadata.Name, p.Spec.CIDR, mode.field, mode.is).
					At(p.Field("spec", mode.field), "%s: %s", mode.field, mode.is).
					Cure(poolFix(p.Metadata.Name)))
			}
		}
		return findings, nil
	},
})

// calicoNotInstalled tells that the operator manages Calico on the nodes with Linux and has no
// DaemonSet for those with Windows, and that nobody else has installed it on this node.
func calicoNotInstalled(s evidence.Snapshot) (why evidence.Because, ok bool) {
	if node.About(s).Platform.Value == node.RKE2 || // its agent installs it
		slices.ContainsFunc(evidence.Services.In(s), func(svc evidence.Service) bool {
			return strings.EqualFold(svc.Name, "CalicoNode")
		}) {
		return why, false
	}
	for _, set := range evidence.DaemonSets.In(s) {
		of := evidence.Pod{Spec: set.Spec.Template.Spec}
		switch {
		case !strings.HasPrefix(set.Metadata.Name, "calico-"):
		case node.PodSystem(of) == "windows":
			return why, false
		case set.Metadata.Namespace == "calico-system" && set.Metadata.Name == "calico-node":
			why, ok = set.Field("metadata", "name").Because(
				"calico-system/calico-node is for Linux, and no DaemonSet of Calico is for Windows"), true
		}
	}
	return why, ok
}

// poolFix sets another encapsulation for the pool.
func poolFix(pool string) checks.Fix {
	return checks.Steps(
		checks.Inspect("kubectl get ippools -o yaml",
			"Read ipipMode and vxlanMode of each pool. With the operator the setting is encapsulation in the Installation."),
		checks.Run("kubectl patch ippool "+pool+
			" --type merge -p 'spec: {ipipMode: Never, vxlanMode: Always}'",
			"Set the pool to VXLAN. With the operator: kubectl edit installation default, encapsulation: VXLAN. For BGP without encapsulation set both modes to Never.").
			Costs("Traffic between pods of different nodes stops until each calico-node has the new setting."),
		checks.Verify("kubectl get ippools -o custom-columns=NAME:.metadata.name,IPIP:.spec.ipipMode,VXLAN:.spec.vxlanMode",
			"IPIP is Never, and VXLAN is Always or Never"))
}

// calicoOverlay is the network that Calico makes for VXLAN.
func calicoOverlay(s evidence.Snapshot) *evidence.HNSNetwork {
	for _, net := range evidence.HNSNetworks.In(s) {
		if net.Name == "Calico" && strings.EqualFold(net.Type, "Overlay") {
			return &net
		}
	}
	return nil
}

// forAnyNode tells whether a node selector of Calico leaves no node out.
func forAnyNode(selector string) bool {
	return selector == "" || strings.ReplaceAll(selector, " ", "") == "all()"
}

// podAddresses are those of the pods of this node, as HNS and Kubernetes know them.
func podAddresses(s evidence.Snapshot) []node.Address {
	var list []string
	for _, e := range evidence.HNSEndpoints.In(s) {
		if !e.Remote {
			list = append(list, e.Addresses...)
		}
	}
	for _, p := range evidence.Pods.In(s) {
		if !hostPod(p) {
			list = append(list, p.Status.PodIP)
		}
	}
	return node.ParseAddresses(list...)
}
