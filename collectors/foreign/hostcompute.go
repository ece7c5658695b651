package foreign

import (
	"regexp"
	"strings"

	"doctor/checks/evidence"
)

// `hcsdiag list` writes the id of a compute system at the beginning of a line and the rest of it,
// parted by commas, in an indented one below: type, state, runtime id, owner. Some releases write
// all in one line.
var (
	hcsSystem = regexp.MustCompile(`^([0-9A-Za-z][0-9A-Za-z_-]{4,127})(?:@vm)?(?:\s*$|[\s,])`)
	shimRow   = regexp.MustCompile(`^([A-Za-z0-9._-]+?)-([0-9a-f]{64})\s*(\d*)\s*$`)
)

// readCompute makes compute.json of `hcsdiag list` and `shimdiag list --pids`. A list of none is
// believed where the other one has something: both are empty too where the tool failed.
func readCompute(hcs, shims textFile) (any, evidence.Gap) {
	if hcs.gap.Kind != "" && shims.gap.Kind != "" {
		return nil, hcs.gap
	}
	var c evidence.Compute
	if hcs.gap.Kind == "" {
		c.Systems = parseHCSDiag(hcs.content)
	}
	if shims.gap.Kind == "" {
		c.Shims = parseShimDiag(shims.content)
	}
	switch {
	case len(c.Systems) == 0 && len(c.Shims) == 0:
		return nil, brokenf(
			"%s lists no compute system, which the tool also writes where it failed", hcs.name)
	case hcs.gap.Kind == "" && c.Systems == nil && strings.TrimSpace(hcs.content) == "":
		c.Systems = []evidence.ComputeSystem{}
	}
	return c, evidence.Gap{}
}

// parseHCSDiag returns nil where there is nothing that looks like a list.
func parseHCSDiag(content string) []evidence.ComputeSystem {
	var list []evidence.ComputeSystem
	for line := range strings.Lines(content) {
		line = strings.TrimRight(line, " \t\n")
		if m := hcsSystem.FindStringSubmatch(line); m != nil && strings.ContainsAny(m[1],
			"0123456789") && len(list) < maxObjects {
			list = append(list, evidence.ComputeSystem{ID: m[1]})
			line = " " + strings.TrimLeft(line[len(m[0]):], " \t,")
		}
		if len(list) == 0 || !strings.Contains(line, ",") || line[0] != ' ' && line[0] != '\t' {
			continue
		}
		fields := strings.Split(line, ",")
		for i := range fields {
			fields[i] = evidence.Clean(strings.TrimSpace(fields[i]))
		}
		last := &list[len(list)-1]
		last.Type, last.State = fields[0], fields[1]
		if len(fields) > 3 {
			last.Owner = fields[3]
		}
		if strings.Contains(last.Type, "Container") {
			last.Type = "Container"
		} else if last.Type == "VM" {
			last.Type = "VirtualMachine"
		}
	}
	return list
}

// parseShimDiag reads the names of the shims, which are those of their pipes: the namespace of
// containerd and the id of the sandbox.
func parseShimDiag(content string) []evidence.Shim {
	var list []evidence.Shim
	for line := range strings.Lines(content) {
		m := shimRow.FindStringSubmatch(strings.TrimSpace(line))
		if m != nil && len(list) < maxObjects {
			list = append(list, evidence.Shim{Namespace: m[1], ID: m[2], PID: number(m[3])})
		}
	}
	return list
}

// hcsBegins tells that a line is the id of a compute system, with its type and state below or behind.
func hcsBegins(line, rest string) bool {
	m := hcsSystem.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	about := strings.TrimLeft(line[len(m[0]):], " \t,") + strings.Join(aboveAll(rest, 1), "")
	return hcsAbout.MatchString(about)
}

var hcsAbout = regexp.MustCompile(`^\s*(?:VM|[\w ]*Container),\s*\w+\s*(?:,|$)`)
