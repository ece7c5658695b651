package faults_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence/jsontree"
)

// A mutant is a recording with one recorded value changed.
type mutant struct {
	path    string // of the file
	pointer string // JSON Pointer to the value, or "" in a text
	line    int    // of a text, from 1, or 0
	blocks  []int  // of a text: the lines of the YAML mappings and TOML tables around it
	named   string // the pointer with the names of list elements in place of their numbers
	was     string // the value, as it is written
	change  string // what it became
	gone    bool   // the file is removed
	content []byte

	elsewhere string // the check that finds something and quotes another place
}

// place is where the value is, as a pattern of the list of harmless values names it.
func (m mutant) place() string {
	if m.gone {
		return m.path
	}
	return m.path + "#" + m.named
}

var leases = regexp.MustCompile(`(cni/networks/[^/]+/)[^/]*\d$`)

// shape is the place without what differs between the elements of a list.
func (m mutant) shape() string {
	steps := strings.Split(m.pointer, "/")
	for i, step := range steps {
		if _, err := strconv.Atoi(step); err == nil {
			steps[i] = "*"
		}
	}
	file := leases.ReplaceAllString(m.path, "$1*")
	if m.pointer == "" {
		return file + "#" + m.named
	}
	return file + "#" + strings.Join(steps, "/")
}

// A span is where a value is in a JSON text.
type span struct {
	pointer, named, key string
	from, to            int
	value               any // of a scalar
	scalar, element     bool
}

// spans finds all values of a JSON text.
func spans(text []byte) ([]span, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var list []span
	at := 0
	next := func() (token json.Token, from int, err error) {
		for at < len(text) && bytes.IndexByte([]byte(" \t\r\n,:"), text[at]) >= 0 {
			at++
		}
		from = at
		token, err = d.Token()
		at = int(d.InputOffset())
		return token, from, err
	}
	var value func(s span) error
	value = func(s span) error {
		token, from, err := next()
		if err != nil {
			return err
		}
		s.from = from
		own := len(list)
		list = append(list, s)
		if open, ok := token.(json.Delim); ok {
			for i := 0; d.More(); i++ {
				child := span{element: open == '[', key: s.key}
				if open == '{' {
					token, _, err := next()
					if err != nil {
						return err
					}
					child.key, _ = token.(string)
					child.pointer = s.pointer + jsontree.Step(child.key)
					child.named = s.named + jsontree.Step(child.key)
				} else {
					child.pointer = s.pointer + jsontree.Step(i)
					name := elementName(text[at:])
					if suffix := strings.SplitN(string(text[at:]), `"`, 3); strings.EqualFold(
						s.key, "search") && len(suffix) == 3 {
						name = suffix[1] // only the first counts on Windows
					}
					child.named = s.named + jsontree.Step(name)
				}
				if err := value(child); err != nil {
					return err
				}
			}
			_, _, err := next()
			list[own].to = at
			return err
		}
		list[own].to, list[own].value, list[own].scalar = at, token, true
		return nil
	}
	return list, value(span{})
}

// nameKeys are the members by which people tell the elements of lists apart.
var nameKeys = []string{"name", "type", "destination", "drive", "path", "id", "process", "ip",
	"address",
	"target", "displayName"}

// elementName is how the element that a text goes on with is called, or "*".
func elementName(rest []byte) string {
	rest = bytes.TrimLeft(rest, " \t\r\n,")
	var element json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(rest)).Decode(&element); err != nil {
		return "*"
	}
	var flag string
	if json.Unmarshal(element, &flag) == nil && strings.HasPrefix(flag, "-") {
		name, _, _ := strings.Cut(flag, "=")
		return name
	}
	var object map[string]any
	if json.Unmarshal(element, &object) != nil {
		return "*"
	}
	if c, ok := object["compartment"].(float64); ok && c > 1 {
		return "pod" // the adapter of a pod, which is named after it
	}
	if metadata, ok := object["metadata"].(map[string]any); ok {
		if name, ok := metadata["name"].(string); ok {
			return name
		}
	}
	if port, ok := object["port"].(float64); ok && object["process"] != nil {
		return fmt.Sprintf("%v:%v", object["process"], port)
	}
	for _, key := range nameKeys {
		for _, have := range []string{key, strings.ToUpper(key[:1]) + key[1:]} {
			if name, ok := object[have].(string); ok && name != "" {
				return name
			}
		}
	}
	return "*"
}

// jsonMutants changes each scalar of a JSON file, and removes each element of its lists.
func jsonMutants(file string, text []byte) []mutant {
	list, err := spans(text)
	if err != nil {
		return nil
	}
	var mutants []mutant
	add := func(s span, change string, content []byte) {
		mutants = append(mutants, mutant{path: file, pointer: s.pointer, named: s.named,
			was: string(text[s.from:s.to]), change: change, content: content})
	}
	for _, s := range list {
		if of := twinOf(list, s); of >= 0 {
			continue // it changes with its twin
		}
		if s.element {
			add(s, "removed", without(text, s))
		}
		if text, ok := s.value.(string); ok && strings.Count(text, "\n") > 1 {
			for _, m := range textMutants("", []byte(text)) {
				s.named += jsontree.Step(strings.TrimPrefix(m.named, "/"))
				mutants = append(mutants, jsonWith(file, s, m))
				s.named = s.named[:strings.LastIndexByte(s.named, '/')]
			}
			continue
		}
		if changed := wrongValue(s.key, s.value); s.scalar && changed != nil {
			written, _ := json.Marshal(changed)
			content := slices.Concat(text[:s.from], written, text[s.to:])
			for _, twin := range list {
				if at := twinOf(list, twin); at >= 0 && list[at].pointer == s.pointer &&
					twin.scalar && twin.from > s.from {
					was := len(content) - len(text)
					content = slices.Concat(content[:twin.from+was], written,
						content[twin.to+was:])
				}
			}
			add(s, string(written), content)
		}
	}
	for i := range mutants {
		if mutants[i].content == nil { // of a text inside of the JSON
			s := list[slices.IndexFunc(list, func(s span) bool {
				return s.pointer == mutants[i].pointer
			})]
			written, _ := json.Marshal(mutants[i].change)
			mutants[i].content = slices.Concat(text[:s.from], written, text[s.to:])
			mutants[i].change = "…"
		}
	}
	return mutants
}

// twins are members that the API server keeps equal to the first of a list beside them, and refuses
// otherwise: the two are one value.
var twins = regexp.MustCompile(`/(clusterIP|podCIDR|podIP)s/0(/ip)?$`)

// twinOf is the number of the value that a first element of a list repeats, or -1.
func twinOf(list []span, s span) int {
	m := twins.FindStringSubmatchIndex(s.pointer)
	if m == nil {
		return -1
	}
	return slices.IndexFunc(list, func(of span) bool {
		return of.pointer == s.pointer[:m[3]] && (of.value == s.value || !s.scalar)
	})
}

// jsonWith is a change of a text that is a string of a JSON file; its content is filled in later.
func jsonWith(file string, s span, m mutant) mutant {
	return mutant{path: file, pointer: s.pointer, named: s.named, was: m.was + " → " + m.change,
		change: string(m.content)}
}

// without is a JSON text without an element of a list, and without the comma that parted it.
func without(text []byte, s span) []byte {
	from, to := s.from, s.to
	if after := bytes.TrimLeft(text[to:], " \t\r\n"); bytes.HasPrefix(after, []byte(",")) {
		to = len(text) - len(after) + 1
	} else if before := bytes.TrimRight(text[:from], " \t\r\n"); bytes.HasSuffix(before,
		[]byte(",")) {
		from = len(before) - 1
	}
	return slices.Concat(text[:from], text[to:])
}

var (
	flagIn        = regexp.MustCompile(`--[a-zA-Z][\w-]*[= ]("[^"]+"|'[^']+'|[^\s'",\]]+)`)
	literalFlagIn = regexp.MustCompile(`--[a-zA-Z][\w-]*=[^$]`)
	pairIn        = regexp.MustCompile(`^\s*(?:- )?([$\w."/ -]*?[\w"])\s*[:=]\s*(\S.*?)\s*$`)
	itemIn        = regexp.MustCompile(`^\s*- (\S.*?)\s*$`)
	scalarIn      = regexp.MustCompile(`"[^"]+"|'[^']+'|[^\s'",\[\]{}]+`)
	keyOf         = regexp.MustCompile(`^\s*(?:- )?([^:=\s]+)`)
)

// textMutants changes each value of a text that holds configuration: those of flags, and of lines
// "key: value", "key = value" and "- value".
func textMutants(file string, text []byte) []mutant {
	lines := strings.Split(string(text), "\n")
	var mutants []mutant
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "[") {
			continue
		}
		if strings.HasSuffix(file, ".ps1") && !literalFlagIn.MatchString(line) {
			continue // code, which holds no value that was recorded
		}
		key := ""
		var values [][]int
		if flags := flagIn.FindAllStringSubmatchIndex(line, -1); flags != nil {
			for _, at := range flags {
				values = append(values, at[2:4])
			}
		} else if pair := pairIn.FindStringSubmatchIndex(line); pair != nil {
			key = strings.Trim(line[pair[2]:pair[3]], `" `)
			values = scalarIn.FindAllStringIndex(line[pair[4]:pair[5]], -1)
			for _, at := range values {
				at[0], at[1] = at[0]+pair[4], at[1]+pair[4]
			}
		} else if item := itemIn.FindStringSubmatchIndex(line); item != nil {
			values = [][]int{item[2:4]}
		} else if len(lines) <= 3 {
			values = [][]int{{0, len(line)}}
		}
		blocks, above := blocksAround(lines, i)
		for _, at := range values {
			was := line[at[0]:at[1]]
			value := strings.Trim(was, `"'`)
			name := key
			if before := strings.LastIndex(line[:at[0]], "--"); before >= 0 && key == "" {
				name = strings.TrimRight(line[before:at[0]], "= ")
			}
			changed := wrongText(strings.TrimLeft(name, "-"), value)
			if strings.HasPrefix(value, "$") {
				continue // what a script computes
			}
			if value == "" || changed == "" || changed == value {
				continue
			}
			now := slices.Clone(lines)
			now[i] = line[:at[0]] + strings.Replace(was, value, changed, 1) + line[at[1]:]
			if name == "" {
				name = "-"
			}
			mutants = append(mutants, mutant{path: file, line: i + 1, blocks: blocks,
				named: "/" + above + name, was: value, change: changed,
				content: []byte(strings.Join(now, "\n"))})
		}
	}
	return mutants
}

// blocksAround lists the lines that a line is inside of, by its indentation, or in TOML by its
// table, and their keys.
func blocksAround(lines []string, at int) (blocks []int, keys string) {
	depth := func(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
	indent := depth(lines[at])
	list := strings.HasPrefix(strings.TrimSpace(lines[at]), "- ")
	for i := at - 1; i >= 0; i-- {
		trimmed := strings.TrimSpace(lines[i])
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		outer := depth(lines[i]) < indent || list && depth(lines[i]) == indent &&
			!strings.HasPrefix(trimmed, "- ")
		if !outer && !strings.HasPrefix(trimmed, "[") {
			continue
		}
		blocks = append(blocks, i+1)
		if key := keyOf.FindStringSubmatch(lines[i]); key != nil {
			keys = strings.Trim(key[1], `[]"`) + "/" + keys
		}
		if indent, list = depth(lines[i]), false; strings.HasPrefix(trimmed, "[") {
			break
		}
	}
	return blocks, keys
}

// mutantsOf changes each value of one file of a recording.
func mutantsOf(file string, text []byte) []mutant {
	switch {
	case strings.HasSuffix(file, ".gap"), strings.HasPrefix(file, "logs/"):
		return nil
	case json.Valid(text) && bytes.ContainsAny(text[:1], "[{"):
		return jsonMutants(file, text)
	}
	return textMutants(file, text)
}

// removal is a recording in which the node does not have a file.
func removal(file string, records []byte) (m mutant, ok bool) {
	if !strings.HasPrefix(file, "files/") {
		return m, false
	}
	windows := strings.ToUpper(file[6:7]) + ":" + strings.ReplaceAll(file[7:], "/", `\`)
	quoted, _ := json.Marshal(windows)
	at := bytes.Index(bytes.ToLower(records), bytes.ToLower(quoted))
	if at < 0 {
		return m, false
	}
	rest := records[at:]
	was := []byte(`"outcome": "copied"`)
	if end := bytes.Index(rest, was); end < 0 || end > bytes.IndexByte(rest, '}') {
		return m, false
	}
	return mutant{path: file, gone: true, was: path.Base(file), change: "the file is absent",
		content: slices.Concat(records[:at],
			bytes.Replace(rest, was, []byte(`"outcome": "absent"`), 1))}, true
}

func (m mutant) String() string { return fmt.Sprintf("%s: %s → %s", m.place(), m.was, m.change) }
