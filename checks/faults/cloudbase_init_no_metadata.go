package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "cloudbase-init-no-metadata",
	Title:    "cloudbase-init finds no metadata for this machine",
	Healthy:  "cloudbase-init finds the metadata of this machine",
	Category: checks.CategoryComponents,
	Doc: `Images of Cluster API for Windows are set up by cloudbase-init: it reads the host name and the
commands that join the node (kubeadm) from the metadata service of the cloud or from a config drive.
If no source in its setting metadata_services answers, for example because the machine has no config
drive, it runs no commands and the node does not join.

The check looks for the error in the log of cloudbase-init. The run before it (unattend) reads fewer
sources and may report the same, so this is a warning.`,
	Fix: checks.Steps(
		checks.Inspect(`Select-String metadata_services "C:\Program Files\Cloudbase Solutions\Cloudbase-Init\conf\cloudbase-init.conf"`,
			"Read which sources cloudbase-init uses."),
		checks.Do("Give the machine one of them: a config drive (a CD-ROM with the label config-2 or cidata), or the metadata service of its cloud."),
		checks.Run("Restart-Service cloudbase-init", "Run cloudbase-init again.").
			Costs("It may change the host name and reboot the machine."),
		checks.Verify(`Select-String "Metadata service loaded" "C:\Program Files\Cloudbase Solutions\Cloudbase-Init\log\cloudbase-init.log"`,
			"one line for this boot")),
	Links: []string{
		"https://github.com/Telmate/terraform-provider-proxmox/issues/403",
		"https://github.com/cloudbase/cloudbase-init/blob/master/cloudbaseinit/init.py",
		"https://image-builder.sigs.k8s.io/capi/windows/windows",
	},
	Breaks: []*checks.Effect{effectKubeletStart, effectRuntime},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("cloudbase-init"), evidence.Logs("other"))},
	Uses:   []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Moot:   noProgram("cloudbase-init", "cloudbase"),
	Signs: []checks.Sign{
		{Text: "No metadata service found", Also: []string{"cloudbaseinit"}, Level: checks.Warn,
			Until: []string{"Metadata service loaded"},
			Says:  "cloudbase-init finds no metadata: it runs no commands that join the node"},
	},
})
