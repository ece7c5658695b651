package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "ovs-network-missing",
	Title:    "OVN lacks its transparent network or its Open vSwitch",
	Category: checks.CategoryNetwork,
	Doc: `In the recipe of Kubernetes 1.8 to 1.13 for OVN on Windows, docker makes a transparent
network called external, and Open vSwitch for Windows takes over its virtual switch: by the service
ovs-vswitchd and by the extension "Cloudbase Open vSwitch Extension". Without the network there is
nothing to attach pods to; without the service or the extension the switch forwards nothing between
nodes.

The check looks for a transparent network in HNS, the service, and the extension where HNS lists
extensions.`,
	Fix: checks.Steps(
		checks.Run(`docker network create -d transparent --gateway GATEWAY --subnet SUBNET -o com.docker.network.windowsshim.interface="Ethernet" external`, "make the network with docker if it is not there, enable the extension on the external switch, and start Open vSwitch after it").
			Costs("the node is off the network for some seconds, and every pod of it with it"),
		checks.Run(`Get-VMSwitch -SwitchType External | Enable-VMSwitchExtension "Cloudbase Open vSwitch Extension"`, ""),
		checks.Run("Restart-Service ovs-vswitchd", "")),
	Links: []string{"https://kubernetes.io/docs/concepts/windows/intro/",
		"https://github.com/ovn-kubernetes/ovn-kubernetes", "https://cloudbase.it/openvswitch/"},
	Breaks: []*checks.Effect{effectHNSNetwork, effectPodStart, effectNodeReady, effectServices,
		effectContainers},
	Applies: checks.OnAll(checks.OnGeneration(node.Gen19), checks.OnCNI(node.OVN)),
	Needs:   []evidence.Need{evidence.HNSNetworks, evidence.Services},
	Signs: []checks.Sign{
		{Text: "database connection failed", Also: []string{"ovs-vsctl", "db.sock"},
			Says: "the database of Open vSwitch does not answer"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
		list := evidence.HNSNetworks.In(s)
		transparent := ""
		for _, net := range list {
			if strings.EqualFold(net.Type, string(node.Transparent)) &&
				(transparent == "" || strings.EqualFold(net.Name, node.OvsNetwork)) {
				transparent = net.Name
			}
		}
		if transparent == "" {
			findings = append(findings, checks.Findingf(checks.Fail, node.OvsNetwork,
				"HNS has no transparent network %s; it has %s", node.OvsNetwork,
				networkNames(list)).
				At(evidence.HNSNetworks.Field(s), "names: %s", networkNames(list)))
		}
		svc, there := node.ServiceNamed(s, "ovs-vswitchd")
		switch {
		case there && !svc.Running():
			findings = append(findings, checks.Findingf(checks.Fail, svc.Name,
				"service %s is %s: nothing forwards what pods send", svc.Name, svc.State).
				At(svc.Field("state"), "%s: state %s, start type %s", svc.Name, svc.State,
					orUnknown(svc.StartType)))
		case !there && len(evidence.Services.In(s)) >= fewProcesses:
			findings = append(findings, checks.Findingf(checks.Fail, "ovs-vswitchd",
				"there is no service ovs-vswitchd: Open vSwitch is not installed").
				At(evidence.Services.Field(s), "none of its %d services is ovs-vswitchd",
					len(evidence.Services.In(s))))
		case !there && len(findings) == 0:
			return nil, checks.Unknown(evidence.ListIncomplete.Gap("services"))
		}
		return append(findings, ovsExtensionOff(s, transparent)...), nil
	},
})
