package node

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
)

const someRegistry = `Windows Registry Editor Version 5.00

[HKEY_LOCAL_MACHINE\SYSTEM\Some]
"Text"="C:\\k\\kubelet.exe"
"Path"=expand:"%SystemRoot%\\system32;%NOT_SET%;100%"
"PlainPercent"="%SystemRoot%"
"List"=hex(7):61,00,62,00,00,00,63,00,\
  00,00,00,00,64,00,00,00
"Multi"=multi:"a b","c"
"Small"=dword:0000002a
"Large"=hex(b):00,00,00,00,01,00,00,00
"Bytes"=hex:01,02
"Cut"=hex(4):01,00

[HKEY_LOCAL_MACHINE\SYSTEM\Some\Below]
[!HKEY_LOCAL_MACHINE\SYSTEM\Secret]
`

func TestKey(t *testing.T) {
	open := regFile(t, someRegistry)
	k, err := open(`system\SOME`)
	if err != nil {
		t.Fatal(err)
	}
	one := func(v any, ok bool) any {
		if !ok {
			return nil
		}
		return v
	}
	str := func(name string) any { v, ok := k.str(name); return one(v, ok) }
	expanded := func(name string) any { v, ok := k.expanded(name); return one(v, ok) }
	number := func(name string) any { v, ok := k.number(name); return one(v, ok) }
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"a text, whatever the case of its name", str("TEXT"), `C:\k\kubelet.exe`},
		{"a text that is not there", str("Nothing"), nil},
		{"a number is no text", str("Small"), nil},
		{"str leaves names in percent signs", str("Path"), `%SystemRoot%\system32;%NOT_SET%;100%`},
		{"expanded replaces what is set, and leaves the rest", expanded("Path"),
			`C:\Windows\system32;%NOT_SET%;100%`},
		{"a plain text is never expanded", expanded("PlainPercent"), "%SystemRoot%"},
		{"a DWORD", number("Small"), uint64(42)},
		{"a QWORD", number("Large"), uint64(1 << 32)},
		{"a number that is too short is none", number("Cut"), nil},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, tt.got, tt.want)
		}
	}
	if l, ok := k.strings("List"); !ok || !slices.Equal(l, []string{"ab", "c"}) {
		t.Errorf("a list ends at its first empty text: got %q %v", l, ok)
	}
	if l, ok := k.strings("Text"); !ok || !slices.Equal(l, []string{`C:\k\kubelet.exe`}) {
		t.Errorf("a text is a list of one: got %q %v", l, ok)
	}
	if b, ok := k.binary("Bytes"); !ok || !slices.Equal(b, []byte{1, 2}) {
		t.Errorf("bytes: got %v %v", b, ok)
	}
	if !slices.Equal(k.subkeys, []string{"Below"}) {
		t.Errorf("keys below: got %q", k.subkeys)
	}
	if _, err := open(`SYSTEM\Other`); !errors.Is(err, fs.ErrNotExist) ||
		err.Error() != `HKLM\SYSTEM\Other is not in the registry` {
		t.Errorf("a key that is not there: got %v", err)
	}
	if _, err := open(`SYSTEM\Secret`); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a key that may not be read: got %v", err)
	}
}
