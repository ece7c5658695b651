package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "service-start-timeout",
	Title:    "Service of a node component does not answer at its start",
	Healthy:  "Services of node components answer at their start",
	Category: checks.CategoryComponents,
	Doc: `The service manager starts a program and waits 30 seconds for it to connect. Then it ends the
program, writes event 7009, and reports error 1053. The program may run well from a console: it
is not built as a service, or its command line does not request it. The kubelet and kube-proxy need
--windows-service, containerd and dockerd --run-service; flanneld needs a wrapper such as nssm.
On a machine that is overloaded at its boot a program may also be too slow.

The check looks for the exit code 1053 and event 7009 of the services of Kubernetes and the runtime,
and compares the command line of the service with what its program needs.`,
	Fix: startTimeoutFix("SERVICE"),
	Links: []string{
		"https://learn.microsoft.com/en-us/windows/win32/debug/system-error-codes--1000-1299-",
		"https://github.com/kubernetes/kubernetes/issues/59562",
		"https://github.com/kubernetes/kubernetes/pull/125119",
		"https://github.com/Azure/aks-engine/issues/351",
		"https://github.com/rancher/rke2/issues/1467",
	},
	Breaks:   []*checks.Effect{effectKubeletStart, effectRuntime},
	Explains: []string{"kube-proxy-not-running", "flanneld-not-running", "network-agent-not-running", "gke-setup-failed"},
	Needs:    []evidence.Need{evidence.Any(evidence.WindowsEvents, evidence.Services, evidence.Logs("other"))},
	Uses:     []evidence.Need{evidence.WindowsEvents, evidence.Services, evidence.OSInfo},
	FromPart: []evidence.Need{evidence.Services, evidence.WindowsEvents},
	Signs: append(startSigns("while waiting for the NAME service to connect",
		"a service of a node component does not answer the service manager", startTimeoutFix),
		scStart(" 1053", "a service that sc.exe starts does not answer the service manager (error 1053)"),
		netStart("1053", "a service does not answer the service manager (error 1053)")),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		failed := failedStarts(s, serviceNotConnected, exitNoAnswer, nil)
		for _, f := range failedStarts(s, serviceNotStarted, 0, saysNoAnswer) { // where only event 7000 was kept
			if !slices.ContainsFunc(failed, func(other failedStart) bool { return other.name == f.name }) {
				failed = append(failed, f)
			}
		}
		for _, f := range failed {
			if flag := missingSwitch(f.service); flag != "" {
				findings = append(findings, checks.Findingf(checks.Fail, f.name,
					"service %s does not answer the service manager: its command line has no %s", f.name, flag).
					With(f.because...).At(f.service.Field("args"), "%s: no %s", f.service.BinPath, flag).
					Cure(checks.Steps(
						checks.Inspect("sc.exe qc "+f.service.Name, "Read the command line of the service."),
						checks.Do("Add %s to the command line of service %s with sc.exe config.",
							flag, f.service.Name),
						checks.Run("Start-Service "+f.service.Name, "Start service %s.", f.service.Name),
						checks.Verify("Get-Service "+f.service.Name, "Status is Running"))))
				continue
			}
			findings = append(findings, checks.Findingf(checks.Fail, f.name,
				"service %s does not answer the service manager within 30 seconds of its start", f.name).
				With(f.because...).Cure(startTimeoutFix(f.name)))
		}
		return startsFinding(s, findings)
	},
})

// saysNoAnswer tells whether event 7000 reports error 1053.
func saysNoAnswer(e evidence.WindowsEvent, _ evidence.Service) bool {
	return strings.HasSuffix(strings.TrimRight(e.Message, ". \r\n"), "%%1053") ||
		strings.Contains(e.Message, "did not respond to the start or control request in a timely fashion")
}

func startTimeoutFix(service string) checks.Fix {
	return checks.Steps(
		checks.Inspect("sc.exe qc "+service, "Read the command line of the service."),
		checks.Do("Add --windows-service to the command line of the kubelet or kube-proxy, --run-service to that of containerd or dockerd. Run another program by nssm."),
		checks.Run("Start-Service "+service, "Start the service. If the machine was only too slow at its boot, this suffices."),
		checks.Verify("Get-Service "+service, "Status is Running"))
}
