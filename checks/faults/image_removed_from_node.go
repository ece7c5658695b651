package faults

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "image-removed-from-node",
	Title:    "Image was removed from the node and cannot be pulled again",
	Healthy:  "No pod waits for an image that was removed from the node",
	Category: checks.CategoryImages,
	Doc: `Where nodes have no registry, images are loaded from files or come with the machine image: on
air-gapped clusters of RKE2 and K3s, on TKGI, and with images that were built on the node. The kubelet
does not know that no registry has them. If the disk is fuller than imageGCHighThresholdPercent
(85 by default), it removes images that no container uses at that moment, and the next pod that
needs one waits for a pull that is denied, not found or not answered. A cleanup by hand does the same.

The check looks in the log of containerd for the removal of an image for which a pod waits and which
was not pulled before. It is a failure if the registry does not have the image or denies it, or if
the log shows that it was imported. If the registry only does not answer, it is a warning. Pods with
imagePullPolicy: Always are left out, because they need the registry in any case. Where no pods are
recorded, the log of the kubelet must show that it removed images.`,
	Fix: checks.Steps(
		checks.Run("ctr -n k8s.io images import IMAGE.tar",
			"Load the image again, on each node without it. RKE2 and K3s load what is in their folder agent\\images when they start."),
		checks.Run("ctr -n k8s.io images label IMAGE io.cri-containerd.pinned=pinned",
			"Pin the image, so that the kubelet does not delete it."),
		checks.Inspect("Get-Volume | Format-Table DriveLetter, Size, SizeRemaining",
			"Read how full the drive with the images is. Free space on it, or enlarge it."),
		checks.Do("Or set imageGCHighThresholdPercent in the configuration of the kubelet to a higher value, or run a registry with these images."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://knowledge.broadcom.com/external/article/380917/core-images-deleted-by-garbage-collector.html",
		"https://github.com/k3s-io/k3s/issues/8781",
		"https://github.com/containerd/containerd/issues/8256",
		"https://github.com/kubernetes/kubernetes/issues/111796",
		"https://kubernetes.io/docs/concepts/architecture/garbage-collection/#container-image-lifecycle",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    []evidence.Need{evidence.Any(evidence.Pods, evidence.Logs("containerd"), evidence.Logs("other"))},
	FromPart: complaintNeeds,
	Uses: slices.Concat(complaintNeeds, complaintUses,
		[]evidence.Need{evidence.CRI, evidence.Logs("containerd"), evidence.Logs("other")}),
	Signs: []checks.Sign{
		// pkg/kubelet/images/image_gc_manager.go; the second is of releases before 1.21
		{Text: "Removing image to free bytes", Or: []string{"[imageGCManager]: Removing image"}, ConfirmOnly: true},
		{Text: "is over the high threshold", Also: []string{"mage filesystem"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if evidence.Pods.Known(s) && !waitsForImage(s) {
			return nil, nil
		}
		if !evidence.Pods.Known(s) && len(s.Signs("image-removed-from-node")) == 0 {
			return nil, checks.Unknown(evidence.Pods.Gap(s)) // nor did the kubelet remove an image
		}
		lives, err := imageLives(s)
		if err != nil {
			return nil, err
		}
		var findings []*checks.Finding
		for _, name := range slices.Sorted(maps.Keys(lives)) {
			life := lives[name]
			if life.removed.Path == "" || life.asked || hasImage(s, name) {
				continue
			}
			if !evidence.Pods.Known(s) {
				if level, follows := life.refused(s, name, life.failed.Text, false); level > 0 {
					findings = append(findings, checks.Findingf(level, name,
						"image %s was removed from the node, and cannot be pulled again", name).
						With(life.removed, life.failed).Explaining(follows...))
				}
				continue
			}
			for _, p := range evidence.Pods.In(s) {
				if f := life.lackedBy(s, p, name); f != nil {
					findings = append(findings, f)
				}
			}
		}
		if gap := evidence.Logs("containerd").Gap(s); len(lives) == 0 && gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	},
})

// An imageLife is what the logs of containerd tell of an image.
type imageLife struct {
	asked    bool             // a pull was tried while it was not known to be removed: a registry has it, or none ever gave it
	imported bool             // it was created without a pull
	removed  evidence.Because // unless it is back
	failed   evidence.Because // a pull since
}

// containerd's internal/cri/server/events.go (pkg/cri before 2.0): the second form is that of releases until 1.6.
var (
	imageEvent = regexp.MustCompile(`\bImage(Create|Update|Delete) event (?:name:\\?"|&Image[A-Z]\w+\{Name:)([^\\",}]+)`)
	imagePull  = regexp.MustCompile(`\bPullImage \\?"([^\\"]+)\\?"( failed| returns)?`)
)

// imageLives reads the logs of containerd. The signs of a check keep the first and the last line only, and a
// collection removes many images.
func imageLives(s evidence.Snapshot) (map[string]*imageLife, error) {
	lives := map[string]*imageLife{}
	of := func(name []byte) *imageLife {
		full := fullTag(string(name))
		if lives[full] == nil {
			lives[full] = &imageLife{}
		}
		return lives[full]
	}
	for _, path := range slices.Concat(s.LogFiles("containerd"), s.LogFiles("other")) {
		f, err := s.Open(path)
		if err != nil {
			return nil, checks.Unknown(evidence.LogNotSearched.Gap(path, err.Error()))
		}
		lines := evidence.Lines(evidence.Text(f))
		for lines.Next() {
			line := lines.Bytes()
			if !bytes.Contains(line, []byte("Image")) {
				continue
			}
			because := func() evidence.Because {
				return evidence.InLine(path, lines.Number()).Because("%s", evidence.Clean(string(line)))
			}
			if m := imageEvent.FindSubmatch(line); m != nil && !bytes.HasPrefix(m[2], []byte("sha256:")) {
				life := of(m[2])
				if string(m[1]) == "Delete" {
					life.removed, life.failed = because(), evidence.Because{}
				} else {
					life.removed = evidence.Because{}
					life.imported = life.imported || string(m[1]) == "Create" && !life.asked
				}
			} else if m := imagePull.FindSubmatch(line); m != nil {
				switch life := of(m[1]); {
				case life.removed.Path == "":
					life.asked = true
				case string(m[2]) == " failed":
					life.failed = because()
				case string(m[2]) == " returns":
					life.asked, life.removed = true, evidence.Because{}
				}
			}
		}
		f.Close()
	}
	return lives, nil
}

// lackedBy makes a finding of a pod that waits for the image.
func (life *imageLife) lackedBy(s evidence.Snapshot, p evidence.Pod, image string) *checks.Finding {
	for i, st := range p.Statuses() {
		waits := st.State.Waiting
		at := slices.IndexFunc(slices.Concat(p.Spec.InitContainers, p.Spec.Containers), func(c evidence.Container) bool {
			return c.Name == st.Name && fullTag(c.Image) == image && c.PullPolicy != "Always"
		})
		if waits == nil || at < 0 || waits.Reason != "ErrImagePull" && waits.Reason != "ImagePullBackOff" {
			continue
		}
		texts := recentFailures(s)[p.FullName()]
		for _, m := range stateMessages(p, i) {
			texts = append(texts, runtimeText{folded(m.text), m.at.Because("%s: %s", p.FullName(), folded(m.text))})
		}
		for _, said := range append(texts, runtimeText{life.failed.Text, life.failed}) {
			if level, follows := life.refused(s, image, said.text, len(p.Spec.PullSecrets) > 0); level > 0 {
				return checks.Findingf(level, p.FullName(),
					"%s is not running: its image %s was removed from the node, and cannot be pulled again", p.FullName(), image).
					With(said.from, life.removed).Explaining(follows...)
			}
		}
	}
	return nil
}

// refused tells how surely the answer to a pull means that the image cannot be had again, and which faults it
// explains. A registry that wants credentials may have it, and one that does not answer may answer again.
func (life *imageLife) refused(s evidence.Snapshot, image, answer string, secrets bool) (checks.Level, []string) {
	if !strings.Contains(answer, image) {
		return 0, nil // of another image of the pod
	}
	if _, ok := fits(imageNotFoundSigns, answer); ok {
		return checks.Fail, []string{"image-not-found"}
	}
	if _, ok := fits(registryUnauthorizedSigns, answer); ok {
		if !life.imported && (secrets || !fromPublicRegistry(image)) {
			return 0, nil
		}
		return checks.Fail, []string{"registry-unauthorized"}
	}
	if !holdsAny(answer, noAnswer) {
		return 0, nil
	}
	if life.imported || fromPublicRegistry(image) && slices.ContainsFunc(evidence.CRI.In(s).Images, privateImage) {
		return checks.Fail, []string{"registry-name-not-resolved", "proxy-not-configured"}
	}
	return checks.Warn, nil
}

// hasImage tells whether the runtime lists the image.
func hasImage(s evidence.Snapshot, image string) bool {
	return slices.ContainsFunc(evidence.CRI.In(s).Images, func(i evidence.CRIImage) bool {
		return slices.ContainsFunc(i.RepoTags, func(tag string) bool { return fullTag(tag) == image })
	})
}
