package node

import (
	"encoding/hex"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// regFile reads a registry in the form in which regedit exports it: a line
// [HKEY_LOCAL_MACHINE\path] opens a key, and each line after it is one of
// "name"="text", "name"=dword:0000002a or "name"=hex(7):61,00,… with a backslash
// where a long line goes on. Beside the exported form, "name"=expand:"text" and
// "name"=multi:"one","two" spare a reader the bytes; and a key that begins with
// ! may not be read.
func regFile(t *testing.T, text string) hive {
	t.Helper()
	keys, denied := map[string][]value{}, map[string]bool{}
	at := ""
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\\\n", "")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "@=") { // the value without a name
			line = `""` + line[1:]
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			name, refused := strings.CutPrefix(strings.TrimSuffix(name, "]"), "!")
			at = strings.ToLower(strings.TrimPrefix(name, `HKEY_LOCAL_MACHINE\`))
			keys[at], denied[at] = append(keys[at],
				value{name: path.Base(strings.ReplaceAll(name, `\`, "/"))}), refused
			continue
		}
		if name, data, ok := strings.Cut(strings.TrimPrefix(line, `"`), `"=`); ok &&
			strings.HasPrefix(line, `"`) {
			keys[at] = append(keys[at], regValue(t, regUnescape(name), data))
		}
	}
	return func(name string) (key, error) {
		at := strings.ToLower(name)
		if denied[at] {
			return key{}, os.ErrPermission
		}
		var subkeys []string
		for below, values := range keys {
			if parent, last := cutLast(below); parent == at {
				if len(values) > 0 && strings.EqualFold(values[0].name, last) {
					last = values[0].name
				}
				subkeys = append(subkeys, last)
			}
		}
		values, ok := keys[at]
		if !ok && subkeys == nil {
			return key{}, noKey(name)
		}
		slices.Sort(subkeys)
		return newKey(testEnvironment, subkeys, values[min(1, len(values)):]), nil
	}
}

func testEnvironment(name string) (string, bool) {
	v, ok := map[string]string{"systemroot": `C:\Windows`,
		"programfiles": `C:\Program Files`}[strings.ToLower(name)]
	return v, ok
}

func cutLast(p string) (parent, last string) {
	i := strings.LastIndexByte(p, '\\')
	return p[:max(i, 0)], p[i+1:]
}

func regUnescape(s string) string { return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(s) }

func regValue(t *testing.T, name, data string) value {
	t.Helper()
	kind, rest, _ := strings.Cut(data, ":")
	switch {
	case strings.HasPrefix(data, `"`):
		return value{name, regSZ, utf16Bytes(regUnescape(data[1 : len(data)-1]))}
	case kind == "expand":
		return value{name, regExpandSZ, utf16Bytes(regUnescape(rest[1 : len(rest)-1]))}
	case kind == "multi":
		list := ""
		for _, s := range strings.Split(strings.Trim(rest, `"`), `","`) {
			list += regUnescape(s) + "\x00"
		}
		return value{name, regMultiSZ, utf16Bytes(list)}
	case kind == "dword":
		b, err := hex.DecodeString(rest)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(b)
		return value{name, regDWord, b}
	}
	n := uint64(regBinary)
	if number, ok := strings.CutPrefix(kind, "hex("); ok {
		var err error
		if n, err = strconv.ParseUint(strings.TrimSuffix(number, ")"), 16, 32); err != nil {
			t.Fatal(err)
		}
	}
	b, err := hex.DecodeString(strings.NewReplacer(",", "", " ", "").Replace(rest))
	if err != nil {
		t.Fatal(err)
	}
	return value{name, uint32(n), b}
}

// utf16Bytes ends with a zero, as Windows stores texts.
func utf16Bytes(s string) []byte {
	var b []byte
	for _, u := range append(utf16.Encode([]rune(s)), 0) {
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}
