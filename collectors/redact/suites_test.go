package redact_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// suitesDir holds checked out copies of other scanners, none of which is in this repository: folders
// named noseyparker, kingfisher and detect-secrets.
var suitesDir = os.Getenv("DOCTOR_LEAK_SUITES")

// A yamlRule is one of noseyparker or of kingfisher, which began as a copy of it.
type yamlRule struct {
	ID, Name, Pattern    string
	Examples, Categories []string
	Visible              *bool // false: a part of another rule's credential that is no secret
}

// identifies: what the rule finds is no secret, as its authors say or its name does.
func (r *yamlRule) identifies() bool {
	return r.Visible != nil && !*r.Visible ||
		len(r.Categories) > 0 && !slices.Contains(r.Categories, "secret") ||
		identifier.MatchString(r.Name) && !secretWord.MatchString(r.Name)
}

var identifier = regexp.MustCompile(
	`(?i)\b(?:(?:client|app|account|application|project|product|user|tenant) id|username|user|host|domain|e-?mail|url|endpoint)\b`)

// fromRules reads the examples of all rules in the YAML files below a folder. It counts the rules
// whose pattern Go's regular expressions cannot say: their examples are left out.
func fromRules(t testing.TB, source, dir string) (out []example) {
	t.Helper()
	foreign, nothing, others := 0, 0, 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".yml" && ext != ".yaml" {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var file struct{ Rules []yamlRule }
		if err := yaml.Unmarshal(content, &file); err != nil {
			return nil // a rule set or a file of another kind
		}
		for _, rule := range file.Rules {
			if rule.identifies() {
				others += len(rule.Examples)
				continue
			}
			re, err := regexp.Compile(withoutLayout(rule.Pattern))
			if err != nil {
				foreign++
				continue
			}
			for _, text := range rule.Examples {
				secret := secretOf(re, text)
				if secret == "" {
					nothing++
					continue
				}
				if reason := uncounted(secret); reason != "" {
					t.Logf("%s is not counted, %s: %s", rule.ID, reason, secret[:min(len(secret), 40)])
					continue
				}
				out = append(out, example{source: source, rule: rule.ID, path: secretPath,
					text: strings.TrimRight(text, "\n"), secrets: []string{secret},
					bare: isBare(rule.Pattern, text, secret)})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("%s holds no examples", dir)
	}
	t.Logf("%s: %d examples; %d rules use what Go's regular expressions lack, %d examples hold no "+
		"secret of 6 characters, %d are of identifiers", source, len(out), foreign, nothing, others)
	return out
}

// uncounted says why what a rule finds is no secret: the authors of these examples care that their
// rule matches, not what a reader learns.
func uncounted(secret string) string {
	letters := 0
	for _, c := range secret {
		if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' {
			letters++
		}
	}
	switch {
	case strings.HasPrefix(secret, "age1"):
		return "the recipient of age is a public key"
	case strings.Contains(secret, "auth_provider_x509_cert_url"):
		return "it is a file; the rules for what is secret in it have examples of their own"
	case letters < 4 || strings.Count(secret, secret[:1]) == len(secret):
		return "it is blacked out or one letter again and again"
	case strings.EqualFold(secret, "password"):
		return "the name beside it is the same word"
	case strings.HasPrefix(secret, "#{") || strings.HasPrefix(secret, "YOUR_"):
		return "it is an expression or a placeholder"
	}
	return ""
}

// secretOf is what the last group matches: those before it are of a host or a user.
func secretOf(re *regexp.Regexp, text string) (secret string) {
	m := re.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	groups := m[1:]
	if len(groups) == 0 {
		groups = m
	}
	for i, name := range re.SubexpNames() {
		if i > 0 && strings.EqualFold(name, "token") {
			groups = m[i : i+1]
		}
	}
	for _, g := range groups {
		if len(strings.TrimSpace(g)) >= 6 {
			secret = g
		}
	}
	if m := userInfo.FindStringSubmatch(secret); m != nil {
		secret = m[1]
	} else if m := userInfo.FindStringSubmatch(text); m != nil && strings.Contains(text, "@"+secret) {
		secret = m[1] // the group is of the host
	} else if m := inConnection.FindStringSubmatch(secret); m != nil {
		secret = m[1]
	}
	if secret = strings.TrimSpace(secret); len(secret) < 6 {
		return ""
	}
	return secret
}

// withoutLayout takes blanks and comments out of a pattern that is laid out with (?x), which Go's
// regular expressions do not know.
func withoutLayout(pattern string) string {
	flags := regexp.MustCompile(`\(\?([a-z]*)x([a-z]*)\)`)
	if !flags.MatchString(pattern) {
		return strings.TrimSpace(pattern)
	}
	pattern = flags.ReplaceAllString(pattern, "(?$1$2)")
	pattern = strings.ReplaceAll(pattern, "(?)", "")
	var b strings.Builder
	inClass, inComment := false, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case inComment:
			inComment = c != '\n'
		case c == '\\' && i+1 < len(pattern):
			if b.WriteByte(c); pattern[i+1] == ' ' || pattern[i+1] == '#' || pattern[i+1] == '\'' ||
				pattern[i+1] == '"' || pattern[i+1] == '`' {
				s := b.String() // Go knows no escape of these
				b.Reset()
				b.WriteString(s[:len(s)-1])
			}
			i++
			b.WriteByte(pattern[i])
		case !inClass && c == '#':
			inComment = true
		case !inClass && (c == ' ' || c == '\n' || c == '\t' || c == '\r'):
		default:
			if c == '[' && !inClass {
				inClass = true
				if strings.HasPrefix(pattern[i:], "[]") || strings.HasPrefix(pattern[i:], "[^]") {
					n := strings.IndexByte(pattern[i:], ']') + 1
					b.WriteString(pattern[i : i+n])
					i += n - 1
					continue
				}
			} else if c == ']' {
				inClass = false
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// inConnection is what is secret in a connection string.
var inConnection = regexp.MustCompile(`(?i);\s*(?:password|pwd)=([^;"']+)`)

var aWord = regexp.MustCompile(`(?i)[a-z][a-z0-9_-]+`)

// isBare: the pattern asks for no word, neither before the secret nor at its beginning, so that
// nothing but its length tells the secret from a checksum.
func isBare(pattern, text, secret string) bool {
	if text = strings.TrimSpace(text); text == secret && len(secret) < 12 && !issuer.MatchString(secret) {
		return true // a list of passwords that many people have
	}
	before, _, _ := strings.Cut(text, secret)
	bare := strings.ToLower(withoutLayout(pattern))
	for _, word := range aWord.FindAllString(strings.ToLower(before), -1) {
		if len(word) > 2 {
			for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '_' || r == '-' }) {
				if len(part) > 2 && strings.Contains(bare, part) {
					return false
				}
			}
		}
	}
	for i := 0; i+3 <= min(len(secret), 24); i++ {
		if lit := strings.ToLower(secret[i : i+3]); strings.Contains(bare, regexp.QuoteMeta(lit)) &&
			strings.IndexFunc(lit, func(r rune) bool { return r >= 'a' && r <= 'z' }) >= 0 {
			return false
		}
	}
	return !secretWord.MatchString(before)
}

// fromSuites returns what the folder of suites holds.
func fromSuites(t testing.TB) (out []example) {
	t.Helper()
	if suitesDir == "" {
		return nil
	}
	for _, suite := range []struct {
		name, folder string
		read         func(t testing.TB, source, dir string) []example
	}{
		{"noseyparker", "crates/noseyparker/data/default/builtin/rules", fromRules},
		{"kingfisher", "data/rules", fromRules},
		{"detect-secrets", "tests/plugins", fromPython},
	} {
		dir := filepath.Join(suitesDir, suite.name, filepath.FromSlash(suite.folder))
		if _, err := os.Stat(dir); err != nil {
			t.Logf("%s: not measured: %v", suite.name, err)
			continue
		}
		out = append(out, suite.read(t, suite.name, dir)...)
	}
	return out
}
