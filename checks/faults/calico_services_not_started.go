package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const exitNeverStarted = 1077 // ERROR_SERVICE_NEVER_STARTED

var _ = register(&checks.Check{
	ID:       "calico-services-not-started",
	Title:    "Services of Calico were never started",
	Healthy:  "Services of Calico were started",
	Category: checks.CategoryComponents,
	Doc: `Calico as Windows services has CalicoNode and CalicoFelix. install-calico.ps1 of 3.23.3 only installs them, and who calls
it has to start them. On a node whose pod network is of another plugin nothing else fails: the pods run, and no
NetworkPolicy has an effect on them until the next reboot.

The check looks for these services with an automatic start and the exit code 1077: not started since Windows booted. A node whose
Calico runs in HostProcess containers is acquitted.`,
	Fix: checks.Steps(
		checks.Run("Start-Service CalicoNode; Start-Service CalicoFelix", "Start the services.").
			Costs("NetworkPolicies take effect: they may block connections that work now."),
		checks.Verify("Get-Service CalicoNode, CalicoFelix", "both are Running")),
	Links:    []string{"https://github.com/Azure/AgentBaker/pull/2525"},
	Explains: []string{"calico-node-not-started", "network-agent-not-running"},
	Needs:    []evidence.Need{evidence.Services},
	Uses:     []evidence.Need{evidence.OSInfo, evidence.Pods, evidence.Processes},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		there := false
		for _, name := range []string{"CalicoNode", "CalicoFelix"} {
			svc, ok := node.ServiceNamed(s, name)
			there = there || ok
			if ok && svc.State == "stopped" && svc.Exit() == exitNeverStarted && svc.StartType == "automatic" {
				findings = append(findings, checks.Findingf(checks.Fail, svc.Name,
					"service %s has not been started since Windows booted: Calico enforces no NetworkPolicy on this node", svc.Name).
					At(svc.Field("exitCode"), "%s: state %s, exit code %d", svc.Name, svc.State, svc.Exit()))
			}
		}
		booted := evidence.OSInfo.In(s).BootedAt.Time
		switch {
		case !there:
			return nil, checks.Skip("the node has no services of Calico")
		case len(findings) == 0:
			return nil, nil
		case slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
			return strings.HasPrefix(p.Metadata.Name, "calico-node-windows")
		}), len(findings) == 2 && processRuns(s, "calico-node"):
			return nil, nil // left over from before the HostProcess containers
		case booted.IsZero() || s.Now().Sub(booted) < 10*time.Minute:
			return nil, checks.Unknown(evidence.NotShown.Gap("whether Windows has started its automatic services"))
		}
		return findings, nil
	},
})
