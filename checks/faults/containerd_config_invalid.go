package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "containerd-config-invalid",
	Title:    "containerd configuration cannot be read",
	Healthy:  "containerd configuration can be read",
	Category: checks.CategoryComponents,
	Doc: `containerd exits at its start if config.toml is not valid TOML, and the node has no
runtime. On Windows two mistakes are frequent. A path between double quotes needs each backslash
twice, otherwise the parser answers "invalid escaped character". And the operator > of Windows
PowerShell writes UTF-16, so a file from "containerd config default > config.toml" fails at its
first character.

The check looks for the answer of containerd. A later successful start ends it.`,
	Fix: checks.Steps(
		checks.Inspect(`containerd.exe --config "{runtimeConfig}" config dump`,
			"Read the row and column of the error."),
		checks.Edit("{runtimeConfig}", "Write paths between single quotes, or double each backslash."),
		checks.Run(`containerd.exe config default | Out-File -Encoding ascii "{runtimeConfig}"`,
			"If the first character is wrong, create the file again with a plain encoding."),
		checks.Run("{restart runtime}",
			"Restart the container runtime: it reads the file at its start.").
			Costs("Running containers are not affected."),
		checks.Verify("Get-Service containerd", "Status is Running")),
	Links: []string{
		"https://github.com/Siemens-Healthineers/K2s/issues/2376",
		"https://github.com/containerd/containerd/issues/4381",
		"https://github.com/containerd/containerd/issues/11940",
	},
	Breaks:  []*checks.Effect{effectRuntime},
	Applies: checks.OnRuntime("containerd"),
	Needs: []evidence.Need{evidence.Any(evidence.CRI, evidence.Logs("containerd"),
		evidence.WindowsEvents)},
	Signs: []checks.Sign{
		{Text: "containerd: failed to unmarshal TOML",
			Or:    []string{"Failure unmarshaling TOML", "containerd: failed to load TOML"},
			Until: []string{"containerd successfully booted"},
			Says:  "containerd cannot read its configuration file"},
		// containerd until 1.4 (services/server/config/config.go) prints the parser's error alone.
		{Text: "containerd: Near line ",
			Until: []string{"containerd successfully booted"},
			Says:  "containerd cannot read its configuration file"},
		// ValidateV2 and CreateTopLevelDirectories (services/server), main.go: a file that can be read, with
		// values that do not fit. Before 1.5 nothing stands before the first text.
		{Text: "expect io.containerd.x.vx",
			Or: []string{"containerd: root must be specified", "containerd: state must be specified",
				"containerd: root and state must be different paths", "containerd: grpc address cannot be empty",
				"containerd: required plugin ["},
			Not:   []string{"containerd: failed to load TOML"},
			Until: []string{"containerd successfully booted"},
			Says:  "containerd does not accept a value of its configuration file"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if gap := evidence.CRI.Gap(s); gap.Kind != "" { // containerd that answers has read its file
			return nil, checks.Unknown(gap)
		}
		return nil, nil
	},
})
