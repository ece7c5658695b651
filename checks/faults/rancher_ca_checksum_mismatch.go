package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "rancher-ca-checksum-mismatch",
	Title:    "Rancher CA checksum is missing or does not match",
	Healthy:  "Rancher CA checksum matches",
	Category: checks.CategoryComponents,
	Doc: `The registration command of Rancher names the checksum of the CA certificate that Rancher serves
at /cacerts. If the certificate was replaced after the command was copied, or the setting cacerts
is not the CA of the certificate that the ingress serves, the agent refuses to register the node. The agent
of Rancher 2.1 also requires a checksum where the certificate is of a public CA and the command has none.

The check looks for the error in the output of the registration and in the log of the agent.`,
	Fix: checks.Steps(
		checks.Inspect("curl.exe --insecure -s https://RANCHER/cacerts",
			"Compare the certificate with the CA of the certificate that Rancher serves."),
		checks.Do("If they are the same, copy the registration command from Rancher again, and run it."),
		checks.Do("If they differ, set cacerts of Rancher to the right CA, with a line end at the end of the file."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/rancher/rancher/issues/36632",
		"https://github.com/rancher/rancher/issues/13308",
		"https://github.com/rancher/rancher/issues/24125",
	},
	Breaks: []*checks.Effect{effectKubeletStart, effectRuntime},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("rke2"), evidence.WindowsEvents, evidence.Logs("other"))},
	Uses:   []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Moot:   noProgram("an agent of Rancher", "rke2", "rancher"),
	Signs: []checks.Sign{
		// suc/update-connection-info.ps1 of rancher/wins names its own parameter.
		{Text: "does not match given --ca-checksum", Or: []string{"does not match given -CaCheckSum"},
			Says: "the agent refuses Rancher's CA: its checksum is not the one of the registration command"},
		// install.ps1 of rancher/wins and of system-agent; rancher 33625
		{Text: "/cacerts does not look like an x509 certificate",
			Says: "Rancher returns no CA certificate at /cacerts"},
		// package/windows/execute.ps1 of rancher/rancher 2.3 to 2.6, run.ps1 of it before
		{Text: "Actual cattle server CA checksum is",
			Says: "the agent refuses Rancher's CA: its checksum is not the one of the registration command"},
		{Text: "Could not get cattle server CA from", Or: []string{"Can't get cattle server CA from"},
			Says: "Rancher returns no CA certificate at /cacerts"},
		// start.ps1 of rancher/agent 2.1, where Rancher has a certificate of a public CA; pull 16029
		{Text: "missing mandatory parameters: caChecksum",
			Says: "the registration command has no checksum of Rancher's CA, which this release of the agent requires",
			Fix: checks.Steps(
				checks.Do("Update Rancher: the agent of later releases does without the checksum."),
				checks.Do("Until then, add -caChecksum with the SHA-256 checksum of the certificate at https://RANCHER/v3/settings/cacerts to the command."),
				checks.Verify("kubectl get node {node}", "STATUS is Ready"))},
		{Text: "CATTLE_CA_CHECKSUM is set but there is no CA certificate configured",
			Says: "Rancher returns no CA certificate at /cacerts"},
	},
})
