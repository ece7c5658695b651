package faults

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "wincat-not-found",
	Title:    "port-forward fails: pause image without wincat.exe",
	Healthy:  "Pause image contains wincat.exe",
	Category: checks.CategoryImages,
	FAQ:      []int{14},
	Doc: `For kubectl port-forward, docker and containerd before 2.0 run wincat.exe inside the pod's
sandbox, so the pause image must contain it. The published images contain it from 3.6; older and
custom images may not. containerd 2.0 and later connect to the pod's address instead: port-forward
then fails only where the application listens on 127.0.0.1 only.

An unknown image is a fault only together with the error itself.`,
	Fix: checks.Steps(
		checks.Edit("{runtimeConfig}",
			"Set the pause image to registry.k8s.io/pause:3.10.2: sandbox_image of containerd, --pod-infra-container-image of the kubelet for docker."),
		checks.Run("{restart runtime}", "Restart the container runtime.").
			Costs("Only pods that are created later use the new pause image."),
		checks.Run("kubectl delete pod POD -n NAMESPACE",
			"Delete the pod, so that its controller creates it again."),
		checks.Verify("kubectl port-forward POD -n NAMESPACE 8080:80",
			"Forwarding from 127.0.0.1:8080")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/kubernetes/kubernetes/pull/75479"},
	Applies: func(n *node.Node) error {
		if rt := n.Runtime.Value; rt.Name == "containerd" &&
			rt.Version.AtLeast(evidence.Version{Major: 2}) {
			return checks.Skip(
				"containerd %s connects to the pod's address and does not need wincat.exe",
				rt.Version)
		}
		return nil
	},
	Needs: []evidence.Need{node.NeedRuntime, node.NeedSandboxImage},
	Uses: slices.Concat(node.KubeletSources, node.RuntimeConfigs,
		[]evidence.Need{evidence.CRI, evidence.Node}),
	Signs: []checks.Sign{
		{Text: "unable to do port forwarding: wincat not found",
			Says: "port-forward fails: wincat.exe is not in the pause image"},
		{Text: socatNotFound,
			Says: "port-forward fails: this kubelet requires socat, which Windows does not have", Fix: socatFix},
		{Text: "hcs::System::CreateProcess: wincat.exe", Or: []string{`"CommandLine":"wincat.exe`},
			Says: "port-forward fails: wincat.exe is not in the pause image"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		if rt := n.Runtime.Value; rt.Name == "containerd" && rt.Version.Major == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("the version of containerd"))
		}
		image := node.SandboxImage(n, s)
		published := holdsWincat(image.Value)
		for _, m := range s.Signs("wincat-not-found") {
			if m.Text == socatNotFound {
				f := checks.Findingf(checks.Fail, "kubelet",
					"port-forward failed: this kubelet requires socat, which Windows does not have").With(checks.Quote(m)).Cure(socatFix)
				f.Basis = checks.ByText
				return []*checks.Finding{f}, nil
			}
			if published && (m.Over != "" || m.Last.IsZero() ||
				s.Now().Sub(m.Last) > wincatMemory) {
				continue // of a pause image that has been replaced since
			}
			f := checks.Findingf(checks.Fail, image.Value,
				"port-forward failed: wincat.exe is missing (pause image: %s)",
				image.Value).With(checks.Quote(m), image.From).Cure(wincatFix(s, n, image))
			f.Basis = checks.ByBoth
			return []*checks.Finding{f}, nil
		}
		if n.Kubelet.Known() && n.Kubelet.Value.Minor < 14 {
			return nil, checks.Skip(
				"the kubelet is %s: it does not support port-forward to Windows pods",
				n.Kubelet.Value)
		}
		if lacksWincat(image.Value) {
			return []*checks.Finding{checks.Findingf(checks.Warn, image.Value,
				"pause image %s has no wincat.exe: kubectl port-forward to pods of this node fails",
				image.Value).
				With(image.From, n.Runtime.From).Cure(wincatFix(s, n, image))}, nil
		}
		if published {
			return nil, nil
		}
		return nil, checks.Unknown(
			evidence.NotShown.Gap("whether the pause image %s holds wincat.exe", image.Value))
	},
})

// wincatFix changes the pause image, and recreates the pod that needs it.
func wincatFix(s evidence.Snapshot, n *node.Node, image node.Fact[string]) checks.Fix {
	change := pauseFix(s, n, image).Steps[:2]
	return checks.Steps(slices.Concat(change, fixOf("wincat-not-found").Steps[2:])...)
}

// wincatMemory is how long an attempt to forward a port speaks for the image: nobody tries often.
const wincatMemory = 24 * time.Hour

// socatNotFound is what a kubelet before 1.15 says, whatever the pause image holds.
const socatNotFound = "unable to do port forwarding: socat not found"

var socatFix = checks.Steps(
	checks.Do("Update Kubernetes to 1.15 or later: the kubelet of earlier releases cannot forward ports of Windows pods.").
		Costs("Update one node at a time: its pods may restart."),
	checks.Verify("kubectl port-forward POD -n NAMESPACE 8080:80", "Forwarding from 127.0.0.1:8080"))

var pauseTag = regexp.MustCompile(`/pause[^:/]*:v?(\d+)\.(\d+)`)

// holdsWincat tells the published images from 3.6 on. A private image may carry
// their tag and hold anything.
func holdsWincat(image string) bool {
	m := pauseTag.FindStringSubmatch(image)
	if _, published := evidence.PauseBuilds(image); m == nil || !published {
		return false
	}
	v, _ := evidence.ParseVersion(m[1] + "." + m[2] + ".0")
	return v.AtLeast(evidence.Version{Major: 3, Minor: 6})
}

// lacksWincat tells the images that were made before port-forward worked on Windows.
func lacksWincat(image string) bool {
	for _, old := range []string{"kubeletwin/pause", "kubletwin/pause", "apprenda/pause",
		"microsoft/nanoserver", "k8s/core/pause:1.0"} {
		if strings.Contains(image, old) {
			return true
		}
	}
	return false
}
