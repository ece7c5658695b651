package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// recreatePods is the step after a change that only new pods take over.
func recreatePods() *checks.Step {
	return checks.Run(
		"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data; kubectl uncordon {node}",
		"Recreate the pods of this node: running pods keep the old settings.").
		Costs("All pods of this node are evicted, and their emptyDir volumes are lost.")
}

// deletePods is the command that deletes pods, so that their controllers create them again.
func deletePods(pods ...evidence.Pod) string {
	var namespaces []string
	names := map[string][]string{}
	for _, p := range pods {
		ns := p.Metadata.Namespace
		if names[ns] == nil {
			namespaces = append(namespaces, ns)
		}
		names[ns] = append(names[ns], p.Metadata.Name)
	}
	var commands []string
	for _, ns := range namespaces {
		commands = append(commands, "kubectl -n "+ns+" delete pod "+strings.Join(names[ns], " "))
	}
	return strings.Join(commands, "; ")
}

// workloadOf is what has the template of a pod, as kubectl takes it: deployment/web; the pod itself
// where nothing is known to control it.
func workloadOf(p evidence.Pod) string {
	if len(p.Metadata.OwnerReferences) == 0 {
		return "pod/" + p.Metadata.Name
	}
	owner := p.Metadata.OwnerReferences[0]
	kind, name := strings.ToLower(owner.Kind), owner.Name
	if hash := "-" + p.Metadata.Labels["pod-template-hash"]; kind == "replicaset" {
		// The hash is the last part of the name, recorded as a label or not.
		if short, ok := strings.CutSuffix(name, hash); ok && hash != "-" {
			return "deployment/" + short
		}
		if i := strings.LastIndex(name, "-"); i > 0 {
			return "deployment/" + name[:i]
		}
	}
	return kind + "/" + name
}

// imageWord is the image for a command, and a placeholder for one that the runtime would refuse.
func imageWord(image string) string {
	if image != evidence.Name(image) {
		return "IMAGE"
	}
	return image
}

// onWorkload is a command of kubectl on the workload of a pod. Of a pod itself only the image can be
// changed: for the rest a person has to put in what makes it.
func onWorkload(p evidence.Pod, verb, rest string) string {
	workload := workloadOf(p)
	if strings.HasPrefix(workload, "pod/") && verb != "set image" {
		workload = "deployment/DEPLOYMENT"
	}
	return strings.TrimSpace("kubectl -n " + p.Metadata.Namespace + " " + verb + " " + workload +
		" " + rest)
}
