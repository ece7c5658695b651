package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(checks.Check{
	ID:       "flexvolume-in-use",
	Title:    "a pod uses a FlexVolume driver, which is deprecated",
	Category: checks.CategoryStorage,
	Lints:    true,
	Doc: `FlexVolume drivers are programs and scripts that lie on every node, on Windows as
PowerShell scripts below usr\libexec\kubernetes, and that the kubelet runs for each mount. They have
been deprecated since Kubernetes 1.23 and get no fixes; on Windows each mount starts PowerShell
anew. CSI drivers do the same for SMB, iSCSI and cloud disks.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get csidrivers", ""),
		checks.Inspect(
			`Get-ChildItem -Recurse C:\usr\libexec\kubernetes\kubelet-plugins\volume\exec`, ""),
		checks.Do("move the volume to a CSI driver that has a Windows node plugin, then remove the FlexVolume scripts from the node").
			Costs("the pods of the workload are made anew with the other volume")),
	Links: []string{"https://kubernetes.io/docs/concepts/storage/volumes/#flexvolume-deprecated",
		"https://kubernetes.io/docs/concepts/storage/windows-storage/",
		"https://github.com/microsoft/K8s-Storage-Plugins"},
	Needs: []evidence.Need{needPodSpecs},
	Uses:  []evidence.Need{evidence.Pods, evidence.Manifests},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
		for _, p := range podSpecs(s) {
			for i, v := range p.Spec.Volumes {
				if v.FlexVolume != nil {
					at := podField{p.At.to("volumes", i, "flexVolume", "driver"),
						v.FlexVolume.Driver}
					findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
						"%s mounts %s by the FlexVolume driver %s, which is deprecated", p.phrase(),
						v.Name, v.FlexVolume.Driver).With(p.because(at)))
				}
			}
		}
		return findings, nil
	},
})
