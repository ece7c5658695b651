package node

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

const masked = "(masked)"

// A secret on a command line is the value of a flag whose name ends in one of
// these words. --token-auth-file and --authentication-token-webhook end in
// others, and their values are paths and switches.
const secretWords = `(?:password|passwd|pwd|passphrase|token|secret|credentials?|(?:api|access|account|secret|storage|shared)[-_]?key|client[-_]?key[-_]?data)`

var (
	secretFlag = regexp.MustCompile(`(?i)^(?:--?|/)[\w.-]*?` + secretWords + `$`)
	// Inside of one argument, as in a command for a shell: a flag with its value,
	// a variable, a field.
	secretPair = regexp.MustCompile(`(?i)((?:^|[\s;"'&?({,])(?:(?:--?|/)[\w.-]*?` + secretWords + `\s+|[\w.$:-]*?` + secretWords + `["']?\s*[=:]\s*))("[^"]*"|'[^']*'|[^\s"';&|)]+)`)
	secretKey  = regexp.MustCompile(`(?i)^(?:auth|.*` + secretWords + `)$`)
	userInURL  = regexp.MustCompile(`(://[^\s/:@]*:)[^\s/@]+@`)
	bearer     = regexp.MustCompile(`(?i)(\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic)\s+|\bbearer\s+)[\w.~+/=-]{8,}`)
)

// maskArgs takes the secrets out of a command line and leaves the flags
// themselves. What is a switch, a path or empty stays as well.
func maskArgs(args []string) []string {
	list := make([]string, len(args))
	for i, arg := range args {
		switch {
		case i > 0 && secretFlag.MatchString(args[i-1]) && !strings.HasPrefix(arg, "-") && isSecretValue(arg):
			list[i] = masked
		default:
			list[i] = maskText(arg)
		}
	}
	return list
}

func maskText(s string) string {
	if name, value, ok := strings.Cut(s, "="); ok && secretFlag.MatchString(name) {
		if isSecretValue(value) {
			return name + "=" + masked
		}
		return s
	}
	s = secretPair.ReplaceAllStringFunc(s, func(pair string) string {
		m := secretPair.FindStringSubmatch(pair)
		if strings.HasPrefix(m[2], "-") || !isSecretValue(strings.Trim(m[2], `"'`)) {
			return pair
		}
		return m[1] + masked
	})
	s = userInURL.ReplaceAllString(s, "${1}"+masked+"@")
	return bearer.ReplaceAllString(s, "${1}"+masked)
}

func isSecretValue(s string) bool {
	switch strings.ToLower(s) {
	case "", "true", "false", masked:
		return false
	}
	return true
}

// maskJSON takes the secrets out of a JSON document: the texts under keys that
// name one. What is no JSON gives nothing.
func maskJSON(document []byte) json.RawMessage {
	var v any
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	b, err := json.Marshal(maskValue("", v))
	if err != nil {
		return nil
	}
	return b
}

func maskValue(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			v[k] = maskValue(k, inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = maskValue(key, inner)
		}
	case string:
		if secretKey.MatchString(key) && isSecretValue(v) {
			return masked
		}
		return userInURL.ReplaceAllString(v, "${1}"+masked+"@")
	}
	return v
}
