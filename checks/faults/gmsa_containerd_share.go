package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// KB5000822 of March 2021 brings Server 2019 to this revision, the first on
// which containerd's containers reach shares with their account's identity.
const (
	gmsaShareBuild = 17763
	gmsaShareUBR   = 1817
)

var _ = register(checks.Check{
	ID:       "gmsa-containerd-share",
	Title:    "this Windows cannot reach shares by a service account under containerd",
	Category: checks.CategoryWorkloads,
	Doc: `A container with a group managed service account signs in at network shares with the
account's identity. Under containerd that failed on Windows Server 2019 until the update KB5000822
(OS build 17763.1817) of March 2021: nltest looked well and every share refused the container.
Docker was not concerned, and Server 2022 and later never were.

On a patched node a share may still open by its address and not by its name. That is a switch of
HNS, EnableCompartmentNamespace, which no recording holds; AKS sets it. The check compares the
build, on nodes whose pods use such an account.`,
	Fix: checks.Steps(
		checks.Inspect("Get-HotFix | Sort-Object InstalledOn -Descending | Select-Object -First 5",
			""),
		checks.Run(`New-ItemProperty HKLM:\SYSTEM\CurrentControlSet\Services\hns\State -Name EnableCompartmentNamespace -PropertyType DWord -Value 1 -Force`, "install the current cumulative update of Windows Server 2019; if shares then open by address only, set the switch and make the pods anew").
			Costs("the update reboots the node and stops its pods")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/configure-pod-container/configure-gmsa/",
		"https://github.com/kubernetes/website/pull/27131",
		"https://github.com/microsoft/Windows-Containers/issues/44",
		"https://github.com/kubernetes-sigs/windows-gmsa/issues/30",
	},
	Applies: checks.OnAll(checks.OnRuntime("containerd"), func(n *node.Node) error {
		if n.Build.Known() && n.Build.Value.Number != gmsaShareBuild {
			return checks.Skip("the limit is one of Windows Server 2019, and this is %s",
				n.Build.Value)
		}
		return nil
	}),
	Needs: []evidence.Need{evidence.Pods, node.NeedBuild},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		for _, p := range evidence.Pods.In(s) {
			uses := gmsaOptions(p)
			if len(uses) == 0 {
				continue
			}
			switch b := n.Build.Value; {
			case b.UBR < 0:
				return nil, checks.Unknown(
					evidence.NotShown.Gap("the revision of the Windows build"))
			case b.UBR < gmsaShareUBR:
				return []checks.Finding{checks.Findingf(checks.Warn, p.FullName(),
					"%s uses a group managed service account, and Windows %s lets it reach no share under containerd: %d.%d is needed", p.FullName(), b, gmsaShareBuild, gmsaShareUBR).
					With(n.Build.From, n.Runtime.From).At(uses[0].at,
					"%s: gmsaCredentialSpecName is %s", p.FullName(),
					orUnknown(uses[0].GMSACredentialSpecName))}, nil
			}
			return nil, nil
		}
		return nil, checks.Skip("no pod of this node uses a group managed service account")
	},
})
