package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "routing-service-off",
	Title:    "Routing and Remote Access does not run on a Kubernetes 1.5 node",
	Category: checks.CategoryNetwork,
	Doc: `On a node set up as of Kubernetes 1.5 it is Windows itself that routes: between the
adapter of the transparent network and the one that leads to other nodes, and for packets to pods of
this node. Routing is done by the service RemoteAccess (Routing and Remote Access, RRAS), a role
that has to be added and configured for LAN routing. Without it pods reach each other on the node
and nothing beyond.

The check looks at the service, its state and whether it starts with the machine.`,
	Fix: checks.Steps(
		checks.Run("Install-WindowsFeature RemoteAccess, Routing, RSAT-RemoteAccess-PowerShell",
			"add the role with LAN routing, and let its service start with the machine").
			Costs("adding the role may ask for a reboot; the start of routing interrupts connections of the node for a moment"),
		checks.Run("Install-RemoteAccess -VpnType RoutingOnly", ""),
		checks.Run("Set-Service RemoteAccess -StartupType Automatic", ""),
		checks.Run("Start-Service RemoteAccess", "")),
	Links: []string{
		"https://github.com/kubernetes/website/tree/release-1.5/docs/getting-started-guides/windows", "https://learn.microsoft.com/en-us/windows-server/remote/remote-access/remote-access"},
	Breaks:  []*checks.Effect{effectServices},
	Applies: checks.OnGeneration(node.Gen15),
	Needs:   []evidence.Need{evidence.Services},
	Signs: []checks.Sign{
		{Text: "Routing and Remote Access service terminated", In: []string{evidence.InEvents},
			Says: "the service that routes between the node's adapters has ended"},
		{Text: "Routing and Remote Access service depends on", Also: []string{"failed to start"},
			In:   []string{evidence.InEvents},
			Says: "the service that routes between the node's adapters could not start"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		svc, there := node.ServiceNamed(s, "RemoteAccess")
		switch {
		case !there && len(evidence.Services.In(s)) < fewProcesses:
			return nil, checks.Unknown(evidence.ListIncomplete.Gap("services"))
		case !there:
			return []checks.Finding{checks.Findingf(checks.Fail, "RemoteAccess",
				"there is no service RemoteAccess: nothing routes between the pod network and the other nodes").
				At(evidence.Services.Field(s), "none of its %d services is RemoteAccess",
					len(evidence.Services.In(s)))}, nil
		case !svc.Running():
			return []checks.Finding{checks.Findingf(checks.Fail, svc.Name,
				"service %s is %s: nothing routes between the pod network and the other nodes",
				svc.Name, svc.State).
				At(svc.Field("state"), "%s: state %s, start type %s", svc.Name, svc.State,
					orUnknown(svc.StartType))}, nil
		case strings.EqualFold(svc.StartType, "manual"), strings.EqualFold(svc.StartType,
			"disabled"):
			return []checks.Finding{checks.Findingf(checks.Warn, svc.Name,
				"service %s runs with start type %s: after a reboot nothing routes", svc.Name,
				svc.StartType).
				At(svc.Field("startType"), "%s: start type %s", svc.Name, svc.StartType)}, nil
		}
		return nil, nil
	},
})
