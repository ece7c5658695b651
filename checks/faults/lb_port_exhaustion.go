package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

const (
	balancerPorts = 64 // what one load balancer without DSR takes in one piece, of each protocol
	// the mark at which Microsoft's own network health script speaks of exhaustion
	fewBlocks = 10
)

var _ = register(checks.Check{
	ID:       "lb-port-exhaustion",
	Title:    "hardly any ports are left for the load balancers of Services",
	Category: checks.CategoryNetwork,
	Doc: `Without DSR each load balancer takes 64 ports in one piece from the dynamic port range
of Windows (49152 to 65535 by default). A cluster with some hundred Services, programs that reserved
ports in between, or a range that was made small, leave no piece of that size, and HNS refuses the
next load balancer: the Service does not answer from this node.

What HNS took stands among the excluded port ranges, so the check counts the pieces of 64 ports that
are still free in the dynamic range: none is a failure, ten or fewer a warning, as in Microsoft's
script. It passes where all load balancers use DSR, which need no ports.`,
	Fix: checks.Steps(
		checks.Run("netsh int ipv4 show excludedportrange tcp",
			"let kube-proxy use DSR (--enable-dsr=true, on Server 2019 from build 17763.1432 on), or widen the dynamic range; on Server 2019 install an update of May 2020 (KB4551853) or later, with which load balancers share ports").
			Costs("a new range holds for ports that are taken from then on; restart kube-proxy afterwards, which breaks connections to Services for some seconds"),
		checks.Run("netsh int ipv4 show dynamicportrange tcp", ""),
		checks.Run("netsh int ipv4 set dynamicportrange tcp start=34000 num=31536    # above the NodePorts, which end at 32767", "")),
	Links: []string{
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems", "https://github.com/microsoft/hcsshim/issues/1043",
		"https://github.com/Azure/AgentBaker/pull/1352",
		"https://github.com/microsoft/SDN/tree/master/Kubernetes/windows/debug",
	},
	Breaks:  []*checks.Effect{effectServiceRules},
	Partial: true,
	Needs:   []evidence.Need{evidence.Ports},
	Uses:    []evidence.Need{evidence.HNSLoadBalancers},
	Signs: []checks.Sign{
		notHealthcheck(checks.SignOfCode("HCN_E_PORT_ALREADY_EXISTS",
			"HNS refuses a load balancer: the ports that it needs are taken or reserved",
			"hcnCreateLoadBalancer")),
		checks.SignOfCode("ERROR_OUTOFMEMORY",
			"HNS refuses a load balancer: it finds no ports or memory for it",
			"hcnCreateLoadBalancer"),
		{Text: "Running out of ephemeral ports. The ephemeral ports range doesn't have enough resources", Says: "the network health script finds no 64 ports in one piece any more"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		ports := evidence.Ports.In(s)
		balancers := evidence.HNSLoadBalancers.In(s)
		plain := 0
		for _, lb := range balancers {
			if !lb.DSR {
				plain++
			}
		}
		if len(balancers) > 0 && plain == 0 {
			return nil, nil
		}
		if len(ports.Dynamic) == 0 || ports.Excluded == nil {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the dynamic port range or the excluded ranges"))
		}
		var findings []checks.Finding
		for _, protocol := range []string{"tcp", "udp"} {
			dynamic, ok := ports.Dynamic[protocol]
			if !ok || dynamic.Count <= 0 {
				continue
			}
			free := freeBlocks(dynamic, ports.Excluded, protocol)
			if protocol == "tcp" { // a recorder may not see what HNS reserved, which is always TCP
				free = min(free, max(dynamic.Count/balancerPorts-plain, 0))
			}
			if free > fewBlocks {
				continue
			}
			level, left := checks.Warn,
				"only %d pieces of 64 %s ports are free in the dynamic range %d to %d, and each load balancer without DSR takes one"
			if free == 0 {
				level, left = checks.Fail,
					"%d pieces of 64 %s ports are free in the dynamic range %d to %d: HNS can make no further load balancer without DSR"
			}
			f := checks.Findingf(level, protocol, left, free, strings.ToUpper(protocol),
				dynamic.Start, min(dynamic.Start+dynamic.Count, 1<<16)-1).
				At(evidence.Ports.Field(s, "dynamic", protocol),
					"dynamic.%s: start %d, count %d; %d excluded ranges", protocol, dynamic.Start,
					dynamic.Count, len(ports.Excluded))
			if len(balancers) > 0 {
				f = f.At(evidence.HNSLoadBalancers.Field(s),
					"%d load balancers, %d of them without DSR", len(balancers), plain)
			}
			findings = append(findings, f)
		}
		return findings, nil
	},
})

// notHealthcheck leaves out the load balancer of a health probe, which collides with a listener (lb-port-collision-10256).
func notHealthcheck(s checks.Sign) checks.Sign {
	s.Not = []string{"Healthcheck loadbalancer"}
	return s
}

// freeBlocks counts the pieces of 64 ports that no excluded range touches.
func freeBlocks(dynamic evidence.PortRange, excluded []evidence.ExcludedPorts,
	protocol string) int {
	taken := slices.Clone(excluded)
	slices.SortFunc(taken, func(a, b evidence.ExcludedPorts) int {
		return cmp.Compare(a.Start, b.Start)
	})
	free, next, end := 0, dynamic.Start, min(dynamic.Start+dynamic.Count, 1<<16)
	for _, t := range taken {
		if !strings.EqualFold(t.Protocol, protocol) || t.End < next || t.Start >= end {
			continue
		}
		free += max(t.Start-next, 0) / balancerPorts
		next = t.End + 1
	}
	return free + max(end-next, 0)/balancerPorts
}
