package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "vfp-port-blocked",
	Title:    "Virtual switch port of a pod is blocked",
	Healthy:  "Virtual switch ports of pods are not blocked",
	Category: checks.CategoryNetwork,
	Doc: `HNS creates the port of a pod on the virtual switch as blocked, writes the pod's policies
into the filtering platform of the switch (VFP), and unblocks it. If a policy cannot be written, or
HNS ends in between, the port stays blocked: the pod runs, has an address, and all of its packets
are dropped.

Only vfpctrl shows this: doctor runs it on a live node, collectlogs.ps1 and AKS's
collect-windows-logs.ps1 record what it prints. For a pod that has been Ready for five
minutes a blocked port is a fault, for any other endpoint a warning.`,
	Fix: checks.Steps(
		checks.Run("kubectl delete pod POD -n NAMESPACE",
			"Delete the pod: the new one gets a new port.").
			Costs("The pod is down until its replacement is Ready."),
		checks.Inspect("Get-WinEvent -LogName Microsoft-Windows-Hyper-V-VmSwitch-Operational -MaxEvents 30 | Format-List TimeCreated, Message",
			"If it returns, read why the switch refused the policies."),
		checks.Verify("vfpctrl /list-vmswitch-port | Select-String 'Port name' | ForEach-Object { vfpctrl /port ($_ -split ':')[1].Trim() /get-port-state }",
			"Blocked : FALSE for each port")),
	Links: []string{
		"https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/debug/networkmonitor/networkhealth.ps1",
		"https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/debug/dumpVfpPolicies.ps1"},
	Breaks: []*checks.Effect{effectServices, effectOutbound},
	Shows:  []*checks.Effect{effectPodTraffic},
	Needs:  []evidence.Need{evidence.VFPPorts},
	Uses:   []evidence.Need{evidence.HNSEndpoints, evidence.Pods, evidence.Node},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		known, named := false, map[string]bool{}
		for _, p := range switchPorts(s) {
			named[p.Name] = true
			if p.Blocked == nil || !*p.Blocked {
				continue
			}
			level := checks.Warn
			if p.pod != "" {
				level = checks.Fail
			} else if slices.ContainsFunc(evidence.Pods.In(s), node.StartsSilently) {
				continue // HNS unblocks the port of a pod that it creates once its policies are written
			}
			findings = append(findings, checks.Findingf(level, p.owner(),
				"the virtual switch port of %s is blocked", p.owner()).
				At(p.Field("blocked"), "port %s: blocked", p.Name))
		}
		for _, p := range evidence.VFPPorts.In(s) {
			known = known || p.Blocked != nil
			if p.Blocked != nil && *p.Blocked && !named[p.Name] {
				findings = append(findings, checks.Findingf(checks.Warn, p.Name,
					"the virtual switch port %s is blocked", orPhrase(p.Friendly,
						verbatim(p.Name))).
					At(p.Field("blocked"), "port %s: blocked", p.Name))
			}
		}
		if !known {
			return nil, checks.Unknown(evidence.NotShown.Gap("whether ports of VFP are blocked"))
		}
		return findings, nil
	},
})
