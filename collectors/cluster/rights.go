package cluster

import (
	"context"
	_ "embed"
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
	{Verb: "get", Resource: "persistentvolumeclaims", Evidence: "api/persistentvolumes.json"},
	{Verb: "get", Resource: "persistentvolumes", Evidence: "api/persistentvolumes.json"},
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

// ClusterRole is what a person needs who runs `doctor --node`: to read, nothing else, and no
// Secret. It names the requests of this package, and a test runs them with these rights alone.
//
//go:embed doctor-rbac.yaml
var ClusterRole string
