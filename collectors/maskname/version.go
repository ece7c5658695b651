package maskname

import (
	"bytes"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// version tells a version in four parts from a public address. What nothing
// marks as a version is taken for an address: a number that reads wrong costs
// less than an address that stays.
func (s *scan) version(a netip.Addr, at, end int) bool {
	if !public(a) {
		return false // and nothing to mask
	}
	if b := a.As4(); b[1] == 0 && b[2] == 0 && b[3] == 0 {
		return true // 4.0.0.0: no network of that length is anybody's
	}
	if s.port(end) {
		return false
	}
	return behindVersion.Match(s.text[end:]) || s.versionBefore(at)
}

// port tells whether ":443" follows.
func (s *scan) port(at int) bool {
	if at >= len(s.text) || s.text[at] != ':' {
		return false
	}
	n, end := decimal(s.text, at+1, 5)
	return end > at+1 && n < 1<<16 && endsWord(s.text, end)
}

// behindVersion is what follows a version: 1.2.3.4-ltsc2019, 1.2.3.4_x64, and what a file's name ends
// in behind it, as 1.2.3.4.zip.
var behindVersion = regexp.MustCompile(`(?i)^(?:[-_+~][a-z]|` +
	`\.(?:zip|nupkg|exe|dll|sys|msi|msu|cab|gz|tgz|tar|log|txt|json|yaml|inf|ps1|psd1)(?:[^a-z0-9]|$))`)

// versionBefore looks at what stands before: "version": "1.2.3.4", a folder, an
// image's tag, agent/1.2.3.4, kube-1.2.3.4.
func (s *scan) versionBefore(at int) bool {
	const near = 80
	t := s.text[max(0, at-near):at]
	if i := bytes.LastIndexByte(t, '\n'); i >= 0 {
		t = t[i+1:]
	}
	if len(t) == 0 {
		return false
	}
	last := t[len(t)-1]
	word := lastWord(t[:len(t)-1])
	switch last {
	case '\\':
		// In a path; behind "\\" at the start of a word it is a machine.
		before := bytes.TrimRight(t, `\`)
		return len(before) > 0 && (isAlnum[before[len(before)-1]] ||
			bytes.IndexByte([]byte(":)_-."), before[len(before)-1]) >= 0)
	case '/':
		// In an URL's path, or behind the name of an agent. A host may stand there too: db.corp/52.1.2.3.
		return word != "" && !strings.Contains(word, ".") && !addressWords[word]
	case '-', '_':
		return word != "" && !isDigit(word[len(word)-1]) && !addressWords[word]
	case ':':
		image := t[:len(t)-1]
		if i := bytes.LastIndexAny(image, " \t\"'=,"); i >= 0 {
			image = image[i+1:]
		}
		if len(image) > 0 && isAlnum[image[len(image)-1]] && bytes.IndexByte(image, '/') > 0 &&
			!bytes.Contains(image, []byte("//")) {
			return true
		}
	}
	t = bytes.TrimRight(t, " \t\"'=:([,\\")
	switch word := lastWord(t); word {
	case "is", "was", "of", "to", "from", "than": // "the version is 4.18.0.1"
		return bytes.Contains(bytes.ToLower(t), []byte("version"))
	default:
		return versionWords[word] || slices.ContainsFunc(versionEnds, func(end string) bool {
			return strings.HasSuffix(word, end)
		})
	}
}

// Names of fields and programs that versions follow, and what such names end in.
var versionEnds = []string{"version", "_ver", "-ver", "versions", "driver", "firmware", "engine",
	"versione", "versión", "buildnumber"}

var versionWords = setOf(
	"v", "ver", "build", "release", "rev", "revision", "docker", "containerd", "nssm", "defender",
	"framework", "runtime", "sdk", "tools", "powershell", "platform", "product", "package",
	"module", "assembly", "signature", "intelligence", "manifest", "script", "binary", "cim")

// addressWords stand before an address even where a slash or a dash divides them.
var addressWords = setOf(
	"ip", "ipv4", "tcp", "udp", "host", "addr", "address", "node", "nodes", "server", "peer",
	"from", "to", "ec2", "etcd", "cidr", "endpoint", "src", "dst", "vm")

// lastWord is the last word of t in small letters: letters, digits, dots and dashes.
func lastWord(t []byte) string {
	i := len(t)
	for i > 0 && (isAlnum[t[i-1]] || t[i-1] == '.' || t[i-1] == '-' || t[i-1] == '_' ||
		t[i-1] >= 0x80) {
		i--
	}
	return strings.ToLower(string(t[i:]))
}
