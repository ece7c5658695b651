package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "log-links-not-mounted",
	Title:    "Log agent does not have the folders that the log files link to",
	Healthy:  "Log agents have the folders that the log files link to",
	Category: checks.CategoryWorkloads,
	Doc: `The files in C:\var\log\containers are links to C:\var\log\pods, and with Docker those are links
to C:\ProgramData\docker\containers. Windows resolves a link within the container: an agent that mounts only
C:\var\log\containers sees the names and cannot open a file. Its pod runs, and no log arrives.

The check looks for pods that mount C:\var\log\containers of the node without C:\var\log\pods (or a folder
above it) at the same path, and with Docker without its folder of containers. HostProcess pods see the
node's own folders. It is a warning; with the error of the agent (fluentd, Fluent Bit, Filebeat, Promtail,
Vector) in its log it is a fault.`,
	Fix: checks.Steps(
		checks.Do(`In the pod template, mount C:\var\log as hostPath at C:\var\log, and with Docker also C:\ProgramData\docker\containers at that path (another drive if docker has another data-root).`).
			Costs("The pods of the workload are recreated."),
		checks.Verify(`kubectl exec POD -n NAMESPACE -- powershell -Command "Get-ChildItem C:\var\log\containers | Select-Object -First 1 | Get-Content -TotalCount 1"`,
			"a line of a log")),
	Links: []string{
		"https://github.com/fluent-plugins-nursery/fluent-plugin-kubernetes_metadata_filter/issues/159",
		"https://github.com/fluent/fluent-bit/issues/960",
		"https://github.com/fluent/fluent-bit/issues/4202",
		"https://docs.fluentbit.io/manual/installation/downloads/kubernetes",
	},
	Breaks: []*checks.Effect{},
	Needs:  []evidence.Need{evidence.Any(evidence.Pods, evidence.Manifests)},
	Uses:   []evidence.Need{evidence.Pods, evidence.Manifests, node.NeedRuntime},
	Signs: []checks.Sign{
		// fluentd in_tail; Vector lib/file-source; Filebeat; Fluent Bit in_tail; Promtail, Alloy and the
		// collector of OpenTelemetry, which are written in Go
		{Text: "unreadable. It is excluded and would be examined next time", ConfirmOnly: true},
		{Text: "Failed reading file for fingerprinting", Also: []string{"os error 3"}, ConfirmOnly: true},
		{Text: `log\containers\`, Also: []string{"The system cannot find the path specified"}, ConfirmOnly: true},
		{Text: `log\\containers\\`, Also: []string{"The system cannot find the path specified"}, ConfirmOnly: true},
		{Text: "read error, check permissions: ", Also: []string{"containers"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		runtime, unclear := node.About(s).Runtime, false
		for _, p := range podSpecs(s) {
			p.containers(func(at fieldPath, c evidence.Container) {
				i := slices.IndexFunc(c.VolumeMounts, func(m evidence.VolumeMount) bool {
					return hostFolder(p.Pod, m) == logLinks
				})
				if i < 0 || p.HostProcess() {
					return
				}
				missing := ""
				if !slices.ContainsFunc(c.VolumeMounts, func(m evidence.VolumeMount) bool {
					return holds(hostFolder(p.Pod, m), logTargets) && samePlace(hostFolder(p.Pod, m), m.MountPath)
				}) {
					missing = logTargets
				} else if !slices.ContainsFunc(c.VolumeMounts,
					func(m evidence.VolumeMount) bool { return dockersFolder(hostFolder(p.Pod, m)) }) {
					if unclear = unclear || !runtime.Known(); runtime.Value.Name == "docker" {
						missing = dockerLogs
					}
				}
				if missing == "" {
					return
				}
				m := c.VolumeMounts[i]
				f := checks.Findingf(checks.Warn, p.Name(),
					"%s mounts %s without %s, to which the files there are links: container %s cannot open them",
					p.phrase(), logLinks, missing, c.Name).
					With(p.because(podField{at.to("volumeMounts", i, "mountPath"), m.MountPath}))
				for _, said := range s.Signs("log-links-not-mounted") {
					if said.Over == "" && isLogOf(said.Path, p.Pod, c.Name) {
						f = f.With(checks.Quote(said))
						f.Level, f.Basis = checks.Fail, checks.ByBoth
						break
					}
				}
				findings = append(findings, f)
			})
		}
		if unclear && len(findings) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("whether the runtime is docker, whose logs are in another folder"))
		}
		return findings, nil
	},
})

const (
	logLinks   = `c:\var\log\containers`
	logTargets = `c:\var\log\pods`
	dockerLogs = `c:\programdata\docker\containers`
)

// hostFolder is the folder of the node that a container mounts, in lower case; empty for other volumes.
func hostFolder(p evidence.Pod, m evidence.VolumeMount) string {
	for _, v := range p.Spec.Volumes {
		if v.Name == m.Name && v.HostPath != nil && m.SubPath == "" && m.SubPathExpr == "" {
			return strings.ToLower(evidence.CleanWinPath(v.HostPath.Path))
		}
	}
	return ""
}

// holds tells whether a folder is the other one or above it.
func holds(folder, other string) bool {
	return folder != "" && strings.HasPrefix(other+`\`, strings.TrimSuffix(folder, `\`)+`\`)
}

// samePlace tells whether a folder of the node is at its own path in the container, where links look for it.
func samePlace(folder, mountPath string) bool {
	return folder == strings.ToLower(evidence.CleanWinPath(mountPath))
}

// dockersFolder tells whether a folder may hold the logs of Docker, whose data may be on another drive.
func dockersFolder(folder string) bool {
	return holds(folder, dockerLogs) || folder != "" && !holds(`c:\var`, folder) && strings.Contains(folder, "docker")
}
