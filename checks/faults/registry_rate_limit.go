package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "registry-rate-limit",
	Title:    "Registry rate limit for pulls is reached",
	Healthy:  "Registry rate limit for pulls is not reached",
	Category: checks.CategoryImages,
	Doc: `Docker Hub counts the pulls of an address, and of an account where one is used. Without an
account all nodes behind one NAT address share a small quota. When it is used up, the registry
answers 429 (toomanyrequests), and pods wait until the quota is renewed hours later. Windows nodes
are affected often: scaling up a pool pulls the same large images on each new node.

The check looks for the answer at pods that wait for their image and in the logs of the kubelet and
the runtime.`,
	Fix: checks.Steps(
		checks.Run("kubectl create secret docker-registry dockerhub -n NAMESPACE --docker-username=USER --docker-password=TOKEN",
			"Create a Secret with an account of the registry."),
		checks.Do("Name the Secret in imagePullSecrets of the pods.").
			Costs("The pods of the workload are recreated."),
		checks.Do("Or use a mirror: a pull-through cache, or a copy of the image in your own registry."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://docs.docker.com/docker-hub/usage/pulls/",
		"https://learn.microsoft.com/en-us/azure/container-registry/buffer-gate-public-content",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    registryRateLimitSigns,
	Run:      complain(registryRateLimitSigns),
})

const quotaUsedUp = "the registry refuses pulls: the quota of this address or account is used up"

var registryRateLimitSigns = []checks.Sign{
	// The third is of docker's first API of registries.
	{Text: "toomanyrequests", Or: []string{"429 Too Many Requests", "Status 429 trying to pull repository"},
		Also: []string{"pull"},
		Not:  []string{"trying next host"}, Says: quotaUsedUp},
	{Text: "429 Too Many Requests", Also: []string{"failed to resolve reference"}, Not: []string{"pull"}, // ctr
		Says: quotaUsedUp},
}
