package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "credential-provider-missing",
	Title:    "kubelet does not find its image credential provider",
	Healthy:  "kubelet finds its image credential providers",
	Category: checks.CategoryComponents,
	Doc: `The kubelet gets credentials for ECR, ACR or Artifact Registry from a program in the
folder of --image-credential-provider-bin-dir. If it is missing, the kubelet exits at its start or
pulls without credentials. On Windows the extension matters: kubelets without pull request 120291,
which is in 1.30, look for the name in the configuration without .exe, so acr-credential-provider.exe
is not found.

The check looks for the answers of the kubelet in its log.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-ChildItem C:\var\lib\kubelet\credential-provider`,
			"Compare the programs with the names in the configuration of the credential providers."),
		checks.Run(`Copy-Item C:\var\lib\kubelet\credential-provider\NAME.exe C:\var\lib\kubelet\credential-provider\NAME`,
			"For an older kubelet, put the program there under both names."),
		checks.Do("Or update the kubelet to a release with pull request 120291."),
		checks.Run("{restart kubelet}", "Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Verify("Get-Service kubelet", "Status is Running")),
	Links: []string{
		"https://github.com/kubernetes-sigs/cloud-provider-azure/issues/4533",
		"https://github.com/kubernetes/kubernetes/pull/120291",
		"https://kubernetes.io/docs/tasks/administer-cluster/kubelet-credential-provider/",
	},
	Breaks:   []*checks.Effect{effectPodStart, effectKubeletStart},
	Explains: []string{"registry-unauthorized"},
	Needs:    []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.WindowsEvents)},
	Signs: []checks.Sign{
		{Text: "Failed to register CRI auth plugins", Also: []string{"did not exist"},
			Says: "the kubelet does not find the program of its image credential provider"},
		// the file of --image-credential-provider-config
		{Text: "Failed to register CRI auth plugins", Also: []string{"unable to access path "},
			Says: "the kubelet does not find the configuration of its image credential provider"},
		{Text: "error execing credential provider plugin",
			Also: []string{"file does not exist"},
			Says: "the kubelet does not find the program of its image credential provider"},
	},
})
