package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "rke2-runtime-image-missing",
	Title:    "RKE2 agent cannot get its runtime image",
	Healthy:  "RKE2 agent has its runtime image",
	Category: checks.CategoryComponents,
	Doc: `An RKE2 agent takes containerd and the kubelet out of the image rke2-runtime. It looks for the
image in the archives below agent\images, and then pulls it from the registry. If neither has it, the
agent exits, and nothing of Kubernetes runs on the node. Without a way to the registry an archive is
missing there, is of another version of RKE2, or has the image under another name: RKE2 1.21.0 to
1.21.10, 1.22.0 to 1.22.7 and 1.23.0 to 1.23.4 request it without the ending -windows-amd64.

The check looks for the error with which the agent exits.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-ChildItem C:\var\lib\rancher\{rke2}\agent\images`,
			"Check whether an archive of the images for Windows is there, of the version of this agent."),
		checks.Do("If it is not, copy rke2-windows-BUILD-amd64-images.tar.gz of that version there, or give the node a way to the registry that the error names, or set system-default-registry."),
		checks.Edit(`C:\etc\rancher\{rke2}\config.yaml`,
			"If it is, name the image as the archive does: runtime-image: rancher/rke2-runtime:VERSION-windows-amd64. Or update RKE2."),
		checks.Run("Restart-Service {rke2}",
			"Restart the agent.").
			Costs("The kubelet and the network agents of the node restart."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/rancher/rke2/issues/2162",
		"https://github.com/rancher/rke2/issues/1647",
		"https://github.com/rancher/rke2/issues/2671",
		"https://docs.rke2.io/install/airgap",
	},
	Breaks:  startedByAgent,
	Applies: checks.UnlessElsewhere(node.RKE2),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("rke2"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		// pkg/bootstrap: that no archive has it is no error where the registry does
		{Text: "Failed to load runtime image ", ConfirmOnly: true},
		{Text: "failed to get runtime image ", Also: []string{"manifest unknown"}, Until: rke2Joined,
			Says: "the registry does not have the runtime image of RKE2"},
		// a warning: where the line shows what is wrong with the registry, that is the fault
		{Text: "failed to get runtime image ", Not: []string{"manifest unknown"}, Level: checks.Warn, Until: rke2Joined,
			Says: "the agent exits: neither its archives nor the registry have its runtime image"},
	},
})
