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

var _ = register(checks.Check{
	ID:       "hostprocess-logon-denied",
	Title:    "containerd runs as a user who may not start HostProcess containers",
	Category: checks.CategoryComponents,
	Doc: `containerd starts a HostProcess container by logging on as the user that the pod
names, such as NT AUTHORITY\SYSTEM. Only a service that runs as LocalSystem or LocalService may do
that; under any other account the logon is denied, and with it every HostProcess pod: kube-proxy,
the network plugin, CSI drivers.

The check looks at the account of the service containerd. It only asks where the node has
HostProcess pods, or pods that say so.`,
	Fix: checks.Steps(
		checks.Inspect("sc.exe qc containerd", ""),
		checks.Run("sc.exe config containerd obj= LocalSystem",
			"let the service run as LocalSystem again and restart it").
			Costs("running containers are not touched"),
		checks.Run("Restart-Service containerd", "")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#troubleshooting-hostprocess-containers", "https://github.com/microsoft/hcsshim/tree/main/internal/jobcontainers"},
	Breaks: []*checks.Effect{effectFlanneld, effectKubeProxy, effectCNIConfig,
		effectHNSNetwork, effectNodeReady, effectPodStart, effectContainers},
	Applies: checks.OnRuntime("containerd"),
	Partial: true,
	Needs:   []evidence.Need{evidence.Services, node.NeedRuntime},
	Uses:    []evidence.Need{evidence.Pods, evidence.PodEvents},
	Signs: []checks.Sign{
		{Text: "failed to create user process token", Also: []string{"failed to logon user"},
			Says: "containerd may not log on as the user of a HostProcess container"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
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
		return []checks.Finding{checks.Findingf(level, svc.Name,
			"service %s runs as %s, and only LocalSystem or LocalService may start HostProcess containers", svc.Name, evidence.Clean(svc.Account)).
			At(svc.Field("account"), "%s: account %s", svc.Name, evidence.Clean(svc.Account))}, nil
	},
})
