package faults

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// noFolderToCmd is what cmd.exe says of a program in a folder that does not exist. It says no more.
const noFolderToCmd = "The system cannot find the path specified."

// criPrefix is what the runtime writes before each line of a container.
var criPrefix = regexp.MustCompile(`^\S+ std(?:out|err) [FP] `)

// hostProgram finds HostProcess containers whose program is not there: hcsshim starts it with cmd /c where the
// files of the image are bound into the container (jobcontainer.go), so the log of the container has
// nothing but the words of cmd.exe. A script or a shell may have called something else that is missing.
func hostProgram(s evidence.Snapshot) []*checks.Finding {
	var findings []*checks.Finding
	for _, p := range evidence.Pods.In(s) {
		if !p.HostProcess() || !node.PodDown(p) {
			continue
		}
		for _, st := range p.Statuses() {
			ended := st.LastState.Terminated
			if st.State.Terminated != nil {
				ended = st.State.Terminated
			}
			if !node.ContainerDown(st) || ended == nil || ended.ExitCode != 1 {
				continue
			}
			for at, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
				if c.Name != st.Name || len(c.Command) == 0 || !isProgramPath(c.Command[0]) {
					continue
				}
				for _, m := range s.Signs("entrypoint-not-found") {
					if m.Text == noFolderToCmd && criPrefix.ReplaceAllString(strings.TrimSpace(m.Found), "") == noFolderToCmd &&
						isOwnLog(m.Path, p, c.Name) {
						findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
							"%s is not running: the image of container %s does not contain the program %s", p.FullName(), c.Name, c.Command[0]).
							With(checks.Quote(m)).
							At(p.ContainerField(at, "command"), "%s: container %s (image %s) has command %s", p.FullName(), c.Name, c.Image,
								strings.Join(c.Command, " ")).
							Cure(hostProcessEntrypointFix))
						break
					}
				}
			}
		}
	}
	return findings
}

// isProgramPath tells a program with its folder, which is no shell.
func isProgramPath(command string) bool {
	command = strings.ToLower(strings.ReplaceAll(command, `\`, "/"))
	return strings.Contains(command, "/") && strings.HasSuffix(command, ".exe") &&
		!slices.Contains([]string{"cmd.exe", "powershell.exe", "pwsh.exe"}, path.Base(command))
}

// isOwnLog tells the log of the container, also where it is below the name of the component: CONTAINER-RESTARTS.log.
func isOwnLog(file string, p evidence.Pod, container string) bool {
	rest, ok := strings.CutPrefix(path.Base(file), container+"-")
	return isLogOf(file, p, container) ||
		ok && strings.HasPrefix(p.Metadata.Name, path.Base(path.Dir(file))) && strings.Trim(strings.TrimSuffix(rest, ".log"), "0123456789") == ""
}
