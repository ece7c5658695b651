package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(checks.Check{
	ID:       "image-tag-latest",
	Title:    "pods use images without a tag, or with the tag latest",
	Category: checks.CategoryImages,
	Doc: `A Windows container runs only on the Windows version that its image was made for, so
what a tag stands for matters more than on Linux. Without a tag, or with latest, it is whatever was
pushed last: the day its author moves to a newer Windows, the pods of this node no longer start, and
two nodes may run different things. Microsoft publishes no latest of its Windows base images at all.

The check reads the images of the pods on this node, or of manifests. One that is named by its
digest is fixed, whatever its tag says.`,
	Fix: checks.Steps(
		checks.Inspect(
			"kubectl get pods -A --field-selector spec.nodeName={node} -o jsonpath='{range .items[*]}{.metadata.namespace}/{.metadata.name}{\"\\t\"}{.spec.containers[*].image}{\"\\n\"}{end}'", ""),
		checks.Do("name a tag that is never moved and says for which Windows it is, such as 1.4.2-{osTag}, or the digest").
			Costs("changing the image recreates the pods of the workload")),
	Links: []string{"https://kubernetes.io/docs/concepts/containers/images/#image-names",
		"https://kubernetes.io/docs/concepts/configuration/overview/",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/container-base-images"},
	Lints: true,
	Needs: []evidence.Need{needPodSpecs},
	Uses:  []evidence.Need{evidence.Pods, evidence.Manifests},
	Signs: []checks.Sign{
		{Text: "mcr.microsoft.com/windows/", Also: []string{":latest", "not found"},
			Says: "the tag latest of a Windows base image is asked for, which Microsoft does not publish"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
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
				findings = append(findings, checks.Findingf(checks.Warn, c.Image,
					"%s uses the image %s: for which Windows it is changes with every push",
					p.Name(), c.Image).
					With(p.because(podField{at.to("image"), c.Image})))
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
