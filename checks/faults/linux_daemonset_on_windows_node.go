package faults

import (
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "linux-daemonset-on-windows",
	Title:    "Linux DaemonSet has pods on this Windows node",
	Healthy:  "No Linux DaemonSet has pods on this Windows node",
	Category: checks.CategoryWorkloads,
	Doc: `A DaemonSet without a node selector creates a pod on every node whose taints it
tolerates, and components of the control plane tolerate all taints. On a Windows node such a pod
stays in ContainerCreating or ImagePullBackOff, because its image is for Linux only. The errors look
like a mismatch of Windows versions, but they are not.

The check examines pods of DaemonSets on this node that are not running and have no mark of Windows:
neither the pod nor its DaemonSet selects an operating system, and the image is a well-known Linux
agent, its tag names a Linux distribution, or the error names linux.`,
	Fix: linuxSelector("DAEMONSET", "NAMESPACE"),
	Links: []string{
		"https://kubernetes.io/docs/concepts/windows/user-guide/#ensuring-os-specific-workloads-land-on-the-appropriate-container-host", "https://github.com/kubernetes/website/issues/13501",
		"https://github.com/kubernetes/kubernetes/issues/71130",
		"https://github.com/microsoft/SDN/tree/master/Kubernetes/flannel/l2bridge/manifests"},
	Breaks: []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"hostport-conflict-or-not-published", "app-image-os-version-mismatch",
		"pod-field-unsupported", "pod-host-network", "pod-os-not-selected"},
	Needs: []evidence.Need{evidence.Any(evidence.Pods, evidence.Logs("kubelet"))},
	Uses:  []evidence.Need{evidence.Pods, evidence.DaemonSets, evidence.PodEvents, evidence.Logs("other")},
	Signs: []checks.Sign{
		{Text: "open /run/xtables.lock: The system cannot find the path specified",
			Says: "a pod for Linux is on this Windows node: it mounts a file of Linux"},
		{Text: missingProc[0], Or: missingProc[1:],
			Says: "a pod for Linux is on this Windows node: it mounts a folder of Linux"},
		{Text: "network host not found", Also: []string{linuxFlannel},
			Says: "a pod for Linux is on this Windows node: it is the pod of flannel for Linux nodes"},
		// pkg/kubelet/volumemanager/reconciler; a kubelet of Linux says the same
		{Text: mountsLock, Also: []string{"-xtables-lock", "operationExecutor.", "MountVolume "}, Not: []string{"UnmountVolume"},
			In: []string{"kubelet"}, ConfirmOnly: true, Until: []string{`Volume detached for volume "xtables-lock"`, `Volume detached for volume \"xtables-lock\"`}},
		// the image that the line names tells whose it is
		{Text: platformRefusals[0], Or: platformRefusals[1:2], Not: pausePulls, ConfirmOnly: true},
		{Text: scriptOfKubelet, In: []string{"kubelet", "other"}, Level: checks.Info, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if gap := evidence.Pods.Gap(s); gap.Kind != "" {
			if f := linuxByMount(s); f != nil {
				return []*checks.Finding{f}, nil
			}
			return nil, checks.Unknown(gap)
		}
		var findings []*checks.Finding
		for _, p := range evidence.Pods.In(s) {
			at := slices.IndexFunc(p.Metadata.OwnerReferences,
				func(o evidence.OwnerReference) bool { return o.Kind == "DaemonSet" })
			if at < 0 || podRuns(p) || node.PodSystem(p) != "" || staysOnWindows(p.Spec) ||
				p.Metadata.DeletionTimestamp != nil {
				continue
			}
			owner := p.Metadata.OwnerReferences[at].Name
			set, known := daemonSet(s, p.Metadata.Namespace, owner)
			if known && (node.PodSystem(evidence.Pod{Spec: set.Spec.Template.Spec}) != "" ||
				staysOnWindows(set.Spec.Template.Spec)) {
				continue
			}
			why, ok := linuxMark(s, p)
			if !ok {
				continue
			}
			f := checks.Findingf(checks.Fail, owner,
				"Linux pod %s of DaemonSet %s (%s) is on this Windows node: the DaemonSet has no OS selector", p.FullName(), owner, why.Text).
				At(p.Field("spec", "nodeSelector", "kubernetes.io/os"),
					"%s: no nodeSelector kubernetes.io/os", p.FullName()).With(why)
			if known {
				f = f.At(set.Field("spec", "template", "spec", "nodeSelector", "kubernetes.io/os"),
					"%s/%s: the template has no nodeSelector kubernetes.io/os",
					p.Metadata.Namespace, owner)
			}
			if checks.IsObjectName(owner) && checks.IsObjectName(p.Metadata.Namespace) {
				f = f.Cure(linuxSelector(owner, p.Metadata.Namespace))
			}
			findings = append(findings, f)
		}
		return findings, nil
	},
})

// scriptOfKubelet starts the kubelet of Windows nodes.
const scriptOfKubelet = "kubelet.ps1"

// mountsLock is how the kubelet names the volumes of files of the node.
const mountsLock = "kubernetes.io/host-path/"

// linuxByMount is about the lock of iptables, which the kubelet mounts into a pod while other lines of it
// or around it show that it is one of Windows.
func linuxByMount(s evidence.Snapshot) *checks.Finding {
	matches := s.Signs("linux-daemonset-on-windows")
	windows := slices.ContainsFunc(matches, func(m evidence.SignMatch) bool { return m.Text == scriptOfKubelet })
	for _, m := range matches {
		if m.Text == mountsLock && m.Over == "" && windows {
			f := checks.Findingf(checks.Warn, "xtables-lock", "a pod for Linux is on this Windows node: the kubelet mounts the lock of iptables for it").
				With(checks.Quote(m))
			f.Basis = checks.ByText
			return f
		}
	}
	return nil
}

// missingProc is how the kubelet refuses the volume of such a pod: every Linux node has these folders.
var missingProc = []string{"hostPath type check failed: /proc is not a directory",
	"hostPath type check failed: /proc/sys/"}

// linuxFlannel is the name of flannel's DaemonSet for Linux until 0.12, which selects no system.
const linuxFlannel = `for pod "kube-flannel-ds-amd64-`

// linuxSelector keeps the pods of a DaemonSet off Windows nodes.
func linuxSelector(name, namespace string) checks.Fix {
	return checks.Steps(
		checks.Run("kubectl patch daemonset "+name+" -n "+namespace+
			` -p 'spec: {template: {spec: {nodeSelector: {kubernetes.io/os: linux}}}}'`,
			"Add the node selector kubernetes.io/os: linux to the DaemonSet. Its pods on Windows nodes are then deleted.").
			Costs("The DaemonSet's pods on Linux nodes restart one after the other."),
		checks.Verify("kubectl get pods -n "+namespace+" --field-selector spec.nodeName={node}",
			"no pod of the DaemonSet"))
}

func daemonSet(s evidence.Snapshot, namespace, name string) (evidence.DaemonSet, bool) {
	for _, d := range evidence.DaemonSets.In(s) {
		if d.Metadata.Namespace == namespace && d.Metadata.Name == name {
			return d, true
		}
	}
	return evidence.DaemonSet{}, false
}

// linuxAgents are images that exist for Linux only, by the end of their names.
var linuxAgents = []string{"/kube-proxy", "/flannel", "/flannel-cni-plugin", "/node", "/weave-kube",
	"/weave-npc", "/cilium", "/kube-router", "/node-exporter", "/fluentd", "/csi-node-driver",
	"/speaker", "/node-local-dns", "/k8s-dns-node-cache"}

// linuxLayer is a folder of Linux at the root of a layer that containerd unpacks. Layers of Windows
// have Files, Hives and UtilityVM there.
var linuxLayer = regexp.MustCompile(`containerd\.snapshotter\.v1\.windows\\+snapshots\\+\d+\\+` +
	`(?:bin|etc|home|lib\d*|opt|root|run|sbin|srv|tmp|usr|var)\\+\w+`)

// linuxMark finds what shows that a pod's image is for Linux: the error of its pull, else its name
// or a path that only Linux has.
func linuxMark(s evidence.Snapshot, p evidence.Pod) (evidence.Because, bool) {
	for _, e := range evidence.PodEvents.In(s) {
		about := e.About()
		if about.Namespace != p.Metadata.Namespace || about.Name != p.Metadata.Name {
			continue
		}
		for _, words := range []string{"no match for platform in manifest",
			"no matching manifest for windows", "image operating system \"linux\" cannot be used"} {
			if strings.Contains(e.Text(), words) {
				return e.Field().Because("%s", words), true
			}
		}
		if path := linuxLayer.FindString(e.Text()); path != "" {
			return e.Field().Because("its layer has %s", path), true
		}
	}
	for _, m := range s.Signs("linux-daemonset-on-windows") { // the kubelet's event may say no more than ErrImagePull
		image := refusedImage.FindStringSubmatch(m.Found)
		if m.Over == "" && m.Text != mountsLock && image != nil && slices.ContainsFunc(slices.Concat(p.Spec.InitContainers, p.Spec.Containers), func(c evidence.Container) bool {
			return strings.HasSuffix("/"+imageName(image[1]), "/"+imageName(c.Image)) // docker.io may be left out
		}) {
			why := checks.Quote(m)
			why.Text = platformRefusals[1]
			return why, true
		}
	}
	why, ok := linuxSpec(p, linuxAgents)
	if !ok && !hasWindowsImage(p.Spec) {
		why, ok = linuxByTag(p)
	}
	return why, ok
}

// linuxWithoutSelector tells whether linux-daemonset-on-windows or linux-pod-on-windows judges a pod: it is for Linux and
// selects no system.
func linuxWithoutSelector(s evidence.Snapshot, p evidence.Pod) (ok bool) {
	if staysOnWindows(p.Spec) || hasWindowsImage(p.Spec) {
		return false
	}
	if slices.ContainsFunc(p.Metadata.OwnerReferences, func(o evidence.OwnerReference) bool { return o.Kind == "DaemonSet" }) {
		_, ok = linuxMark(s, p)
	} else if _, ok = linuxByName(p); !ok {
		_, ok = linuxByTag(p)
	}
	return ok
}

// linuxSpec finds an image with one of the names, or a path that only Linux has.
func linuxSpec(p evidence.Pod, names []string) (evidence.Because, bool) {
	for i, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		if isWindowsImage(c.Image) || strings.Contains(c.Image, "hostprocess") ||
			strings.Contains(c.Image, "windows") {
			return evidence.Because{}, false
		}
		if hasSuffixOf(imageName(c.Image), names) {
			return p.ContainerField(i, "image").Because("image %s", c.Image), true
		}
	}
	for i, v := range p.Spec.Volumes {
		if v.HostPath != nil && slices.ContainsFunc([]string{"/lib/modules", "/run/xtables.lock",
			"/sys", "/proc", "/etc/localtime", "/dev", "/run/log/journal", "/var/log/journal"}, func(path string) bool {
			return v.HostPath.Path == path
		}) {
			return p.Field("spec", "volumes", i, "hostPath", "path").Because("hostPath %s",
				v.HostPath.Path), true
		}
	}
	return evidence.Because{}, false
}

// imageName is an image without its tag and digest.
func imageName(image string) string {
	name, _, _ := strings.Cut(image, "@")
	if at := strings.LastIndex(name, ":"); at > strings.LastIndex(name, "/") {
		name = name[:at]
	}
	return name
}

func hasSuffixOf(name string, ends []string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
}
