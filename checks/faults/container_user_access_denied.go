package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// containerUser is the user of Windows that has no more rights in a container than any other.
const containerUser = "ContainerUser"

var _ = register(&checks.Check{
	ID:       "container-user-access-denied",
	Title:    "Container exits: its user has no right to a file or folder",
	Healthy:  "Users of containers have the rights that their programs need",
	Category: checks.CategoryWorkloads,
	Doc: `Containers of images that are based on Nano Server run as ContainerUser, and so do those whose
pod sets runAsUserName: ContainerUser. This user can read the files of the image, and cannot write to the
root of C:, to the program's folder, to the root of a volume, or to the registry, and cannot open a named
pipe of the node that is mounted. Images of
Server Core run as ContainerAdministrator, so a program can work there and fail here. Kubernetes gives
volumes on Windows no owner: fsGroup has no effect.

The check looks for a container that does not run, that has this user, and whose log or last state
quotes a denied access. Where pods are not recorded, it looks for a client of csi-proxy or rancher-wins
that is denied the pipe.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl logs POD -n NAMESPACE --previous", "Find the file or folder that is denied."),
		checks.Do("In the image, give the user the right to the folder: RUN icacls FOLDER /grant ContainerUser:(OI)(CI)M. On a volume, write to a subfolder: the user can create folders there."),
		checks.Do("Or set windowsOptions.runAsUserName: ContainerAdministrator in the pod template.").
			Costs("The program then has all rights in its container. The pods of the workload are recreated."),
		checks.Verify("kubectl get pods -n NAMESPACE", "the pod is Running")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/131341",
		"https://github.com/moby/buildkit/issues/4731",
		"https://github.com/dotnet/dotnet-docker/issues/569",
		"https://github.com/microsoft/Windows-Containers/issues/54",
		"https://github.com/rancher/wins/issues/10",
		"https://github.com/kubernetes-sigs/sig-storage-local-static-provisioner/pull/338",
		"https://kubernetes.io/docs/tasks/configure-pod-container/configure-runasusername/",
	},
	Breaks: []*checks.Effect{effectContainers},
	Needs:  []evidence.Need{evidence.Pods},
	Uses:   []evidence.Need{evidence.Logs("pods")},
	Signs: []checks.Sign{
		{Text: "Access to the path", Also: []string{"denied"}, In: inContainers, ConfirmOnly: true},
		{Text: "Access is denied", In: inContainers, ConfirmOnly: true},
		{Text: "EPERM: operation not permitted", Or: []string{"EACCES: permission denied", "PermissionError: [Errno 13]", "[WinError 5]"},
			In: inContainers, ConfirmOnly: true},
		// A server whose pipe another one serves is denied the same, and does not dial. Whoever is no
		// administrator of the node is denied docker_engine there too.
		{Text: csiPipeText, Or: []string{csiPipeEscaped, `pipe\rancher_wins`, `pipe\\rancher_wins`}, Also: []string{"Access is denied", "dialing"},
			In: pipeClients, Level: checks.Warn, Says: pipeDenied, Fix: pipeUserFix},
		{Text: csiPipeText, Or: []string{csiPipeEscaped}, Also: []string{"Access is denied", "connect to csi-proxy"},
			In: pipeClients, Level: checks.Warn, Says: pipeDenied, Fix: pipeUserFix},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		silent := false // such a container ended, and nothing shows what it said
		for _, p := range evidence.Pods.In(s) {
			for i, c := range p.Spec.Containers {
				at, limited := limitedUser(p, i)
				if !limited {
					continue
				}
				said := saidIn(s, "container-user-access-denied", p, c.Name)
				if len(said) == 0 {
					silent = silent || unheard(s, p)
					continue
				}
				f := checks.Findingf(checks.Warn, p.FullName(), "%s is not running: its user %s is denied access", p.FullName(), containerUser).
					With(checks.Quote(said[0]), at)
				f.Basis = checks.ByBoth
				findings = append(findings, f)
			}
		}
		if silent && len(findings) == 0 {
			return nil, notHeard(s)
		}
		return findings, nil
	},
})

const pipeDenied = "the user of a container has no right to a named pipe of the node"

var pipeClients = append(inContainers, "csi-driver", "other")

// pipeUserFix is for named pipes, whose rights are those that their service gave them.
var pipeUserFix = checks.Steps(
	checks.Do("Set windowsOptions.runAsUserName: ContainerAdministrator in the pod template.").
		Costs("The program then has all rights in its container. The pods of the workload are recreated."),
	checks.Verify("kubectl get pods -n NAMESPACE", "the pod is Running"))

var inContainers = []string{"pods", evidence.InPods}

// limitedUser tells whether a container of the pod is down and has the user ContainerUser, and what says so.
func limitedUser(p evidence.Pod, i int) (evidence.Because, bool) {
	c := p.Spec.Containers[i]
	if p.HostProcess() || !slices.ContainsFunc(p.Statuses(), func(st evidence.ContainerStatus) bool {
		return st.Name == c.Name && node.ContainerDown(st)
	}) {
		return evidence.Because{}, false
	}
	name, at := userName(p.Spec.SecurityContext), p.Field("spec", "securityContext", "windowsOptions", "runAsUserName")
	if own := userName(c.SecurityContext); own != "" {
		name, at = own, p.Field("spec", "containers", i, "securityContext", "windowsOptions", "runAsUserName")
	}
	switch {
	case strings.EqualFold(name, containerUser):
		return at.Because("container %s: runAsUserName %s", c.Name, name), true
	case name == "" && strings.Contains(strings.ToLower(c.Image), "nanoserver"):
		return p.Field("spec", "containers", i, "image").Because("container %s: image %s", c.Name, c.Image), true
	}
	return evidence.Because{}, false
}

func userName(c *evidence.SecurityContext) string {
	if c == nil || c.WindowsOptions == nil {
		return ""
	}
	return c.WindowsOptions.RunAsUserName
}
