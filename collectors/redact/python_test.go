package redact_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The tests of detect-secrets are tables in Python of a text and whether a secret is found in it, or
// which: ('password = "{}"'.format(SECRET), SECRET). This reads as much Python as they use.
var (
	pythonString = `[rbf]?(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")`
	pythonConst  = regexp.MustCompile(`(?m)^([A-Z_]+) = (` + pythonString + `)`)
	// a row: strings beside each other, their format, and what is expected
	pythonRow = regexp.MustCompile(`[(]\s*((?:` + pythonString + `\s*)+)(?:\.format\(([^()]*)\))?,\s*` +
		`(True|[A-Z_]+SECRET[A-Z_]*|\[[A-Z_]+\]|` + pythonString + `)\s*,?\s*(?:#[^\n]*)?\s*[)]`)
	pythonLiteral = regexp.MustCompile(pythonString)
	userInfo      = regexp.MustCompile(`://[^:/\s]+:([^@/\s]+)@`)
	longWord      = regexp.MustCompile(`[^\s"'<>(),;]{8,}`)
)

func fromPython(t testing.TB, source, dir string) (out []example) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.py"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s holds no tests: %v", dir, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(file), "_test.py")
		if base == "ip_public" || base == "base" || base == "high_entropy_strings" {
			continue // an address is no secret, and the last has neither names nor prefixes
		}
		constants := map[string]string{}
		for _, m := range pythonConst.FindAllStringSubmatch(string(content), -1) {
			constants[m[1]] = unquotePython(m[2])
		}
		seen := map[string]bool{}
		for _, m := range pythonRow.FindAllStringSubmatch(string(content), -1) {
			e := example{source: source, rule: base, path: secretPath}
			for _, literal := range pythonLiteral.FindAllString(m[1], -1) {
				e.text += unquotePython(literal)
			}
			var secret string
			if m[2] != "" {
				e.text, secret = formatPython(e.text, m[2], constants)
			}
			if value, ok := constants[strings.Trim(m[3], "[]")]; ok {
				secret = value
			} else if m[3] != "True" && strings.ContainsAny(m[3], `'"`) {
				secret = unquotePython(m[3])
			}
			if secret == "" || !strings.Contains(e.text, secret) {
				secret = likely(e.text)
			}
			if len(secret) < 6 || seen[e.text] {
				continue
			}
			seen[e.text] = true
			e.secrets = []string{secret}
			if strings.Contains(e.text, "://"+secret+".") {
				continue // the address of an account without its password
			}
			// A hash alone, or letters in a call without a name: nothing tells what it is.
			e.bare = !secretWord.MatchString(e.text) && !issuer.MatchString(secret) &&
				!strings.Contains(e.text, "://")
			out = append(out, e)
		}
	}
	t.Logf("%s: %d examples", source, len(out))
	return out
}

// likely is the secret of a text of which only is known that it holds one.
func likely(text string) (secret string) {
	if m := userInfo.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	for _, word := range longWord.FindAllString(text, -1) {
		if _, value, ok := strings.Cut(word, "="); ok && len(strings.TrimRight(value, "=")) >= 8 {
			word = value
		}
		if _, value, ok := strings.Cut(word, ":_authToken="); ok {
			word = value
		}
		if strings.HasSuffix(word, ":") {
			continue // the name of a header
		}
		if len(word) >= len(secret) {
			secret = word
		}
	}
	return secret
}

// formatPython fills the fields of a text in the order of the arguments, or by their names.
func formatPython(text, arguments string, constants map[string]string) (filled, secret string) {
	text = strings.NewReplacer("{{", "\x00", "}}", "\x01").Replace(text)
	for argument := range strings.SplitSeq(arguments, ",") {
		name, value, named := strings.Cut(strings.TrimSpace(argument), "=")
		if !named {
			value = name
		}
		if v, ok := constants[value]; ok {
			value, secret = v, v
		} else if value = strings.TrimSpace(value); value != "" && strings.ContainsAny(value[:1], `'"`) {
			value = unquotePython(value)
		}
		if named {
			text = strings.ReplaceAll(text, "{"+name+"}", value)
		} else {
			text = strings.Replace(text, "{}", value, 1)
		}
	}
	return strings.NewReplacer("\x00", "{", "\x01", "}").Replace(text), secret
}

func unquotePython(literal string) string {
	literal = strings.TrimLeft(literal, "rbf")
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\'`, "'", `\"`, `"`, `\\`, `\`).
		Replace(literal[1 : len(literal)-1])
}
