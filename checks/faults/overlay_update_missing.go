package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// KB4489899, the update with which overlay networks work on Windows Server 2019.
const overlayUBR = 379

var _ = register(&checks.Check{
	ID:       "overlay-update-missing",
	Title:    "KB4489899 is missing: overlay networks do not work",
	Healthy:  "Windows has the update that overlay networks require",
	Category: checks.CategoryNetwork,
	Doc: `On Windows Server 2019 an overlay network with kube-proxy requires KB4489899 (March
2019), which is build 17763.379: earlier HNS does not support remote subnets. Later updates contain
it, so the build's revision counts and not the list of updates. Later builds have it from the start,
and earlier ones, such as Windows Server, version 1803, never get it.`,
	Fix: checks.Steps(
		checks.Run("wusa.exe UPDATE.msu /quiet /norestart",
			"Download the current cumulative update of Windows Server 2019 (KB4489899 or later) and install it."),
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Move the pods to other nodes.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Run("Restart-Computer", "Reboot the node."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Verify(`(Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion').UBR`,
			"379 or more")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/services-networking/windows-networking/",
		"https://support.microsoft.com/help/4489899",
		"https://github.com/microsoft/SDN/issues/273"},
	Breaks:   []*checks.Effect{effectNetworkAgent, effectFlanneld, effectHNSNetwork, effectKubeProxy},
	Explains: []string{"hns-lb-missing-or-stale", "vxlan-return-path-missing", "vm-mac-spoofing-disabled"},
	Applies: func(n *node.Node) error {
		if err := checks.RequireBackend(n, node.OverlayNet); err != nil {
			return err
		}
		if n.Build.Known() && n.Build.Value.Number > 17763 {
			return checks.Skip("later builds have it from the start (found: %d)",
				n.Build.Value.Number)
		}
		return nil
	},
	Needs: []evidence.Need{node.NeedBuild},
	Uses:  []evidence.Need{evidence.HNSNetworks},
	Signs: []checks.Sign{
		// later builds say so too, where HNS is broken
		{Text: "platform does not support feature Remote Subnet", Level: checks.Warn,
			Until: slices.Concat(proxyStarted, subnetWritten),
			Says:  "HNS has no remote subnets: the build is too old for overlay networks, or HNS is broken"},
		{Text: "An expected policy was not found", Also: []string{"Policy creation failed"}, ConfirmOnly: true},
		// OVN-Kubernetes, hybrid-overlay/pkg/controller
		{Text: "this version of Windows does not support HostRoute",
			Says: "hybrid-overlay-node exits: this build of Windows is too old for its overlay network"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		b := node.About(s).Build
		old := b.Value.Number < 17763
		if b.Value.UBR < 0 && !old {
			return nil, checks.Unknown(evidence.NotShown.Gap("the revision of the Windows build"))
		}
		if b.Value.UBR >= overlayUBR && !old {
			return nil, nil
		}
		if old && node.About(s).CNI.Value == node.OVN && !slices.ContainsFunc(evidence.HNSNetworks.In(s), func(net evidence.HNSNetwork) bool {
			return strings.EqualFold(net.Type, "Overlay")
		}) {
			return nil, checks.Skip("HNS has no overlay network: Open vSwitch had one of its own on these builds")
		}
		f := checks.Findingf(checks.Fail, "Windows Server 2019",
			"Windows build is %s (overlay networks require 10.0.17763.%d, KB4489899, or later)",
			b.Value, overlayUBR).
			With(b.From)
		if old {
			fix := fixOf("os-version-unsupported")
			fix.Steps[0] = checks.Do("Add a node with Windows Server 2019 and its current updates, or with a later Windows Server.")
			f = f.Cure(fix)
		}
		return []*checks.Finding{f}, nil
	},
})
