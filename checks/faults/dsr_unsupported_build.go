package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// dsrUBR is KB4571748 of August 2020, the update that brought DSR to Server 2019.
const dsrUBR = 1432

var _ = register(checks.Check{
	ID:       "dsr-unsupported-build",
	Title:    "DSR is enabled on a Windows build that does not have it",
	Category: checks.CategoryNetwork,
	Doc: `Direct server return lets the answer of a backend bypass the load balancer. HNS has it
from version 9.3 on (Server 2019 with KB4571748, build 17763.1432, or later), from 10.2 on among the
later ones, and so on Server 2022. With --enable-dsr on an older build kube-proxy exits. The
annotation preserve-destination and externalTrafficPolicy Local need it too, and the annotation
needs build 18362 as well: kube-proxy ignores it where it is missing.

The check goes by the version of HNS, and by the Windows build where that is not recorded.`,
	Fix: checks.Steps(
		checks.Inspect(
			`Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion' | Select-Object CurrentBuild, UBR`, ""),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"install the current cumulative update of Windows (on Server 2019 KB4571748 or any later one) and reboot, or start kube-proxy without --enable-dsr; where a Service needs preserve-destination, use Server 2022").
			Costs("the reboot stops every pod of this node; without DSR each Service takes 64 ports of the dynamic range"),
		checks.Run("sconfig", ""),
		checks.Run("nssm edit kube-proxy", "")),
	Links: []string{"https://kubernetes.io/docs/concepts/services-networking/windows-networking/",
		"https://techcommunity.microsoft.com/t5/networking-blog/direct-server-return-dsr-in-a-nutshell/ba-p/693710", "https://support.microsoft.com/help/4571748"},
	Breaks: []*checks.Effect{effectKubeProxy, effectServiceRules, effectContainers},
	Needs: []evidence.Need{node.NeedProxySettings, evidence.Any(evidence.HNSVersion,
		node.NeedBuild)},
	Uses: slices.Concat(node.ProxySources, []evidence.Need{evidence.HNSVersion, evidence.OSInfo,
		evidence.Node, evidence.KubeServices}),
	Signs: []checks.Sign{
		{Text: "platform does not support feature Direct Server Return",
			Says: "kube-proxy exits: HNS of this build knows no DSR"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
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
		var findings []checks.Finding
		if dsr.On() && !able {
			findings = append(findings, checks.Findingf(checks.Fail, "kube-proxy",
				"kube-proxy is to use DSR, which needs HNS 9.3 or build 17763.%d at least, and this is %s", dsrUBR, from.Text).With(dsr.From, from))
		}
		if services := preserving(s); len(services) > 0 && (known && !able || n.Build.Known() &&
			n.Build.Value.Number < 18362) {
			findings = append(findings, checks.Findingf(checks.Warn, "Services",
				"the annotation preserve-destination needs build 18362 and DSR, so that this node ignores it: %s", firstThree(services)).
				At(evidence.KubeServices.Field(s), "preserve-destination: true on %s",
					firstThree(services)).With(from))
		}
		return findings, nil
	},
})

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
