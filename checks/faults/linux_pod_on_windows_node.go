package faults

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "linux-pod-on-windows",
	Title:    "Linux pod is scheduled on this Windows node",
	Healthy:  "No Linux pod is scheduled on this Windows node",
	Category: checks.CategoryWorkloads,
	FAQ:      []int{12},
	Doc: `A pod without a node selector can be scheduled on any node whose taints it tolerates. In
a cluster with Windows nodes without taints, pods with Linux images land there and stay in
ImagePullBackOff or ContainerCreating. The error looks like a mismatch of Windows versions, but no
other tag of the image helps: the pod must select Linux nodes.

The check examines pods that no DaemonSet owns, that are not running, and that select no operating
system. The runtime's error shows that the image has no variant for Windows, and the image's name
does not say Windows. Without an error, an image that is known to have no variant for Windows, a
path that only Linux has, and the network of the host show it. So does an image whose tag names a
Linux distribution, if the kubelet cannot give a file to the user of the pod (chown) or EKS gives the pod
no address, and an image that Windows cannot unpack because its layers have no files of Windows. A command or probe with a program in a
folder of Linux, such as /bin/sh, is a warning: the image may be for Windows all the same.

Where pods are not recorded, or only rows of them, events and logs show such an image. It is a warning if
the name of the node is one of Windows nodes and the image is not pulled, and if a pod there has the name of
a program that is for Linux only: it is assigned to such a node, it does not start, or docker takes the number
of runAsUser for the name of a user.`,
	Fix: linuxPodSelector("deployment/NAME", "NAMESPACE"),
	Links: []string{
		"https://github.com/ColinIanKing/stress-ng/issues/389",
		"https://github.com/containerd/containerd/issues/9071",
		"https://kubernetes.io/docs/concepts/windows/user-guide/#ensuring-os-specific-workloads-land-on-the-appropriate-container-host",
		"https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/create-upgrade-delete/cannot-pull-image-from-acr-to-aks-cluster",
		"https://gitlab.com/gitlab-org/gitlab-runner/-/issues/4014",
		"https://docs.gitlab.com/runner/executors/kubernetes/troubleshooting/"},
	Breaks: []*checks.Effect{effectPodStart, effectContainers},
	Explains: []string{"app-image-os-version-mismatch", "pod-field-unsupported",
		"pod-host-network", "pod-os-not-selected", "volume-chown-unsupported"},
	Needs:    []evidence.Need{evidence.Any(evidence.Pods, evidence.PodEvents, evidence.Logs("kubelet"), evidence.Logs("other"))},
	FromPart: []evidence.Need{evidence.Pods, evidence.PodEvents},
	Uses:     []evidence.Need{evidence.Pods, evidence.PodEvents, evidence.Node},
	Signs: append(slices.Clone(noWindowsLayer), []checks.Sign{
		{Text: "cannot be used on this platform", Also: []string{"image operating system", "linux"},
			In:   []string{"kubelet", "docker", "other", evidence.InPodEvents},
			Says: "the runtime refuses an image for Linux on this Windows node", Fix: linuxImageFix},
		// pkg/kubelet/lifecycle/predicate.go
		{Text: "Failed to admit pod as the OS field doesn't match node OS",
			Or:   []string{"Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"},
			Says: "the kubelet refuses a pod for Linux"},
		// the image that the line names tells whether it is one for Linux
		{Text: platformRefusals[0], Or: platformRefusals[1:2], Not: pausePulls, ConfirmOnly: true},
		// docker takes the number of runAsUser for a name; the name of the pod tells whether it is for Linux
		{Text: unknownUser, Also: []string{"CreateProcess", `User`}, ConfirmOnly: true},
		// what people say: ingress-nginx 7480
		{Text: " on a Windows node", Or: []string{" to a Windows node", " on the Windows node", " to the Windows node"},
			In: []string{"other"}, ConfirmOnly: true},
	}...),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		noOwner := complaints(s, volumeChownUnsupportedSigns)
		for _, p := range evidence.Pods.In(s) {
			if podRuns(p) || node.PodSystem(p) != "" || staysOnWindows(p.Spec) || hasWindowsImage(p.Spec) ||
				p.Metadata.DeletionTimestamp != nil || p.HostProcess() ||
				slices.ContainsFunc(p.Metadata.OwnerReferences,
					func(o evidence.OwnerReference) bool { return o.Kind == "DaemonSet" }) {
				continue
			}
			why, image, ok := linuxImage(s, p)
			f := checks.Findingf(checks.Fail, p.FullName(),
				"pod %s is on this Windows node, and its image %s has no Windows variant: it has no OS selector", p.FullName(), image)
			if !ok {
				if why, ok = linuxByName(p); !ok && (waitsForVPCAddress(s, p) || slices.ContainsFunc(noOwner,
					func(c complaint) bool { return c.pod.FullName() == p.FullName() })) {
					why, ok = linuxByTag(p)
				}
				windows := onWindows(s, p.Spec.NodeName)
				if at := p.Field("metadata", "name"); !ok && windows && linuxByPodName(p) {
					findings = append(findings, checks.Findingf(checks.Warn, p.FullName(),
						"pod %s does not start on this Windows node: its name is that of a program for Linux", p.Metadata.Name).
						At(at, "%s: %s", p.Metadata.Name, stuckReason(p)).Cure(linuxImageFix))
				}
				if path, at := linuxCommand(p); path != "" && !ok && windows && since(s, p, podPatience) {
					findings = append(findings, checks.Findingf(checks.Warn, p.FullName(),
						"pod %s does not start on this Windows node, has no OS selector, and runs %s, which only Linux has", p.FullName(), path).
						With(at).Cure(linuxImageFix))
				}
				if !ok || !since(s, p, podPatience) && !(windows && slices.Contains(pullReasons, stuckReason(p))) {
					continue
				}
				f = checks.Findingf(checks.Fail, p.FullName(),
					"pod %s is for Linux (%s) and is on this Windows node: it has no OS selector", p.FullName(), why.Text)
			}
			f = f.With(why).At(p.Field("spec", "nodeSelector", "kubernetes.io/os"),
				"%s: no nodeSelector kubernetes.io/os", p.FullName())
			kind, name, _ := strings.Cut(workloadOf(p), "/")
			if checks.IsObjectName(kind) && checks.IsObjectName(name) && checks.IsObjectName(p.Metadata.Namespace) {
				f = f.Cure(linuxPodSelector(kind+"/"+name, p.Metadata.Namespace))
			}
			findings = append(findings, f)
		}
		for _, c := range complaints(s, noWindowsLayer) {
			if !slices.ContainsFunc(findings, func(f *checks.Finding) bool { return f.Subject == c.pod.FullName() }) {
				findings = append(findings, checks.Findingf(checks.Fail, c.pod.FullName(), "%s waits for its image: %s",
					c.pod.FullName(), c.says).With(c.from).Cure(linuxImageFix))
			}
		}
		if gap := cmp.Or(evidence.Pods.Gap(s), s.Rest(evidence.Pods.Path())); gap.Kind != "" && len(findings) == 0 {
			if f := linuxByText(s); f != nil {
				return []*checks.Finding{f}, nil
			}
			if !evidence.Pods.Known(s) {
				return nil, checks.Unknown(gap)
			}
		}
		return findings, nil
	},
})

// noWindowsLayer is an image that is unpacked though it is for Linux: its index names no platform, or a wrong
// one, or the runtime does not look. A base layer of Windows has the folder Files, which Windows opens when
// the layer is complete (stress-ng 389, nerdctl 2752, kitematic 2595), and no file with a colon (containerd 9071).
var noWindowsLayer = []checks.Sign{
	{Text: "ProcessBaseLayer", Also: []string{"The system cannot find the path specified"},
		In: append(slices.Clone(layerSources), evidence.InPodEvents), Says: unpacksLinux, Fix: linuxImageFix},
	{Text: "safefile.OpenRelative failed in Win32: open", Also: []string{"path contains invalid character"},
		In: append(slices.Clone(layerSources), evidence.InPodEvents), Says: unpacksLinux, Fix: linuxImageFix},
	// docker (docker.labs 97, vsphere-csi-driver 357)
	{Text: "failed in Win32: open", Also: []string{"register layer", invalidFileName},
		In: append(slices.Clone(layerSources), evidence.InPodEvents), Says: unpacksLinux, Fix: linuxImageFix},
}

const invalidFileName = "The filename, directory name, or volume label syntax is incorrect"

const unpacksLinux = "the layers of an image have no files of Windows: most often it is an image for Linux"

// pullReasons are those of a container whose image is not pulled.
var pullReasons = []string{"ErrImagePull", "ImagePullBackOff"}

// onWindows tells whether the evidence shows that a node runs Windows.
func onWindows(s evidence.Snapshot, node string) bool {
	return evidence.NamesWindows(node) || evidence.Node.Known(s)
}

// linuxFolder begins the path of a program of Linux.
var linuxFolder = regexp.MustCompile(`^/(?:bin|sbin|usr/s?bin|usr/local/s?bin)/\w`)

// linuxCommand finds a program in a folder of Linux that a pod, which never started, runs or probes itself with.
func linuxCommand(p evidence.Pod) (string, evidence.Because) {
	if !slices.Contains(startReasons, stuckReason(p)) && !slices.Contains(pullReasons, stuckReason(p)) {
		return "", evidence.Because{}
	}
	for i, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		commands := [][]string{c.Command}
		for _, probe := range []*evidence.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
			if probe != nil && probe.Exec != nil {
				commands = append(commands, probe.Exec.Command)
			}
		}
		for _, command := range commands {
			if len(command) > 0 && linuxFolder.MatchString(command[0]) {
				return command[0], p.ContainerField(i).Because("container %s runs %s", c.Name, command[0])
			}
		}
	}
	return "", evidence.Because{}
}

// linuxByPodName tells by its name a pod of which nothing but a row is recorded, and that does not start.
func linuxByPodName(p evidence.Pod) bool {
	return len(p.Spec.Containers) == 0 && stuckReason(p) != "" && linuxPodName.MatchString(p.FullName()) &&
		!evidence.NamesWindows(p.Metadata.Name)
}

// linuxPodName is the name of a pod of one of linuxPrograms, behind its namespace, as its chart or manifest calls
// it: behind the name of the release, and with what its workload adds. mic is of aad-pod-identity (aks-engine 3288).
var linuxPodName = regexp.MustCompile(`(?:^kube-system/mic|[-/](?:aad-pod-identity-mic|admission-(?:create|patch)|coredns|metrics-server|kube-state-metrics|heapster|` +
	`tiller-deploy|cert-manager(?:-webhook|-cainjector)?|ingress-nginx-controller|cluster-autoscaler|external-dns|grafana|` +
	`aws-load-balancer-controller|gatekeeper-(?:audit|controller-manager|update-[a-z-]+)|reloader|rabbitmq-cluster-operator|dapr-dashboard))` +
	`(?:-[0-9a-f]{8,10})?-[a-z0-9]{5}$`)

// linuxImageFix is for a text alone: the image may be that of a helper in a pod for Windows.
var linuxImageFix = checks.Steps(
	checks.Inspect("kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.nodeSelector} {.spec.initContainers[*].image} {.spec.containers[*].image}'",
		"Find the image that has no variant for Windows, also among helpers, init containers and sidecars."),
	checks.Do("If the other images of the pod are for Windows, use the variant for Windows of this image.").
		Costs("The pods of the workload are recreated."),
	checks.Run("kubectl -n NAMESPACE patch deployment/NAME --type merge -p 'spec: {template: {spec: {nodeSelector: {kubernetes.io/os: linux}}}}'",
		"If the pod is for Linux, set the node selector kubernetes.io/os: linux in the pod template.").
		Costs("The pods of the workload are recreated."),
	checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
		"no pod with a Linux image"))

// hasWindowsImage tells whether a container of the pod is for Windows by its name.
func hasWindowsImage(spec evidence.PodSpec) bool {
	return slices.ContainsFunc(slices.Concat(spec.InitContainers, spec.Containers),
		func(c evidence.Container) bool { return isWindowsImage(c.Image) })
}

// linuxImage finds a container whose image the runtime refused for its operating system, and whose
// name does not say that it is for Windows.
func linuxImage(s evidence.Snapshot, p evidence.Pod) (evidence.Because, string, bool) {
	for i, st := range p.Statuses() {
		if st.State.Running != nil || isWindowsImage(st.Image) {
			continue
		}
		if words, from := imageRefused(s, p, i); words != "" && refusesSystem(words) {
			return from, st.Image, true
		}
	}
	return evidence.Because{}, "", false
}

// linuxPrograms are images without a variant for Windows that are not meant for DaemonSets, by the
// end of their names.
var linuxPrograms = []string{"/tiller", "/kube-webhook-certgen", "/coredns", "/metrics-server", "/kube-state-metrics",
	"/nginx-ingress-controller", "/ingress-nginx/controller", "/cluster-autoscaler",
	"/cluster-proportional-autoscaler", "/nfs-subdir-external-provisioner", "/local-path-provisioner",
	"/linkerd-io/controller", "/istio/pilot", "/cert-manager-controller", "/cert-manager-webhook",
	"/cert-manager-cainjector", "/external-dns", "/aws-load-balancer-controller", "/karpenter/controller",
	"/calico/kube-controllers", "/calico/typha", "/tigera/operator", "/antrea/antrea-controller-ubuntu",
	"/cilium/operator-generic", "/kyverno/kyverno", "/openpolicyagent/gatekeeper", "/argoproj/argocd",
	"/prometheus-operator/prometheus-operator", "/grafana/grafana", "/heapster-amd64", "/addon-resizer",
	"/metrics-server-amd64", "/cert-manager-acmesolver", "/cert-manager-ctl", "/cert-manager-startupapicheck",
	"/nginx-gateway-fabric", "rabbitmqoperator/cluster-operator", "/stakater/reloader", "/configmap-reload", "/rke2-upgrade", "/k3s-upgrade",
	"/azurearck8s/fluent-bit-collector", // aksArc 353
	// external-snapshotter has no Dockerfile.Windows, without which its build.make makes no image for Windows
	"/snapshot-controller", "storage-snapshot-controller", "/snapshot-validation-webhook", "storage-snapshot-validation-webhook",
	// catalogs of the Operator Lifecycle Manager, which tolerate all taints (operator-lifecycle-manager 1119)
	"/operatorhubio/catalog", "/redhat-operator-index", "/certified-operator-index", "/community-operator-index"}

// linuxOfficial are official images of Docker Hub, and all of a registry or folder, without variants for Windows.
var linuxOfficial = regexp.MustCompile(`^cgr\.dev/|/distroless/|^(?:docker\.io/)?(?:library/)?(?:nginx|httpd|haproxy|redis|memcached|rabbitmq|mysql|mariadb|postgres|` +
	`elasticsearch|kibana|busybox|node|php|wordpress)(?:[:@].*)?$`)

// onlyForLinux tells by its name an image without a variant for Windows.
func onlyForLinux(image string) bool {
	return hasSuffixOf(imageName(image), linuxPrograms) || linuxTag.MatchString(image) ||
		linuxOfficial.MatchString(image) && !isWindowsImage(image)
}

// linuxByText is about an image without a variant for Windows that is not pulled, where the pod is not
// recorded. The runtime's refusal shows that the node runs Windows, and otherwise its name.
func linuxByText(s evidence.Snapshot) *checks.Finding {
	for _, m := range s.Signs("linux-pod-on-windows") {
		image := refusedImage.FindStringSubmatch(m.Found)
		if m.Over == "" && image != nil && slices.ContainsFunc(platformRefusals, func(words string) bool {
			return strings.Contains(strings.ToLower(m.Found), words)
		}) && onlyForLinux(image[1]) {
			f := checks.Findingf(checks.Fail, image[1], "the runtime refuses the image %s, which has no Windows variant", image[1]).
				With(checks.Quote(m)).Cure(linuxImageFix)
			f.Basis = checks.ByText
			return f
		}
	}
	for _, m := range s.Signs("linux-pod-on-windows") {
		pod := ""
		if said := saidOnWindows.FindStringSubmatch(m.Found); said != nil {
			pod = linuxPodIn(said[1])
		} else if m.Text == unknownUser && numberedUser.MatchString(m.Found) {
			pod = linuxPodIn(m.Found)
		}
		if m.Over == "" && pod != "" {
			return linuxOnWindows(pod, checks.Quote(m)).Explaining("container-user-unknown")
		}
	}
	assigned := "" // where rows of kubectl describe show one node
	for _, e := range evidence.PodEvents.In(s) {
		if _, host, ok := strings.Cut(e.Text(), " to "); ok && e.Reason == "Scheduled" {
			assigned = cond(assigned == "" || assigned == host, host, "-")
		}
	}
	for _, e := range evidence.PodEvents.In(s) {
		host := cmp.Or(e.Source.Host, e.ReportingInstance, assigned)
		m := pullFailed.FindStringSubmatch(e.Text())
		if m == nil || !evidence.NamesWindows(host) || !hasSuffixOf(imageName(m[1]), linuxPrograms) {
			continue
		}
		f := checks.Findingf(checks.Warn, m[1],
			"the Windows node %s does not pull the image %s, which has no Windows variant", host, m[1]).
			At(e.Field(), "%s: %s", e.Reason, e.Text()).Cure(linuxImageFix)
		f.Basis = checks.ByText
		return f
	}
	for _, e := range evidence.PodEvents.In(s) {
		m, name := assignment.FindStringSubmatch(e.Text()), node.About(s).Name
		if m == nil || name.Known() && !strings.EqualFold(m[2], name.Value) || !evidence.NamesWindows(m[2]) || evidence.NamesWindows(m[1]) || !linuxPodName.MatchString(m[1]) ||
			slices.ContainsFunc(evidence.PodEvents.In(s), func(other evidence.Event) bool {
				return slices.Contains([]string{"Pulled", "Created", "Started"}, other.Reason) && // another image has the name
					(other.About().Name == "" || strings.HasSuffix(m[1], "/"+other.About().Name))
			}) {
			continue
		}
		return linuxOnWindows(m[1], e.Field().Because("%s: %s", e.Reason, e.Text()))
	}
	return nil
}

func linuxOnWindows(pod string, why evidence.Because) *checks.Finding {
	f := checks.Findingf(checks.Warn, pod, "pod %s is on a Windows node, and its name is that of a program for Linux", pod).
		With(why).Cure(linuxImageFix)
	f.Basis = checks.ByText
	return f
}

// assignment is what the scheduler says of a pod of the cluster's own programs.
var assignment = regexp.MustCompile(`^Successfully assigned (kube-system/\S+) to (\S+)$`)

// saidOnWindows is a sentence of a person about a pod.
var saidOnWindows = regexp.MustCompile(`(?i)([a-z0-9-]+)[^a-z0-9]? (?:(?:is|was|gets|got|keeps|being) )*` +
	`(?:stuck|scheduled|assigned|placed|starting|created|pending) (?:on|to) (?:a|the) windows node`)

// unknownUser is error 1326 of Windows.
const unknownUser = "The user name or password is incorrect"

// numberedUser is the user of a process that docker starts, which a log may quote once more.
var numberedUser = regexp.MustCompile(`\bUser\\*":\\*"\d+(?::\d+)?\\*"`)

// linuxPodIn finds the name of a pod of a program for Linux in a line.
func linuxPodIn(line string) string {
	for _, word := range strings.FieldsFunc(line, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	}) {
		if linuxPodName.MatchString("/"+word) && !evidence.NamesWindows(word) {
			return word
		}
	}
	return ""
}

// pullFailed is what the kubelet says of an image that it does not get.
var pullFailed = regexp.MustCompile(`^(?:Failed to pull|Back-off pulling) image "([^"]+)"`)

// refusedImage is an image in an error, which a log may quote once more.
var refusedImage = regexp.MustCompile(`image[ =]\\*"([^"\\]+)`)

// linuxByName tells whether a pod whose containers do not start is for Linux by the name of its image, a
// path that only Linux has, or the network of the host, which pods of Windows do not have.
func linuxByName(p evidence.Pod) (evidence.Because, bool) {
	reason := stuckReason(p)
	if reason == "" {
		return evidence.Because{}, false
	}
	if why, ok := linuxSpec(p, slices.Concat(linuxAgents, linuxPrograms)); ok {
		return why, true
	}
	return p.Field("spec", "hostNetwork").Because("hostNetwork is true"),
		p.Spec.HostNetwork && reason == "ContainerCreating"
}

// linuxByTag tells whether the tag of an image names a distribution of Linux, or its name an official one for Linux.
func linuxByTag(p evidence.Pod) (evidence.Because, bool) {
	for i, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		if linuxTag.MatchString(c.Image) || linuxOfficial.MatchString(c.Image) {
			return p.ContainerField(i, "image").Because("image %s", c.Image), true
		}
	}
	return evidence.Because{}, false
}

var linuxTag = regexp.MustCompile(`(?i)(?:^|/|:(?:[^/]*[-._])?)(?:alpine|debian|ubuntu|buster|bullseye|bookworm|trixie|` +
	`bionic|focal|jammy|noble|ubi|centos|rhel|fedora|rockylinux|almalinux|amazonlinux|al2023)[-0-9.]*(?:[-._:@][^/]*)?$`)

// refusesSystem tells whether the runtime's words are about an image without a variant for Windows.
// An image for another Windows version is refused at its start instead.
func refusesSystem(words string) bool {
	return slices.Contains([]string{"no matching manifest for windows",
		"no match for platform in manifest", linuxImageRefused}, words)
}

// linuxPodSelector sends the pods of a workload to Linux nodes. A pod that nothing owns cannot be
// moved: it is created again.
func linuxPodSelector(workload, namespace string) checks.Fix {
	const text = "Set the node selector kubernetes.io/os: linux in the pod template. The pods are then created on Linux nodes."
	step := checks.Run("kubectl -n "+namespace+" patch "+workload+
		` --type merge -p 'spec: {template: {spec: {nodeSelector: {kubernetes.io/os: linux}}}}'`, text)
	if strings.HasPrefix(workload, "pod/") {
		step = checks.Do(text)
	}
	return checks.Steps(step.Costs("The pods of the workload are recreated."),
		checks.Run("kubectl taint nodes {node} os=windows:NoSchedule",
			"Taint the Windows node, so that only pods that tolerate the taint are scheduled on it."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"no pod with a Linux image"))
}
