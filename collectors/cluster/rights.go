package cluster

import (
	"context"
	"encoding/json"
	"net/http"

	"doctor/collectors"
)

// A Right is one that ClusterRole gives, and the evidence that is read with it.
type Right struct {
	Verb, Group, Resource string
	Name                  string // of the object, where the right is for some by name
	Namespace             string // in which it is asked for; empty for all
	URL                   string // in the place of Group and Resource
	Evidence              string // the path in the evidence tree
	Optional              bool   // off in ClusterRole
}

// What is the right's object as RBAC names it.
func (r Right) What() string {
	switch {
	case r.URL != "":
		return r.URL
	case r.Group != "":
		return r.Resource + "." + r.Group
	}
	return r.Resource
}

// Rights are those of ClusterRole, in its order.
var Rights = []Right{
	{Verb: "get", Resource: "nodes", Evidence: "api/node.json"},
	{Verb: "list", Resource: "nodes", Evidence: "api/nodes.json"},
	{Verb: "list", Resource: "pods", Evidence: "api/pods.json"},
	{Verb: "list", Resource: "events", Evidence: "api/events.json"},
	{Verb: "list", Resource: "services", Evidence: "api/services.json"},
	{Verb: "get", Resource: "configmaps", Name: "kube-proxy", Evidence: "api/configmaps.json"},
	{Verb: "list", Group: "discovery.k8s.io", Resource: "endpointslices",
		Evidence: "api/endpointslices.json"},
	{Verb: "list", Group: "apps", Resource: "daemonsets", Evidence: "api/daemonsets.json"},
	{Verb: "list", Group: "networking.k8s.io", Resource: "servicecidrs",
		Evidence: "api/servicecidrs.json"},
	{Verb: "list", Group: "crd.projectcalico.org", Resource: "ippools", Evidence: "api/ippools.json"},
	{Verb: "list", Group: "crd.projectcalico.org", Resource: "ipamconfigs",
		Evidence: "api/ipamconfigs.json"},
	{Verb: "get", Group: "coordination.k8s.io", Resource: "leases", Namespace: "kube-node-lease",
		Evidence: "api/lease.json"},
	{Verb: "get", URL: "/version", Evidence: "api/version.json"},
	{Verb: "get", Resource: "nodes/proxy", Evidence: "logs/", Optional: true},
}

// Allowed asks the API server whether whoever asks has the right. Nothing is stored there.
func (c *Client) Allowed(ctx context.Context, r Right) (bool, error) {
	attributes := map[string]any{"resourceAttributes": map[string]string{"verb": r.Verb,
		"group": r.Group, "resource": r.Resource, "name": r.Name, "namespace": r.Namespace}}
	if r.URL != "" {
		attributes = map[string]any{"nonResourceAttributes": map[string]string{"verb": r.Verb,
			"path": r.URL}}
	}
	question := map[string]any{"apiVersion": "authorization.k8s.io/v1",
		"kind": "SelfSubjectAccessReview", "spec": attributes}
	ctx, cancel := collectors.BeforeDeadline(ctx, margin)
	defer cancel()
	body, err := c.send(ctx, Request{Method: http.MethodPost,
		Path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", Object: question,
		Verb: "create", What: "selfsubjectaccessreviews"}, maxRetries)
	if err != nil {
		return false, err
	}
	defer body.Close()
	var answer struct{ Status struct{ Allowed bool } }
	if err := json.NewDecoder(&bounded{body, maxAnswer}).Decode(&answer); err != nil {
		return false, c.explain(ctx, err, "create", "selfsubjectaccessreviews")
	}
	return answer.Status.Allowed, nil
}

// ClusterRole is what a person needs who runs `doctor --node`: to read, nothing
// else, and no Secret. It names the requests of this package, and a test runs
// them with these rights alone.
const ClusterRole = `# What ` + "`doctor --node NAME`" + ` reads through the Kubernetes API. Bind it to whoever runs doctor:
#   kubectl apply -f doctor-rbac.yaml
#   kubectl create clusterrolebinding doctor-reader --clusterrole=doctor-reader --user=NAME
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: doctor-reader
rules:
- apiGroups: [""]
  resources: [nodes]
  verbs: [get, list]
- apiGroups: [""]
  resources: [pods, events, services]
  verbs: [list]
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [kube-proxy, kubeadm-config, kube-flannel-cfg, amazon-vpc-cni, aws-auth]
  verbs: [get]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list]
- apiGroups: [apps]
  resources: [daemonsets]
  verbs: [list]
- apiGroups: [networking.k8s.io]
  resources: [servicecidrs]
  verbs: [list]
- apiGroups: [crd.projectcalico.org]
  resources: [ippools, ipamconfigs]
  verbs: [list]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get]
- nonResourceURLs: [/version]
  verbs: [get]
# For the logs of the kubelet, kube-proxy and containerd: remove the # of these three lines. They are
# off because they give more than logs: through the kubelet, their holder can also run commands in
# every pod (https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/#get-nodes-proxy-warning).
# The narrower nodes/log only helps who reaches port 10250 of the node, which doctor does not ask.
#- apiGroups: [""]
#  resources: [nodes/proxy]
#  verbs: [get]
# For --from-pod alone: to run curl.exe, ping.exe and nslookup.exe in a pod. It is the right to run
# anything in every pod, so it is off here; better give it in a Role of the pod's namespace.
#- apiGroups: [""]
#  resources: [pods/exec]
#  verbs: [create]
`
