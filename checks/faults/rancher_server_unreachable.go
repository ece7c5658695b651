package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

// rancherConnected is what the agent of Rancher logs once it watches its plans.
var rancherConnected = []string{"Starting /v1, Kind=Secret controller", "Successfully tested Rancher connection"}

var _ = register(&checks.Check{
	ID:       "rancher-server-unreachable",
	Title:    "Agent of Rancher cannot connect to Rancher",
	Healthy:  "Agent of Rancher is connected to Rancher",
	Category: checks.CategoryComponents,
	Doc: `On Windows the service rancher-wins holds the agent of Rancher, which gets from Rancher what to
install on the node. If it does not reach Rancher, cannot resolve its name or does not trust its
certificate, it ends at its start, and RKE2 is not installed, configured or upgraded. It takes the CA
of Rancher from its connection information; with the strict TLS mode of Rancher 2.9 and later it
accepts no other CA.

The check looks for the error in the log of the agent and in the output of its installation.`,
	Fix: checks.Steps(
		checks.Inspect("curl.exe -v https://RANCHER/healthz",
			"On the node, connect to the address of Rancher."),
		checks.Do("Correct the DNS servers of the node, or allow TCP 443 from the node to Rancher."),
		checks.Run("Restart-Service rancher-wins", "Restart the agent.").
			Costs("Running containers are not affected."),
		checks.Verify("Get-Service rancher-wins", "Status is Running")),
	Links: []string{
		"https://github.com/rancher/rancher/issues/20235",
		"https://github.com/rancher/rancher/issues/43236",
		"https://github.com/rancher/windows/issues/32",
		"https://github.com/rancher/system-agent/blob/main/pkg/k8splan/watcher.go",
	},
	Breaks: []*checks.Effect{effectKubeletStart, effectRuntime},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("rancher-wins"), evidence.WindowsEvents, evidence.Logs("other"))},
	Uses:   []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Moot:   noProgram("an agent of Rancher", "wins", "rancher"),
	Signs: []checks.Sign{
		{Text: "error while connecting to Kubernetes cluster", Also: []string{"x509: "},
			Not:   []string{" is before "}, // a wrong clock
			Until: rancherConnected,
			Says:  "the agent of Rancher does not trust the certificate of Rancher", Fix: rancherCAFix},
		{Text: "error while connecting to Kubernetes cluster",
			Not:   []string{"x509: ", "unauthorized", "provide credentials"},
			Until: rancherConnected,
			Says:  "the agent of Rancher cannot connect to Rancher"},
		{Text: "CA Data in provided kubeconfig was empty while strict verify was enabled",
			Until: rancherConnected,
			Says:  "the agent of Rancher has no CA of Rancher, which its strict TLS mode requires", Fix: rancherCAFix},
		// install.ps1 of rancher/wins, after six attempts
		{Text: "Error connecting to Rancher. Perhaps -CaCheckSum needs to be set?",
			Until: rancherConnected,
			Says:  "the installation cannot connect to Rancher, or does not trust its certificate"},
		// cmd/agent of rancher/rancher, of each reason why Go refuses the certificate
		{Text: "Certificate information is displayed above. error: ",
			Not:  []string{" is before "}, // a wrong clock
			Says: "the agent of Rancher does not trust the certificate of Rancher", Fix: rancherCAFix},
		// package/windows/execute.ps1 of rancher/rancher 2.3 and later, run.ps1 of it before
		{Text: "FATA: https://", Also: []string{" is not accessible"},
			Says: "the agent of Rancher cannot connect to Rancher"},
		{Text: " is not accessible (The underlying connection was closed", Also: []string{"https://"},
			Says: "the agent of Rancher does not trust the certificate of Rancher", Fix: rancherCAFix},
	},
})

var rancherCAFix = checks.Steps(
	checks.Inspect("curl.exe --insecure -s https://RANCHER/cacerts",
		"Compare the certificate with the CA of the certificate that Rancher serves."),
	checks.Do("If they differ, set cacerts of Rancher to the right CA, with a line end at the end of the file."),
	checks.Do("Copy the registration command with its CA checksum from Rancher again, and run it."),
	checks.Verify("Get-Service rancher-wins", "Status is Running"))
