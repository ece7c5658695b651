package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "routing-service-off",
	Title:    "RemoteAccess service is not routing",
	Healthy:  "RemoteAccess service is routing",
	Category: checks.CategoryNetwork,
	Doc: `On a node set up as of Kubernetes 1.5 Windows itself routes between the adapter of the
transparent network and the one to other nodes, and for packets to pods of this node. Routing is
done by the service RemoteAccess (Routing and Remote Access, RRAS), a role that has to be added and
configured for LAN routing. Without it pods reach each other on the node only.

Calico with BGP needs the same service: it is the BGP router that announces the pods of this node and
learns the routes to those of the others.

The check looks at the service, its state and whether it starts with the machine.`,
	Fix: checks.Steps(
		checks.Run("Install-WindowsFeature RemoteAccess, Routing, RSAT-RemoteAccess-PowerShell; Install-RemoteAccess -VpnType RoutingOnly",
			"If the role with LAN routing is missing, install and configure it.").
			Costs("Windows may require a reboot."),
		checks.Run("Set-Service RemoteAccess -StartupType Automatic; Start-Service RemoteAccess",
			"Start the service, and set it to start with the machine.").
			Costs("Connections of the node may break for a moment."),
		checks.Verify("Get-Service RemoteAccess", "Status is Running")),
	Links: []string{
		"https://github.com/kubernetes/website/tree/release-1.5/docs/getting-started-guides/windows", "https://learn.microsoft.com/en-us/windows-server/remote/remote-access/remote-access",
		"https://docs.rke2.io/networking/windows_bgp"},
	Breaks:   []*checks.Effect{effectServices},
	Explains: []string{"vm-mac-spoofing-disabled"},
	Applies: func(n *node.Node) error {
		if calicoBGP(n) {
			return nil
		}
		return checks.OnGeneration(node.Gen15)(n)
	},
	Needs: []evidence.Need{evidence.Services},
	Signs: []checks.Sign{
		{Text: "Routing and Remote Access service terminated", In: []string{evidence.InEvents},
			Says: "the service RemoteAccess, which routes between the node's adapters, stopped"},
		{Text: "Routing and Remote Access service depends on", Also: []string{"failed to start"},
			In:   []string{evidence.InEvents},
			Says: "the service RemoteAccess, which routes between the node's adapters, could not start"},
	},
	FromPart: []evidence.Need{evidence.Services},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		svc, there := node.ServiceNamed(s, "RemoteAccess")
		switch {
		case !there && len(evidence.Services.In(s)) < fewProcesses:
			return nil, checks.Unknown(evidence.ListIncomplete.Gap("services"))
		case !there:
			return []*checks.Finding{checks.Findingf(checks.Fail, "RemoteAccess",
				"Service RemoteAccess is missing: no routing between the pod network and other nodes").
				At(evidence.Services.Field(s), "none of its %d services is RemoteAccess",
					len(evidence.Services.In(s)))}, nil
		case !svc.Running():
			return []*checks.Finding{checks.Findingf(checks.Fail, svc.Name,
				"Service %s is %s: no routing between the pod network and other nodes",
				svc.Name, svc.State).
				At(svc.Field("state"), "%s: state %s, start type %s", svc.Name, svc.State,
					orUnknown(svc.StartType)).Cure(startRouting())}, nil
		case calicoBGP(node.About(s)):
		case strings.EqualFold(svc.StartType, "manual"), strings.EqualFold(svc.StartType,
			"disabled"):
			return []*checks.Finding{checks.Findingf(checks.Warn, svc.Name,
				"Service %s has start type %s: routing stops after a reboot", svc.Name,
				svc.StartType).
				At(svc.Field("startType"), "%s: start type %s", svc.Name, svc.StartType).
				Cure(startRouting())}, nil
		}
		return nil, nil
	},
})

// calicoBGP tells whether pods get their network from Calico with BGP. Calico starts the service
// itself after a reboot.
func calicoBGP(n *node.Node) bool {
	f := n.Intended()
	return f != nil && f.Config != nil && f.Config.Mode == "windows-bgp"
}

// startRouting is for a node that has the role.
func startRouting() checks.Fix {
	return checks.Steps(fixOf("routing-service-off").Steps[1:]...)
}
