package foreign

import (
	"fmt"
	"regexp"
	"strings"

	"doctor/checks/evidence"
)

// Of `docker info` and `docker version`.
var (
	dockerField = regexp.MustCompile(
		`(?m)^ {0,2}(Server Version|Operating System|Kernel Version|Name): +(\S.*?)\s*$`)
	dockerServer = regexp.MustCompile(
		`(?m)^Server:[^\n]*\n(?: Engine:\n)?(?: .*\n)*? +Version: +(\S+)`)
	dockerComplaint = regexp.MustCompile(
		`(?i)^ {0,2}(?:warning|error)[: ]|^Cannot connect to the Docker daemon`)
	dockerBuild = regexp.MustCompile(`\(OS Build (\d+)(?:\.(\d+))?\)|^10\.0 (\d+) (?:\(\d+\.(\d+))?`)
)

// dockerFields are the first values of docker info.
func dockerFields(s string) map[string]string {
	fields := map[string]string{}
	for _, m := range dockerField.FindAllStringSubmatch(s, maxFields) {
		if fields[m[1]] == "" {
			fields[m[1]] = m[2]
		}
	}
	if m := dockerServer.FindStringSubmatch(s); m != nil && fields["Server Version"] == "" {
		fields["Server Version"] = m[1]
	}
	return fields
}

func (p *pieces) convertDocker(out *output) {
	fields := dockerFields(p.texts[partDocker])
	if v := ctrVersion(p.texts[partDocker]); v.RuntimeName != "" {
		p.cri.Version = v
	} else if version := fields["Server Version"]; version != "" {
		p.cri.Version = evidence.CRIVersion{RuntimeName: "docker", RuntimeVersion: version}
	}
	product, _, _ := strings.Cut(strings.TrimPrefix(fields["Operating System"], "Microsoft "),
		" (OS Build")
	for _, value := range []string{fields["Operating System"], fields["Kernel Version"]} {
		m := dockerBuild.FindStringSubmatch(value)
		if m == nil || !strings.HasPrefix(product, "Windows") || out.Has("os.json") {
			continue
		}
		name, version, _ := strings.Cut(product, " Version ")
		os := evidence.OS{ProductName: name, DisplayVersion: version, Build: number(m[1] + m[3]),
			UBR: number(m[2] + m[4])}
		if clientWindows(name) {
			os.InstallationType = "Client"
		}
		out.JSON("os.json", os)
	}
}

// clientWindows tells Windows 10 and 11 from Windows Server.
func clientWindows(product string) bool { return strings.HasPrefix(product, "Windows 1") }

// pulledImages reads `docker images`.
func pulledImages(s string) []evidence.CRIImage {
	rows, _ := readColumns(s, 2, "REPOSITORY", "TAG", "IMAGE ID")
	return imagesOf(rows, "REPOSITORY")
}

// A row of `docker ps` that is too wide for the console, in two lines.
var (
	foldedHead = regexp.MustCompile(`^CONTAINER ID .*\n +NAMES`)
	foldedRow  = regexp.MustCompile(`(?m)^(\S.*)\n( +\S.*)$`)
)

func unfoldedTable(s string) string {
	if wide := strings.Index(s, "\n"); foldedHead.MatchString(s) {
		return foldedRow.ReplaceAllStringFunc(s, func(row string) string {
			start, end, _ := strings.Cut(row, "\n")
			return fmt.Sprintf("%-*s%s", wide, strings.TrimRight(start, " "), end)
		})
	}
	return s
}

// dockerContainers reads `docker ps`.
func dockerContainers(s string) []evidence.CRIContainer {
	rows, _ := readColumns(s, 2, "CONTAINER ID", "IMAGE", "STATUS", "NAMES")
	return ofRows(rows, func(row map[string]string) evidence.CRIContainer {
		state := "CONTAINER_EXITED"
		if strings.HasPrefix(row["STATUS"], "Up ") {
			state = "CONTAINER_RUNNING"
		}
		return evidence.CRIContainer{ID: row["CONTAINER ID"], State: state,
			Image:    evidence.CRIImageSpec{Image: row["IMAGE"]},
			Metadata: evidence.CRIMetadata{Name: row["NAMES"]}}
	})
}
