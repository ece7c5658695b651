package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "calico-policy-config-invalid",
	Title:    "HNS refuses the policies that Calico gives a pod's endpoint",
	Category: checks.CategoryNetwork,
	Doc: `Calico's CNI plugin hands HNS an endpoint together with its policies: which
destinations are not translated, which need encapsulation, which traffic is allowed. HNS checks them
all before it makes the endpoint, and answers HCN_E_INVALID_POLICY when one of them is malformed, is
there twice, or needs a feature that this build of Windows does not have. The pod then gets no
network.

No record holds an endpoint that was never made, so only the refusal itself tells of it: the code,
together with the call that made the endpoint. Where a placeholder was left in the configuration,
that check names the text.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-Content "{cniFile}"`, ""),
		checks.Run(`Get-HnsEndpoint | Select-Object Name, IPAddress, Policies | ConvertTo-Json -Depth 6`, "read the policies of the CNI configuration {cniFile} for what is no CIDR or stands there twice, and compare Calico's version with what it supports on this build; then have the pod made anew"),
		checks.Inspect(
			`Get-WinEvent -LogName Microsoft-Windows-Host-Network-Service-Admin -MaxEvents 30`,
			"")),
	Links: []string{"https://github.com/projectcalico/calico/issues/8465",
		"https://github.com/aws/containers-roadmap/issues/240"},
	Breaks: []*checks.Effect{effectPodStart, effectContainers},
	// EKS clusters run Calico's policies over Amazon's plugin
	Applies: checks.OnCNI(node.Calico, node.VPC),
	Needs: []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("cni"),
		evidence.Logs("calico"), evidence.Logs("containerd"), evidence.Logs("kubelet"),
		evidence.Logs("kube-proxy"))},
	Signs: []checks.Sign{policyRefused("hcnCreateEndpoint"), policyRefused("hnsCall", "calico"),
		loadBalancerRefused},
})

const policyRefusal = "HCN_E_INVALID_POLICY"

// policyRefused is HNS's refusal of a call that a CNI plugin made.
func policyRefused(call string, also ...string) checks.Sign {
	sign := checks.SignOfCode(policyRefusal, "HNS refuses a pod's endpoint over its policies",
		append(also, call)...)
	sign.In = []string{evidence.InPodEvents, "cni", "calico", "calico-node", "containerd", "docker",
		"kubelet"}
	return sign
}

// loadBalancerRefused is the same for kube-proxy, whose load balancers name
// endpoints that such a refusal left incomplete.
var loadBalancerRefused = func() checks.Sign {
	sign := checks.SignOfCode(policyRefusal,
		"HNS refuses a load balancer: an address or an endpoint that it names is not valid",
		"Policy creation failed")
	sign.In = []string{"kube-proxy"}
	return sign
}()
