package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// The accounts that may start processes as other users.
var hostProcessAccounts = []string{"localsystem", `nt authority\system`, `.\system`, "system",
	`nt authority\localservice`, `nt authority\local service`, "localservice"}

var _ = register(&checks.Check{
	ID:       "hostprocess-logon-denied",
	Title:    "containerd account cannot start HostProcess containers",
	Healthy:  "containerd account can start HostProcess containers",
	Category: checks.CategoryComponents,
	Doc: `containerd starts a HostProcess container by logging on as the user that the pod specifies,
such as NT AUTHORITY\SYSTEM. Only a service that runs as LocalSystem or LocalService may do that.
Under any other account the logon is denied, and no HostProcess pod starts: kube-proxy, the network
plugin, CSI drivers.

The check looks at the account of the containerd service. It applies only where the node has
HostProcess pods, or pods that report this error.`,
	Fix: checks.Steps(
		logOnAsSystem("{runtime}"),
		checks.Run("{restart runtime}", "Restart the container runtime.").
			Costs("Running containers are not affected."),
		accountIsSystem("{runtime}")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#troubleshooting-hostprocess-containers", "https://github.com/microsoft/hcsshim/tree/main/internal/jobcontainers"},
	Breaks: []*checks.Effect{effectNetworkAgent, effectFlanneld, effectKubeProxy, effectCNIConfig,
		effectHNSNetwork, effectNodeReady, effectPodStart, effectContainers},
	Applies: checks.OnRuntime("containerd"),
	Partial: true,
	Needs:   []evidence.Need{evidence.Services, node.NeedRuntime},
	Uses:    []evidence.Need{evidence.Pods, evidence.PodEvents},
	Signs: []checks.Sign{
		// An unknown user is container-user-unknown.
		{Text: "failed to create user process token", Also: []string{"failed to logon user"},
			Not:  []string{"The user name or password is incorrect"},
			Says: "containerd cannot log on as the user of a HostProcess container"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		services := node.About(s).Components["runtime"].Services
		if len(services) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("a service of containerd"))
		}
		svc := services[0]
		account := strings.ToLower(strings.TrimSpace(svc.Account))
		if account == "" {
			return nil, checks.Unknown(evidence.NotShown.Gap("the account of service %s", svc.Name))
		}
		if slices.Contains(hostProcessAccounts, account) {
			return nil, nil
		}
		level := checks.Warn
		pods := slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
			return p.HostProcess() && !podRuns(p)
		})
		if pods || len(liveSigns(s, "hostprocess-logon-denied")) > 0 {
			level = checks.Fail
		}
		return []*checks.Finding{checks.Findingf(level, svc.Name,
			"service %s runs as %s (expected: LocalSystem or LocalService)", svc.Name,
			evidence.Clean(svc.Account)).
			At(svc.Field("account"), "%s: account %s", svc.Name, evidence.Clean(svc.Account)).
			Cure(checks.Steps(logOnAsSystem(svc.Name),
				fixOf("hostprocess-logon-denied").Steps[1], accountIsSystem(svc.Name)))}, nil
	},
})

func logOnAsSystem(service string) *checks.Step {
	return checks.Run("sc.exe config "+service+" obj= LocalSystem",
		"Set the account of the service to LocalSystem.")
}

func accountIsSystem(service string) *checks.Step {
	return checks.Verify("(Get-CimInstance Win32_Service -Filter \"Name='"+service+
		"'\").StartName", "LocalSystem")
}
