package faults

import (
	"maps"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "reboot-pending",
	Title:    "Windows reboot is pending",
	Healthy:  "No Windows reboot is pending",
	Category: checks.CategoryNode,
	Doc: `A feature that was just enabled and an update that replaces files in use are only
complete after a reboot. Until then the node runs a mixture: HNS and the compute service may be of
the old version and their configuration of the new one, and a feature such as Containers or Hyper-V
does not work.

Pending features and updates are a warning. Pending file renames alone are reported as info only:
printer drivers and virus scanners leave them behind often.`,
	Fix: checks.Steps(
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Move the pods to other nodes.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Run("Restart-Computer", "Reboot the node."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Verify("Get-WindowsFeature | Where-Object InstallState -like '*Pending'",
			"nothing")),
	Links: []string{
		"https://learn.microsoft.com/en-us/windows-server/get-started/enable-optional-features",
		"https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/"},
	Explains: []string{"containers-feature-missing", "hyperv-feature-missing",
		"hns-wrong-diskette"},
	Needs: []evidence.Need{evidence.PendingReboot},
	Uses:  []evidence.Need{evidence.Features},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		features := evidence.Features.In(s)
		for _, name := range slices.Sorted(maps.Keys(features)) {
			if strings.EqualFold(features[name], "pending") {
				findings = append(findings, checks.Findingf(checks.Warn, name,
					"Windows feature %s is pending: a reboot is required", name).
					At(evidence.Features.Field(s, name), "%s is pending", name))
			}
		}
		reboot := evidence.PendingReboot.In(s)
		if !reboot.Pending {
			return findings, nil
		}
		level := checks.Info
		if slices.ContainsFunc(reboot.Reasons, func(r string) bool {
			return !strings.Contains(strings.ToLower(r), "rename")
		}) {
			level = checks.Warn
		}
		why := orPhrase(strings.Join(reboot.Reasons, ", "), evidence.Phrasef("no reason recorded"))
		return append(findings, checks.Findingf(level, "reboot", "A reboot is pending: %s", why).
				At(evidence.PendingReboot.Field(s, "pending"), "pending is true, reasons: %s",
					why)),
			nil
	},
})
