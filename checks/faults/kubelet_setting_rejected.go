package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kubelet-setting-rejected",
	Title:    "kubelet rejects a setting of its configuration",
	Healthy:  "kubelet accepts its configuration",
	Category: checks.CategoryComponents,
	Doc: `The kubelet validates its configuration and exits if a value is invalid or not supported on
Windows: a policy of a resource manager, a feature gate that this version does not know, two
settings that exclude each other. Configurations that are shared with Linux nodes are the usual
reason.

The check looks for the error in the log of the kubelet, which names the setting.`,
	Fix: checks.Steps(
		checks.Edit(`C:\var\lib\kubelet\config.yaml`,
			"Correct or remove the setting that the error names."),
		checks.Run("{restart kubelet}",
			"Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Verify("Get-Service kubelet", "Status is Running")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/administer-cluster/kubelet-config-file/",
		"https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/",
	},
	Breaks: []*checks.Effect{effectKubeletStart},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "failed to validate kubelet configuration",
			// alone: runtime-pipe-missing
			Not:   []string{"invalid configuration: the containerRuntimeEndpoint was not specified or empty, path"},
			Until: nodeRegistered,
			Says:  "the kubelet exits: it rejects a setting of its configuration"},
		{Text: "] [invalid configuration: ", Or: []string{"] invalid configuration: "}, // until 1.20
			Also:  []string{"server.go:"},
			Not:   []string{"--cgroups-per-qos", "no configuration has been provided"},
			Until: nodeRegistered,
			Says:  "the kubelet exits: it rejects a setting of its configuration"},
	},
})
