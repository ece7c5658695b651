package node

import (
	"cmp"
	"encoding/binary"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

// A hive opens keys of HKEY_LOCAL_MACHINE; with an error it returns the zero key. Those who read the
// registry take one, so that a registry written down as text answers them in tests.
type hive func(path string) (key, error)

// A key is one key of the registry at one moment: all its values, and the
// names of the keys below it. The zero key is empty.
type key struct {
	subkeys []string
	values  map[string]value            // under their names in lower case: Windows ignores case
	lookup  func(string) (string, bool) // the environment that expanded reads
}

// A value is as Windows keeps it; text is UTF-16 in little-endian order.
type value struct {
	name string
	kind uint32
	data []byte
}

// The types of values, by Windows' numbers.
const (
	regNone     = 0
	regSZ       = 1
	regExpandSZ = 2
	regBinary   = 3
	regDWord    = 4
	regMultiSZ  = 7
	regQWord    = 11
)

func newKey(lookup func(string) (string, bool), subkeys []string, values []value) key {
	k := key{subkeys: subkeys, values: make(map[string]value, len(values)), lookup: lookup}
	for _, v := range values {
		k.values[strings.ToLower(v.name)] = v
	}
	return k
}

// names are the values' names as they are written, sorted without regard to case.
func (k key) names() []string {
	names := make([]string, 0, len(k.values))
	for _, v := range k.values {
		names = append(names, v.name)
	}
	sorted.By(names, compareFold)
	return names
}

func (k key) value(name string, kinds ...uint32) (value, bool) {
	v, ok := k.values[strings.ToLower(name)]
	return v, ok && slices.Contains(kinds, v.kind)
}

// str is a text; %NAME% in it stays as it is.
func (k key) str(name string) (string, bool) {
	v, ok := k.value(name, regSZ, regExpandSZ)
	if !ok {
		return "", false
	}
	text, _, _ := strings.Cut(utf16Text(v.data), "\x00")
	return text, true
}

// text is str, empty where there is none.
func (k key) text(name string) string {
	s, _ := k.str(name)
	return s
}

// expanded is a text with %NAME% replaced where the value is of the type that asks for it.
func (k key) expanded(name string) (string, bool) {
	s, ok := k.str(name)
	if v, _ := k.value(name, regExpandSZ); v.kind == regExpandSZ && k.lookup != nil {
		s = expand(s, k.lookup)
	}
	return s, ok
}

// strings is a list of texts. A plain text counts as a list of one: some
// programs write that where Windows itself writes a list.
func (k key) strings(name string) ([]string, bool) {
	v, ok := k.value(name, regMultiSZ, regSZ, regExpandSZ)
	if !ok {
		return nil, false
	}
	list := []string{}
	for _, s := range strings.Split(utf16Text(v.data), "\x00") {
		if s == "" { // the list ends here, whatever lies behind
			break
		}
		list = append(list, s)
		if v.kind != regMultiSZ {
			break
		}
	}
	return list, true
}

// number is a DWORD or a QWORD.
func (k key) number(name string) (uint64, bool) {
	v, _ := k.value(name, regDWord, regQWord)
	switch {
	case v.kind == regDWord && len(v.data) == 4:
		return uint64(binary.LittleEndian.Uint32(v.data)), true
	case v.kind == regQWord && len(v.data) == 8:
		return binary.LittleEndian.Uint64(v.data), true
	}
	return 0, false
}

// firstNumber is that of the first key that has it.
func firstNumber(name string, otherwise uint64, keys ...key) uint64 {
	for _, k := range keys {
		if n, ok := k.number(name); ok {
			return n
		}
	}
	return otherwise
}

// binary is what has no other type.
func (k key) binary(name string) ([]byte, bool) {
	v, ok := k.value(name, regBinary, regNone)
	return v.data, ok
}

// utf16Text decodes without looking for a byte order mark: the registry has none.
func utf16Text(b []byte) string {
	units := make([]uint16, len(b)/2)
	_, _ = binary.Decode(b, binary.LittleEndian, units)
	return string(utf16.Decode(units))
}

// expand replaces %NAME% as Windows does: what is not set stays as it is.
func expand(s string, lookup func(string) (string, bool)) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "%")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "%")
		if v, set := lookup(name); closed && name != "" && set {
			b.WriteString(v)
			s = after
			continue
		}
		// This sign is plain; the next one may open a name.
		b.WriteString("%")
		s = rest
	}
}

// noKey is a key that is not there, by its path.
type noKey string

func (e noKey) Error() string {
	return `HKLM\` + evidence.Clean(string(e)) + " is not in the registry"
}
func (e noKey) Unwrap() error { return fs.ErrNotExist }

func compareFold(a, b string) int {
	return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
}

const machineEnvironment = `SYSTEM\CurrentControlSet\Control\Session Manager\Environment`

// readEnvironment reads the machine's variables as a service gets them that is started now.
func readEnvironment(open hive) (map[string]string, error) {
	k, err := open(machineEnvironment)
	if err != nil {
		return nil, err
	}
	// What names other variables may name one that was set after this program began.
	around := k.lookup
	k.lookup = func(name string) (string, bool) {
		if v, ok := k.value(name, regSZ); ok {
			return k.text(v.name), true
		}
		if around == nil {
			return "", false
		}
		return around(name)
	}
	env := map[string]string{}
	for _, name := range k.names() {
		if v, ok := k.expanded(name); ok && name != "" {
			env[name] = withoutCredentials(name, v)
		}
	}
	return env, nil
}

var (
	urlUser   = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)([^\s"'<>|]*)`)
	proxyName = regexp.MustCompile(`(?i)proxy$`)
	onlyPort  = regexp.MustCompile(`^[^:]*(:\d*)?$|^\[[^\]]*\](:\d*)?$`)
)

// withoutCredentials takes user names and passwords out of the URLs in the
// value of a variable. A proxy may be given without a scheme.
func withoutCredentials(name, s string) string {
	if proxyName.MatchString(name) && !strings.Contains(s, "://") {
		return withoutUser(s)
	}
	return urlUser.ReplaceAllStringFunc(s, func(u string) string {
		m := urlUser.FindStringSubmatch(u)
		return m[1] + withoutUser(m[2])
	})
}

// withoutUser cuts user@ off what follows the scheme. A password with a slash
// in it, which no URL may have, goes as well.
func withoutUser(s string) string {
	end := strings.IndexAny(s, "/?#")
	if end < 0 {
		end = len(s)
	}
	if at := strings.LastIndexByte(s[:end], '@'); at >= 0 {
		return s[at+1:]
	}
	if at := strings.LastIndexByte(s, '@'); at >= 0 && !onlyPort.MatchString(s[:end]) {
		return s[at+1:]
	}
	return s
}
