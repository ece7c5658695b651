package faults

import (
	"regexp"
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// dsrUBR is KB4571748 of August 2020, the update that brought DSR to Server 2019.
const dsrUBR = 1432

var _ = register(&checks.Check{
	ID:       "dsr-unsupported-build",
	Title:    "DSR is not supported by this Windows build",
	Healthy:  "DSR is off or supported by this Windows build",
	Category: checks.CategoryNetwork,
	Doc: `With direct server return (DSR), the answer of a backend bypasses the load balancer. HNS
supports it from version 9.3 (Server 2019 with KB4571748, build 17763.1432 or later) and from 10.2
in later branches, so also on Server 2022. With --enable-dsr on an older build kube-proxy exits. The
annotation preserve-destination and externalTrafficPolicy Local require DSR too; the annotation also
requires build 18362. kube-proxy ignores it where either is missing.

The check uses the version of HNS, or the Windows build where that version was not collected.`,
	Fix: checks.Steps(
		checks.Do("Set --enable-dsr=false for kube-proxy."),
		checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
			Costs("Connections to Services break for a few seconds. Without DSR each load balancer takes 64 dynamic ports."),
		checks.Do("To use DSR, install the current Windows update (Server 2019: KB4571748 or later), then turn it on again.").
			Costs("The update reboots the node and stops its pods."),
		checks.Verify("Get-Process kube-proxy", "one process kube-proxy")),
	Links: []string{"https://kubernetes.io/docs/concepts/services-networking/windows-networking/",
		"https://techcommunity.microsoft.com/t5/networking-blog/direct-server-return-dsr-in-a-nutshell/ba-p/693710", "https://support.microsoft.com/help/4571748"},
	Breaks: []*checks.Effect{effectKubeProxy, effectServiceRules, effectContainers},
	Needs: []evidence.Need{node.NeedProxySettings, evidence.Any(evidence.HNSVersion,
		node.NeedBuild)},
	Uses: slices.Concat(node.ProxySources, []evidence.Need{evidence.HNSVersion, evidence.OSInfo,
		evidence.Node, evidence.KubeServices}),
	Signs: []checks.Sign{
		{Text: "platform does not support feature Direct Server Return", Until: proxyStarted,
			Says: "kube-proxy exits: HNS of this build does not support DSR"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		able, known, from := hasDSR(n, s)
		dsr := n.Proxy().EnableDSR
		asked := dsr.On() || len(preserving(s)) > 0
		switch {
		case !dsr.Set && n.UnseenProxy().Kind != "":
			return nil, checks.Unknown(n.UnseenProxy())
		case !asked:
			return nil, nil
		case !known && dsr.On():
			return nil, checks.Unknown(
				evidence.NotShown.Gap(
					"the revision of the Windows build, which decides whether it has DSR"))
		}
		var findings []*checks.Finding
		if dsr.On() && !able {
			findings = append(findings, checks.Findingf(checks.Fail, "kube-proxy",
				"kube-proxy uses DSR, which requires HNS 9.3 or build 17763.%d or later; found: %s",
				dsrUBR, from.Text).With(dsr.From, from).
				Cure(withFirst(fixOf("dsr-unsupported-build"),
					changeProxy(s, n, dsr.From, enablesDSR, "false",
						evidence.Phrasef("Set --enable-dsr=false for kube-proxy.")))))
		}
		if services := preserving(s); len(services) > 0 && (known && !able || n.Build.Known() &&
			n.Build.Value.Number < 18362) {
			findings = append(findings, checks.Findingf(checks.Warn, "Services",
				"preserve-destination requires build 18362 and DSR; this node ignores it for %s",
				firstThree(services)).
				At(evidence.KubeServices.Field(s), "preserve-destination: true on %s",
					firstThree(services)).With(from).Cure(checks.Steps(checks.Do(
				"Remove the annotation preserve-destination, or run these Services on Windows Server 2022."))))
		}
		return findings, nil
	},
})

// enablesDSR is the setting in a configuration file or in a start script.
var enablesDSR = regexp.MustCompile(`(?i)(enable-?dsr["']?\s*[:=]\s*["']?)true`)

// hasDSR tells whether HNS of this node can do DSR; not known where only the
// revision would tell.
func hasDSR(n *node.Node, s evidence.Snapshot) (able, known bool, from evidence.Because) {
	if v := evidence.HNSVersion.In(s).Version; v.Known() {
		return v.Major == 9 && v.Minor >= 3 || v.AtLeast(10, 2), true,
			evidence.HNSVersion.Field(s, "Version").Because("HNS %s", v)
	}
	b := n.Build.Value
	from = n.Build.From.Place().Because("build %s", b)
	switch {
	case !n.Build.Known(), b.Number == 17763 && b.UBR < 0:
		return false, false, from
	case b.Number == 17763:
		return b.UBR >= dsrUBR, true, from
	}
	return b.Number >= 18362, true, from
}

// preserving lists the Services that ask to keep the destination address.
func preserving(s evidence.Snapshot) []string {
	var names []string
	for _, svc := range evidence.KubeServices.In(s) {
		if svc.Metadata.Annotations["preserve-destination"] == "true" {
			names = append(names, svc.FullName())
		}
	}
	return names
}
