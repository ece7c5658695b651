package faults

import (
	"doctor/checks"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "image-verifier-blocks-pulls",
	Title:    "containerd's image verifier refuses images",
	Healthy:  "No image verifier of containerd refuses images",
	Category: checks.CategoryImages,
	Doc: `containerd 2 runs each program in a folder before it pulls an image: the image verifiers, of plugin
io.containerd.image-verifier.v1.bindir. A program that exits with another code than 0 refuses the image. The key of the
folder is bin_dir, and the folder of the CNI plugins has a key of the same name. A script that changes each bin_dir in
config.toml makes containerd run the CNI plugins as verifiers: they end with an error, and no image is pulled. The
Install-Containerd.ps1 of sig-windows-tools did so until February 2026.

The check looks for the refusal at pods that wait for their image.`,
	Fix: checks.Steps(
		checks.Inspect(`Select-String -Path "{runtimeConfig}" -Pattern 'image-verifier' -Context 0,4`,
			"Read bin_dir of the image verifier. The name of the program in the error shows whether it is the folder of the CNI plugins."),
		checks.Edit("{runtimeConfig}",
			"If the folder is that of the CNI plugins, set bin_dir of the image verifier to a folder of its own, such as C:\\ProgramData\\containerd\\image-verifier\\bin. If the verifier is meant, sign the image, or correct the policy."),
		checks.Run("{restart runtime}", "Restart the container runtime: it reads the file at its start.").
			Costs("Running containers are not affected."),
		checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds")),
	Links: []string{
		"https://github.com/projectcalico/calico/issues/11564",
		"https://github.com/kubernetes-sigs/sig-windows-tools/pull/393",
		"https://github.com/containerd/containerd/blob/main/docs/image-verification.md",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Applies:  checks.UnlessOtherRuntime("containerd"),
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     append(complaintUses[:len(complaintUses):len(complaintUses)], node.RuntimeConfigs...),
	Signs:    imageVerifierSigns,
	Run:      complain(imageVerifierSigns),
})

// containerd, core/transfer/local/pull.go and pkg/imageverifier/bindir
var imageVerifierSigns = []checks.Sign{
	{Text: "image verifier ", Also: []string{"blocked pull of", "rejected image (exit code"},
		Says: "a program that containerd runs as image verifier refuses the image"},
}
