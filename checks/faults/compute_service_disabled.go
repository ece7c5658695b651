package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "compute-service-disabled",
	Title:    "Host compute service is disabled",
	Healthy:  "Host compute service can start",
	Category: checks.CategoryNode,
	Doc: `containerd and docker create every container through the host compute service of Windows
(vmcompute). Its start type is manual, and it starts when the first container is created. If an
image, a hardening baseline or a person has disabled it, no container starts, while images are still
pulled and the node looks Ready. Programs such as Docker Desktop name the reason; containerd shows
only the error of Windows.

The check reads the start type of the service.`,
	Fix: checks.Steps(
		checks.Run("Set-Service vmcompute -StartupType Manual",
			"Set the start type of the service to manual."),
		checks.Run("Start-Service vmcompute",
			"Start the service. If Windows refuses, read the error."),
		checks.Do("If a group policy or baseline has disabled it, correct that, too."),
		checks.Verify("Get-Service vmcompute | Format-List Status, StartType",
			"StartType is Manual")),
	Links: []string{
		"https://github.com/docker/for-win/issues/5322",
		"https://learn.microsoft.com/en-us/virtualization/api/hcs/overview",
	},
	Breaks:   []*checks.Effect{effectNetworkAgent, effectPodStart, effectContainers, effectKubeProxy, effectFlanneld},
	Needs:    []evidence.Need{evidence.Services},
	Signs:    computeServiceDisabledSigns,
	FromPart: []evidence.Need{evidence.Services},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		for _, svc := range evidence.Services.In(s) {
			if strings.EqualFold(svc.Name, "vmcompute") &&
				strings.EqualFold(svc.StartType, "disabled") {
				return []*checks.Finding{checks.Findingf(checks.Fail, svc.Name,
					"service %s is disabled (expected: start type manual)", svc.Name).
					At(svc.Field("startType"), "%s: start type %s, state %s", svc.Name,
						svc.StartType, svc.State)}, nil
			}
		}
		return nil, nil
	},
})

var computeServiceDisabledSigns = []checks.Sign{
	{Text: "vmcompute service is disabled",
		Says: "the host compute service (vmcompute) is disabled"},
	// ERROR_SERVICE_DISABLED of the call that starts the service: hcsshim internal/hcs, and 0.6's container.go
	{Text: "ComputeSystem", Also: []string{serviceDisabled}, Says: "the host compute service (vmcompute) cannot be started: it is disabled"},
	{Text: "encountered an error during CreateContainer", Also: []string{serviceDisabled},
		Not: []string{"ComputeSystem"}, Says: "the host compute service (vmcompute) cannot be started: it is disabled"},
}

const serviceDisabled = "The service cannot be started, either because it is disabled"
