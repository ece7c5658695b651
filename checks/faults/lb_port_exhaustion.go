package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/sorted"
)

const (
	balancerPorts = 64 // the block that one load balancer without DSR takes, of each protocol
	// the mark at which Microsoft's own network health script speaks of exhaustion
	fewBlocks = 10
)

var _ = register(&checks.Check{
	ID:       "lb-port-exhaustion",
	Title:    "Too few ports are free for HNS load balancers",
	Healthy:  "Enough ports are free for HNS load balancers",
	Category: checks.CategoryNetwork,
	Doc: `Without DSR load balancers take blocks of 64 consecutive ports from the dynamic port range of
Windows (49152 to 65535 by default); before build 17763.1192 (KB4550969) each takes one of its own. If the cluster has several hundred Services, programs
have reserved ports in between, or the range was made smaller, no free block is left. HNS then
rejects the next load balancer, and the Service does not answer from this node.

The ports that HNS takes are excluded port ranges, so the check counts the blocks of 64 ports that
are still free in the dynamic range: none is a failure, ten or fewer are a warning, as in
Microsoft's script. On older builds it counts a block for each load balancer as well. It passes if all
load balancers use DSR, which requires no ports.`,
	Fix: portRangeFix("tcp"),
	Links: []string{
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/kubernetes/common-problems", "https://github.com/microsoft/hcsshim/issues/1043",
		"https://github.com/Azure/AgentBaker/pull/1352",
		"https://github.com/microsoft/SDN/tree/master/Kubernetes/windows/debug",
	},
	Breaks:  []*checks.Effect{effectServiceRules},
	Partial: true,
	Needs:   []evidence.Need{evidence.Ports},
	Uses:    []evidence.Need{evidence.HNSLoadBalancers, node.NeedBuild},
	Signs: []checks.Sign{
		// A port that a program holds, or a load balancer that is left over, is refused alike.
		warning(notHealthcheck(checks.SignOfCode("HCN_E_PORT_ALREADY_EXISTS", balancerPortTaken,
			"hcnCreateLoadBalancer"))),
		// kube-proxy up to 1.13 on the first interface of HNS
		warning(notHealthcheck(checks.SignOfCode("HCN_E_PORT_ALREADY_EXISTS", balancerPortTaken,
			"Policy creation failed"))),
		checks.SignOfCode("ERROR_OUTOFMEMORY",
			"HNS rejects a load balancer: it has no ports or memory left",
			"hcnCreateLoadBalancer"),
		{Text: "Running out of ephemeral ports. The ephemeral ports range doesn't have enough resources", Says: "the network health script finds no free block of 64 ports"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
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
		var findings []*checks.Finding
		for _, protocol := range []string{"tcp", "udp"} {
			dynamic, ok := ports.Dynamic[protocol]
			if !ok || dynamic.Count <= 0 {
				continue
			}
			free := freeBlocks(dynamic, ports.Excluded, protocol)
			if protocol == "tcp" && !balancersShare(node.About(s).Build) {
				// a recorder may not see what HNS reserved, which is always TCP
				free = min(free, max(dynamic.Count/balancerPorts-plain, 0))
			}
			if free > fewBlocks {
				continue
			}
			level, left := checks.Warn,
				"only %d blocks of 64 %s ports are free in the dynamic range %d to %d; load balancers without DSR take them"
			if free == 0 {
				level, left = checks.Fail,
					"%d blocks of 64 %s ports are free in the dynamic range %d to %d: HNS cannot create load balancers without DSR"
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
			findings = append(findings, f.Cure(portRangeFix(protocol)))
		}
		return findings, nil
	},
})

// balancersShare tells whether several load balancers use one block of ports (AgentBaker PR 1352).
func balancersShare(build node.Fact[node.Build]) bool {
	return build.Known() && (build.Value.Number > 17763 ||
		build.Value.Number == 17763 && build.Value.UBR >= 1192)
}

// portRangeFix makes the dynamic range larger; NodePorts end at 32767.
func portRangeFix(protocol string) checks.Fix {
	return checks.Steps(
		checks.Run("netsh int ipv4 set dynamicportrange "+protocol+" start=34000 num=31536",
			"Make the dynamic port range larger: it starts above the NodePorts."),
		checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
			Costs("Connections to Services break for a few seconds."),
		checks.Do("Or set --enable-dsr=true for kube-proxy (Server 2019: build 17763.1432 or later)."),
		checks.Do("On Server 2019, install KB4551853 or later: load balancers then share ports.").
			Costs("The update reboots the node and stops its pods."),
		checks.Verify("netsh int ipv4 show dynamicportrange "+protocol,
			"start port 34000 and 31536 ports"))
}

const balancerPortTaken = "HNS rejects a load balancer: the ports that it requires are taken or reserved"

func warning(s checks.Sign) checks.Sign {
	s.Level = checks.Warn
	return s
}

// notHealthcheck leaves out the load balancer of a health probe, which collides with a listener (lb-port-collision-10256).
func notHealthcheck(s checks.Sign) checks.Sign {
	s.Not = []string{"Healthcheck loadbalancer"}
	return s
}

// freeBlocks counts the blocks of 64 ports that no excluded range touches.
func freeBlocks(dynamic evidence.PortRange, excluded []evidence.ExcludedPorts,
	protocol string) int {
	taken := slices.Clone(excluded)
	sorted.By(taken, func(a, b evidence.ExcludedPorts) int {
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
