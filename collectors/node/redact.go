package node

import (
	"regexp"
	"strings"
)

// redacted stands where a secret stood.
const redacted = "REDACTED"

var (
	// client-key-data: …, "aadClientSecret": "…", $token = '…', --token=…
	secretSetting = regexp.MustCompile(`(?i)(["']?[\w.-]*(?:token|password|passwd|secret|client-key-data|api[-_]?key|access[-_]?key|account[-_]?key|connection[-_]?string|\bauth)["']?[ \t]*[:=][ \t]*)` +
		`("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s"',;{}\[\](|>#][^\s"',;}]*)`)

	// token: |  with the secret in the lines below
	secretBlock = regexp.MustCompile(`(?im)^([ \t]*)(?:- )?["']?[\w.-]*(?:token|password|passwd|secret|client-key-data)["']?[ \t]*:[ \t]*[|>][+-]?[ \t]*\r?$`)

	// Secrets that are known by their shape, wherever they stand.
	secretShapes = []*regexp.Regexp{
		regexp.MustCompile(`\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*`),            // a service account's token
		regexp.MustCompile(`\b[a-z0-9]{6}\.[a-z0-9]{16}\b`),                     // a bootstrap token
		regexp.MustCompile(`\bK10[0-9a-f]{64}::[\w.-]+:[\w.-]+`),                // a token of RKE2
		regexp.MustCompile(`(?i)\bbearer[ \t]+[\w.~+/-]{12,}=*`),                // an Authorization header
		regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END`), // what is left of it is no key
	}
	secretArgument = regexp.MustCompile(`(?i)(\B--?[\w-]*(?:token|password|secret)[ \t]+)["']?[^\s"'$(<-][^\s"']*["']?`) // --token abc
	secretInURL    = regexp.MustCompile(`(\b[a-z][a-z0-9+.-]*://)[^/\s:@"']+:[^/\s@"']+@`)

	notSecret = regexp.MustCompile(`(?i)^["']?(true|false|null|none|nil|~|\d?|redacted|(?-i:[A-Z][a-z]+-[A-Z]\w+)|\$(env|global|script):\w+|\$\{\w+\}|<[^>]*>)["']?$`)
)

// redactSecrets replaces what a configuration file keeps secret, and leaves the
// rest as it is. It works on text and not on structure, so that files that no
// parser takes are safe too.
func redactSecrets(text string) string {
	text = redactBlocks(text)
	text = secretSetting.ReplaceAllStringFunc(text, func(m string) string {
		parts := secretSetting.FindStringSubmatch(m)
		name, secret := parts[1], parts[2]
		if notSecret.MatchString(secret) {
			return m
		}
		if quote := secret[:1]; quote == `"` || quote == "'" {
			return name + quote + redacted + quote
		}
		return name + redacted
	})
	text = secretArgument.ReplaceAllString(text, "${1}"+redacted)
	text = secretInURL.ReplaceAllString(text, "${1}"+redacted+"@")
	for _, shape := range secretShapes {
		text = shape.ReplaceAllString(text, redacted)
	}
	return text
}

// redactBlocks replaces the lines of block scalars that hold a secret: those
// that are indented deeper than their key.
func redactBlocks(text string) string {
	if !secretBlock.MatchString(text) {
		return text
	}
	var b strings.Builder
	inside, depth := false, 0
	for line := range strings.Lines(text) {
		body := strings.TrimLeft(line, " \t")
		indent := len(line) - len(body)
		if inside && (strings.TrimSpace(line) == "" || indent > depth) {
			if strings.TrimSpace(line) != "" {
				line = line[:indent] + redacted + line[len(strings.TrimRight(line, "\r\n")):]
			}
			b.WriteString(line)
			continue
		}
		inside = secretBlock.MatchString(strings.TrimRight(line, "\n"))
		depth = indent
		b.WriteString(line)
	}
	return b.String()
}
