package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "ephemeral-storage-limit-exceeded",
	Title:    "Pod evicted: more local disk space used than its limit",
	Healthy:  "Pods stay within their limits of local disk space",
	Category: checks.CategoryWorkloads,
	Doc: `The kubelet measures the local disk space of each pod: what its containers write outside of volumes,
their logs and its emptyDir volumes. If that exceeds resources.limits.ephemeral-storage, or the
sizeLimit of an emptyDir, the pod is evicted. Its controller creates another, which may be evicted
in the same way.

The check reads the reason of evicted pods and their events. An eviction of more than a day ago is
reported as info.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get events -A --field-selector reason=Evicted",
			"Read which pod, container or volume exceeded which limit."),
		checks.Do("Raise that limit in the pod template: resources.limits.ephemeral-storage of the container, or sizeLimit of the emptyDir.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If the program writes without end, rotate its logs, delete its temporary files, or move its data to a persistent volume."),
		checks.Verify("kubectl get events -A --field-selector reason=Evicted", "no new event")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/83038",
		"https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#local-ephemeral-storage",
		"https://kubernetes.io/docs/concepts/storage/ephemeral-storage/",
	},
	Breaks:   []*checks.Effect{effectContainers},
	Partial:  true, // controllers delete evicted pods
	Needs:    []evidence.Need{evidence.Pods, evidence.PodEvents},
	FromPart: []evidence.Need{evidence.Pods, evidence.PodEvents},
	Signs:    overEphemeralLimit,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, p := range evidence.Pods.In(s) {
			sign, ok := fits(overEphemeralLimit, p.Status.Message)
			if !ok || p.Status.Reason != "Evicted" {
				continue
			}
			level := checks.Fail
			if at := lastChange(p); !at.IsZero() && s.Now().Sub(at.Time) > checks.LongAgo {
				level = checks.Info
			}
			findings = append(findings, checks.Findingf(level, p.FullName(),
				"%s was evicted: %s", p.FullName(), evidence.Phrasef(sign.Says)).
				At(p.Field("status", "message"), "%s: %s", p.FullName(), p.Status.Message))
		}
		return findings, nil
	},
})

// lastChange is when a condition of the pod changed last: of an evicted one, the eviction.
func lastChange(p evidence.Pod) evidence.Time {
	var last evidence.Time
	for _, c := range p.Status.Conditions {
		if c.LastTransitionTime.After(last.Time) {
			last = c.LastTransitionTime
		}
	}
	return last
}

// pkg/kubelet/eviction/helpers.go
var overEphemeralLimit = []checks.Sign{
	{Text: "Pod ephemeral local storage usage exceeds the total limit of containers",
		Says: "it used more local disk space than the limits of its containers allow"},
	{Text: "exceeded its local ephemeral storage limit",
		Says: "a container used more local disk space than its limit"},
	{Text: "Usage of EmptyDir volume", Also: []string{"exceeds the limit"},
		Says: "an emptyDir volume is larger than its sizeLimit"},
}
