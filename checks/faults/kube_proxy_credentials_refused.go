package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kube-proxy-credentials-refused",
	Title:    "API server refuses the credentials of kube-proxy",
	Healthy:  "API server accepts the credentials of kube-proxy",
	Category: checks.CategoryComponents,
	Doc: `kube-proxy lists Services and endpoints with the token or certificate of its kubeconfig. If the
token is of a deleted service account or of another cluster, if it has expired, or if its identity is
not bound to the role system:node-proxier, the API server refuses each call. Services of this node
then keep the endpoints that they had, or have none.

The check looks for the answers in the log of kube-proxy.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get clusterrolebindings -o wide | Select-String node-proxier",
			"Find the identity that may run kube-proxy, and compare it with the one in the error or the kubeconfig."),
		checks.Do("If kube-proxy is a pod, delete its pod: it starts with a new token."),
		checks.Do("Otherwise replace the token or certificate in its kubeconfig by one of an identity that is bound to system:node-proxier."),
		checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
			Costs("Connections to Services break for a few seconds."),
		checks.Verify("Get-HnsPolicyList | Measure-Object", "the load balancers of the Services")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/77651",
		"https://github.com/kubernetes/kubernetes/issues/84244",
		"https://github.com/kubernetes/kubeadm/issues/1101",
		"https://kubernetes.io/docs/reference/access-authn-authz/rbac/#core-component-roles",
	},
	Breaks: []*checks.Effect{effectKubeProxy},
	Needs:  []evidence.Need{evidence.Logs("kube-proxy")},
	Signs: []checks.Sign{
		// client-go's reflector, and pkg/util/node until 1.33
		{Text: "Failed to list *v1.Service: Unauthorized",
			Or: []string{"Failed to list *v1.EndpointSlice: Unauthorized",
				"Failed to list *v1beta1.EndpointSlice: Unauthorized",
				"Failed to list *v1.Endpoints: Unauthorized", "Failed to list *v1.Node: Unauthorized",
				"Failed to retrieve node info: Unauthorized", `"Failed to retrieve node info" err="Unauthorized"`},
			In:    []string{"kube-proxy"},
			Level: checks.Warn,
			Until: slices.Concat([]string{"Caches are synced", "Caches populated"}, proxyServes),
			Says:  "the API server does not accept the token or certificate of kube-proxy"},
		// The identity of a node on EKS: eks-kube-proxy-rbac-group
		{Text: "is forbidden: User ", Also: []string{"Failed to list *v1", "cannot list resource"},
			Not:   []string{".internal"},
			In:    []string{"kube-proxy"},
			Level: checks.Warn,
			Until: proxyServes, // it has listed Services and endpoints
			Says:  "the identity of kube-proxy may not list Services, endpoints or nodes"},
	},
})

// proxyServes is what kube-proxy logs for each load balancer that it creates, after it has listed all
// that it needs: pkg/proxy/winkernel.
var proxyServes = []string{"Hns LoadBalancer resource created"}
