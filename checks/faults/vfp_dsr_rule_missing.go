package faults

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "vfp-dsr-rule-missing",
	Title:    "Virtual switch port of a pod has no rule for a Service",
	Healthy:  "Virtual switch ports of pods have the rules of all Services",
	Category: checks.CategoryNetwork,
	Doc: `For each load balancer in DSR mode HNS writes a rule into the layer LB_DSR of the port of
each pod. After a restart of HNS, or when many pods start at once, it leaves some of them out: the
load balancer is in HNS, other pods reach the Service, and this pod does not. The rules of the
cluster DNS are the ones that are noticed first.

Only vfpctrl shows this: doctor runs it on a live node, collectlogs.ps1 and AKS's
collect-windows-logs.ps1 record what it prints. The check compares the
ports of pods with each other: the rule of a Service that is on one port is expected on all. For
pods that have been Ready for five minutes it is a fault, otherwise a warning.`,
	Fix: checks.Steps(
		checks.Run("kubectl delete pod POD -n NAMESPACE",
			"Delete the pod: the new one gets the rules with its port.").
			Costs("The pod is down until its replacement is Ready."),
		checks.Run("Restart-Service hns -Force; {restart kube-proxy}",
			"If many pods are affected, restart HNS and kube-proxy.").
			Costs("Restarting HNS drops the network of every pod on this node; many pods have to be recreated."),
		checks.Verify("vfpctrl /port PORT /layer LB_DSR /group LB_DSR_IPv4_OUT /list-rule",
			"a rule LB_DSR_… for each Service")),
	Links: []string{
		"https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/debug/networkmonitor/networkhealth.ps1",
		"https://github.com/microsoft/wcnscripts"},
	Breaks: []*checks.Effect{effectServices},
	Shows:  []*checks.Effect{effectServiceRules},
	Needs:  []evidence.Need{evidence.VFPPorts, evidence.HNSLoadBalancers, evidence.HNSEndpoints},
	Uses:   []evidence.Need{evidence.Pods, evidence.Node},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		ports := slices.DeleteFunc(switchPorts(s), func(p switchPort) bool { return p.DSRRules == nil })
		wanted := dsrServices(s)
		if len(wanted) == 0 {
			return nil, checks.Skip("HNS has no load balancer in DSR mode")
		}
		if len(ports) < 2 {
			return nil, checks.Unknown(evidence.NotShown.Gap("the rules of VFP of two pods"))
		}
		var findings []*checks.Finding
		for _, p := range ports {
			var missing []string
			for _, w := range wanted {
				has := func(p switchPort) bool { return hasDSRRule(p.VFPPort, w) }
				if !has(p) && slices.ContainsFunc(ports, has) {
					missing = append(missing, w.name)
				}
			}
			if len(missing) == 0 {
				continue
			}
			level := checks.Warn
			if p.pod != "" {
				level = checks.Fail
			}
			findings = append(findings, checks.Findingf(level, p.owner(),
				"the virtual switch port of %s has no rule for %s, which other pods have",
				p.owner(), firstThree(missing)).
				At(p.Field("dsrRules"), "port %s: %d rules of LB_DSR", p.Name, len(p.DSRRules)))
		}
		return findings, nil
	},
})

// A dsrService is the address of a load balancer in DSR mode, as the names of rules have it:
// LB_DSR_…_VIP_EXTERNAL_INTERNAL_PROTOCOL.
type dsrService struct{ name, inRule string }

func dsrServices(s evidence.Snapshot) []dsrService {
	var list []dsrService
	for _, lb := range evidence.HNSLoadBalancers.In(s) {
		if !lb.DSR || lb.Truncated {
			continue
		}
		for _, vip := range node.ParseAddresses(lb.VIPs...) {
			for _, p := range lb.Ports {
				if vip.Is4() {
					list = append(list, dsrService{balancerName(lb),
						fmt.Sprintf("_%s_%d_", vip, p.External)})
				}
			}
		}
	}
	return list
}

func hasDSRRule(p evidence.VFPPort, w dsrService) bool {
	return slices.ContainsFunc(p.DSRRules, func(rule string) bool {
		return strings.Contains(rule+"_", w.inRule)
	})
}
