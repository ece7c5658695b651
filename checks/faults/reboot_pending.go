package faults

import (
	"maps"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(checks.Check{
	ID:       "reboot-pending",
	Title:    "Windows waits for a reboot to finish what was installed",
	Category: checks.CategoryNode,
	Doc: `A feature that was just enabled and an update that replaces files in use are only
complete after a reboot. Until then the node runs on a mixture: HNS and the compute service may be
of the old version while their configuration is of the new one, and a feature such as Containers or
Hyper-V is there by name only.

Features and updates that wait are a warning. Files that are merely to be renamed at the next start
are told, no more: printer drivers and virus scanners leave such an order behind every other day.`,
	Fix: checks.Steps(
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"drain the node and reboot it").
			Costs("the pods of this node are evicted, and their emptyDir volumes are lost"),
		checks.Run("Restart-Computer", ""),
		checks.Run("kubectl uncordon {node}", "")),
	Links: []string{
		"https://learn.microsoft.com/en-us/windows-server/get-started/enable-optional-features",
		"https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/"},
	Explains: []string{"containers-feature-missing", "hyperv-feature-missing",
		"hns-wrong-diskette"},
	Needs: []evidence.Need{evidence.PendingReboot},
	Uses:  []evidence.Need{evidence.Features},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
		features := evidence.Features.In(s)
		for _, name := range slices.Sorted(maps.Keys(features)) {
			if strings.EqualFold(features[name], "pending") {
				findings = append(findings, checks.Findingf(checks.Warn, name,
					"the feature %s is only complete after a reboot", name).
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
		return append(findings, checks.Findingf(level, "reboot", "a reboot is pending: %s", why).
				At(evidence.PendingReboot.Field(s, "pending"), "pending is true, reasons: %s",
					why)),
			nil
	},
})
