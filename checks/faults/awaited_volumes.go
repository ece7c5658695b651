package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// An awaitedVolume is one of a pod whose containers are not created yet: in the pod itself, or that which
// its claim is bound to.
type awaitedVolume struct {
	evidence.VolumeSources
	pod  evidence.Pod
	name string
	at   evidence.Place
}

// awaitedVolumes lists the volumes of the pods that wait, but for those whose sandbox failed: the kubelet
// makes it when all volumes are mounted. The gap is why the volume of such a pod is not known.
func awaitedVolumes(s evidence.Snapshot) (list []awaitedVolume, gap evidence.Gap) {
	failures := recentFailures(s)
	for _, p := range evidence.Pods.In(s) {
		if stuckReason(p) != "ContainerCreating" || !since(s, p, podPatience) ||
			slices.ContainsFunc(failures[p.FullName()], func(t runtimeText) bool {
				return strings.HasPrefix(t.text, "FailedCreatePodSandBox")
			}) {
			continue
		}
		for i, of := range p.Spec.Volumes {
			list = append(list, awaitedVolume{of.VolumeSources, p, of.Name, p.Field("spec", "volumes", i)})
			if of.PersistentVolumeClaim == nil {
				continue
			}
			gap = cmp.Or(gap, evidence.PersistentVolumes.Gap(s))
			for _, v := range evidence.PersistentVolumes.In(s) {
				if c := v.Spec.ClaimRef; c.Namespace == p.Metadata.Namespace && c.Name == of.PersistentVolumeClaim.ClaimName {
					list = append(list, awaitedVolume{v.Spec.VolumeSources, p, v.Metadata.Name, v.Field("spec")})
				}
			}
		}
	}
	return list, gap
}
