package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// build1803 is Windows Server, version 1803. Its HNS lists the extension as not enabled though it is
// (ovn-kubernetes, pull request 356).
const build1803 = 17134

var _ = register(&checks.Check{
	ID:       "ovs-network-missing",
	Title:    "OVN transparent network or Open vSwitch is missing",
	Healthy:  "OVN transparent network and Open vSwitch are present",
	Category: checks.CategoryNetwork,
	Doc: `In the recipe of Kubernetes 1.8 to 1.13 for OVN on Windows, Docker creates a transparent
network called external, and Open vSwitch for Windows controls its virtual switch through the
service ovs-vswitchd and the extension "Cloudbase Open vSwitch Extension". Without the network pods
cannot be attached; without the service or the extension the switch forwards no traffic between
nodes.

The check looks for a transparent network in HNS, the service, and the extension if HNS lists
extensions. HNS of Windows Server 1803 does not show whether the extension is enabled.`,
	Fix: checks.Steps(
		checks.Run(`docker network create -d transparent --gateway GATEWAY --subnet SUBNET -o com.docker.network.windowsshim.interface="Ethernet" external`,
			"If the network external is missing, create it.").
			Costs("The node and its pods lose their network for a few seconds."),
		checks.Run(`Get-VMSwitch -SwitchType External | Enable-VMSwitchExtension "Cloudbase Open vSwitch Extension"`,
			"Enable the extension on the external switch. Install Open vSwitch if it is missing.").
			Costs("The node and its pods lose their network for a few seconds."),
		checks.Run("Get-Service ovsdb-server, ovs-vswitchd | Start-Service",
			"Start the services of Open vSwitch."),
		checks.Verify("ovs-vsctl show", "the bridge and its ports, without an error")),
	Links: []string{"https://kubernetes.io/docs/concepts/windows/intro/",
		"https://github.com/ovn-kubernetes/ovn-kubernetes",
		"https://github.com/ovn-kubernetes/ovn-kubernetes/pull/356", "https://cloudbase.it/openvswitch/"},
	Breaks: []*checks.Effect{effectHNSNetwork, effectPodStart, effectNodeReady, effectServices,
		effectContainers},
	Applies: checks.OnAll(checks.OnGeneration(node.Gen19), checks.OnCNI(node.OVN)),
	Needs:   []evidence.Need{evidence.HNSNetworks, evidence.Services},
	Uses:    []evidence.Need{evidence.OSInfo},
	Signs: []checks.Sign{
		// Antrea's too, and each start before the service is up
		{Text: "database connection failed", Also: []string{"ovs-vsctl", "db.sock"},
			ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
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
				"HNS network %s (transparent) is missing (found: %s)", node.OvsNetwork,
				networkNames(list)).
				At(evidence.HNSNetworks.Field(s), "names: %s", networkNames(list)))
		}
		svc, there := node.ServiceNamed(s, "ovs-vswitchd")
		switch {
		case there && !svc.Running():
			findings = append(findings, checks.Findingf(checks.Fail, svc.Name,
				"Service %s is %s: pod traffic is not forwarded", svc.Name, svc.State).
				At(svc.Field("state"), "%s: state %s, start type %s", svc.Name, svc.State,
					orUnknown(svc.StartType)).
				Cure(checks.Steps(fixOf("ovs-network-missing").Steps[2:]...)))
		case !there && len(evidence.Services.In(s)) >= fewProcesses:
			findings = append(findings, checks.Findingf(checks.Fail, "ovs-vswitchd",
				"Service ovs-vswitchd is missing: Open vSwitch is not installed").
				At(evidence.Services.Field(s), "none of its %d services is ovs-vswitchd",
					len(evidence.Services.In(s))))
		case !there && len(findings) == 0:
			return nil, checks.Unknown(evidence.ListIncomplete.Gap("services"))
		}
		if evidence.OSInfo.In(s).Build == build1803 {
			return findings, nil
		}
		return append(findings, ovsExtensionOff(s, transparent)...), nil
	},
})
