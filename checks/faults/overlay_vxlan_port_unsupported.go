package faults

import (
	"cmp"
	"strconv"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "overlay-vxlan-port-unsupported",
	Title:    "Windows does not support the VXLAN port of the cluster",
	Healthy:  "Windows supports the VXLAN port of the cluster",
	Category: checks.CategoryNetwork,
	Doc: `OVN-Kubernetes with a hybrid overlay can use another VXLAN port than 4789, which clusters on
vSphere need. HNS has that setting from version 10.3, so Windows Server 2019 (build 17763) does not
have it, and no update adds it: hybrid-overlay-node exits or creates no network, and the node never
becomes Ready.

The check compares the argument --hybrid-overlay-vxlan-port, or hybridOverlayVXLANPort of the network
operator where no program is recorded, with the Windows build of a node that is not Ready or whose
service hybrid-overlay-node is stopped, and looks for the error of hybrid-overlay-node.`,
	Fix: checks.Steps(
		checks.Do("Replace the node by one with Windows Server 2022 or later.").
			Costs("The pods of this node move."),
		checks.Do("If the cluster does not need another port than 4789, install it without hybridOverlayVXLANPort. The port of a running cluster cannot be changed."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/openshift/windows-machine-config-operator/blob/master/docs/TROUBLESHOOTING.md#windows-server-2019-ltsc-1809-nodes-never-become-ready",
		"https://github.com/openshift/windows-machine-config-operator/issues/340",
		"https://github.com/openshift/windows-machine-config-operator/issues/451",
		"https://github.com/microsoft/Windows-Containers/issues/17"},
	Breaks:  []*checks.Effect{effectNetworkCreation},
	Applies: checks.OnCNI(node.OVN),
	Needs:   []evidence.Need{node.NeedBuild, evidence.Any(node.ComponentSources, evidence.NetworkSettings)},
	Uses:    []evidence.Need{evidence.Services, evidence.Processes, evidence.Node},
	Signs: []checks.Sign{
		// hybrid-overlay/pkg/controller of OVN-Kubernetes
		{Text: "this version of Windows does not support setting the VXLAN",
			Says: "hybrid-overlay-node exits: this build of Windows uses only the VXLAN port 4789"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		b := node.About(s).Build
		port, at := hybridOverlayPort(s)
		ready, _ := evidence.Node.In(s).Condition("Ready")
		// Ready says nothing where a CNI configuration is there and its network is not.
		svc, there := node.ServiceNamed(s, "hybrid-overlay-node")
		if port == strconv.Itoa(vxlanPort) || b.Value.Number != 17763 ||
			ready.Status == "True" && (!there || svc.Running()) {
			return nil, nil
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, "hybrid-overlay-node",
			"hybrid-overlay-node uses VXLAN port %s, and Windows build %s supports only %d", port, b.Value,
			vxlanPort).
			With(at, b.From)}, nil
	},
})

// hybridOverlayPort is the port that hybrid-overlay-node is started with, or will be.
func hybridOverlayPort(s evidence.Snapshot) (string, evidence.Because) {
	port := func(args []string, at evidence.Place) (string, evidence.Because) {
		v, _ := evidence.ParseFlags(args).Get("hybrid-overlay-vxlan-port")
		return cmp.Or(v, strconv.Itoa(vxlanPort)), at.Because("--hybrid-overlay-vxlan-port is %s", v)
	}
	for _, p := range evidence.Processes.In(s) {
		if node.EqualsAny(node.Program(p.Name), []string{"hybrid-overlay-node"}) {
			return port(p.Args, p.Field("args"))
		}
	}
	svc, there := node.ServiceNamed(s, "hybrid-overlay-node")
	for _, net := range evidence.NetworkSettings.In(s) {
		overlay := net.Spec.DefaultNetwork.OVNKubernetesConfig.HybridOverlayConfig
		if !there && overlay != nil && overlay.HybridOverlayVXLANPort != 0 {
			port := strconv.Itoa(overlay.HybridOverlayVXLANPort)
			return port, net.Field("spec", "defaultNetwork", "ovnKubernetesConfig", "hybridOverlayConfig", "hybridOverlayVXLANPort").
				Because("hybridOverlayVXLANPort is %s", port)
		}
	}
	return port(svc.Args, svc.Field("args"))
}
