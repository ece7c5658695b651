package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "image-tag-latest",
	Title:    "Pods use images without a tag, or with tag latest",
	Healthy:  "Images of pods have fixed tags",
	Category: checks.CategoryImages,
	Doc: `A Windows container runs only on the Windows version of its image, so tags matter more than
on Linux. Without a tag, or with tag latest, the image is whatever was pushed last. When its author
moves to a newer Windows, the pods of this node no longer start, and two nodes may run different
images. Microsoft does not publish a tag latest for its Windows base images.

The check reads the images of the pods on this node, or of manifests. An image with a digest is
fixed, whatever its tag.`,
	Fix: checks.Steps(
		checks.Do("Use a tag that is not moved and names the Windows version, such as 1.4.2-{osTag}, or a digest.").
			Costs("The pods of the workload are recreated."),
		checks.Verify(
			"kubectl get pods -A --field-selector spec.nodeName={node} -o jsonpath='{.items[*].spec.containers[*].image}'",
			"no image without a tag or with tag latest")),
	Links: []string{"https://kubernetes.io/docs/concepts/containers/images/#image-names",
		"https://kubernetes.io/docs/concepts/configuration/overview/",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/container-base-images"},
	Lints: true,
	Needs: []evidence.Need{needPodSpecs},
	Uses:  []evidence.Need{evidence.Pods, evidence.Manifests},
	Signs: []checks.Sign{
		{Text: "mcr.microsoft.com/windows/", Also: []string{":latest", "not found"},
			Not:  []string{"lookup ", "dial tcp"}, // it is the registry that was not found
			Says: "Windows base images have no tag latest"},
		// their names on Docker Hub until 2018
		{Text: "microsoft/windowsservercore:latest", Or: []string{"microsoft/nanoserver:latest"},
			Also: []string{"not found"}, Not: []string{"lookup ", "dial tcp"},
			Says: "Windows base images have no tag latest"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		named := map[string]bool{}
		for _, p := range podSpecs(s) {
			if p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" {
				continue
			}
			p.containers(func(at fieldPath, c evidence.Container) {
				if !movingTag(c.Image) || named[c.Image] {
					return
				}
				named[c.Image] = true
				f := checks.Findingf(checks.Warn, c.Image,
					"%s uses image %s: its Windows version can change with each push",
					p.Name(), c.Image).
					With(p.because(podField{at.to("image"), c.Image}))
				if p.Path == "" {
					fix := fixOf("image-tag-latest")
					fix.Steps[0].Command = onWorkload(p.Pod, "set image",
						c.Name+"="+imageWord(strings.TrimSuffix(c.Image, ":latest"))+":TAG")
					f = f.Cure(fix)
				}
				findings = append(findings, f)
			})
		}
		return findings, nil
	},
})

// movingTag tells an image reference without a tag, or with latest, and without a digest.
func movingTag(image string) bool {
	if image == "" || strings.Contains(image, "@") {
		return false
	}
	_, tag, tagged := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	return !tagged || strings.EqualFold(tag, "latest")
}
