package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "volume-chown-unsupported",
	Title:    "Pod sets runAsUser, and its token cannot be written",
	Healthy:  "Tokens of pods can be written",
	Category: checks.CategoryWorkloads,
	Doc: `The kubelet writes the service account token of a pod into a projected volume. If the pod
sets runAsUser, the kubelet gives the file to that user with chown, which Windows does not have. The
mount fails with "not supported by windows", and the pod stays in ContainerCreating. Manifests and
Helm charts that were written for Linux set runAsUser often, also in init containers. The kubelet
of OpenShift, and of Kubernetes since 1.31, 1.30.9 and 1.29.13, does not change the owner on Windows.

The check looks for this error at pods that do not start and in the log of the kubelet.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.securityContext} {.spec.containers[*].securityContext}'",
			"Find runAsUser in the pod."),
		checks.Do("If its images are for Linux, set nodeSelector kubernetes.io/os: linux, and leave the rest as it is.").
			Costs("The pods of the workload are recreated."),
		checks.Do("Remove runAsUser, runAsGroup and fsGroup from pods for Windows. To choose a user, set windowsOptions.runAsUserName.").
			Costs("The pods of the workload are recreated."),
		checks.Do("Or update the node to Kubernetes 1.29.13, 1.30.9, 1.31 or later: its kubelet ignores runAsUser here."),
		checks.Do("If the pod needs no token, set automountServiceAccountToken: false.").
			Costs("The pods of the workload are recreated."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/102849",
		"https://github.com/kubernetes/kubernetes/pull/125040",
		"https://github.com/kubernetes-sigs/sig-windows-dev-tools/issues/114",
		"https://github.com/hashicorp/consul-k8s/issues/1043",
		"https://github.com/dapr/dapr/issues/6780",
		"https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod-spec-containers-securitycontext",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"pod-field-unsupported"},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    volumeChownUnsupportedSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if findings, err := complain(volumeChownUnsupportedSigns)(s); len(findings) > 0 || err != nil {
			return findings, err
		}
		failures := recentFailures(s)
		for _, p := range evidence.Pods.In(s) {
			field, user := runAsUser(p)
			for _, said := range failures[p.FullName()] {
				if user && node.PodDown(p) && strings.Contains(said.text, "FailedMount") &&
					strings.Contains(said.text, "kube-api-access") {
					return []*checks.Finding{checks.Findingf(checks.Fail, p.FullName(),
						"%s is not running: %s", p.FullName(), evidence.Phrasef(noChown)).
						With(said.from).At(field, "runAsUser is set")}, nil
				}
			}
		}
		return nil, nil
	},
})

// runAsUser is where a pod sets the user that the kubelet gives the file of its token to.
func runAsUser(p evidence.Pod) (evidence.Place, bool) {
	if c := p.Spec.SecurityContext; c != nil && isSet(c.RunAsUser) {
		return p.Field("spec", "securityContext", "runAsUser"), true
	}
	for i, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		if c.SecurityContext != nil && isSet(c.SecurityContext.RunAsUser) {
			return p.ContainerField(i, "securityContext", "runAsUser"), true
		}
	}
	return evidence.Place{}, false
}

const noChown = "the kubelet cannot give a file to the user of runAsUser: Windows has no chown"

var volumeChownUnsupportedSigns = []checks.Sign{
	{Text: "not supported by windows", Or: []string{`: chown c:\`}, // which fails on Windows for no other reason
		Also: []string{"chown"},
		Says: noChown},
}
