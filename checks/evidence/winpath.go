package evidence

import (
	"path"
	"strings"
)

// Where Windows puts its folders unless somebody moved them. Configuration files of nodes name them
// by variable, and a recording has no process environment to ask.
var windowsFolders = map[string]string{
	"systemdrive":       `C:`,
	"homedrive":         `C:`,
	"systemroot":        `C:\Windows`,
	"windir":            `C:\Windows`,
	"programfiles":      `C:\Program Files`,
	"programw6432":      `C:\Program Files`,
	"programfiles(x86)": `C:\Program Files (x86)`,
	"programdata":       `C:\ProgramData`,
	"allusersprofile":   `C:\ProgramData`,
	"public":            `C:\Users\Public`,
}

// expandWindows replaces %NAME%, $env:NAME and ${env:NAME} for the folders of
// Windows. Other variables stay as they are, for Placeholder to notice.
func expandWindows(s string) string {
	if !strings.ContainsAny(s, "%$") {
		return s
	}
	var b strings.Builder
	for s != "" {
		name, length := variableAt(s)
		if value, ok := windowsFolders[strings.ToLower(name)]; ok && length > 0 {
			b.WriteString(value)
			s = s[length:]
			continue
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}

// variableAt returns the variable that s begins with and the length of the whole reference, or 0.
func variableAt(s string) (name string, length int) {
	const longest = 64 // of a reference that can be meant; bounds the search for its end
	near := s[:min(len(s), longest)]
	switch {
	case near[0] == '%':
		if end := strings.IndexByte(near[1:], '%'); end > 0 {
			return near[1 : 1+end], end + 2
		}
	case len(near) > 6 && strings.EqualFold(near[:6], "${env:"):
		if end := strings.IndexByte(near, '}'); end > 0 {
			return near[6:end], end + 1
		}
	case len(near) > 5 && strings.EqualFold(near[:5], "$env:"):
		end := 5
		for end < len(near) && isWordByte(near[end]) {
			end++
		}
		return near[5:end], end
	}
	return "", 0
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// splitWinPath separates the volume from the elements below it. The volume is a
// drive letter in upper case, or "UNC" for a share. Go programs on a node take
// /etc/cni/net.d as a path of the current drive, which is C: for a service, so
// a path without a drive is one of C:. Relative paths are taken from the root.
func splitWinPath(p string) (volume string, elements []string) {
	p = strings.Trim(strings.TrimSpace(strings.TrimPrefix(p, "\ufeff")), `"'`)
	p = strings.ReplaceAll(expandWindows(strings.TrimSpace(p)), `\`, "/")
	p = strings.ToValidUTF8(strings.ReplaceAll(p, "\x00", ""), "\ufffd")
	volume = "C"
	switch {
	case strings.HasPrefix(p, "//?/UNC/"), strings.HasPrefix(p, "//?/unc/"):
		volume, p = "UNC", p[len("//?/UNC/"):]
	case strings.HasPrefix(p, "//?/"), strings.HasPrefix(p, "//./"):
		p = p[len("//?/"):]
	case strings.HasPrefix(p, "//"):
		volume, p = "UNC", p[2:]
	}
	if len(p) >= 2 && p[1] == ':' && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z') && volume == "C" {
		volume, p = strings.ToUpper(p[:1]), p[2:]
	}
	for _, e := range strings.Split(path.Clean("/"+p), "/") {
		if e != "" {
			elements = append(elements, e)
		}
	}
	for volume == "UNC" && len(elements) > 0 && elements[0] == "?" {
		// no server has this name: it is a device prefix with a slash too many
		elements = elements[1:]
	}
	return volume, elements
}

// CleanWinPath writes a Windows path the one way that this program does:
// drive in upper case, backslashes, no dots, no quotes, folders of Windows in
// place of their variables. "/etc/cni/net.d" becomes `C:\etc\cni\net.d`.
func CleanWinPath(p string) string {
	volume, elements := splitWinPath(p)
	if volume == "UNC" {
		return `\\` + strings.Join(elements, `\`)
	}
	return volume + `:\` + strings.Join(elements, `\`)
}

// EvidencePath is where the copy of a node's file lies in an evidence tree:
// files/C/run/flannel/subnet.env for `C:\run\flannel\subnet.env`. It is a valid
// fs path whatever p is.
func EvidencePath(p string) string {
	volume, elements := splitWinPath(p)
	return path.Join("files", volume, path.Join(elements...))
}

// WindowsPath is the way back from EvidencePath; false for a path that is no copy of a node's file.
func WindowsPath(evidencePath string) (string, bool) {
	rest, ok := strings.CutPrefix(path.Clean(evidencePath), "files/")
	if !ok {
		return "", false
	}
	volume, rest, _ := strings.Cut(rest, "/")
	rest = strings.ReplaceAll(rest, "/", `\`)
	switch {
	case volume == "UNC":
		return `\\` + rest, true
	case len(volume) == 1 && (volume[0]|0x20 >= 'a' && volume[0]|0x20 <= 'z'):
		return strings.ToUpper(volume) + `:\` + rest, true
	}
	return "", false
}
