package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "hostprocess-port-in-use",
	Title:    "Port of a HostProcess container is in use on the node",
	Healthy:  "Ports of HostProcess containers are free",
	Category: checks.CategoryWorkloads,
	Doc: `A HostProcess container shares the ports of the node. If another process listens already,
such as a second monitoring agent, an old service of the same program, or a process that survived
its container, it fails with "Only one usage of each socket address". windows_exporter is seen most
often: as a service of the image and again as a DaemonSet, or as the development build 0.20.1_19.
Version 0.30.2 opens each address twice if it has several and a configuration file.

The check looks for these words in the logs of pods. It only warns: a restarted container can meet
the port of its predecessor for a moment.`,
	Fix: checks.Steps(
		checks.Inspect("Get-NetTCPConnection -State Listen -LocalPort PORT | ForEach-Object { Get-Process -Id $_.OwningProcess }",
			"Find out which process listens on the port of the error."),
		checks.Do("Remove the second installation, or set another port in one of them.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If the process is left over from an earlier container, stop it by its id."),
		checks.Do("If no other process has the port, the program opens it twice: correct its listen addresses."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/prometheus-community/windows_exporter/issues/1092",
		"https://github.com/prometheus-community/windows_exporter/issues/1871",
		"https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/",
	},
	Breaks: []*checks.Effect{effectContainers},
	Needs:  []evidence.Need{evidence.Logs("pods")},
	Uses:   []evidence.Need{evidence.Pods},
	Moot:   noHostProcess,
	Signs: []checks.Sign{
		{Text: "Only one usage of each socket address",
			Also: []string{"bind"}, Not: []string{"listen unix"}, In: []string{"pods", "windows-exporter", "csi-driver"},
			Level: checks.Warn,
			Says:  "a container cannot listen on its port: it is in use on the node"},
	},
})
