package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "flexvolume-in-use",
	Title:    "Pod uses a deprecated FlexVolume driver",
	Healthy:  "No pod uses a FlexVolume driver",
	Category: checks.CategoryStorage,
	Lints:    true,
	Doc: `FlexVolume drivers are programs and scripts on every node, on Windows PowerShell scripts
below usr\libexec\kubernetes, which the kubelet runs for each mount. They are deprecated since
Kubernetes 1.23 and get no fixes; on Windows each mount starts a new PowerShell. CSI drivers support
SMB, iSCSI and cloud disks.`,
	Fix: checks.Steps(
		checks.Do("Move the volume to a CSI driver that has a Windows node plugin.").
			Costs("The pods of the workload are recreated."),
		checks.Do("Remove the FlexVolume scripts from the node.")),
	Links: []string{"https://kubernetes.io/docs/concepts/storage/volumes/#flexvolume-deprecated",
		"https://kubernetes.io/docs/concepts/storage/windows-storage/",
		"https://github.com/microsoft/K8s-Storage-Plugins"},
	Needs: []evidence.Need{needPodSpecs},
	Uses:  []evidence.Need{evidence.Pods, evidence.Manifests},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, p := range podSpecs(s) {
			for i, v := range p.Spec.Volumes {
				if v.FlexVolume != nil {
					at := podField{p.At.to("volumes", i, "flexVolume", "driver"),
						v.FlexVolume.Driver}
					findings = append(findings, checks.Findingf(checks.Warn, p.Name(),
						"%s mounts %s with the deprecated FlexVolume driver %s", p.phrase(),
						v.Name, v.FlexVolume.Driver).With(p.because(at)).Cure(offFlexVolume(p)))
				}
			}
		}
		return findings, nil
	},
})

// offFlexVolume opens the workload of a pod of the node; a manifest is changed where it is.
func offFlexVolume(p podSpec) checks.Fix {
	fix := fixOf("flexvolume-in-use")
	if p.Path == "" {
		fix.Steps[0].Command = onWorkload(p.Pod, "edit", "")
	}
	return fix
}
