package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-policy-config-invalid",
	Title:    "HNS rejects the policies of Calico endpoints",
	Healthy:  "HNS accepts the policies of Calico endpoints",
	Category: checks.CategoryNetwork,
	Doc: `Calico's CNI plugin gives HNS an endpoint together with its policies: which destinations
are not translated, which require encapsulation, which traffic is allowed. HNS validates all of them
before it creates the endpoint, and returns HCN_E_INVALID_POLICY if one is malformed, duplicated, or
requires a feature that this build of Windows does not have. The pod then gets no network.

An endpoint that was not created leaves no state, so the check uses the error: the code together
with the call that creates the endpoint. If the configuration contains a placeholder,
calico-placeholder-service-cidr reports the text.`,
	Fix: checks.Steps(
		checks.Edit("{cniFile}",
			"Correct the invalid policy: a value that is not a CIDR, a duplicate, or an unsupported type."),
		checks.Do("If the policies are valid, update Calico to a version that supports this Windows build."),
		checks.Do("Recreate the pods that are waiting."),
		checks.Verify("kubectl get pods -A --field-selector spec.nodeName={node}",
			"no pod in ContainerCreating")),
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
	sign := checks.SignOfCode(policyRefusal, "HNS rejects the policies of a pod's endpoint",
		append(also, call)...)
	sign.In = []string{evidence.InPodEvents, "cni", "calico", "calico-node", "containerd", "docker",
		"kubelet"}
	return sign
}

// loadBalancerRefused is the same for kube-proxy, whose load balancers name
// endpoints that such a refusal left incomplete.
var loadBalancerRefused = func() checks.Sign {
	sign := checks.SignOfCode(policyRefusal,
		"HNS rejects a load balancer: one of its addresses or endpoints is not valid",
		"Policy creation failed")
	sign.In = []string{"kube-proxy"}
	sign.Level = checks.Warn
	sign.Fix = checks.Steps(checks.Run("{restart kube-proxy}", "Restart kube-proxy."),
		checks.Verify("Get-HnsEndpoint | Group-Object State; Get-HnsPolicyList | Group-Object State",
			"endpoints of pods in state 2 or 3, load balancers in state 2"))
	return sign
}()
