package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// A piece of a dump is text, or one JSON document.
type piece struct {
	text     string
	document json.RawMessage // nil for text
}

// Bounds on a dump of a file that is within maxSource but made to be expensive.
const (
	maxAttempts  = 8         // lines that look like JSON and are not
	maxDocuments = 20_000    // hnsdiag writes one for each object
	maxCommas    = 2_000_000 // a record of HNS has some dozens
	maxRecords   = 200_000
)

// splitDump takes a dump apart: PowerShell's table or list first, then what ConvertTo-Json appended
// to it, and sometimes more of either. A document starts at the beginning of a line. broken says
// why the documents cannot be all there: one that starts and does not end hides how much was lost.
func splitDump(s string) (pieces []piece, broken string) {
	if strings.Count(s, ",") > maxCommas {
		return nil, fmt.Sprintf("it holds more than %d values", maxCommas)
	}
	start, attempts, documents := 0, 0, 0
	flush := func(end int) {
		if strings.TrimSpace(s[start:end]) != "" {
			pieces = append(pieces, piece{text: s[start:end]})
		}
	}
	for at := 0; at < len(s); {
		if !startsDocument(s[at:]) || attempts == maxAttempts {
			at = nextLine(s, at)
			continue
		}
		var document json.RawMessage
		decoder := json.NewDecoder(strings.NewReader(s[at:]))
		switch err := decoder.Decode(&document); {
		case err == nil:
			if documents++; documents > maxDocuments {
				return nil, fmt.Sprintf("it holds more than %d documents", maxDocuments)
			}
			flush(at)
			pieces = append(pieces, piece{document: document})
			at += int(decoder.InputOffset())
			start = at
			continue
		case errors.Is(err, io.ErrUnexpectedEOF):
			flush(at)
			return pieces, "its JSON ends early"
		}
		attempts++
		at = nextLine(s, at)
	}
	flush(len(s))
	return pieces, ""
}

func nextLine(s string, at int) int {
	if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(s)
}

// startsDocument tells a bracket that opens a document from one that PowerShell
// puts around a list in a table ("{10.244.1.5, fd00::5}").
func startsDocument(s string) bool {
	if s == "" || s[0] != '{' && s[0] != '[' {
		return false
	}
	next := strings.TrimLeft(s[1:min(len(s), 4096)], " \t\r\n")
	if next == "" {
		return true
	}
	if s[0] == '{' {
		return next[0] == '"' || next[0] == '}'
	}
	if strings.HasPrefix(s, "[ ] ") {
		return false // the box of a feature that is not installed, or of a task
	}
	return strings.IndexByte(`{["]`, next[0]) >= 0
}

// A record is one object of a dump. Its values stay as they were written: numbers
// of HNS do not fit a float.
type record map[string]json.RawMessage

// records flattens documents into their objects: an array, one bare object, or an
// array that ConvertTo-Json wrapped as {"value":[…],"Count":n}. Whatever is no
// object (a depth-truncated "@{…}") is counted in odd.
func records(document json.RawMessage) (list []record, odd int) {
	var many []json.RawMessage
	if json.Unmarshal(document, &many) != nil {
		many = []json.RawMessage{document}
	}
	if len(many) > maxRecords {
		return nil, len(many)
	}
	for _, one := range many {
		if bytes.Equal(bytes.TrimSpace(one), []byte("null")) {
			continue
		}
		var r record
		if json.Unmarshal(one, &r) != nil {
			odd++
			continue
		}
		if wrapped, ok := r.unwrap(); ok {
			list = append(list, wrapped...)
			continue
		}
		list = append(list, r)
	}
	return list, odd
}

func (r record) unwrap() ([]record, bool) {
	inner := r["value"]
	switch {
	case len(r) == 2 && inner != nil && r["Count"] != nil:
	case string(r["Success"]) == "true" && r["Output"] != nil: // HNS's answer as it came
		inner = r["Output"]
	default:
		return nil, false
	}
	var list []record
	if json.Unmarshal(inner, &list) != nil {
		return nil, false
	}
	return slices.DeleteFunc(list, func(r record) bool { return r == nil }), true
}

// get returns a value under its key in any case.
func (r record) get(key string) (json.RawMessage, bool) {
	if v, ok := r[key]; ok {
		return v, true
	}
	for k, v := range r {
		if strings.EqualFold(k, key) {
			return v, true
		}
	}
	return nil, false
}

func (r record) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		_, ok := r.get(key)
		return ok
	})
}

// text returns a string value, "" where there is none.
func (r record) text(key string) string {
	var s string
	if v, ok := r.get(key); !ok || json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// blank tells that a value is missing, null or an empty string.
func (r record) blank(key string) bool {
	v, ok := r.get(key)
	return !ok || string(v) == "null" || string(v) == `""`
}

// set writes a value under its key in the case that the record has it in.
func (r record) set(key string, value json.RawMessage) {
	for k := range r {
		if strings.EqualFold(k, key) {
			key = k
			break
		}
	}
	r[key] = value
}

// jsonItems takes a document apart: a list's items, or the one object. Where it breaks off,
// what is whole of it is returned, and broken says so.
func jsonItems(content string) (head kubeObject, items []json.RawMessage, isList bool,
	broken string) {
	head = kubeObject{}
	d := json.NewDecoder(strings.NewReader(content))
	elements := func() error {
		for d.More() && len(items) < maxKubeObjects {
			var item json.RawMessage
			if err := d.Decode(&item); err != nil {
				return err
			}
			items = append(items, item)
		}
		_, err := d.Token()
		return err
	}
	members := func() error {
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if key == json.Token("items") {
				isList = true
				start, err := d.Token()
				if err == nil && start != nil { // null is an empty list
					err = elements()
				}
				if err != nil {
					return err
				}
				continue
			}
			var value json.RawMessage
			if err := d.Decode(&value); err != nil {
				return err
			}
			head[fmt.Sprint(key)] = value
		}
		_, err := d.Token()
		return err
	}
	open, err := d.Token()
	if isList = open == json.Delim('['); isList {
		err = elements()
	} else if err == nil {
		err = members()
	}
	if err != nil {
		broken = "its JSON ends early"
	}
	return head, items, isList, broken
}

var jsonToken = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"?|[{}\[\],]`)

// documentEnd is where the JSON document that s begins with ends. One that breaks off goes on to
// the end of the text, or to the fence that closes it.
func documentEnd(s string) (end int, ok bool) {
	var document json.RawMessage
	d := json.NewDecoder(strings.NewReader(strings.TrimRight(s, "\n"))) // it may end within a string
	switch err := d.Decode(&document); {
	case err == nil:
		return int(d.InputOffset()), true
	case errors.Is(err, io.ErrUnexpectedEOF):
		return len(s), true
	}
	lines := 0
	for line := range strings.Lines(s) {
		bare := strings.TrimRight(line, " \t\n")
		if fence.MatchString(bare) || prompt.MatchString(bare) {
			break
		}
		end += len(line)
		lines++
	}
	return end, lines >= 3 && end < len(s) && strings.Contains(s[:end], `": `)
}

// closedJSON is what is whole of a document that breaks off, with the brackets that it lacks, and "" where
// that is no JSON. A value that the end cuts is left out; of a sentence its beginning says enough.
func closedJSON(s string) string {
	whole, rest := "", ""
	var open []byte // the brackets that close what is open, the outermost first
	for _, at := range jsonToken.FindAllStringIndex(s, maxCommas) {
		switch token := s[at[0]:at[1]]; {
		case token == "{" || token == "[":
			open = append(open, token[0]+2)
			whole, rest = s[:at[1]], ""
		case token == "}" || token == "]":
			open = open[:max(0, len(open)-1)]
			whole, rest = s[:at[1]], ""
		case token == ",":
			whole, rest = s[:at[0]], ""
		case at[1] >= len(s)-1 && !strings.HasSuffix(token, `"`) && strings.Contains(token, " ") &&
			strings.HasSuffix(strings.TrimRight(s[:at[0]], " \t\n"), ":"):
			whole, rest = strings.TrimRight(s, "\\ \n"), `…"`
		}
	}
	slices.Reverse(open)
	if whole += rest + string(open); !json.Valid([]byte(whole)) {
		return ""
	}
	return whole
}
