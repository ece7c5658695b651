package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "component-not-a-service",
	Title:    "Node component does not restart automatically",
	Healthy:  "Node components restart automatically",
	Category: checks.CategoryComponents,
	FAQ:      []int{2},
	Doc: `The kubelet, kube-proxy, flanneld and the runtime must start with the machine and restart
when they fail. A component that was started from a console stops at the next reboot or logoff. A
service with manual start, or without a recovery action, stays down after a reboot or a crash.

The check looks at how each running component was started, at the start type of its service, and at
its recovery actions. A kubelet or runtime with manual start that nothing has started since the boot (exit
code 1077) is a fault. nssm restarts what it wraps, so a service under nssm needs no recovery action
of its own. The kubelet restarts HostProcess pods. Scripts of GKE and AKS start the services of their nodes at each boot, and
so does the daemon of OpenShift's operator. K2s starts flanneld when its network is ready. There manual start is right.`,
	Fix: checks.Steps(
		checks.Do("Register the component as a service with automatic start and a restart on failure."),
		checks.Verify("Get-Service kubelet, {runtime} | Select-Object Name, Status, StartType",
			"Status is Running and StartType is Automatic")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://nssm.cc/usage", "https://github.com/kubernetes-sigs/image-builder/issues/554",
		"https://github.com/Azure/AgentBaker/blob/dev/staging/cse/windows/kubeletfunc.ps1",
		"https://github.com/openshift/windows-machine-config-operator/blob/master/pkg/daemon/controller/controller.go"},
	Explains: []string{}, // it speaks of components that run
	Needs:    []evidence.Need{evidence.Services},
	Uses:     slices.Concat([]evidence.Need{evidence.Processes, evidence.Pods, evidence.OSInfo}, joinSources),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		var findings []*checks.Finding
		var unseen []string
		for _, name := range []string{"kubelet", "runtime", "kube-proxy", "flanneld"} {
			c := n.Components[name]
			findings = append(findings, servicesThatStayDown(n, c)...)
			findings = append(findings, servicesThatStayedDown(n, c, s)...)
			p, console, known := onConsole(c, s)
			if !known {
				unseen = append(unseen, p.Name)
			}
			if console {
				findings = append(findings, checks.Findingf(checks.Warn, p.Name,
					"%s (process %d) was not started by a service: it stops at the next reboot or logoff", p.Name, p.PID).
					At(p.Field("pid"), "%s has pid %d and parent %d", p.Name, p.PID, p.PPID).
					At(evidence.Services.Field(s), "no service is called %s",
						strings.Join(c.Service, " or ")).
					Cure(registerService(n, c, p)))
			}
		}
		if len(findings) == 0 && len(unseen) > 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("who started %s",
				strings.Join(unseen, ", ")))
		}
		return findings, nil
	},
})

// startedByPlatform tells a service that something of its platform starts at each boot: the scripts of GKE, windowsnodereset.ps1
// of AKS and aks-engine (AgentBaker, staging/cse/windows/kubeletfunc.ps1), and on OpenShift the daemon of the Windows Machine
// Config Operator (pkg/daemon/controller). The services of the last two have manual start.
func startedByPlatform(n *node.Node, svc evidence.Service) bool {
	if n.CNI.Value == node.GKE || ofGCE(svc) {
		return true
	}
	return !strings.EqualFold(svc.StartType, "disabled") && (n.Platform.Value == node.AKS || n.Platform.Value == node.OpenShift || ofK2s(n, svc) ||
		slices.ContainsFunc(n.Components["kubelet"].Services, func(kubelet evidence.Service) bool {
			return strings.Contains(strings.ToLower(strings.Join(kubelet.Args, " ")), "kubeletstart.ps1")
		}))
}

// ofGCE tells a service of GKE by its folder, where nothing else of the node is known
// (kubernetes/kubernetes, cluster/gce/windows/k8s-node-setup.psm1: NODE_DIR).
func ofGCE(svc evidence.Service) bool {
	return strings.HasPrefix(strings.ToLower(svc.BinPath), `c:\etc\kubernetes\node\bin\`)
}

// ofK2s tells flanneld of Siemens K2s, which must have manual start: "k2s start" starts it after it has made the HNS network
// (Siemens-Healthineers/K2s, lib/modules/k2s/k2s.node.module/windowsnode/downloader/artifacts/flannel/flannel.module.psm1).
func ofK2s(n *node.Node, svc evidence.Service) bool {
	return strings.EqualFold(svc.Name, "flanneld") &&
		slices.ContainsFunc(n.Components["kubelet"].Services, func(kubelet evidence.Service) bool {
			return strings.Contains(strings.ToLower(strings.Join(kubelet.Args, " ")), `\smallsetup\common\startkubelet.ps1`)
		})
}

// servicesThatStayDown judges the component's running services; a stopped one is another check's.
func servicesThatStayDown(n *node.Node, c *node.Component) []*checks.Finding {
	var findings []*checks.Finding
	for _, svc := range c.Services {
		if !svc.Running() || c.Name == "runtime" && !usesRuntime(n, svc) {
			continue
		}
		if startedByHand(svc) && !startedByPlatform(n, svc) {
			findings = append(findings, checks.Findingf(checks.Warn, svc.Name,
				"service %s has start type %s (expected: automatic): it stays down after a reboot",
				svc.Name,
				svc.StartType).
				At(svc.Field("startType"), "%s: startType is %s", svc.Name,
					svc.StartType).Cure(checks.Steps(
				checks.Run("Set-Service "+svc.Name+" -StartupType Automatic",
					"Set service %s to start automatically.", svc.Name),
				checks.Verify("Get-Service "+svc.Name+" | Select-Object StartType", "Automatic"))))
		}
		restarts := slices.ContainsFunc(svc.Recovery, func(a evidence.RecoveryAction) bool {
			return a.Action != "" && !strings.EqualFold(a.Action, "none")
		})
		// The daemon of OpenShift starts again what has ended; the bootstrap script of EKS and the images of image-builder, whose
		// kubelet runs under kube-log-runner (roles/kubernetes/templates/RestartKubelet.ps1), set no action.
		made := n.Platform.Value == node.OpenShift ||
			anyIn(strings.ToLower(svc.BinPath), []string{"eks-windowsservicehost", "kube-log-"})
		if svc.Recovery != nil && !restarts && svc.Wrapper == "" && !made {
			findings = append(findings, checks.Findingf(checks.Warn, svc.Name,
				"service %s has no recovery action: it is not restarted when it fails", svc.Name).
				At(svc.Field("recovery"), "%s: recovery is empty", svc.Name).
				Cure(checks.Steps(
					checks.Run("sc.exe failure "+svc.Name+
						" reset= 60 actions= restart/5000/restart/5000/restart/60000",
						"Restart service %s when it fails.", svc.Name),
					checks.Verify("sc.exe qfailure "+svc.Name, "three RESTART actions"))))
		}
	}
	return findings
}

// bootTasks is how long the tasks and scripts of a boot may take to start a service.
const bootTasks = 15 * time.Minute

// servicesThatStayedDown judges services with manual start that nothing has started since the boot. Images
// are made so, for a kubelet that must not start before the node has joined. A pod may have taken over from
// the service of another component.
func servicesThatStayedDown(n *node.Node, c *node.Component, s evidence.Snapshot) []*checks.Finding {
	running, _ := c.Running()
	booted := evidence.OSInfo.In(s).BootedAt
	if running || len(c.Pod) > 0 || len(c.Services) == 0 || beforeJoin(s) || booted.IsZero() || s.Now().Sub(booted.Time) < bootTasks {
		return nil
	}
	svc := c.Services[0]
	if !neverStarted(svc) || strings.EqualFold(svc.StartType, "disabled") || startedByPlatform(n, svc) ||
		c.Name == "runtime" && !usesRuntime(n, svc) {
		return nil
	}
	return []*checks.Finding{checks.Findingf(checks.Fail, svc.Name,
		"service %s has start type %s (expected: automatic), and nothing has started it since the boot",
		svc.Name, svc.StartType).
		At(svc.Field("startType"), "%s: startType is %s", svc.Name, svc.StartType).
		At(svc.Field("exitCode"), "%s: exit code %d (never started since the boot)", svc.Name, svc.Exit()).
		Explaining(c.Name + "-not-running").
		Cure(checks.Steps(
			checks.Run("Set-Service "+svc.Name+" -StartupType Automatic; Start-Service "+svc.Name,
				"Set service %s to start automatically, and start it.", svc.Name),
			checks.Verify("Get-Service "+svc.Name+" | Select-Object Status, StartType", "Running, Automatic")))}
}

// registerService makes a service of a program that can be one by itself, with the arguments that
// it runs with now.
func registerService(n *node.Node, c *node.Component, p evidence.Process) checks.Fix {
	register := checks.Do("Register %s as a service with automatic start, and stop the process that runs now.", p.Name)
	asService := "Register %s as a service with automatic start."
	start := checks.Run("Get-Process "+node.Program(p.Name)+" | Stop-Process -Force; Get-Service "+c.Service[0]+
		" | Start-Service", "Stop the process that runs now, and start the service.").
		Costs("New connections of this node's pods may fail for a few seconds.")
	verify := checks.Verify("Get-Service "+c.Service[0], "Status is Running")
	switch {
	case p.Exe == "":
	case c.Name == "runtime" && node.EqualsAny(node.Program(p.Name), []string{"containerd"}):
		return checks.Steps(checks.Run("& '"+quoteForPowerShell(p.Exe)+"' --register-service",
			asService, p.Name), start, verify)
	case len(p.Args) > 0 && (c.Name == "kubelet" || c.Name == "kube-proxy") &&
		n.Kubelet.Value.AtLeast(evidence.Version{Major: 1, Minor: 11}):
		command := `"` + p.Exe + `" --windows-service ` + strings.Join(p.Args, " ")
		return checks.Steps(checks.Run("New-Service "+c.Service[0]+
			" -StartupType Automatic -BinaryPathName '"+quoteForPowerShell(command)+"'",
			asService, p.Name), start, verify)
	}
	return checks.Steps(register, verify)
}

// usesRuntime tells a service of the node's runtime from one of another runtime beside it.
func usesRuntime(n *node.Node, svc evidence.Service) bool {
	name := n.Runtime.Value.Name
	return name == "" || strings.Contains(strings.ToLower(svc.Name+" "+svc.BinPath), name)
}

// onConsole returns a process of the component that was started by hand: no
// service has its name, no service or pod is among its ancestors.
func onConsole(c *node.Component, s evidence.Snapshot) (p evidence.Process, console, known bool) {
	if len(c.Services) > 0 || len(c.Processes) == 0 {
		return p, false, true
	}
	for _, svc := range evidence.Services.In(s) {
		if node.EqualsAny(svc.Name, c.ParentServices) {
			return p, false, true
		}
	}
	p = c.Processes[0]
	kept, known := startedByService(s, p)
	if !known && len(c.Pod) > 0 && (len(c.Pods) > 0 || !evidence.Pods.Known(s)) {
		return p, false, true // a HostProcess pod may have started it
	}
	if !known && p.PPID == 0 {
		return p, false, false
	}
	return p, !kept, true
}

// startedByService follows the parents of a process. Pids are reused, so a
// parent that started after its child is none.
func startedByService(s evidence.Snapshot, p evidence.Process) (kept, known bool) {
	byPID := map[int]evidence.Process{}
	for _, q := range evidence.Processes.In(s) {
		byPID[q.PID] = q
	}
	services := map[int]bool{}
	for _, svc := range evidence.Services.In(s) {
		if svc.PID > 0 {
			services[svc.PID] = true
		}
	}
	for range 16 {
		name := strings.ToLower(node.Program(p.Name))
		switch {
		case services[p.PID], name == "services", name == "nssm", name == "wininit",
			strings.HasPrefix(name, "containerd-shim"), strings.HasPrefix(name, "rke2"),
			strings.Contains(name, "servicehost"):
			return true, true
		case name == "explorer", name == "sshd", name == "cmd", name == "winlogon":
			return false, true
		}
		parent, ok := byPID[p.PPID]
		if !ok || parent.PID == p.PID || parent.StartedAt.After(p.StartedAt.Time) {
			return false, false
		}
		p = parent
	}
	return false, false
}
