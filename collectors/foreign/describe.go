package foreign

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A described is what `kubectl describe` printed of one object: fields, and below
// them more fields, lists or a table. kubectl speaks English everywhere.
type described struct {
	key, value string
	lines      []string // what is indented below the field, the indent of the block taken off
}

// maxDescribed bounds the lines of one section; a pod of many volumes has some hundreds.
const maxDescribed = 20_000

var describedField = regexp.MustCompile(`^([A-Z][A-Za-z0-9 _./-]{0,60}):(?:\s+(.*))?$`)

// describeSections takes one object apart at its fields of column 0. Of several of a name the first
// counts.
func describeSections(s string) map[string]described {
	sections := map[string]described{}
	last := described{}
	inTable := false
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n \t")
		if line == "" || len(sections) > maxDescribed {
			inTable = false
			continue
		}
		if m := describedField.FindStringSubmatch(line); m != nil {
			last = described{key: m[1], value: strings.TrimSpace(m[2])}
			inTable = false
			if sections[last.key].key != "" {
				last = described{}
				continue
			}
		} else if indented := line[0] == ' ' || line[0] == '\t'; len(last.lines) < maxDescribed && (indented || inTable && !strings.HasPrefix(line, "```")) {
			last.lines = append(last.lines, line)
			inTable = last.key == "Events"
		}
		if last.key != "" {
			sections[last.key] = last
		}
	}
	return sections
}

// fields are "name: value" lines of a section.
func (d described) fields() map[string]string {
	m := map[string]string{}
	for _, line := range d.lines {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok &&
			!strings.Contains(key, "  ") {
			m[key] = strings.TrimSpace(value)
		}
	}
	return m
}

// pairs are labels ("name=value") or annotations ("name: value"), of which the
// first stands beside the field's name. kubectl cuts long values short.
func (d described) pairs(between string) map[string]string {
	m := map[string]string{}
	for _, line := range append([]string{d.value}, d.lines...) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), between)
		if ok && !strings.Contains(key, " ") && !strings.HasSuffix(value, "...") {
			m[key] = strings.TrimSpace(value)
		}
	}
	return m
}

// eventHead is a head of the table of events, or begins a row of which not all columns are known.
var eventHead = regexp.MustCompile(`^\s*(?:Type|FirstSeen|-{3,}|(?:Normal|Warning)\s+[A-Z]\w+)\s`)

// maxMessageLines bounds the lines of one event; PowerShell reports an error in about ten.
const maxMessageLines = 40

// events are the section with each event in one line: kubectl prints the lines of a message as they are.
func (d described) events() described {
	var lines []string
	more := 0
	for _, line := range d.lines {
		if more++; len(lines) > 0 && more < maxMessageLines && !isEventRow(line) && !eventHead.MatchString(line) {
			lines[len(lines)-1] += " " + strings.TrimSpace(line)
			continue
		}
		lines, more = append(lines, line), 0
	}
	d.lines = lines
	return d
}

// table reads a table of the section, by the places of its heads.
func (d described) table(heads ...string) []map[string]string {
	var b strings.Builder
	for _, line := range d.lines {
		if strings.Trim(line, " -") != "" {
			b.WriteString(line + "\n")
		}
	}
	rows, _ := readColumns(b.String(), 2, heads...)
	return rows
}

var nodeInfoFields = map[string]string{
	"Kernel Version": "kernelVersion", "OS Image": "osImage", "Operating System": "operatingSystem",
	"Architecture":              "architecture",
	"Container Runtime Version": "containerRuntimeVersion", "Kubelet Version": "kubeletVersion",
	"Kube-Proxy Version": "kubeProxyVersion",
}

var describedTaint = regexp.MustCompile(
	`^([^=:\s]+)(?:=([^:\s]*))?:(NoSchedule|NoExecute|PreferNoSchedule)$`)

// readDescribedNode makes api/node.json of `kubectl describe node`: the fields that it prints whole.
// whole is false where a part of the description is missing, and nil means that no node is described.
func readDescribedNode(s string) (o map[string]any, whole bool) {
	sections := describeSections(s)
	if !isDescribedNode(sections) {
		return nil, false
	}
	name := sections["Name"].value
	if whole = name != notShown; !whole {
		name = sections["Addresses"].fields()["Hostname"]
	}
	info := map[string]string{}
	for key, value := range sections["System Info"].fields() {
		if field := nodeInfoFields[key]; field != "" && value != "" {
			info[field] = value
		}
	}
	whole = whole && (info["kernelVersion"] != "" || info["kubeletVersion"] != "")
	meta := map[string]any{"name": name, "labels": sections["Labels"].pairs("="),
		"annotations": sections["Annotations"].pairs(": ")}
	if at, ok := describedTime(sections["CreationTimestamp"].value); ok {
		meta["creationTimestamp"] = at
	}
	spec := map[string]any{"taints": describedTaints(sections["Taints"]),
		"unschedulable": sections["Unschedulable"].value == "true"}
	for key, field := range map[string]string{"PodCIDR": "podCIDR", "ProviderID": "providerID"} {
		if v := sections[key].value; v != "" {
			spec[field] = v
		}
	}
	if v := sections["PodCIDRs"].value; v != "" {
		spec["podCIDRs"] = strings.Split(v, ",")
	}
	addresses := []map[string]string{}
	for _, kind := range []string{"InternalIP", "ExternalIP", "Hostname"} {
		if v := sections["Addresses"].fields()[kind]; v != "" {
			addresses = append(addresses, map[string]string{"type": kind, "address": v})
		}
	}
	status := map[string]any{"nodeInfo": info, "addresses": addresses,
		"conditions": describedConditions(sections["Conditions"])}
	if v := sections["Allocatable"].fields(); len(v) > 0 {
		status["allocatable"] = v
	}
	return map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": spec,
		"status": status}, whole
}

func describedTaints(d described) []map[string]string {
	taints := []map[string]string{}
	for _, line := range append([]string{d.value}, d.lines...) {
		if m := describedTaint.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			taints = append(taints, map[string]string{"key": m[1], "value": m[2], "effect": m[3]})
		}
	}
	return taints
}

func describedConditions(d described) []map[string]string {
	list := []map[string]string{}
	for _, row := range d.table("Type", "Status", "LastHeartbeatTime", "LastTransitionTime",
		"Reason", "Message") {
		c := map[string]string{"type": row["Type"], "status": row["Status"],
			"reason": row["Reason"], "message": row["Message"]}
		for head, field := range map[string]string{"LastHeartbeatTime": "lastHeartbeatTime",
			"LastTransitionTime": "lastTransitionTime"} {
			if at, ok := describedTime(row[head]); ok {
				c[field] = at
			}
		}
		list = append(list, c)
	}
	return list
}

// describedTime reads RFC 1123 with a zone in digits.
func describedTime(s string) (string, bool) {
	at, err := time.Parse(time.RFC1123Z, s)
	if err != nil {
		return "", false
	}
	return at.UTC().Format(time.RFC3339), true
}

// readDescribedEvents makes events of the tables at the end of descriptions, the
// node's and one for each pod. Their ages count from when the tool ran. An empty
// table proves nothing: kubectl prints <none> too where it may not list events.
func readDescribedEvents(s string, ran time.Time) []map[string]any {
	var list []map[string]any
	for _, object := range splitDescribed(s) {
		sections := describeSections(object)
		about := map[string]string{"kind": "Pod", "name": sections["Name"].value,
			"namespace": sections["Namespace"].value}
		if sections["System Info"].lines != nil {
			about["kind"] = "Node"
			delete(about, "namespace")
		}
		if about := sections["Involved Object"].fields(); about["Kind"] != "" { // an Event itself
			list = append(list, map[string]any{"type": sections["Type"].value, "reason": sections["Reason"].value,
				"message": sections["Message"].value, "lastTimestamp": sections["Last Timestamp"].value,
				"involvedObject": map[string]string{"kind": about["Kind"], "name": about["Name"], "namespace": about["Namespace"]}})
			continue
		}
		events := sections["Events"].events()
		rows := events.table("Type", "Reason", "Age", "From", "Message")
		if len(rows) == 0 { // kubectl up to 1.7
			rows = events.table("FirstSeen", "LastSeen", "Count", "From", "Type",
				"Reason", "Message")
		}
		for _, row := range rows {
			if len(list) == maxObjects {
				return list
			}
			e := map[string]any{"type": row["Type"], "reason": row["Reason"],
				"message": row["Message"], "involvedObject": about}
			setSource(e, row["From"])
			setAge(e, cmp.Or(row["Age"], row["LastSeen"]), ran)
			if n := limited(number(row["Count"])); n > 0 {
				e["count"] = n
			}
			list = append(list, e)
		}
	}
	return list
}

// What shows that a description begins in its middle: the head of a section, with what is below it
// in every description, or the heads of the conditions alone.
var (
	conditionHeads = regexp.MustCompile(`^ *Type +Status +LastHeartbeatTime +LastTransitionTime +Reason`)
	nodeSections   = regexp.MustCompile(`^(?:Conditions|System Info|Allocatable|Capacity|Addresses):\s*$`)
	belowNode      = regexp.MustCompile(`^\s*(?: +Type +Status +LastHeartbeatTime|` +
		` {1,2}(?:Machine ID|Kernel Version|cpu|InternalIP|Hostname): )`)
	podSections = regexp.MustCompile(`^(?:Init )?Containers:\s*$`)
	belowPod    = regexp.MustCompile(
		`^  [a-z0-9][a-z0-9.-]*:\s*\n    (?:Container ID|Image|Image ID|Port|State): `)
)

// notShown stands for the name of what is described without its beginning.
const notShown = "(not shown)"

func describeBegins(line, rest string) bool {
	return conditionHeads.MatchString(line) ||
		nodeSections.MatchString(line) && belowNode.MatchString(rest) ||
		podSections.MatchString(line) && belowPod.MatchString(rest)
}

// unnamedHead is what the beginning of a description would have said, as far as its readers need it.
func unnamedHead(line string) string {
	switch head := "Name:  " + notShown + "\n"; {
	case podSections.MatchString(line):
		return head + "Namespace:  " + notShown + "\n"
	case conditionHeads.MatchString(line):
		return head + "Unschedulable:  \nConditions:\n"
	default:
		return head + "Unschedulable:  \n"
	}
}

var describedName = regexp.MustCompile(`(?m)^Name:[ \t]+\S`)

// splitDescribed parts the objects of one file: each begins with its name.
func splitDescribed(s string) []string {
	starts := describedName.FindAllStringIndex(s, maxObjects)
	var list []string
	for i, at := range starts {
		end := len(s)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		list = append(list, s[at[0]:end])
	}
	return list
}

var (
	describedCount = regexp.MustCompile(`\(x(\d{1,9}) over`)
	ageParts       = regexp.MustCompile(`(\d{1,6})(y|d|h|m|s)`)
	ageUnits       = map[string]time.Duration{"y": 365 * 24 * time.Hour, "d": 24 * time.Hour,
		"h": time.Hour, "m": time.Minute, "s": time.Second}
)

// describedAge reads "2m3s (x5 over 10m)": when the event was last seen, and how often.
func describedAge(s string) (age time.Duration, count int) {
	if m := describedCount.FindStringSubmatch(s); m != nil {
		count, _ = strconv.Atoi(m[1])
	}
	last, _, _ := strings.Cut(s, " ")
	parts := ageParts.FindAllStringSubmatch(last, 4)
	if parts == nil {
		return -1, count
	}
	for _, p := range parts {
		age += time.Duration(number(p[1])) * ageUnits[p[2]]
	}
	return age, count
}

// isDescribedNode tells a description of a Node from those of other objects, by what it begins with.
func isDescribedNode(sections map[string]described) bool {
	return sections["Name"].value != "" && sections["Namespace"].key == "" &&
		(sections["Unschedulable"].key != "" || sections["System Info"].key != "" || sections["Roles"].key != "")
}

// A brokenDescription is what descriptions show that begin late or end before what is read of them:
// what a gap says of it, and the objects as far as they go.
type brokenDescription struct {
	nodes, pods []string
	node        map[string]any // the first one of the node that is asked for, or without a name
	parts       []map[string]any
}

func brokenDescriptions(s, node string) (b brokenDescription) {
	for _, object := range splitDescribed(s) {
		sections := describeSections(object)
		text := sections["Name"].value
		if o, whole := readDescribedNode(object); o != nil && !whole {
			for _, c := range describedConditions(sections["Conditions"]) {
				text += ", " + c["type"] + " " + c["status"]
			}
			for _, key := range []string{"osImage", "kernelVersion", "kubeletVersion", "containerRuntimeVersion"} {
				if v := o["status"].(map[string]any)["nodeInfo"].(map[string]string)[key]; v != "" {
					text += ", " + v
				}
			}
			for _, taint := range describedTaints(sections["Taints"]) {
				text += ", taint " + taint["key"] + ":" + taint["effect"]
			}
			b.nodes = append(b.nodes, text)
			name := o["metadata"].(map[string]any)["name"].(string)
			if b.node == nil && (name == "" || node == "" || strings.EqualFold(name, node)) {
				b.node = o
			}
			continue
		}
		unnamed := sections["Namespace"].value == notShown
		if unnamed || sections["Namespace"].key != "" && sections["Node"].key != "" &&
			sections["Containers"].lines == nil {
			_, reason, _ := strings.Cut(object, "Reason:")
			b.pods = append(b.pods, strings.Join(strings.Fields(text+" "+sections["Status"].value+" "+firstLine(reason)), " "))
			onNode, hostIP, _ := strings.Cut(sections["Node"].value, "/")
			b.parts = append(b.parts, describedPod(sections, onNode, hostIP))
		}
	}
	return b
}

// cutPods are the pods whose description ends within a container.
func cutPods(s string) (names []string) {
	for _, object := range splitDescribed(s) {
		sections := describeSections(object)
		if sections["Namespace"].key != "" && sections["Node"].key != "" && breaksOff(sections) {
			names = append(names, sections["Name"].value+" "+sections["Status"].value)
		}
	}
	return names
}
