package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var quotaVerified = checks.Verify("kubectl get pods -n NAMESPACE -o wide",
	"as many pods as the workload has replicas")

var _ = register(&checks.Check{
	ID:       "pod-quota-exceeded",
	Title:    "Quota of the namespace is exceeded",
	Healthy:  "Quotas of the namespaces allow the pods",
	Category: checks.CategoryWorkloads,
	Doc: `A ResourceQuota limits the number of pods, or their requests and limits, in a namespace. Beyond it
the API server refuses new pods: the workload has fewer pods than its replicas, and no pod
shows why. During an update the old and the new pods count together.

The check looks for the event of the controller.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl describe resourcequota -n NAMESPACE",
			"Compare what is used with the limits."),
		checks.Do("Raise the quota, or lower the requests or the number of pods."),
		quotaVerified),
	Links: []string{
		"https://kubernetes.io/docs/concepts/policy/resource-quotas/",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "forbidden: exceeded quota", Until: []string{"SuccessfulCreate"}, Says: "the quota of the namespace is used up"},
		// resourcequota/controller.go: "failed quota: %s: %v", with "must specify %s"
		{Text: "forbidden: failed quota", Also: []string{"must specify"},
			Says: "the quota of the namespace counts requests or limits that the pods do not set",
			Fix: checks.Steps(
				checks.Do("Set the requests and limits that the event names in the pod template, or create a LimitRange with defaults.").
					Costs("The pods of the workload are recreated."),
				quotaVerified)},
	},
})
