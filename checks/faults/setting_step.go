package faults

import (
	"regexp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// changeSetting is the step that changes a setting of a component where it is written: in a file of
// the node, in the parameters of its service, or in its DaemonSet. The flags replace those of their
// names where the service has them as parameters.
func changeSetting(c *node.Component, from evidence.Because, what evidence.Phrase,
	flags ...string) *checks.Step {
	return changeArgs(c, from, what, func(args string) string {
		for _, flag := range flags {
			name, _, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
			args = strings.TrimSpace(withoutFlag(args, name)) + " " + flag
		}
		return args
	})
}

// changeArgs is changeSetting for a component whose parameters, joined by spaces, change as given.
func changeArgs(c *node.Component, from evidence.Because, what evidence.Phrase,
	change func(args string) string) *checks.Step {
	if file, ok := evidence.WindowsPath(from.Path); ok {
		return checks.Edit(file, "%s", what)
	}
	for _, svc := range c.Services {
		for _, arg := range svc.Args {
			if script := evidence.CleanWinPath(arg); strings.HasSuffix(strings.ToLower(script),
				".ps1") {
				return checks.Edit(script, "%s", what)
			}
		}
		if svc.Wrapper == "nssm" {
			return setParameters(svc, change(joinArgs(svc.Args)), what)
		}
	}
	if len(c.Services) == 0 && len(c.Pods) > 0 {
		m := c.Pods[0].Metadata
		for _, owner := range m.OwnerReferences {
			if owner.Kind == "DaemonSet" {
				return checks.Run("kubectl -n "+m.Namespace+" edit daemonset "+owner.Name, "%s",
					what)
			}
		}
	}
	return checks.Do("%s", what)
}

// setParameters writes the parameters that nssm gives to the program of a service. They are in the
// registry: the editor of nssm is a window, which ssh does not have. It is named only where the
// setting may be in the environment, which nssm has too, and where a bundle shows no secret that the
// parameters have.
func setParameters(svc evidence.Service, to string, what evidence.Phrase) *checks.Step {
	if to == joinArgs(svc.Args) || strings.Contains(to, "<secret:") {
		return checks.Run("nssm edit "+svc.Name, "%s", what)
	}
	return checks.Run(`Set-ItemProperty HKLM:\SYSTEM\CurrentControlSet\Services\`+svc.Name+
		`\Parameters AppParameters '`+strings.ReplaceAll(to, "'", "''")+"'", "%s", what)
}

// joinArgs is a command line, with quotes around what contains spaces.
func joinArgs(args []string) string {
	var quoted []string
	for _, arg := range args {
		if arg == "" || strings.ContainsAny(arg, " \t") && !strings.Contains(arg, `"`) {
			arg = `"` + arg + `"`
		}
		quoted = append(quoted, arg)
	}
	return strings.Join(quoted, " ")
}

// lineFrom is the place of a value in quotes, in the given line of a file or below it.
func lineFrom(f evidence.NodeFile, line int, value string) evidence.Place {
	for i, text := range strings.Split(f.Text, "\n") {
		if i+1 >= line && strings.Contains(text, `"`+value+`"`) {
			return evidence.InLine(f.Path, i+1)
		}
	}
	return evidence.InLine(f.Path, line)
}

// lineWith is the number of the first line that holds a part, in any case; 0 where none does.
func lineWith(text, part string) int {
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(strings.ToLower(line), strings.ToLower(part)) {
			return i + 1
		}
	}
	return 0
}

// changeProxy is the step that changes a setting of kube-proxy. Where a file sets it, it names the
// line; setting finds the name of the setting, as its first group, and the value after it.
func changeProxy(s evidence.Snapshot, n *node.Node, from evidence.Because, setting *regexp.Regexp,
	value string, what evidence.Phrase) *checks.Step {
	if file, ok := evidence.WindowsPath(from.Path); ok {
		for i, line := range strings.Split(s.File(file).Text, "\n") {
			if setting.MatchString(line) {
				return checks.EditAt(s, evidence.InLine(from.Path, i+1), func(line string) string {
					return setting.ReplaceAllString(line, "${1}"+value)
				}, "%s", what)
			}
		}
	}
	return changeArgs(n.Components["kube-proxy"], from, what, func(args string) string {
		return setting.ReplaceAllString(args, "${1}"+value)
	})
}
