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
		// What is not part of that validation: cmd/kubelet/app and pkg/kubelet/kubelet.go, the same in 1.24
		// to 1.35; the parsed values have their names since 1.27, the folder is read since 1.28.
		{Text: "failed to set feature gates from initial flags-based config",
			Or: []string{"-reserved value failed to parse: ", "bad --node-ip ",
				"unable to parse reserved-cpus list: ", "failed to load kubelet dropin file, path: ",
				"unknown priority class ", "failed to merge kubelet configs: ", "failed to validate kubelet flags",
				"rootDirectory not in canonical form: "},
			In:    []string{"kubelet", evidence.InEvents, "other"},
			Until: nodeRegistered,
			Says:  "the kubelet exits: it rejects a setting of its configuration"},
		// pflag, whose unknown flags are kubelet-removed-flag: the first since 1.24, the second from 1.21 on
		{Text: "failed to parse kubelet flag: ", Or: []string{`"Failed to parse kubelet flag" err="`},
			Not:   []string{"unknown flag: "},
			Until: nodeRegistered,
			Says:  "the kubelet exits: it rejects the value of a flag"},
		// A word that belongs to no flag is a command to pflag: cmd/kubelet/app/server.go, the first since 1.24,
		// the second from 1.21 on, the third until 1.20.
		{Text: `"command failed" err="unknown command `, Or: []string{`"Unknown command" command="`, "] unknown command: "},
			Not:   []string{` for \"`}, // another program's
			In:    []string{"kubelet", evidence.InEvents, "other"},
			Until: nodeRegistered,
			Says:  "the kubelet exits: its command line has a word that belongs to no flag",
			Fix:   thenRestartKubelet("Find the word that the error names among the arguments of the kubelet: a value with a space needs quotation marks, or its source has two values, such as two domain names in the DHCP options of the network.")},
		// autorest of Azure; in-tree providers end with 1.30
		{Text: "There is no cloud environment matching the name ",
			Also:  []string{`could not init cloud provider "azure"`},
			Until: nodeRegistered,
			Says:  "the kubelet exits: the configuration of its cloud provider names an unknown cloud",
			Fix:   thenRestartKubelet("Set cloud in the file of --cloud-config to a name that the provider knows, such as AzurePublicCloud.")},
		// Until 1.20 the error stands alone, in a line of the kubelet's server.go.
		{Text: `] invalid argument "`, Or: []string{"] unrecognized feature gate: ", "] cannot set feature gate "},
			Also:  []string{"server.go:"},
			In:    []string{"kubelet", "other"},
			Until: nodeRegistered,
			Says:  "the kubelet exits: it rejects the value of a flag"},
		// options.go of 1.13 to 1.15 only warns
		{Text: "labels specified with --node-labels: [", Not: []string{"options.go:"},
			Until: nodeRegistered,
			Says:  "the kubelet exits: it may not give itself a label of --node-labels"},
		// A file that is missing is kubelet-config-missing. pkg/kubelet/kubeletconfig of Kubernetes
		{Text: "failed to decode", Or: []string{"failed lenient decoding", "failed to cast object to KubeletConfiguration",
			" was empty"},
			Also:  []string{"failed to load kubelet config file"},
			Until: nodeRegistered,
			Says:  "the kubelet exits: it cannot decode its configuration file"},
		// What the parts of the kubelet say of their settings when they are made: the reserved resources until
		// 1.26, pkg/kubelet/eviction/helpers.go, pkg/kubelet/logs and pkg/kubelet/images
		{Text: `cannot reserve "`, Or: []string{`cannot reserve \"`, `resource quantity for "`, `resource quantity for \"`,
			"Kubelet: quantities must match the regular expression", "unsupported eviction signal ",
			"for the soft eviction threshold ", "eviction percentage threshold ", "invalid eviction ",
			"eviction minimum reclaim ", "failed to initialize container log manager: ",
			"failed to initialize image manager: ", "dual-stack --node-ip ",
			// k8s.io/cloud-provider: in-tree providers end with 1.26 (aws) to 1.30
			"built-in cloud providers are disabled", `unknown cloud provider "`, `unknown cloud provider \"`},
			Also:  []string{"failed to run Kubelet: "},
			Until: nodeRegistered,
			Says:  "the kubelet exits: it rejects a setting of its configuration"},
		// pkg/credentialprovider/plugin: a program that is missing is credential-provider-missing
		{Text: "Failed to register CRI auth plugins",
			Not:   []string{"did not exist", "unable to access path", "unable to read ", "error inspecting "},
			Until: nodeRegistered,
			Says:  "the kubelet exits: the configuration of its image credential providers is not valid"},
		// pkg/windows/service, with --windows-service in a console or below nssm
		{Text: "failed OS init: The service process could not connect to the service controller",
			In:    []string{"kubelet", "other"},
			Until: nodeRegistered,
			Says:  "the kubelet exits: it has the flag --windows-service, and Windows did not start it as a service",
			Fix: checks.Steps(
				checks.Do("Remove --windows-service from the flags of the kubelet if nssm, a script or a console starts it. Or start it as a service of Windows."),
				checks.Run("{restart kubelet}", "Restart the kubelet.").
					Costs("Running containers are not affected."),
				checks.Verify("Get-Service kubelet", "Status is Running"))},
		// Kubernetes 1.30 before its release took its own default for a path that is not absolute: pull 124084
		{Text: "invalid configuration: pod logs path ", Until: nodeRegistered,
			Says: "the kubelet exits: it rejects a setting of its configuration"},
		{Text: "] [invalid configuration: ", Or: []string{"] invalid configuration: "}, // until 1.20
			Also: []string{"server.go:"},
			// a kubeconfig, which kube-proxy reads in a file of the same name: kubeconfig-invalid
			Not: []string{"--cgroups-per-qos", "no configuration has been provided", "unable to read c",
				"context was not found", "no server found for cluster", "cluster has no server defined"},
			Until: nodeRegistered,
			Says:  "the kubelet exits: it rejects a setting of its configuration"},
	},
})

// thenRestartKubelet corrects a setting as the text says.
func thenRestartKubelet(text string) checks.Fix {
	return checks.Steps(
		checks.Do(text),
		checks.Run("{restart kubelet}", "Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Verify("Get-Service kubelet", "Status is Running"))
}
