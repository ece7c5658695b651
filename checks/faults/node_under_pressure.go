package faults

import (
	"cmp"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

// What is left on a node that is about to fail: a kubelet with the default of
// nodefs.available<10% evicts long before.
const (
	leastFreeDisk   = 1 << 30
	leastFreeMemory = 200 << 20
)

// longSilence is far above the five minutes in which the kubelet reports at the latest.
const longSilence = time.Hour

var _ = register(&checks.Check{
	ID:       "node-under-pressure",
	Title:    "Node or runtime reports resource pressure",
	Healthy:  "Node and runtime report no resource pressure",
	Category: checks.CategoryNode,
	Doc: `The kubelet reports MemoryPressure, DiskPressure and PIDPressure when little is left, evicts
pods, and the scheduler sends no new ones. Cloud controllers and network agents report
NetworkUnavailable until the routes of the node are there. Windows has no OOM killer: processes fail
to allocate memory, and the node may stop to answer.

The check reads the conditions of the Node object and of the runtime, the time of the last report
(five minutes are normal, an hour is not), the free memory, and the free space of the drive
of the system. DiskPressure is the subject of disk-full.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Process | Sort-Object WorkingSet64 -Descending | Select-Object -First 10 Name, WorkingSet64",
			"Find out what uses the memory."),
		checks.Do("Delete or limit what uses the resource, or add memory or disk space."),
		checks.Verify("kubectl describe node {node}", "all pressure conditions are False")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/",
		"https://kubernetes.io/docs/concepts/configuration/windows-resource-management/"},
	Symptom: true,
	Needs: []evidence.Need{evidence.Any(evidence.Node, evidence.CRI, evidence.Disks,
		evidence.MemoryInfo)},
	Uses:     []evidence.Need{evidence.Node, evidence.CRI, evidence.Disks, evidence.MemoryInfo},
	FromPart: []evidence.Need{evidence.Node, evidence.Disks},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		object := evidence.Node.In(s)
		looked := false
		for _, name := range []string{"MemoryPressure", "PIDPressure",
			"NetworkUnavailable"} {
			c, ok := object.Condition(name)
			looked = looked || ok
			if c.Status == "True" {
				f := checks.Findingf(checks.Warn, name,
					"the node reports %s: %s", name, orPhrase(cmp.Or(c.Message, c.Reason),
						evidence.Phrasef("no reason"))).
					At(object.ConditionField(name, "status"), "%s is True", name)
				if name == "NetworkUnavailable" {
					f = f.Cure(routeOfCloud())
					if strings.HasPrefix(c.Reason, "Calico") {
						f = f.Cure(conditionOfCalico)
					}
				}
				findings = append(findings, f)
			}
		}
		if c, ok := object.Condition("Ready"); ok && c.Status == "True" &&
			!c.LastHeartbeatTime.IsZero() && s.Now().Sub(c.LastHeartbeatTime.Time) > longSilence {
			findings = append(findings, checks.Findingf(checks.Warn, "Ready",
				"the kubelet has not reported the state of the node since %s",
				c.LastHeartbeatTime.Format(time.RFC3339)).
				At(object.ConditionField("Ready", "lastHeartbeatTime"), "lastHeartbeatTime is %s",
					c.LastHeartbeatTime.Format(time.RFC3339)))
		}
		for i, c := range evidence.CRI.In(s).Status.Conditions {
			looked = true
			if c.Type == "RuntimeReady" && !c.Status {
				findings = append(findings, checks.Findingf(checks.Warn, "RuntimeReady",
					"the container runtime reports that it is not ready: %s", orPhrase(
						cmp.Or(c.Message, c.Reason), evidence.Phrasef("no reason"))).
					At(evidence.CRI.Field(s, "status", "conditions", i), "RuntimeReady is false"))
			}
		}
		for _, d := range evidence.Disks.In(s) {
			looked = true
			if strings.EqualFold(d.Drive, "C:") && d.TotalBytes > 0 &&
				d.FreeBytes < leastFreeDisk {
				findings = append(findings, checks.Findingf(checks.Warn, d.Drive,
					"drive %s has %s free of %s", d.Drive, evidence.SizeText(d.FreeBytes),
					evidence.SizeText(d.TotalBytes)).
					At(d.Field("freeBytes"), "freeBytes is %d", d.FreeBytes))
			}
		}
		if m := evidence.MemoryInfo.In(s); m.AvailableBytes > 0 {
			looked = true
			if m.AvailableBytes < leastFreeMemory {
				findings = append(findings, checks.Findingf(checks.Warn, "memory",
					"%s of %s memory is available", evidence.SizeText(m.AvailableBytes),
					evidence.SizeText(m.TotalBytes)).
					At(evidence.MemoryInfo.Field(s, "availableBytes"), "availableBytes is %d",
						m.AvailableBytes))
			}
		}
		if !looked {
			return nil, checks.Unknown(evidence.NotShown.Gap("the conditions of the node"))
		}
		if _, reported := object.Condition("MemoryPressure"); !reported && len(findings) == 0 {
			if gap := cmp.Or(evidence.MemoryInfo.Gap(s), evidence.Disks.Gap(s)); gap.Kind != "" {
				return nil, checks.Unknown(gap)
			}
		}
		return findings, nil
	},
})

// conditionOfCalico: calico-node sets the condition when it stops, and clears it when it starts.
var conditionOfCalico = checks.Steps(
	checks.Run("{restart calico-node}", "Restart calico-node: it clears the condition when it starts, if the API server answers."),
	checks.Verify("kubectl describe node {node}", "NetworkUnavailable is False"))

// routeOfCloud is the fix of a node that a cloud controller or a network agent has not connected.
func routeOfCloud() checks.Fix {
	return checks.Steps(
		checks.Inspect("kubectl get node {node} -o jsonpath='{.spec.podCIDR} {.status.conditions}'",
			"Read the podCIDR of the node, and the reason of the condition NetworkUnavailable."),
		checks.Do("In the network of the cloud, check that a route leads podCIDR {podCIDR} to this node. The cloud controller manager creates it: read its events and log, such as a quota of routes or a missing permission."),
		checks.Do("If a network agent such as Calico sets the condition, restart the agent."),
		checks.Verify("kubectl describe node {node}", "NetworkUnavailable is False"))
}
