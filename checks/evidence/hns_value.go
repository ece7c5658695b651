package evidence

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

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
