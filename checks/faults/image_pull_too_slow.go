package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "image-pull-too-slow",
	Title:    "Image pull canceled: no progress before the deadline",
	Healthy:  "Image pulls finish before the deadline",
	Category: checks.CategoryImages,
	Doc: `A pull without progress is canceled: after one minute by dockershim and cri-dockerd, after
one to five minutes by containerd, depending on its version. Layers of Windows base images have
several gigabytes. Unpacking one on a slow or busy disk takes longer, and reports no progress. The
pull is then repeated and canceled again.

The check looks for a pod that waits for its image and whose pull was canceled after at least the
deadline, without a network error. The cancellation alone does not show who canceled it or why. The
runtime's own log line about missing progress is sufficient.`,
	Fix: checks.Steps(
		pullByHand("IMAGE"),
		checks.Edit("{runtimeConfig}",
			`If containerd is the runtime, set image_pull_progress_timeout = "30m" in the section of its CRI plugin.`),
		checks.Run("{restart runtime}",
			"Restart the container runtime: it reads the file at its start.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{"https://github.com/Mirantis/cri-dockerd/issues/372",
		"https://github.com/openshift/windows-machine-config-operator/issues/205",
		"https://github.com/kubernetes/kubernetes/issues/59376",
		"https://github.com/kubernetes-sigs/sig-windows-dev-tools/issues/87",
		"https://github.com/containerd/containerd/pull/6150"},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  []evidence.Need{evidence.Pods, evidence.PodEvents},
	Uses: slices.Concat(node.KubeletSources, []evidence.Need{evidence.Node, evidence.CRI,
		evidence.Services, evidence.Processes}),
	Signs: []checks.Sign{
		// A kubelet or a runtime that restarts cancels the pulls too, so these two warn.
		{Text: "Failed to pull image", Or: failedPull, Also: []string{"context canceled"},
			Not: neverBegan, Says: "an image pull was canceled", Level: checks.Warn},
		{Text: "Failed to pull image", Or: failedPull, Also: []string{"context deadline exceeded"},
			Not: neverBegan, Says: "an image pull exceeded its deadline", Level: checks.Warn},
		{Text: "cancel pulling image", Also: []string{"because of no progress"},
			Says: "the runtime canceled an image pull without progress"},
		{Text: "cancel pulling image", Also: []string{"exceeded image pull deadline"},
			Says: "cri-dockerd canceled an image pull that exceeded its deadline"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		deadline, where := pullDeadline(n, s)
		var findings []*checks.Finding
		timed := false
		for _, p := range evidence.Pods.In(s) {
			if stuckReason(p) == "" {
				continue
			}
			took, failed, cancelled := cancelledPull(s, p)
			timed = timed || cancelled
			if !cancelled || took < deadline*9/10 {
				continue
			}
			f := checks.Findingf(checks.Fail, p.FullName(),
				"image pull for %s was canceled after %s without progress (deadline: %s)",
				p.FullName(), took, deadline).
				With(failed)
			if where.Path != "" {
				f = f.With(where)
			}
			if n.Runtime.Value.Name == "docker" {
				f = f.Cure(slowDockerPull(n, imageOf(p)))
			} else {
				f = f.Cure(withFirst(fixOf("image-pull-too-slow"), pullByHand(imageOf(p))))
			}
			findings = append(findings, f)
		}
		for _, m := range liveSigns(s, "image-pull-too-slow") {
			if len(findings) == 0 && (m.Text == "cancel pulling image" || !timed) &&
				s.Now().Sub(m.Last) <= checks.LongAgo && waitsForImage(s) {
				f := checks.Findingf(checks.Fail, "the runtime",
					"%s, and pods wait for their images",
					evidence.Phrasef(checkOf("image-pull-too-slow").SignOf(m).Says)).With(
					checks.Quote(m))
				if n.Runtime.Value.Name == "docker" {
					f = f.Cure(slowDockerPull(n, "IMAGE"))
				}
				f.Basis = checks.ByBoth
				findings = append(findings, f)
			}
		}
		return findings, nil
	},
})

// slowDockerPull: the flag is the kubelet's as long as dockershim is in it, and stops a later kubelet.
func slowDockerPull(n *node.Node, image string) checks.Fix {
	fix := fixOf("image-pull-too-slow")
	last := fix.Steps[len(fix.Steps)-1]
	if n.Kubelet.Known() && !n.Kubelet.Value.AtLeast(noDockershim) {
		flag, _ := n.KubeletFlag("image-pull-progress-deadline")
		return checks.Steps(pullByHand(image),
			changeSetting(n.Components["kubelet"], flag.From, evidence.Phrasef(
				"Set --image-pull-progress-deadline=30m for the kubelet. Remove the flag before an update to 1.24: that kubelet does not start with it."),
				"--image-pull-progress-deadline=30m"),
			checks.Run("{restart kubelet}", "Restart the kubelet.").
				Costs("Running containers are not affected."), last)
	}
	return checks.Steps(pullByHand(image),
		checks.Do(
			"Start cri-dockerd with --image-pull-progress-deadline=30m. A kubelet of 1.24 or later does not start with that flag."),
		last)
}

func pullByHand(image string) *checks.Step {
	return checks.Run("{pull} "+imageWord(image), "Pull the image once by hand.")
}

// imageOf is the image that the pod waits for.
func imageOf(p evidence.Pod) string {
	for _, st := range p.Statuses() {
		if w := st.State.Waiting; w != nil && strings.Contains(w.Reason, "Image") {
			return st.Image
		}
	}
	return "IMAGE"
}

// The words of a cancelled pull, and those of one that the network ended.
var (
	cancelled  = []string{"context canceled", "context deadline exceeded", "request canceled"}
	ofTheWires = []string{"while waiting for connection", "Client.Timeout", "failed to do request",
		"failed to resolve reference", "failed to resolve image: ", "dial tcp", "TLS handshake", "lookup ", "connectex"}
)

// cancelledPull finds the pod's recent pull that was cancelled, and how long it took.
func cancelledPull(s evidence.Snapshot, p evidence.Pod) (took time.Duration, from evidence.Because,
	found bool) {
	var began *evidence.Event
	var failed evidence.Event
	for _, e := range evidence.PodEvents.In(s) {
		about := e.About()
		if about.Name != p.Metadata.Name || about.Namespace != p.Metadata.Namespace {
			continue
		}
		switch {
		case e.Reason == "Pulling" && (began == nil || began.At().Before(e.At().Time)):
			began = &e
		case e.Reason == "Failed" && holdsAny(e.Text(), cancelled) &&
			strings.Contains(e.Text(), "pull") && !holdsAny(e.Text(), ofTheWires) &&
			s.Now().Sub(e.At().Time) <= checks.LongAgo:
			failed, found = e, true
			from = e.Field().Because("%s: %s: %s", about.Name, e.Reason, folded(e.Text()))
		}
	}
	if began == nil || !found {
		return 0, evidence.Because{}, false
	}
	took = failed.At().Sub(began.At().Time)
	if took < 0 { // the next attempt has begun: the first one tells
		took = failed.FirstTimestamp.Sub(began.FirstTimestamp.Time)
	}
	return took, from, true
}

func holdsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// pullDeadline is how long a pull may show no progress, as it is set or as the
// runtime has it from the start.
func pullDeadline(n *node.Node, s evidence.Snapshot) (time.Duration, evidence.Because) {
	parse := func(value string, place evidence.Place, what string) (time.Duration,
		evidence.Because) {
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return 0, evidence.Because{}
		}
		return d, place.Because("%s is %s", what, value)
	}
	const flag = "image-pull-progress-deadline"
	if n.Runtime.Value.Name != "docker" {
		value, at := evidence.CRIConfigValue(s, "imagePullProgressTimeout")
		if d, from := parse(value, at, "imagePullProgressTimeout"); d > 0 {
			return d, from
		}
		return time.Minute, evidence.Because{}
	}
	for _, svc := range evidence.Services.In(s) {
		if value, _ := evidence.ParseFlags(svc.Args).Get(flag); node.EqualsAny(
			node.Program(svc.BinPath), []string{"cri-dockerd"}) && value != "" {
			if d, from := parse(value, evidence.FlagIn(svc.Args, svc.Field("args"), flag),
				"--"+flag+" of "+svc.Name); d > 0 {
				return d, from
			}
		}
	}
	if f, ok := n.KubeletFlag(flag); ok {
		if d, from := parse(f.Value, f.From.Place(), "--"+flag); d > 0 {
			return d, from
		}
	}
	return time.Minute, evidence.Because{}
}

// failedPull is how the kubelet's client of the runtime tells that a pull failed.
var failedPull = []string{"PullImage from image service failed"}

// neverBegan marks a pull that the network kept from beginning, in the words of the runtimes.
var neverBegan = slices.Concat(noAnswer, ofTheWires)

// noAnswer marks a pull that never began: nobody answered, which is another fault.
var noAnswer = []string{"dial tcp", "no such host", "proxyconnect", "awaiting headers",
	"TLS handshake"}

// waitsForImage tells whether a pod of this node waits for an image.
func waitsForImage(s evidence.Snapshot) bool {
	return slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
		return slices.Contains([]string{"ErrImagePull", "ImagePullBackOff"}, stuckReason(p))
	})
}
