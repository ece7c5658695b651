package faults

import "doctor/checks"

// startKubelet and restartProxyAfterHNS follow a restart of HNS with -Force, which stops the
// services that depend on it.
func startKubelet() *checks.Step {
	return checks.Run("{start kubelet}", "Start the kubelet, if it stopped together with HNS.")
}

func restartProxyAfterHNS() *checks.Step {
	return checks.Run("{restart kube-proxy}",
		"Restart kube-proxy: it creates all load balancers again.").
		Costs("Connections to Services break for a few seconds.")
}

func restartAgentAfterHNS() *checks.Step {
	return checks.Run("{restart network agent}",
		"Restart the program that creates the HNS network {network}.").
		Costs("The node loses its network for a few seconds while HNS creates the network.")
}
