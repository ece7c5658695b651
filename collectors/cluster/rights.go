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
	{Verb: "list", Group: "node.k8s.io", Resource: "runtimeclasses",
		Evidence: "api/runtimeclasses.json"},
	{Verb: "get", Group: "storage.k8s.io", Resource: "csinodes", Evidence: "api/csinode.json"},
	{Verb: "get", URL: "/version", Evidence: "api/version.json"},
	{Verb: "get", Resource: "nodes/proxy", Evidence: "logs/", Optional: true},
}

// Allowed asks the API server whether whoever asks has the right. Nothing is stored there.
func (c *Client) Allowed(ctx context.Context, r Right) (bool, error) {
	attributes := map[string]any{"resourceAttributes": map[string]string{"verb": r.Verb,
		"group": r.Group, "resource": r.Resource, "name": r.Name}}
	if r.URL != "" {
		attributes = map[string]any{"nonResourceAttributes": map[string]string{"verb": r.Verb,
			"path": r.URL}}
	}
	question, err := json.Marshal(map[string]any{"apiVersion": "authorization.k8s.io/v1",
		"kind": "SelfSubjectAccessReview", "spec": attributes})
	if err != nil {
		return false, err
	}
	ctx, cancel := collectors.BeforeDeadline(ctx, margin)
	defer cancel()
	if err := c.noLogin.Load(); err != nil {
		return false, *err
	}
	body, err := c.rest.Verb(http.MethodPost).
		AbsPath("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews").
		SetHeader("Content-Type", "application/json").SetHeader("Accept", "application/json").
		Body(question).MaxRetries(0).Stream(ctx)
	if err != nil {
		return false, c.explain(ctx, err, "create", "selfsubjectaccessreviews")
	}
	defer body.Close()
	var answer struct{ Status struct{ Allowed bool } }
	if err := json.NewDecoder(&bounded{body, maxAnswer}).Decode(&answer); err != nil {
		return false, c.explain(ctx, err, "create", "selfsubjectaccessreviews")
	}
	return answer.Status.Allowed, nil
}
