package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var entrypointFix = checks.Steps(
	checks.Inspect(
		"kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.containers[*].command}'",
		"Read the command that the pod sets."),
	checks.Do("In the pod template, set a command that the image contains, with each argument as its own list item. Or remove command: then the entrypoint of the image runs.").
		Costs("The pods of the workload are recreated."),
	checks.Run(`kubectl debug POD -n NAMESPACE -it --copy-to=show-files --container=CONTAINER -- cmd /c dir C:\`,
		"If you do not know the path of the program, list the files of the image in a copy of the pod.").
		Costs("The copy show-files runs until you delete it: kubectl delete pod show-files."),
	checks.Verify("kubectl get pods -n NAMESPACE", "the pod is Running"))

var hostProcessEntrypointFix = checks.Steps(
	checks.Inspect(
		"kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.containers[*].command}'",
		"Read the command that the pod sets."),
	checks.Do(`In the pod template, set the full path of a program on the node (Windows has powershell.exe, not pwsh.exe), or of a program of the image below $env:CONTAINER_SANDBOX_MOUNT_POINT (C:\hpc since containerd 1.7).`).
		Costs("The pods of the workload are recreated."),
	checks.Verify("kubectl get pods -n NAMESPACE", "the pod is Running"))

var hostProcessImageFix = checks.Steps(
	checks.Do("In the pod template, set hostProcess: true, hostNetwork: true and runAsUserName. Where the cluster does not allow HostProcess containers, use a release or an image of the component that contains Windows.").
		Costs("The pods of the workload are recreated."),
	checks.Verify("kubectl get pods -n NAMESPACE", "the pod is Running"))

var dockerRunFix = checks.Steps(
	checks.Inspect(`docker run --rm IMAGE cmd /c dir C:\`, "List the files of the image."),
	checks.Do("Run a program that the image contains, with its extension: nanoserver has cmd.exe but not powershell.exe."),
	checks.Verify("docker ps", "the container is Up"))

var ctrRunFix = checks.Steps(
	checks.Inspect(`ctr run --rm IMAGE show-files cmd /c dir C:\`, "List the files of the image."),
	checks.Do("Run a program that the image contains, with its extension. A word of cmd.exe such as echo is not a program: run cmd /c."),
	checks.Verify("ctr tasks list", "the container is RUNNING"))

// nerdctl makes the settings of a container itself, with the PATH of its containerd library: that of
// Linux up to 1.7.10, which nerdctl 1.7.1 has. Pods get none: containerd 8196, nerdctl 2485.
var nerdctlRunFix = checks.Steps(
	checks.Do("Update nerdctl to 1.7.2 or a later version: earlier ones give Windows containers the PATH of Linux."),
	checks.Do(`Or run the program by its full path, with its extension: C:\Windows\System32\cmd.exe.`),
	checks.Verify("nerdctl ps", "the container is Up"))

var _ = register(&checks.Check{
	ID:       "entrypoint-not-found",
	Title:    "Container command is not in its image",
	Healthy:  "Container commands exist in their images",
	Category: checks.CategoryWorkloads,
	Doc: `The runtime created the container and could not start its first process: Windows does
not find the file. The usual reasons are a command for Linux (/bin/sh), a shell that the image does
not have (nanoserver has cmd.exe but not powershell.exe), a wrong extension or path of the program,
and a command and its arguments in a single string. In a HostProcess pod the path is a path of the
node, or below $env:CONTAINER_SANDBOX_MOUNT_POINT.

An image whose program is its CMD, without an ENTRYPOINT, runs the args of the pod in its place. Then
cmd.exe does not know the first of them as a command.

A command can also start a shell that starts the program by its path. In a HostProcess pod such a path is of
the node too: from containerd 1.7 on the files of the image are below C:\hpc, and ./program.exe is not found in
the working directory of the image.

Since containerd 1.7 the runtime starts the program of a HostProcess container with cmd.exe, which says only
"The system cannot find the path specified." where the folder of the program is missing.

An image that is made for HostProcess containers contains no Windows, so an ordinary container of it has neither cmd.exe nor
powershell.exe.

The check reads the state and the events of pods that are not running, and their logs for the words of
cmd.exe and PowerShell. The same error of kubectl
exec or of a probe is about another command and is ignored.`,
	Fix: entrypointFix,
	Links: []string{"https://github.com/containerd/containerd/issues/6300",
		"https://github.com/containerd/nerdctl/issues/2485",
		"https://github.com/kubernetes/website/issues/29924",
		"https://github.com/kubernetes/kubernetes/issues/88942",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/40",
		"https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/",
		"https://github.com/prometheus-community/windows_exporter/issues/1391",
		"https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/",
		"https://github.com/kubernetes/kubernetes/issues/112885",
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/930"},
	Breaks:   []*checks.Effect{effectPodStart, effectContainers},
	Partial:  true,
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs: append(slices.Clone(entrypointSigns),
		checks.Sign{Text: noFolderToCmd, ConfirmOnly: true},
		checks.Sign{Text: unknownToCmd, In: []string{"pods"}, ConfirmOnly: true},
		checks.Sign{Text: "The term '", Also: []string{unknownToShell}, In: []string{"pods"}, ConfirmOnly: true}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, c := range complaints(s, entrypointSigns) {
			f := checks.Findingf(checks.Fail, c.pod.FullName(), "%s is not running: %s",
				c.pod.FullName(), c.says).With(c.from).Cure(listFiles(c.pod))
			for i, container := range slices.Concat(c.pod.Spec.InitContainers, c.pod.Spec.Containers) {
				if len(container.Command) > 0 {
					f = f.At(c.pod.ContainerField(i, "command"),
						"%s: container %s (image %s) has command %s", c.pod.FullName(),
						container.Name, container.Image, strings.Join(container.Command, " "))
				}
				if !c.pod.HostProcess() && forHostProcess(container.Image) {
					f = f.At(c.pod.ContainerField(i, "image"),
						"%s: image %s is made for HostProcess containers, and the pod does not set hostProcess",
						c.pod.FullName(), container.Image).Cure(hostProcessImageFix)
				}
			}
			if c.pod.HostProcess() {
				f = f.Cure(hostProcessEntrypointFix)
			}
			findings = append(findings, f)
		}
		return append(append(findings, argsAsProgram(s)...), append(shellsProgram(s), hostProgram(s)...)...), nil
	},
})

// unknownToCmd is what cmd.exe says of a word that is no command, behind the word in quotation marks.
const unknownToCmd = "' is not recognized as an internal or external command"

// argsAsProgram finds containers that run their first argument.
func argsAsProgram(s evidence.Snapshot) []*checks.Finding {
	var findings []*checks.Finding
	for _, m := range s.Signs("entrypoint-not-found") {
		before, _, ok := strings.Cut(m.Found, unknownToCmd)
		word := before[strings.LastIndexByte(before, '\'')+1:]
		if !ok || word == "" {
			continue
		}
		for _, p := range evidence.Pods.In(s) {
			for i, c := range p.Spec.Containers {
				if !node.PodDown(p) || len(c.Command) > 0 || len(c.Args) == 0 ||
					!strings.HasPrefix(c.Args[0], word) || !isLogOf(m.Path, p, c.Name) {
					continue
				}
				findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
					"%s is not running: container %s runs its argument %s as the program, because its image has no ENTRYPOINT",
					p.FullName(), c.Name, word).
					At(p.Field("spec", "containers", i, "args"), "%s: container %s (image %s) has args %s and no command",
						p.FullName(), c.Name, c.Image, strings.Join(c.Args, " ")).
					With(checks.Quote(m)).
					Cure(checks.Steps(
						checks.Do("In the image, set ENTRYPOINT to the program. Or set command: in the pod template to the program of the image.").
							Costs("The pods of the workload are recreated."),
						checks.Verify("kubectl get pods -n NAMESPACE", "the pod is Running"))))
			}
		}
	}
	return findings
}

// unknownToShell is what cmd.exe and PowerShell say of a program that they do not find, behind its name.
const unknownToShell = "' is not recognized as"

// shellsProgram finds containers that are nothing but a program behind a shell, which does not find it.
func shellsProgram(s evidence.Snapshot) []*checks.Finding {
	var findings []*checks.Finding
	for _, p := range evidence.Pods.In(s) {
		for i, st := range p.Statuses() {
			if !node.PodDown(p) || !node.ContainerDown(st) {
				continue
			}
			var said []runtimeText
			for _, m := range stateMessages(p, i) {
				said = append(said, runtimeText{folded(m.text), m.at.Because("%s: %s", p.FullName(), folded(m.text))})
			}
			for _, m := range s.Signs("entrypoint-not-found") {
				if isLogOf(m.Path, p, st.Name) {
					said = append(said, runtimeText{m.Found, checks.Quote(m)})
				}
			}
			for at, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
				if program, from := unknownProgram(c, said); c.Name == st.Name && program != "" {
					f := checks.Findingf(checks.Fail, p.FullName(), "%s is not running: container %s starts %s in a shell, which does not find it",
						p.FullName(), c.Name, program).With(from).
						At(p.ContainerField(at), "%s: container %s (image %s) has command %s", p.FullName(), c.Name, c.Image,
							strings.Join(slices.Concat(c.Command, c.Args), " ")).Cure(listFiles(p))
					if p.HostProcess() {
						f = f.Cure(hostProcessEntrypointFix)
					}
					findings = append(findings, f)
				}
			}
		}
	}
	return findings
}

// unknownProgram is the path of a program that one of the container's arguments is, and that its shell
// does not find. A name without a folder may be of a function; a script with more commands goes on.
func unknownProgram(c evidence.Container, said []runtimeText) (string, evidence.Because) {
	for _, t := range said {
		before, _, ok := strings.Cut(t.text, unknownToShell)
		program := before[strings.LastIndexByte(before, '\'')+1:]
		if ok && strings.ContainsAny(program, `\/`) && slices.ContainsFunc(slices.Concat(c.Command, c.Args), func(arg string) bool {
			arg = strings.Trim(arg, `&"' `)
			return strings.HasPrefix(arg, program) && !strings.ContainsAny(arg, ";|&\n")
		}) {
			return program, t.from
		}
	}
	return "", evidence.Because{}
}

// isLogOf tells whether a file is the log of the container: NAMESPACE_POD_CONTAINER-RESTARTS.log.
func isLogOf(path string, p evidence.Pod, container string) bool {
	rest, ok := strings.CutPrefix(path, "logs/pods/"+p.Metadata.Namespace+"_"+p.Metadata.Name+"_"+container)
	return ok && len(rest) > 1 && strings.ContainsRune("-_", rune(rest[0])) && '0' <= rest[1] && rest[1] <= '9'
}

// listFiles names the container whose files a copy of the pod lists, where the pod has no other.
func listFiles(p evidence.Pod) checks.Fix {
	fix := entrypointFix.Clone()
	if list := p.Spec.Containers; len(list) == 1 && checks.IsObjectName(list[0].Name) {
		fix.Steps[2].Command = strings.Replace(fix.Steps[2].Command, "CONTAINER", list[0].Name, 1)
	}
	return fix
}

// forHostProcess tells by its tag an image on the base image of HostProcess containers, which is empty:
// windows-hp of the CSI drivers, hostprocess of flannel, kube-proxy and windows_exporter.
func forHostProcess(image string) bool {
	tag := strings.ToLower(image[strings.LastIndexByte(image, ':')+1:])
	return strings.Contains(tag, "hostprocess") || strings.HasSuffix(tag, "-hp") || strings.HasSuffix(tag, "-hpc")
}

const noEntrypoint = "Windows cannot find the program that the container starts"

var entrypointSigns = []checks.Sign{
	// hcsshim 0.8.7 to 0.8.16, of containerd 1.3 to 1.5, says "hcsshim" (internal/hcs/system.go).
	{Text: "hcs::System::CreateProcess", Or: []string{"hcsshim::System::CreateProcess"},
		Also: []string{"failed to start containerd task",
			"The system cannot find the file specified"}, Not: startedByOthers, Says: noEntrypoint},
	// a folder of the program's path does not exist
	{Text: "hcs::System::CreateProcess", Or: []string{"hcsshim::System::CreateProcess"},
		Also: []string{"failed to start containerd task",
			"The system cannot find the path specified"}, Not: startedByOthers, Says: noEntrypoint},
	// a process of the utility VM has the VM's id, which ends in @vm
	{Text: "hcs::System::CreateProcess", Or: []string{"hcsshim::System::CreateProcess"},
		Also: []string{"failed to create containerd task", "The system cannot find the "},
		Not:  append([]string{"@vm"}, startedByOthers...), Says: noEntrypoint},
	{Text: "encountered an error during CreateProcess",
		Or: []string{"encountered an error during hcsshim::System::CreateProcess",
			"encountered an error during hcs::System::CreateProcess"},
		Also: []string{"failed to start container", "The system cannot find the path specified"},
		Not:  startedByOthers,
		Says: noEntrypoint},
	{Text: "encountered an error during CreateProcess",
		Or: []string{"encountered an error during hcsshim::System::CreateProcess",
			"encountered an error during hcs::System::CreateProcess",
			// hcsshim 0.8.7 and later in Docker 20.10 and later
			"Error response from daemon: hcs::System::CreateProcess",
			"Error response from daemon: hcsshim::System::CreateProcess"},
		Also: []string{"failed to start container", "The system cannot find the file specified"},
		Not:  startedByOthers,
		Says: noEntrypoint},
	// the message of a container that ended, as kubectl describe shows it: docker has no more words there
	{Text: "encountered an error during CreateProcess",
		Or: []string{"encountered an error during hcsshim::System::CreateProcess",
			"encountered an error during hcs::System::CreateProcess"},
		Also: []string{"Message: ", "The system cannot find the file specified"},
		Not:  append([]string{"failed to start container"}, startedByOthers...),
		Says: noEntrypoint},
	// docker run begins with the name of the command, docker exec does not (docker/for-win issue 6551).
	{Text: "docker: Error response from daemon: container",
		Or:   []string{"docker.exe: Error response from daemon: container"},
		Also: []string{"CreateProcess", "The system cannot find the file specified"},
		Says: noEntrypoint, Fix: dockerRunFix},
	// ctr run; ctr task exec ends in the same words, so it is a warning (containerd issue 5188).
	{Text: "ctr: hcs::System::CreateProcess", Or: []string{"ctr: hcsshim::System::CreateProcess"},
		Also:  []string{"The system cannot find the file specified"},
		Level: checks.Warn, Says: noEntrypoint, Fix: ctrRunFix},
	// nerdctl run, and nerdctl exec too: Windows-Containers 619
	{Text: `fatal msg="hcs::System::CreateProcess`, Or: []string{`fatal msg="hcsshim::System::CreateProcess`},
		Also:  []string{"The system cannot find the file specified"},
		Level: checks.Warn, Says: noEntrypoint, Fix: nerdctlRunFix},
	{Text: "failed to get application name from commandline",
		Or: []string{"failed to start host process: exec: "}, Not: startedByOthers,
		Says: "the program of a HostProcess container is not on the node",
		Fix:  hostProcessEntrypointFix},
}

// startedByOthers are the marks of a process that a person or a probe starts, and of the helper of
// port-forward.
var startedByOthers = []string{"exec in container", "ExecSync", "failed to start exec",
	"wincat.exe",
	"Liveness", "Readiness", "Startup probe", "lifecycle hook"}
