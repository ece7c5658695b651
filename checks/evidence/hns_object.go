package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// hnsObject reads one JSON object by names in any case. PowerShell has been at
// most records: a list of one is a bare value, a list may be one text, numbers
// may be texts, and what was too deep is the text "@{Type=VSID; VSID=9999}".
type hnsObject struct {
	fields map[string]any // keys in lower case
	path   string         // where in the element, for errors: "Subnets[1]."
	cut    bool           // it was such a text, and not all of it could be read
	state  *hnsState
}

// hnsState is shared by an element's objects.
type hnsState struct {
	err error // the first one
	cut bool  // something in the element is lost
}

func newHNSObject(fields map[string]any, path string, state *hnsState) *hnsObject {
	o := &hnsObject{fields: make(map[string]any, len(fields)), path: path, state: state}
	for key, value := range fields {
		o.fields[strings.ToLower(key)] = value
	}
	if len(o.fields) < len(fields) {
		// Both "ID" and "Id" are there: choose the same one each time.
		clear(o.fields)
		for _, key := range sortedKeys(fields) {
			if lower := strings.ToLower(key); o.fields[lower] == nil {
				o.fields[lower] = fields[key]
			}
		}
	}
	return o
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

func (o *hnsObject) wrong(key string, v any, want string) {
	if o.state.err == nil {
		o.state.err = fmt.Errorf("%s%s is %s, where %s belongs", o.path, key, describe(v), want)
	}
}

func (o *hnsObject) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		return o.fields[strings.ToLower(key)] != nil
	})
}

// lost tells whether the value is there but was cut off; it is noted.
func (o *hnsObject) lost(key string) bool {
	lost := isLost(o.fields[strings.ToLower(key)])
	o.state.cut = o.state.cut || lost
	return lost
}

// text returns the first of the keys that is there.
func (o *hnsObject) text(keys ...string) string {
	for _, key := range keys {
		v := o.fields[strings.ToLower(key)]
		if v == nil || o.lost(key) {
			continue
		}
		s, ok := scalar(v)
		if !ok {
			o.wrong(key, v, "a text")
			return ""
		}
		if s != "" {
			return s
		}
	}
	return ""
}

// id returns an id in the form in which all of them are kept.
func (o *hnsObject) id(keys ...string) string { return hnsID(o.text(keys...)) }

func (o *hnsObject) ids(key string) []string {
	var list []string
	for _, s := range o.list(key) {
		if id := hnsID(s); id != "" {
			list = append(list, id)
		}
	}
	return list
}

// number returns nil where the key is not there.
func (o *hnsObject) number(key string) *uint64 {
	v := o.fields[strings.ToLower(key)]
	if v == nil || v == "" || o.lost(key) {
		return nil
	}
	n, err := toNumber(v)
	if err != nil {
		o.wrong(key, v, "a number")
		return nil
	}
	return &n
}

func (o *hnsObject) uint(key string) uint64 {
	if n := o.number(key); n != nil {
		return *n
	}
	return 0
}

// int is uint for what must be small.
func (o *hnsObject) int(key string) int {
	n := o.uint(key)
	if n > math.MaxInt32 {
		o.wrong(key, o.fields[strings.ToLower(key)], "a smaller number")
		return 0
	}
	return int(n)
}

func (o *hnsObject) bool(key string) bool {
	v := o.fields[strings.ToLower(key)]
	if v == nil || v == "" || o.lost(key) {
		return false
	}
	b, ok := toBool(v)
	if !ok {
		o.wrong(key, v, "true or false")
	}
	return b
}

// list returns texts: of an array, or of one text that holds them all.
func (o *hnsObject) list(key string) []string {
	v := o.fields[strings.ToLower(key)]
	if v == nil || o.lost(key) {
		return nil
	}
	if _, ok := v.(map[string]any); ok {
		o.wrong(key, v, "a list of texts")
		return nil
	}
	items, _ := v.([]any)
	for i, item := range items {
		if _, ok := scalar(item); !ok && item != nil {
			o.wrong(fmt.Sprintf("%s[%d]", key, i), item, "a text")
			return nil
		}
	}
	return splitList(v)
}

// objects returns the objects of a list.
func (o *hnsObject) objects(key string) []*hnsObject {
	v := o.fields[strings.ToLower(key)]
	items, ok := v.([]any)
	if !ok {
		items = []any{v}
	}
	var list []*hnsObject
	for i, item := range items {
		name := key
		if ok {
			name = fmt.Sprintf("%s[%d]", key, i)
		}
		list = append(list, o.inner(name, item)...)
	}
	return list
}

// listOf decodes the objects of a list.
func listOf[T any](o *hnsObject, key string, decode func(*hnsObject) T) (list []T) {
	for _, item := range o.objects(key) {
		list = append(list, decode(item))
	}
	return list
}

// object returns the object under key, or nil.
func (o *hnsObject) object(key string) *hnsObject {
	if list := o.inner(key, o.fields[strings.ToLower(key)]); len(list) > 0 {
		return list[0]
	}
	return nil
}

func (o *hnsObject) inner(name string, v any) []*hnsObject {
	switch v := v.(type) {
	case nil:
		return nil
	case map[string]any:
		return []*hnsObject{newHNSObject(v, o.path+name+".", o.state)}
	case string:
		if strings.TrimSpace(v) == "" {
			return nil
		}
		var list []*hnsObject
		found, whole := psObjects(v)
		for _, fields := range found {
			one := newHNSObject(fields, o.path+name+".", o.state)
			one.cut = !whole
			list = append(list, one)
		}
		if len(found) == 0 && !isLost(v) {
			o.wrong(name, v, "an object")
		}
		o.state.cut = o.state.cut || !whole
		return list
	}
	o.wrong(name, v, "an object")
	return nil
}

// psObjects reads what PowerShell makes of objects as text: "@{Type=VSID;
// VSID=9999}", several of them with a space between. An object inside of one
// leaves nothing behind but its name, so an empty value counts as lost.
func psObjects(s string) (list []map[string]any, whole bool) {
	whole = true
	s = strings.TrimSpace(s)
	for s != "" {
		body, ok := strings.CutPrefix(s, "@{")
		end := strings.IndexByte(body, '}')
		if !ok || end < 0 {
			return list, false
		}
		fields := map[string]any{}
		for pair := range strings.SplitSeq(body[:end], ";") {
			key, value, ok := strings.Cut(pair, "=")
			key, value = strings.TrimSpace(key), strings.TrimSpace(value)
			switch {
			case !ok || value == "" || isLost(value) || strings.Contains(value, "@{"):
				whole = whole && strings.TrimSpace(pair) == ""
			default:
				fields[key] = value
			}
		}
		list = append(list, fields)
		s = strings.TrimSpace(body[end+1:])
	}
	return list, whole
}

// isLost tells whether v is what PowerShell leaves of a value that was too deep.
func isLost(v any) bool {
	s, ok := v.(string)
	if !ok || !strings.HasPrefix(s, "System.") {
		return false
	}
	return strings.HasSuffix(s, "[]") || s == "System.Object" ||
		strings.HasPrefix(s, "System.Collections.") ||
		strings.HasPrefix(s, "System.Management.Automation.")
}

// describe names v in an error, where it must not be long.
func describe(v any) string {
	text := ""
	switch v := v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any, []string:
		return "a list"
	case string:
		text = v
	default:
		text, _ = scalar(v)
	}
	if len(text) > 40 {
		text = strings.ToValidUTF8(text[:40], "") + "…"
	}
	return strconv.Quote(text)
}

func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return strings.TrimSpace(v), true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	case []any: // a list of one stands for its element, as PowerShell has it the other way round
		if len(v) == 1 {
			if _, nested := v[0].([]any); !nested {
				return scalar(v[0])
			}
		}
		return "", len(v) == 0
	}
	return "", false
}

var errNotNumber = errors.New("not a number")

// toNumber accepts 4096, "4096", 1e3, "0x10" and the negative numbers that
// PowerShell makes of 32 bits with the highest one set.
func toNumber(v any) (uint64, error) {
	s, ok := scalar(v)
	if !ok || s == "" {
		return 0, errNotNumber
	}
	if n, err := strconv.ParseUint(s, 0, 64); err == nil {
		return n, nil
	}
	if n, err := strconv.ParseInt(s, 10, 32); err == nil {
		return uint64(uint32(n)), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || f < 0 || f >= 1<<63 {
		return 0, errNotNumber
	}
	return uint64(f), nil
}

func toBool(v any) (value, ok bool) {
	s, _ := scalar(v)
	switch strings.ToLower(s) {
	case "true", "1":
		return true, true
	case "false", "0":
		return false, true
	}
	return false, false
}

// splitList returns the texts in v. A lone text is split at commas, and at
// spaces where every part could be an address or a domain: a placeholder such as
// "<your service cidr>" stays as somebody left it.
func splitList(v any) []string {
	switch items := v.(type) {
	case []string:
		return slices.Clone(items)
	case []any:
		var list []string
		for _, item := range items {
			if s, ok := scalar(item); ok && s != "" {
				list = append(list, s)
			}
		}
		return list
	}
	s, _ := scalar(v)
	if isLost(s) {
		return nil
	}
	var list []string
	for part := range strings.SplitSeq(s, ",") {
		words := strings.Fields(part)
		if slices.ContainsFunc(words, func(w string) bool {
			return !strings.ContainsAny(w, ".:-")
		}) {
			words = []string{strings.TrimSpace(part)}
		}
		list = append(list, words...)
	}
	return list
}

func hnsID(s string) string {
	s = s[strings.LastIndexByte(s, '/')+1:] // "/endpoints/<guid>" of a v1 reference
	s = strings.ToLower(strings.Trim(s, "{} "))
	if strings.Trim(s, "0-") == "" {
		return ""
	}
	return s
}

// hnsMAC spells a MAC as HNS does; Go programs wrote some of them with colons.
func hnsMAC(s string) string {
	if len(s) != len("00-15-5D-00-00-00") || strings.Trim(s, "0123456789abcdefABCDEF:-") != "" {
		return s
	}
	return strings.ToUpper(strings.ReplaceAll(s, ":", "-"))
}
