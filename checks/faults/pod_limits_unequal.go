package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "pod-limits-unequal",
	Title:    "Pods can use more memory than they request",
	Healthy:  "Memory limits of pods equal their requests",
	Category: checks.CategoryWorkloads,
	Lints:    true,
	Doc: `Windows has no OOM killer: when memory is exhausted, it writes to the page file, the node
slows down, and finally new processes cannot start, the kubelet's included. The scheduler counts
only requests. The Kubernetes documentation therefore recommends a memory limit equal to the request
for each container on a Windows node: a container without a limit can use all memory, and one with a
limit above its request can use memory that other pods requested.

Most clusters do not follow this recommendation. For pods of a node the check reports info, or a
warning if the node is short of memory. It is the cause of memory that is used up. For manifests it
reports a warning.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl top pods -A --field-selector spec.nodeName={node}",
			"Read how much memory the pods use."),
		checks.Do("In the pod template, set resources.limits.memory equal to resources.requests.memory for each container.").
			Costs("The pods of the workload are recreated. A container at its limit gets no more memory."),
		checks.Do("Reserve memory for Windows with systemReserved in the kubelet configuration."),
		checks.Verify("doctor lint MANIFEST", "no finding of this check")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/configuration/windows-resource-management/",
		"https://kubernetes.io/docs/concepts/windows/intro/"},
	Needs: []evidence.Need{needPodSpecs},
	Uses:  []evidence.Need{evidence.Pods, evidence.Manifests, evidence.MemoryInfo},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		level, because := checks.Info, []evidence.Because(nil)
		if m := evidence.MemoryInfo.In(s); m.CommitLimitBytes > 0 &&
			m.CommitUsedBytes*100 >= m.CommitLimitBytes*memoryTight {
			level = checks.Warn
			because = append(because,
				evidence.MemoryInfo.Field(s, "commitUsedBytes").Because("%s of %s are committed",
					gib(m.CommitUsedBytes), gib(m.CommitLimitBytes)))
		}
		available, usedUp := memoryUsedUp(s)
		var findings []*checks.Finding
		for _, p := range podSpecs(s) {
			if p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" {
				continue
			}
			var fields []podField
			var says []evidence.Phrase
			p.containers(func(at fieldPath, c evidence.Container) {
				request, limit := c.Resources.Requests["memory"], c.Resources.Limits["memory"]
				switch {
				case limit == "":
					says = append(says, evidence.Phrasef("not set"))
				case request != "" && !sameQuantity(request, limit):
					says = append(says, evidence.Phrasef("%s (request: %s)", limit,
						request))
				default:
					return
				}
				fields = append(fields, podField{at.to("resources", "limits", "memory"),
					says[len(says)-1].String()})
			})
			if len(fields) == 0 || !p.isManifest() && slices.Contains(systemNamespaces,
				p.Metadata.Namespace) {
				continue
			}
			level := level
			if p.isManifest() {
				level = checks.Warn // recommendations are what lint is for
			}
			f := checks.Findingf(level, p.Name(),
				"%s can use more memory than it requests: %s is %s", p.phrase(), fields[0].Path,
				says[0])
			for _, field := range fields[:min(len(fields), checks.MaxQuotes)] {
				f = f.With(p.because(field))
			}
			if usedUp && !p.isManifest() && p.Status.Phase != "Pending" { // that one uses no memory yet
				f = f.With(available).Explaining(memoryFollows...)
			}
			findings = append(findings, f.With(because...))
		}
		return findings, nil
	},
})

// memoryTight is the percentage of the commit limit from which a node begins to page.
const memoryTight = 85

// systemNamespaces hold components of the cluster; its users cannot change them.
var systemNamespaces = []string{"kube-system", "kube-flannel", "calico-system", "tigera-operator",
	"kube-proxy", "openshift-windows-machine-config-operator", "amazon-cloudwatch",
	"gke-managed-system"}

// sameQuantity compares 1Gi and 1024Mi as what they are.
func sameQuantity(a, b evidence.Quantity) bool {
	x, errX := evidence.ParseQuantity(string(a))
	y, errY := evidence.ParseQuantity(string(b))
	return a == b || errX == nil && errY == nil && x == y
}
