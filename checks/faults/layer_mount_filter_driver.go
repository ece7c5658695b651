package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "layer-mount-filter-driver",
	Title:    "Driver of another product blocks mounting image layers",
	Healthy:  "Image layers can be mounted",
	Category: checks.CategoryImages,
	Doc: `Before a container starts, the runtime mounts its layers as a volume (PrepareLayer). File
system drivers of other products can refuse this with "Incorrect function" (0x1). A confirmed case
is the driver cbfs of Box Drive; in other cases it helped to remove Dropbox. cbfs is not a
minifilter, so fltmc does not list it. All Windows containers of the node fail; Linux containers and
image pulls still work.

The check looks for the error at pods that do not start and in the logs of the runtime.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-CimInstance Win32_SystemDriver | Where-Object Name -match "cbfs|cbdisk|dokan|winfsp" | Format-Table Name, State, PathName`,
			"Find file system drivers of other products."),
		checks.Do("Uninstall the product that brought the driver, or update it. Then reboot the node.").
			Costs("The reboot stops every pod of this node."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/moby/moby/issues/42807",
		"https://github.com/docker/for-win/issues/3884",
		"https://github.com/microsoft/Windows-Containers/issues/200",
	},
	Breaks: []*checks.Effect{effectPodStart, effectContainers},
	Needs:  complaintNeeds,
	Uses:   complaintUses,
	Signs:  layerMountFilterDriverSigns,
	Run:    complain(layerMountFilterDriverSigns),
})

var layerMountFilterDriverSigns = []checks.Sign{
	{Text: "hcsshim::PrepareLayer", Also: []string{"(0x1)"},
		Says: "a file system driver of another product refuses to mount image layers"},
}
