package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

// From which share of failures, in percent, an operation is a problem of the node rather than of
// one container, and from how many on. The AKS log analysis uses the same shares.
const (
	computeFailuresSome = 5
	computeFailuresMany = 20
	computeFailuresMin  = 5
)

// codesOfService are results that tell of the host compute service rather than of one container:
// the call timed out, the service disconnected, no compartment or memory was left.
var codesOfService = []string{"C0370109", "80370109", "C0370118", "80370118", "C037011E",
	"8037011E", "800705AA"}

var _ = register(&checks.Check{
	ID:       "compute-operations-failing",
	Title:    "Operations of the host compute service fail",
	Healthy:  "Operations of the host compute service succeed",
	Category: checks.CategoryWorkloads,
	Doc: `The host compute service (vmcompute) writes an event for each container that it creates,
starts, shuts down and terminates (2000 to 2003), with the result. A single failure concerns its
container. Many failures concern the node: a timeout (0xC0370109), a service that disconnected
(0xC037011E) because vmcompute ended, or too few system resources (0x800705AA), which network
compartments use up that containers left behind.

The check counts the results of the last day. 0xC0370103 is no failure: it means that the operation
goes on. Nor is a stop of a container that has already stopped (0xC0370110, 0xC037010E). A fifth of
the operations, or any of the three codes above on a create or start, is a warning; a twentieth is
info. Where these events are not recorded, the kubelet may show for minutes that docker does not end a
container; its pod stays Terminating.`,
	Fix: checks.Steps(
		checks.Inspect("Get-WinEvent -FilterHashtable @{LogName='Microsoft-Windows-Hyper-V-Compute-Operational'; Id=2000,2001,2002,2003} -MaxEvents 200 | Group-Object Message | Sort-Object Count -Descending | Select-Object -First 10 Count, Name",
			"Read which results repeat."),
		checks.Inspect("Get-WinEvent -LogName Microsoft-Windows-Hyper-V-Compute-Admin -MaxEvents 30 | Format-List TimeCreated, Message",
			"Read the errors of the host compute service."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"If all containers are affected, move the pods to other nodes.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Run("Restart-Computer", "Reboot the node."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/Azure/AgentBaker/blob/dev/.github/skills/windows-log-analysis/sub-skills/analyze-hcs.md",
		"https://github.com/microsoft/hcsshim/issues/437",
		"https://github.com/microsoft/WSL/issues/6915",
		"https://github.com/microsoft/hcsshim/issues/567",
		"https://github.com/kubernetes/kubernetes/issues/76666",
		"https://github.com/rancher/rancher/issues/20440"},
	Shows: []*checks.Effect{effectPodStart},
	Needs: []evidence.Need{evidence.WindowsEvents},
	Signs: []checks.Sign{
		// pkg/kubelet/kuberuntime/kuberuntime_container.go, of docker: a busy node misses one
		{Text: "termination failed with gracePeriod", Also: []string{"operation timeout: context deadline exceeded"},
			Lasts: 5 * time.Minute, Level: checks.Warn,
			Says: "docker does not end containers in time"},
		// moby, libcontainerd/local; docker tries again. A container that has stopped meanwhile needs no end.
		{Text: "failed to terminate hccshim container",
			Or:    []string{"failed to shutdown container, and subsequent terminate also failed"},
			Not:   []string{"0xc0370110", "0xc037010e", "0xc037010a", "0xc037011f"},
			Level: checks.Info, Says: "docker could not end a container"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		operations := computeOperations(s)
		if len(operations) == 0 {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("events 2000 to 2003 of the host compute service"))
		}
		var findings []*checks.Finding
		for kind := computeCreate; kind <= computeTerminate; kind++ {
			if f, ok := failuresOf(operations, kind); ok {
				findings = append(findings, f)
			}
		}
		return findings, nil
	},
})

// failuresOf judges the operations of one kind.
func failuresOf(operations []computeOperation, kind int) (*checks.Finding, bool) {
	total, failed, codes := 0, 0, []string{}
	ofService := false
	var last computeOperation
	for _, o := range operations {
		if o.event.ID != kind {
			continue
		}
		total++
		if !o.failed() {
			continue
		}
		failed++
		last = o
		if code := "0x" + o.code; o.code != "" && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
		ofService = ofService || kind <= computeStart && slices.Contains(codesOfService, o.code)
	}
	level := checks.Warn
	switch {
	case failed == 0:
		return nil, false
	case ofService, failed >= computeFailuresMin && failed*100 > total*computeFailuresMany:
	case failed >= computeFailuresMin && failed*100 > total*computeFailuresSome:
		level = checks.Info
	default:
		return nil, false
	}
	with := evidence.Phrasef("no code recorded")
	if len(codes) > 0 {
		with = verbatim(strings.Join(codes[:min(len(codes), 3)], ", "))
	}
	return checks.Findingf(level, "vmcompute",
		"%d of %d operations of the host compute service to %s a container failed in the last day: %s",
		failed, total, computeNames[kind], with).
		With(last.event.Field().Because("%s", evidence.Clean(last.event.Message))), true
}
