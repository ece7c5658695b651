package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "docker-nat-network-refused",
	Title:    "Docker cannot start: HNS refuses its nat network",
	Healthy:  "HNS accepts the nat network of Docker",
	Category: checks.CategoryNetwork,
	Doc: `At its start dockerd asks HNS for the network nat, and exits if it does not get it. The
reasons are one of these: the data of HNS are damaged or hold half a network of an earlier run
("Unspecified error", "Object Exists"); a service that HNS needs is stopped ("The service has not
been started"); another network owns the adapter or the prefix ("The parameter is incorrect").
Pods do not need nat, so the setting "bridge": "none" starts dockerd without it.

The check looks for the answer of dockerd in its log and in the event log. A later successful start
ends it.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Service hns, winnat, vfpext, nsi | Format-Table Name, Status; Get-HnsNetwork | Format-Table Name, Type; Get-NetNat",
			"Find a service that is stopped, and networks or NAT prefixes that nothing uses."),
		checks.Run("Stop-Service docker; Get-HnsNetwork | Where-Object Name -eq nat | Remove-HnsNetwork; Restart-Service hns -Force; Start-Service docker",
			"Remove the network nat, and restart HNS and Docker.").
			Costs("All pods of {node} lose their network until the CNI plugin has created it again."),
		checks.Edit(`C:\ProgramData\docker\config\daemon.json`,
			`If that fails, add "bridge": "none": dockerd then starts without nat.`),
		checks.Verify("Get-Service docker", "Status is Running")),
	Links: []string{
		"https://github.com/moby/moby/issues/34018",
		"https://github.com/moby/moby/issues/32750",
		"https://github.com/moby/moby/issues/41423",
		"https://github.com/docker/for-win/issues/1126",
	},
	Breaks:  []*checks.Effect{effectRuntime},
	Applies: checks.OnRuntime("docker"),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("docker"), evidence.WindowsEvents)},
	Signs: []checks.Sign{
		{Text: "Error initializing network controller: Error creating default network",
			Until: []string{"API listen on"},
			Says:  "dockerd exits: HNS refuses its network nat"},
	},
})
