package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(checks.Check{
	ID:       "pod-limits-unequal",
	Title:    "pods may use more memory than they ask for",
	Category: checks.CategoryWorkloads,
	Lints:    true,
	Doc: `Windows has no OOM killer: when memory is used up it writes to the page file, the
whole node slows down, and in the end new processes fail to start, those of the kubelet too. The
scheduler counts requests only. So the Kubernetes documentation advises to give each container of a
Windows node a memory limit that equals its request; a container without a limit may take all, and
one whose limit is above its request may take what others were promised.

It is advice, and most clusters do not follow it: for the pods of a node the check tells, no more,
unless the node is short of memory right now. In manifests it warns.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl describe node {node}", ""),
		checks.Run("kubectl top pods -A --field-selector spec.nodeName={node}",
			"set resources.limits.memory and resources.requests.memory of each container to the same amount, and keep memory back for Windows (systemReserved)").
			Costs("changing resources recreates the pods of the workload; a container over its limit can no longer get memory")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/configuration/windows-resource-management/",
		"https://kubernetes.io/docs/concepts/windows/intro/"},
	Needs: []evidence.Need{needPodSpecs},
	Uses:  []evidence.Need{evidence.Pods, evidence.Manifests, evidence.MemoryInfo},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		level, because := checks.Info, []evidence.Because(nil)
		if m := evidence.MemoryInfo.In(s); m.CommitLimitBytes > 0 &&
			m.CommitUsedBytes*100 >= m.CommitLimitBytes*memoryTight {
			level = checks.Warn
			because = append(because,
				evidence.MemoryInfo.Field(s, "commitUsedBytes").Because("%s of %s are committed",
					gib(m.CommitUsedBytes), gib(m.CommitLimitBytes)))
		}
		var findings []checks.Finding
		for _, p := range podSpecs(s) {
			var fields []podField
			var says []evidence.Phrase
			p.containers(func(at fieldPath, c evidence.Container) {
				request, limit := c.Resources.Requests["memory"], c.Resources.Limits["memory"]
				switch {
				case limit == "":
					says = append(says, evidence.Phrasef("not set"))
				case request != "" && !sameQuantity(request, limit):
					says = append(says, evidence.Phrasef("%s, and the request is %s", limit,
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
				level = checks.Warn // who asks for a manifest to be judged asks for advice
			}
			f := checks.Findingf(level, p.Name(),
				"%s may use more memory than it asks for: %s is %s", p.phrase(), fields[0].Path,
				says[0])
			for _, field := range fields[:min(len(fields), checks.MaxQuotes)] {
				f = f.With(p.because(field))
			}
			findings = append(findings, f.With(because...))
		}
		return findings, nil
	},
})

// memoryTight is the share of the commit limit, in percent, from which on a node begins to page.
const memoryTight = 85

// systemNamespaces hold what a cluster brings along; its users cannot change it.
var systemNamespaces = []string{"kube-system", "kube-flannel", "calico-system", "tigera-operator",
	"kube-proxy", "openshift-windows-machine-config-operator", "amazon-cloudwatch",
	"gke-managed-system"}

// sameQuantity compares 1Gi and 1024Mi as what they are.
func sameQuantity(a, b evidence.Quantity) bool {
	x, errX := evidence.ParseQuantity(string(a))
	y, errY := evidence.ParseQuantity(string(b))
	return a == b || errX == nil && errY == nil && x == y
}
