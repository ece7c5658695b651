package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "raw-block-volume",
	Title:    "Pod on Windows uses a raw block volume",
	Healthy:  "No pod on Windows waits for a raw block volume",
	Category: checks.CategoryStorage,
	Lints:    true,
	Doc: `A claim with volumeMode: Block gives a pod the disk itself, as a device (volumeDevices). Windows
cannot attach a raw block device to a container. The CSI driver or the kubelet fails when it maps the
device, and the pod stays in ContainerCreating. Examples of shared disks for Linux are often such
claims.

The check looks for volumeDevices in pods that do not run and in manifests, and for the errors of the
kubelet and of the drivers.`,
	Fix: checks.Steps(
		checks.Do("Create a claim with volumeMode: Filesystem: the mode of a claim cannot be changed.").
			Costs("The new volume is empty: copy the data of the old one."),
		checks.Do("In the pod template, mount it with volumeMounts in place of volumeDevices.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If several pods need the same data, use a file share (SMB) in place of a shared disk."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://github.com/kubernetes-sigs/azuredisk-csi-driver/issues/1182",
		"https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod-spec-containers",
		"https://kubernetes.io/docs/concepts/storage/windows-storage/",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{needPodSpecs},
	Uses:   []evidence.Need{evidence.Pods, evidence.Manifests},
	Signs: []checks.Sign{
		// the driver hands the number of the disk to what mounts folders
		{Text: "not an absolute Windows path", Also: []string{"volumeDevices"}, Says: mapsNoDevice},
		// pkg/volume/util/volumepathhandler of Kubernetes, on all systems but Linux
		{Text: "AttachFileDevice not supported for this build", Says: mapsNoDevice},
		// pkg/csi/service/osutils/windows_os_utils.go of the vSphere driver
		{Text: "raw block Volume access type is currently not supported for windows node",
			Says: mapsNoDevice},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, p := range podSpecs(s) {
			if !p.isManifest() && !node.PodDown(p.Pod) {
				continue
			}
			p.containers(func(at fieldPath, c evidence.Container) {
				if isSet(c.VolumeDevices) {
					findings = append(findings, checks.Findingf(checks.Fail, p.Name(),
						"%s uses a raw block volume, which Windows cannot attach to a container",
						p.phrase()).With(p.because(podField{at.to("volumeDevices"),
						string(c.VolumeDevices)})))
				}
			})
		}
		return findings, nil
	},
})

const mapsNoDevice = "a raw block volume cannot be mapped into a pod on Windows"
