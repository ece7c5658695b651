package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// KB5000822 of March 2021 updates Server 2019 to this revision, the first on which containers of
// containerd can open shares with the identity of their account.
const (
	gmsaShareBuild = 17763
	gmsaShareUBR   = 1817
)

var _ = register(&checks.Check{
	ID:       "gmsa-containerd-share",
	Title:    "Windows update for gMSA shares under containerd is missing",
	Healthy:  "gMSA pods can use network shares under containerd",
	Category: checks.CategoryWorkloads,
	Doc: `A container with a group managed service account (gMSA) uses the identity of the account
to log on to network shares. Under containerd that failed on Windows Server 2019 before the update
KB5000822 (OS build 17763.1817) of March 2021: nltest succeeded, but every share denied access.
Docker and Windows Server 2022 or later are not affected.

On an updated node a share may still open by its address and not by its name. That depends on
EnableCompartmentNamespace, a switch of HNS that recordings do not contain; AKS sets it. The check
compares the build on nodes whose pods use such an account.`,
	Fix: checks.Steps(
		checks.Do("Install the current cumulative update of Windows Server 2019.").
			Costs("The update reboots the node and stops its pods."),
		checks.Run(`New-ItemProperty HKLM:\SYSTEM\CurrentControlSet\Services\hns\State -Name EnableCompartmentNamespace -PropertyType DWord -Value 1 -Force`,
			"If shares then open by address but not by name, set this switch of HNS and recreate the pods.").
			Costs("The recreated pods are down for a short time."),
		checks.Verify(
			`(Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion').UBR`,
			"1817 or more")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/configure-pod-container/configure-gmsa/",
		"https://github.com/kubernetes/website/pull/27131",
		"https://github.com/microsoft/Windows-Containers/issues/44",
		"https://github.com/kubernetes-sigs/windows-gmsa/issues/30",
	},
	Applies: checks.OnAll(checks.OnRuntime("containerd"), func(n *node.Node) error {
		if n.Build.Known() && n.Build.Value.Number != gmsaShareBuild {
			return checks.Skip("only Windows Server 2019 has this limit; this is %s",
				n.Build.Value)
		}
		return nil
	}),
	Needs: []evidence.Need{evidence.Pods, node.NeedBuild},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
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
				return []*checks.Finding{checks.Findingf(checks.Warn, p.FullName(),
					"%s uses a gMSA: under containerd it cannot open shares on Windows %s (required: %d.%d or later)", p.FullName(), b, gmsaShareBuild, gmsaShareUBR).
					With(n.Build.From, n.Runtime.From).At(uses[0].at,
					"%s: gmsaCredentialSpecName is %s", p.FullName(),
					orUnknown(uses[0].GMSACredentialSpecName))}, nil
			}
			return nil, nil
		}
		return nil, checks.Skip("no pod on this node uses a group managed service account (gMSA)")
	},
})
