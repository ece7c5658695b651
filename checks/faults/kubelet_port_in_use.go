package faults

import (
	"strconv"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kubelet-port-in-use",
	Title:    "kubelet port is in use by another process",
	Healthy:  "kubelet port is free for the kubelet",
	Category: checks.CategoryComponents,
	Doc: `The kubelet serves logs, exec and metrics on port 10250, and its health on 10248. If another
process has the port, often a second kubelet that was started by hand or by another service, the
kubelet exits or runs without it.

The check looks for the error in the log of the kubelet, and for the program that listens on the port
now. An error before the start of the kubelet that has the port is over.`,
	Fix: checks.Steps(
		checks.Inspect("Get-NetTCPConnection -State Listen -LocalPort 10250,10248 | Select-Object LocalPort, OwningProcess",
			"Find the process that has the port."),
		checks.Do("Stop that process, and disable the service or task that starts it."),
		checks.Run("{restart kubelet}",
			"Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://kubernetes.io/docs/reference/networking/ports-and-protocols/",
		"https://github.com/kubernetes/minikube/issues/4500",
	},
	Breaks: []*checks.Effect{effectKubeletStart},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("kubelet"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: ":10250: bind: Only one usage of each socket address",
			Or:    []string{":10248: bind: Only one usage of each socket address"},
			Until: nodeRegistered,
			Says:  "the kubelet cannot listen: another process has its port"},
		// Windows has one server of a pipe at a time: pkg/kubelet/server, 1.15 and later
		{Text: "Failed to create listener for podResources endpoint", Also: []string{"Access is denied"},
			Until: nodeRegistered,
			Says:  "the kubelet exits: another kubelet serves its pipe"},
	},
	Uses: []evidence.Need{evidence.Ports, evidence.Processes},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		told := false
		for _, m := range s.Signs("kubelet-port-in-use") {
			if m.Over != "" {
				continue
			}
			told = true
			for i, l := range evidence.Ports.In(s).Listener {
				switch {
				case l.Process == "" || !strings.EqualFold(l.Protocol, "tcp") ||
					!strings.Contains(m.Found, ":"+strconv.Itoa(l.Port)+": bind"):
				case !node.EqualsAny(node.Program(l.Process), []string{"kubelet", "k3s"}):
					return []*checks.Finding{checks.Findingf(checks.Fail, l.Process,
						"the kubelet cannot listen: %s has its port %d", l.Process, l.Port).
						At(evidence.Ports.Field(s, "listeners", i), "%s listens on %s", l.Process, l.Address)}, nil
				case startedSince(node.About(s).Components["kubelet"].Processes, m.Last):
					return nil, nil // the kubelet that has the port started after the error
				}
			}
		}
		if !told {
			return nil, nil
		}
		return nil, checks.Unknown(evidence.NotShown.Gap("which program has the port of the kubelet"))
	},
})

// startedSince tells whether all of the processes started after that.
func startedSince(list []evidence.Process, then time.Time) bool {
	for _, p := range list {
		if !p.StartedAt.After(then) {
			return false
		}
	}
	return len(list) > 0 && !then.IsZero()
}
