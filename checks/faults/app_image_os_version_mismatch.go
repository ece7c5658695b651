package faults

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// pausePulls are how lines name the pull of the pause image for a sandbox.
var pausePulls = []string{"pod sandbox", "PodSandbox", "sandbox image", "sandbox container"}

// sandboxCalls are how lines name the start of a sandbox, which runs the pause image.
var sandboxCalls = []string{"pod sandbox", "PodSandbox", "sandbox container", "sandbox for pod", "start sandbox ", "/pause:"}

var _ = register(&checks.Check{
	ID:       "app-image-os-version-mismatch",
	Title:    "Container image is for another Windows version",
	Healthy:  "Container images fit this Windows version",
	Category: checks.CategoryImages,
	FAQ:      []int{12},
	Doc: `A Windows container runs only on the Windows build of its image (from Server 2022 also on
some later builds). An image without a variant for the node's build, for Linux only, or with a tag
that was moved to a newer Windows cannot be pulled or started. Unlike with a wrong pause image, the
pod's sandbox starts and other pods run.

The check reads the runtime's errors in events and container states, and the Windows version that a
tag such as ltsc2022 names.`,
	Fix: checks.Steps(
		checks.Do("Use an image tag for this node's Windows version ({osTag}).").
			Costs("The pods of the workload are recreated."),
		checks.Do("Or set nodeSelector node.kubernetes.io/windows-build to the build of the image."),
		checks.Do("If the image is for Linux only, set nodeSelector kubernetes.io/os: linux."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{"https://kubernetes.io/docs/concepts/windows/user-guide/",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/deploy-containers/version-compatibility"},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Needs:    []evidence.Need{evidence.Any(evidence.Pods, evidence.Stated), node.NeedBuild},
	FromPart: []evidence.Need{evidence.Pods},
	Uses:     []evidence.Need{evidence.PodEvents},
	// the pause image, which the runtime pulls for itself, is refused in the same words
	Signs: []checks.Sign{
		// An image that is for Linux alone is refused with the same words.
		{Text: "no matching manifest for windows/", Not: pausePulls, Says: noVariant},
		{Text: "no match for platform in manifest", Not: pausePulls, Says: noVariant},
		{Text: "-based image is incompatible with a ", Not: pausePulls, Says: noVariant},
		otherBuild(otherBuildText, "failed to create containerd task"),
		// docker, by the kubelet up to 1.23
		otherBuild(otherBuildText, "failed to start container"),
		// docker run, and docker up to 18.03
		otherBuild(otherBuildHead, "Error response from daemon"),
		otherBuild(otherBuild2016, "Error response from daemon"),
		// ctr and nerdctl run no sandboxes: github.com/containerd/containerd/issues/9125
		otherBuild(otherBuildText, "ctr: "), otherBuild(otherBuildText, "FATA["),
		// dockerd's own log: hcsshim errors.go
		otherBuild(otherBuildText, "encountered an error during ", "Error response from daemon", "failed to start container"),
		otherBuild(otherBuild2016, "encountered an error during ", "Error response from daemon"),
		// docker up to 18.03 does not look which Windows an image is for: an older one cannot import its layers
		// (moby 32838, hub-feedback 1293)
		{Text: "hcsshim::ImportLayer failed in Win32", Also: []string{registerLayer, "The system cannot find the file specified"},
			ConfirmOnly: true},
		// nor prepare their utility VM (dotnet-framework-docker 167)
		{Text: "ProcessUtilityVMImage", Also: []string{registerLayer}, Not: []string{"used by another process"}, ConfirmOnly: true},
		// the end of containerd's error alone, which may have been of a sandbox (logzio-helm 316), and what people quote
		// as the error that they get (kubernetes 74066)
		{Text: "does not match the host operating system.: unknown", Or: []string{`error "` + otherBuildText, `error '` + otherBuildText, "error: " + otherBuildText},
			Not: append([]string{"CreateComputeSystem", "failed to create containerd task", "failed to start container",
				"Error response from daemon", "ctr: ", "FATA[", "encountered an error during "}, sandboxCalls...),
			Level: checks.Warn, Says: "an image is for another Windows version: that of a container, or the pause image",
			Fix: checks.Steps(
				checks.Do("Start the image of the container on the node without Kubernetes. If it runs, the pause image is for another Windows version: set another one in the runtime's configuration (doctor explain pause-os-version-mismatch)."),
				checks.Do("If it does not run, use an image tag for this node's Windows version ({osTag})."))},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		findings := newerImage(s, n)
		if gap := evidence.Pods.Gap(s); gap.Kind != "" && findings == nil {
			return nil, checks.Unknown(gap)
		}
		for _, p := range evidence.Pods.In(s) {
			if onOtherNode(s, p) {
				continue
			}
			for i, st := range p.Statuses() {
				if st.State.Running != nil || st.State.Waiting == nil &&
					st.State.Terminated == nil {
					continue
				}
				refused, from := imageRefused(s, p, i)
				why := verbatim(refused)
				// HostProcess containers run on any Windows
				if refused == "" && neverRan(st) && p.Spec.RuntimeClassName == "" &&
					!p.HostProcess() {
					if build, ok := tagBuild(st.Image); ok &&
						!evidence.HostRunsImage(n.Build.Value.Number, build) {
						why = evidence.Phrasef("its tag says %s", evidence.WindowsName(build))
						from = p.StatusField(i, "image").Because("%s: container %s has image %s",
							p.FullName(), st.Name, st.Image)
					}
				}
				if from.Path != "" {
					findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
						"container %s of %s cannot run on %s: image %s: %s", st.Name, p.FullName(),
						n.Build.Value, st.Image, why).
						With(from, n.Build.From).Cure(imageForNode(p, st, refused)))
				}
			}
		}
		return findings, nil
	},
})

const registerLayer = "failed to register layer"

// newerImage finds the pull of an image for a newer Windows, whose layers docker could not import: the last one before
// the line that says so.
func newerImage(s evidence.Snapshot, n *node.Node) []*checks.Finding {
	for _, m := range s.Signs("app-image-os-version-mismatch") {
		if !strings.Contains(m.Found, registerLayer) {
			continue
		}
		var images []int
		for i, st := range evidence.Stated.In(s) {
			if st.Fact == evidence.StatedImage {
				images = append(images, i)
			}
		}
		if len(images) > 1 {
			images = slices.DeleteFunc(images, func(i int) bool { return evidence.Stated.In(s)[i].Line > m.Line })
		}
		if len(images) == 0 {
			return nil
		}
		pulled := slices.MaxFunc(images, func(a, b int) int {
			return evidence.Stated.In(s)[a].Line - evidence.Stated.In(s)[b].Line
		})
		st := evidence.Stated.In(s)[pulled]
		if build, ok := tagBuild(st.Value); ok && build > n.Build.Value.Number {
			f := checks.Findingf(checks.Fail, st.Value, "%s cannot import the layers of image %s: its tag says %s",
				n.OS.Value, st.Value, evidence.WindowsName(build)).
				With(evidence.Stated.Field(s, pulled).Because("line %d: %s", st.Line, st.Text), n.Build.From, checks.Quote(m))
			f.Basis = checks.ByBoth
			return []*checks.Finding{f}
		}
	}
	return nil
}

// imageForNode sets an image of the node's Windows version, named by its tag where the tag has one.
func imageForNode(p evidence.Pod, st evidence.ContainerStatus, refused string) checks.Fix {
	if slices.Contains(platformRefusals, refused) && onlyForLinux(st.Image) {
		return checks.Steps(
			checks.Do("Use another image in container %s: this one is published for Linux only, and no tag of it is for Windows.", st.Name).
				Costs("The pods of the workload are recreated."),
			checks.Do("If the pod belongs on Linux, set nodeSelector kubernetes.io/os: linux."),
			checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
				"all pods are Running"))
	}
	name, _, _ := strings.Cut(st.Image, "@")
	tag := "TAG"
	if i := strings.LastIndex(name, ":"); i > strings.LastIndex(name, "/") {
		for _, of := range node.TagNames {
			if _, ok := tagBuild(st.Image); ok && strings.HasSuffix(name, of.Name) {
				tag = strings.TrimSuffix(name[i+1:], of.Name) + "{osTag}"
			}
		}
		name = name[:i]
	}
	fix := fixOf("app-image-os-version-mismatch")
	if kind, _, _ := strings.Cut(workloadOf(p), "/"); slices.Contains(withImages, kind) {
		fix.Steps[0].Command = onWorkload(p, "set image", st.Name+"="+imageWord(name)+":"+tag)
	}
	return fix
}

// withImages are the kinds that kubectl set image knows.
var withImages = []string{"pod", "deployment", "daemonset", "statefulset", "replicaset", "replicationcontroller", "cronjob"}

// linuxImageRefused is what Docker says of an image for Linux.
const linuxImageRefused = "image operating system \"linux\" cannot be used on this platform"

// What runtimes say of an image for another system, in pull and in start: first of one that has none for
// this system at all, or none for this build.
var (
	platformRefusals = []string{"no matching manifest for windows", "no match for platform in manifest", linuxImageRefused}
	imageRefusals    = append(platformRefusals[:3:3], otherBuild2016, otherBuildText, "-based image is incompatible with a ")
)

// What Windows says of an image for another build, since 2016 and later. PowerShell breaks the line of a
// program's error at the width of its console (navcontainerhelper 518).
const (
	otherBuildHead = "The container operating system does not match the"
	otherBuild2016 = "The operating system of the container does not match the operating system of the host"
	otherBuildText = "The container operating system does not match the host operating system"
)

// imageRefused looks for such words in the container's state and in the pod's
// events. An error about the sandbox is the pause image's.
func imageRefused(s evidence.Snapshot, p evidence.Pod, container int) (string, evidence.Because) {
	st := p.Statuses()[container]
	refusal := func(text string) string {
		text = strings.ReplaceAll(text, st.Image, "") // it may be called sandbox or pause itself
		if lower := strings.ToLower(text); strings.Contains(lower, "sandbox") || strings.Contains(lower, "pause") {
			return ""
		}
		for _, words := range imageRefusals {
			if (evidence.Sign{Text: words}).Fits("", text) {
				return cmp.Or(otherBuilds.FindString(text), words)
			}
		}
		return ""
	}
	for _, m := range stateMessages(p, container) {
		if words := refusal(m.text); words != "" {
			return words, m.at.Because("%s: %s", p.FullName(), m.text)
		}
	}
	for _, e := range evidence.PodEvents.In(s) {
		about := e.About()
		if about.Name == p.Metadata.Name && about.Namespace == p.Metadata.Namespace &&
			about.OfContainer(st.Name) && (strings.Contains(e.Text(), st.Image) || len(p.Spec.Containers) == 1 &&
			(st.State.Waiting == nil || st.State.Waiting.Reason != "PodInitializing")) {
			if words := refusal(e.Reason + ": " + e.Text()); words != "" {
				return words, e.Field().Because("%s", e.Text())
			}
		}
	}
	return "", evidence.Because{}
}

// otherBuilds is how docker names both versions of Windows where it refuses an image.
var otherBuilds = regexp.MustCompile(`a Windows version [\d.]+-based image is incompatible with a [\d.]+ host`)

// neverRan: an image that ran once is one for this Windows, whatever its tag says.
func neverRan(st evidence.ContainerStatus) bool {
	return st.RestartCount == 0 && st.State.Terminated == nil && st.LastState.Terminated == nil
}

// messageOf is the state's message, and the state that it is of.
func messageOf(st evidence.ContainerState) (message, state string) {
	switch {
	case st.Waiting != nil:
		return st.Waiting.Message, "waiting"
	case st.Terminated != nil:
		return st.Terminated.Message, "terminated"
	}
	return "", ""
}

// A stateMessage is what the runtime says of a container.
type stateMessage struct {
	text string
	at   evidence.Place
}

// stateMessages are those of a container's state and of its last one, where they
// have any; the container goes by its number among the pod's statuses.
func stateMessages(p evidence.Pod, container int) []stateMessage {
	var list []stateMessage
	st := p.Statuses()[container]
	for _, of := range []struct {
		name  string
		state evidence.ContainerState
	}{{"state", st.State}, {"lastState", st.LastState}} {
		if text, state := messageOf(of.state); text != "" {
			list = append(list,
				stateMessage{text, p.StatusField(container, of.name, state, "message")})
		}
	}
	return list
}

// tagBuild reads the Windows build out of an image's tag, where it names one as a word of its own.
func tagBuild(image string) (int, bool) {
	image, _, _ = strings.Cut(image, "@")
	_, tag, ok := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	if !ok {
		return 0, false
	}
	image = strings.ToLower(image)
	windows := strings.Contains(image, "windows") || strings.Contains(image, "nanoserver") ||
		strings.Contains(image, "servercore")
	words := strings.FieldsFunc(strings.ToLower(tag), func(r rune) bool {
		return r == '-' || r == '_'
	})
	for _, w := range words {
		w = strings.TrimPrefix(strings.TrimPrefix(w, "windowsservercore"), "nanoserver")
		for _, name := range node.TagNames {
			if w == name.Name && (windows || !isNumber(w)) { // 2004 may be anybody's build number
				return name.Build, true
			}
		}
	}
	return 0, false
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

func joinInts(list []int) string {
	var words []string
	for _, n := range list {
		words = append(words, strconv.Itoa(n))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

const noVariant = "an image has no variant for this Windows version, or none for Windows at all"

// otherBuild is the host compute service's refusal of a container.
func otherBuild(text, call string, not ...string) checks.Sign {
	return checks.Sign{Text: text, Also: []string{call}, Not: append(not, sandboxCalls...),
		Says: "a container image is for another Windows version"}
}
