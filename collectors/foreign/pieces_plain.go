package foreign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// What no reader knows is shown as it is: rows of tables and lists, and values by their names.

var (
	cmdlet     = regexp.MustCompile(`\bGet-[A-Z]\w+`)
	namedValue = regexp.MustCompile(`"([\w.@/-]+)"\s*:\s*("(?:[^"\\]|\\.)+"|-?\d[\d.]*|true|false)`)
)

// cmdletOf is the last cmdlet of a command that gets something.
func cmdletOf(command string) string {
	if names := cmdlet.FindAllString(command, maxFields); names != nil {
		return names[len(names)-1]
	}
	return ""
}

// printsFile is a command that prints a file: what the file holds is another program's.
var printsFile = regexp.MustCompile(`(?i)^(?:type|cat|gc|more|tail|head|less)(?:\.(?:exe|com))?$`)

// toolOf is the cmdlet or the program of a command.
func toolOf(command string) string {
	program, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	if program = path.Base(strings.ReplaceAll(program, `\`, "/")); program == "." || printsFile.MatchString(program) {
		program = ""
	}
	return cmp.Or(cmdletOf(command), strings.TrimSuffix(program, ".exe"))
}

// showPlain keeps the rows of an output for a gap that shows them.
func (p *pieces) showPlain(what string, rows []string) {
	if len(rows) > 0 && !slices.Contains(p.plainOf, what) {
		p.plainOf = append(p.plainOf, what)
	}
	p.plain = append(p.plain, rows...)
}

// plainRows are the rows of a table without its heads, and the objects of a list each in one row.
func plainRows(text string) (rows []string) {
	var object []string
	flush := func() {
		if len(object) > 0 {
			rows = append(rows, evidence.Clip(strings.Join(object, ", "), 2*maxQuote))
		}
		object = nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		name := strings.TrimRight(psListLine.FindString(line), ": ")
		value := strings.Join(strings.Fields(line[len(psListLine.FindString(line)):]), " ")
		if strings.HasPrefix(value, "|") { // with bars between the cells
			value = strings.Join(strings.Fields(strings.ReplaceAll(value, "|", " ")), " ")
		}
		switch {
		case strings.Trim(value, "-=+ ") == "" && name == "":
			flush()
		case name != "" && value != "":
			object = append(object, name+" "+value)
		case name != "", gridHeads.MatchString(strings.TrimRight(line, " \t\r")), i+1 < len(lines) && psRuler.MatchString(lines[i+1]):
		case object != nil && line[0] == ' ':
			object[len(object)-1] += " " + value
		default:
			rows = append(rows, clip(value))
		}
	}
	flush()
	return rows
}

// valueRows are the first values of a JSON document that have a name, each once.
func valueRows(document string) (rows []string) {
	for _, m := range namedValue.FindAllStringSubmatch(document, maxFields) {
		row := clip(m[1] + " " + strings.Join(strings.Fields(strings.Trim(m[2], `"`)), " "))
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	return rows
}

type partField struct{ kind, part, field, words string }

// partFields are the fields that only objects of one kind have: in its status or spec, with words that
// must be in them.
var partFields = []partField{
	{"Node", "status", "nodeInfo", "kubeletVersion"},
	{"Node", "status", "conditions", "lastHeartbeatTime"},
	{"Node", "status", "allocatable", "pods"},
	{"Node", "status", "capacity", "pods"},
	{"Node", "status", "addresses", "InternalIP"},
	{"Node", "status", "images", "sizeBytes"},
	{"Node", "spec", "taints", "effect"},
	{"Pod", "status", "containerStatuses", "restartCount"},
	{"Pod", "status", "initContainerStatuses", "restartCount"},
}

// headless is the kind of an object without its head, and the object as far as it goes. The keys of a
// ConfigMap are the names of files.
func headless(o kubeObject) (string, kubeObject) {
	for _, f := range partFields {
		inner := kubeObject{}
		if json.Unmarshal(o[f.part], &inner); strings.Contains(string(inner[f.field]), `"`+f.words) {
			return f.kind, o
		}
		if strings.Contains(string(o[f.field]), f.words+`"`) {
			return f.kind, kubeObject{f.part: jsonOf(o)}
		}
	}
	if nodeSettings.Match(jsonOf(o)) && o["data"] == nil {
		return "ConfigMap", kubeObject{"metadata": jsonOf(map[string]string{"name": notShown}), "data": jsonOf(o)}
	}
	return "", o
}

// showsPart tells that YAML without its head is a part of an object.
func showsPart(text string) bool {
	return nodeSettings.MatchString(dataKey.ReplaceAllString(text, `"$1":`)) || slices.ContainsFunc(partFields, func(f partField) bool {
		return strings.Contains(text, f.words) && (strings.Contains(text, f.field+":") || text[0] == '-')
	})
}

var dataKey = regexp.MustCompile(`(?m)^([\w.-]+):`)

// addPart joins what parts of one Node show. Two that differ are of two nodes, of which none is known.
func (o *objects) addPart(object kubeObject) {
	for _, part := range []string{"status", "spec"} {
		var fields map[string]json.RawMessage
		json.Unmarshal(object[part], &fields)
		for name, v := range fields {
			if o.part == nil {
				o.part = nodePart{"status": {}, "spec": {}}
			}
			if have := o.part[part][name]; have != nil && string(have) != string(v) {
				o.twoParts = true
			}
			o.part[part][name] = v
		}
	}
}

// partOfNode is the Node object as far as parts of it go, with what they show in words.
func (o *objects) partOfNode() (part map[string]any, name string, shown []string) {
	var status struct {
		Addresses  []struct{ Type, Address string }
		Conditions []struct{ Type, Status, Reason, Message string }
		NodeInfo   struct{ OperatingSystem, OSImage, KernelVersion, KubeletVersion, ContainerRuntimeVersion string }
	}
	if json.Unmarshal(jsonOf(o.part["status"]), &status); o.part == nil || o.twoParts || status.NodeInfo.OperatingSystem == "linux" {
		return nil, "", nil
	}
	info := status.NodeInfo
	for _, a := range status.Addresses {
		shown = append(shown, a.Type+" "+a.Address)
		if a.Type == "Hostname" {
			name = a.Address
		}
	}
	for _, c := range status.Conditions {
		shown = append(shown, clip(strings.TrimSpace(c.Type+" "+c.Status+" "+c.Reason)))
	}
	for _, v := range []string{info.OSImage, info.KernelVersion, info.KubeletVersion, info.ContainerRuntimeVersion} {
		if v != "" {
			shown = append(shown, v)
		}
	}
	for _, name := range []string{"taints", "podCIDR", "allocatable", "capacity"} {
		if v := cmp.Or(string(o.part["spec"][name]), string(o.part["status"][name])); v != "" {
			shown = append(shown, clip(name+" "+v))
		}
	}
	return map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]string{"name": name},
		"status": o.part["status"], "spec": o.part["spec"]}, name, shown
}

// shownContainers are the containers of a part of a pod, each with why it waits or ended.
func shownContainers(part kubeObject) string {
	type state struct {
		Reason   string
		ExitCode *int64
	}
	var status struct {
		InitContainerStatuses, ContainerStatuses []struct {
			Name             string
			RestartCount     int
			State, LastState map[string]state
		}
	}
	json.Unmarshal(part["status"], &status)
	var shown []string
	for _, c := range append(status.InitContainerStatuses, status.ContainerStatuses...) {
		text := fmt.Sprintf("container %s, %d restarts", c.Name, c.RestartCount)
		for _, states := range []map[string]state{c.State, c.LastState} {
			for name, s := range states {
				if text += ", " + strings.TrimSpace(name+" "+s.Reason); s.ExitCode != nil {
					text += fmt.Sprintf(" (exit code %d)", *s.ExitCode)
				}
			}
		}
		shown = append(shown, text)
	}
	return clip(strings.Join(shown, "; "))
}

// takeYAML takes objects, or parts of them that have no head. What is none of them can be searched.
func (p *pieces) takeYAML(f looseFile, found part) {
	text := found.text
	if strings.HasPrefix(text, "- ") { // a list, and what follows it in the object that it is of
		if at := columnKey.FindStringIndex(text); at != nil {
			p.takeYAML(f, part{text: text[at[0]:], line: found.line + strings.Count(text[:at[0]], "\n")})
			text = text[:at[0]]
		}
		var list []json.RawMessage
		for _, field := range []string{"conditions", "containerStatuses"} {
			if unmarshalYAML(text, &list) == nil {
				o := kubeObject{field: jsonOf(list)}
				if kind, _ := headless(o); kind != "" {
					p.objects.keep("", o, len(text))
					return
				}
			}
		}
	}
	if kept := p.addObjects(f.path, text); partOfYAML.MatchString(text) && !kept {
		p.showPlain("YAML", plainRows(text))
		p.logLines("other", f.path, found.line, text)
	} else if partOfYAML.MatchString(text) && len(p.objects.lists["ConfigMap"]) > 0 {
		p.showPlain("a ConfigMap", valueRows(text))
	}
}

// addObjects adds a document to the objects, and tells whether it is one or a part of one.
func (p *pieces) addObjects(name, text string) bool {
	o := p.objects
	have := len(o.have) + len(o.podParts) + len(jsonOf(o.part))
	o.add(name, text)
	return have != len(o.have)+len(o.podParts)+len(jsonOf(o.part))
}

var (
	columnKey  = regexp.MustCompile(`(?m)^[a-z]\w*:`)
	partOfYAML = regexp.MustCompile(`^(?:status|nodeInfo|(?:initC|c)ontainerStatuses|conditions|allocatable|capacity|addresses|images|taints):\s*(?:\n|$)|` +
		`^- (?:lastHeartbeatTime|containerID): |^[\w-]+\.(?:json|conf|conflist|ya?ml|toml|env|ps1): [|>]`)
)
