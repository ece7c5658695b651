package node

import "doctor/checks/evidence"

// FactPaths are what About reads.
var FactPaths = []string{"files/", "files.json", "logs/", evidence.SignMatches.Path(),
	evidence.Node.Path(), evidence.Pods.Path(), evidence.ConfigMaps.Path(),
	evidence.KubeServices.Path(), evidence.ServiceCIDRs.Path(),
	evidence.OSInfo.Path(), evidence.Stated.Path(), evidence.Services.Path(), evidence.Processes.Path(),
	evidence.Env.Path(),
	evidence.Adapters.Path(), evidence.HNSNetworks.Path(), evidence.HNSEndpoints.Path(),
	evidence.CRI.Path(), evidence.NetworkSettings.Path()}
