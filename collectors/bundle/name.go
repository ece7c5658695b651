package bundle

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxPath  = 1024 // bytes; Windows paths in bundles stay far below
	maxDepth = 64   // folders above a file
	maxShown = 200  // bytes of a name in a Refusal
)

// cleanName turns the name an entry goes by into a slash path that fs.ValidPath
// accepts, or says why it cannot. PowerShell 5.1 and Windows builds of tar write
// backslashes, so these are separators, whatever the zip specification says.
// folder tells that the name is that of a folder by its form ("logs/").
func cleanName(raw string) (clean string, folder bool, reason string) {
	if raw == "" {
		return "", false, "it has no name"
	}
	if len(raw) > 2*maxPath { // before any work is spent on it; "././x" may still shrink
		return "", false, fmt.Sprintf("its path is longer than %d bytes", maxPath)
	}
	if !utf8.ValidString(raw) {
		raw = string([]rune(raw)) // a name in an old code page stays readable in its ASCII part
	}
	slashed := strings.ReplaceAll(raw, `\`, "/")
	if strings.ContainsFunc(slashed, unicode.IsControl) {
		return "", false, "its name holds control characters"
	}
	if strings.HasPrefix(slashed, "/") {
		return "", false, "its name is absolute"
	}
	depth := 0
	for part := range strings.SplitSeq(slashed, "/") {
		folder = part == "" || part == "."
		switch {
		case folder:
			continue
		case part == "..":
			return "", false, "its name leads upwards with .."
		case depth == 0 && isDrive(part):
			return "", false, "its name begins with a drive letter"
		case isDevice(part):
			return "", false, "Windows keeps the name " + part + " for a device"
		}
		depth++
	}
	clean = path.Clean(slashed) // a part of the same string, for most names
	switch {
	case depth == 0:
		return ".", true, ""
	case len(clean) > maxPath:
		return "", false, fmt.Sprintf("its path is longer than %d bytes", maxPath)
	case depth > maxDepth:
		return "", false, fmt.Sprintf("it lies more than %d folders deep", maxDepth)
	}
	return clean, folder, ""
}

// isDrive also catches "C:x", which Windows takes relative to the drive.
func isDrive(part string) bool {
	if len(part) < 2 || part[1] != ':' {
		return false
	}
	letter := part[0] | 0x20
	return 'a' <= letter && letter <= 'z'
}

// isDevice tells the names that Windows opens as a device in every folder, whatever
// follows their first dot: no file of a node has one, and no folder there can hold it.
func isDevice(part string) bool {
	name, _, _ := strings.Cut(part, ".")
	name, _, _ = strings.Cut(name, ":")
	name = strings.ToUpper(strings.TrimRight(name, " "))
	switch name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, ok := strings.CutPrefix(name, "COM")
	if !ok {
		port, ok = strings.CutPrefix(name, "LPT")
	}
	return ok && utf8.RuneCountInString(port) == 1 && strings.Contains("0123456789¹²³", port)
}

// sameName is equal for names that are one name on Windows, which ignores case, or
// look like one, which Unicode may compose in several ways.
func sameName(name string) string {
	if !norm.NFC.IsNormalString(name) {
		name = norm.NFC.String(name)
	}
	return strings.ToLower(name)
}

// printable makes a name from outside fit for a terminal and of bounded length:
// what would move the cursor or reorder the text becomes a question mark.
func printable(name string) string {
	var b strings.Builder
	for _, r := range name {
		if b.Len() >= maxShown {
			b.WriteString(" …")
			break
		}
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// bytesText writes a limit the way a person says it.
func bytesText(n int64) string {
	for _, unit := range []struct {
		shift int
		name  string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n >= 1<<unit.shift && n%(1<<unit.shift) == 0 {
			return fmt.Sprintf("%d %s", n>>unit.shift, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
