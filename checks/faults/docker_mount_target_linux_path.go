package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "docker-mount-target-linux-path",
	Title:    "Docker rejects a mount target without a drive",
	Healthy:  "Mount targets are paths that Docker accepts",
	Category: checks.CategoryStorage,
	Doc: `The kubelet mounts the service account token at
/var/run/secrets/kubernetes.io/serviceaccount. dockershim wrote this path for Windows
(C:\var\run\...) before it called Docker; cri-dockerd before the fix of its issue 446 (2025) passes
it on as it is, and Docker answers "invalid volume specification". Every pod with a token fails;
pods without one start. A volumeMount of a manifest for Linux fails in the same way.

The check looks for this answer at pods that do not start.`,
	Fix: checks.Steps(
		checks.Inspect("cri-dockerd --version", "Read the version of cri-dockerd."),
		checks.Do("Update cri-dockerd to a release of 2025 or later, and restart it.").
			Costs("No pod starts or stops until it runs again."),
		checks.Do("Until then, set automountServiceAccountToken: false for pods that need no token, or write mount paths with their drive.").
			Costs("The pods of the workload are recreated."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/Mirantis/cri-dockerd/issues/446",
		"https://kubernetes.io/docs/concepts/storage/windows-storage/",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Applies:  checks.OnRuntime("docker"),
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    dockerMountTargetLinuxPathSigns,
	Run:      complain(dockerMountTargetLinuxPathSigns),
})

var dockerMountTargetLinuxPathSigns = []checks.Sign{
	{Text: "invalid volume specification",
		Also: []string{":/var/run/secrets/kubernetes.io/serviceaccount"},
		Not:  targetHasDrive,
		Says: "docker rejects the mount of the service account token: its target has no drive"},
}

// targetHasDrive are targets that docker rejects for another reason, such as a mode that Windows does
// not have (kubernetes 60274). The source begins with a drive, too, and follows a quotation mark.
var targetHasDrive = []string{":c:/var/run/", `:c:\var\run\`}
