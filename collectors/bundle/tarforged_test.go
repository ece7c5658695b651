package bundle

import (
	"archive/tar"
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// pax is a tar entry whose extended header says what it likes.
func pax(t testing.TB, name, content string, records ...string) []byte {
	t.Helper()
	var all strings.Builder
	for _, r := range records {
		n := len(r) + 3
		for n != len(fmt.Sprintf("%d %s\n", n, r)) {
			n++
		}
		fmt.Fprintf(&all, "%d %s\n", n, r)
	}
	return append(entryOf(t, 'x', "PaxHeaders.0/"+name, all.String()),
		entryOf(t, tar.TypeReg, name, content)...)
}

// entryOf is one entry without the end of a tar.
func entryOf(t testing.TB, kind byte, name, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644,
		Size: int64(len(content)), Format: tar.FormatUSTAR}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, content)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	b.Bytes()[156] = kind
	sign(b.Bytes())
	return b.Bytes()
}

func TestTarWhoseExtendedHeadersLie(t *testing.T) {
	for name, row := range map[string]struct {
		record  string
		want    string
		refused []string
		fails   string
	}{
		"nothing of interest": {"comment=hello", "a=1 z=2", nil, ""},
		"a size beyond the end": {"size=5000", "", nil,
			"it is cut short at byte 4096 of the tar, after a"},
		"a size of a petabyte": {"size=1125899906842624", "", nil,
			"it is cut short at byte 4096 of the tar, after a"},
		"a size below zero":        {"size=-1", "", nil, "it is damaged at byte"},
		"a size that is no number": {"size=1e9", "", nil, "it is damaged at byte"},
		"a size that hides others": {"size=1536", "", nil,
			"a: its two headers disagree on its size: 1536 bytes, and 1"},
		"a size that is told twice": {"size=1", "a=1 z=2", nil, ""},
		"a name that climbs": {"path=../../etc/passwd", "z=2",
			[]string{"../../etc/passwd: its name leads upwards"}, ""},
		"a name that is absolute": {"path=/etc/passwd", "z=2",
			[]string{"/etc/passwd: its name is absolute"}, ""},
		"a name of a drive": {`path=C:\Windows\x`, "z=2",
			[]string{`C:\Windows\x: its name begins with a drive`}, ""},
		"a name of a share": {`path=\\server\c$\x`, "z=2",
			[]string{`\\server\c$\x: its name is absolute`}, ""},
		"a name of a device": {"path=logs/NUL.txt", "z=2",
			[]string{"logs/NUL.txt: Windows keeps the name"}, ""},
		"a name with control": {"path=a\x1b[2Jb", "z=2",
			[]string{"a?[2Jb: its name holds control"}, ""},
		// the kind decides, and it is that of a file
		"a link that is a file": {"linkpath=/etc/passwd", "a=1 z=2", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			content := append(pax(t, "a", "1", row.record), entryOf(t, tar.TypeReg, "z", "2")...)
			content = append(content, make([]byte, 2*tarBlock)...)
			a, err := open(save(t, content), standard)
			if row.fails != "" {
				if err == nil || !strings.Contains(err.Error(), row.fails) {
					t.Errorf("opening gives %v, want %q in it", err, row.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			if got := contents(t, a); got != row.want {
				t.Errorf("it holds %q, want %q", got, row.want)
			}
			checkRefusals(t, a, row.refused)
		})
	}
}

func TestTarThatGoesOnBehindItsEnd(t *testing.T) {
	one, two := makeTar(t, member{name: "a", content: "1"}),
		makeTar(t, member{name: "hidden", content: "2"})
	const says = "node.bin: it goes on behind its end, and that is not read; it ends at byte 2048 of the tar, after a"
	for name, row := range map[string]struct {
		content []byte
		refused []string
	}{
		"padding to a record": {append(one[:len(one):len(one)], make([]byte, 20<<9)...), nil},
		"another tar":         {append(one[:len(one):len(one)], two...), []string{says}},
		"a text":              {append(one[:len(one):len(one)], "text"...), []string{says}},
		"two megabytes of zero": {append(one[:len(one):len(one)], make([]byte, 2<<20)...),
			[]string{says}},
	} {
		for kind, content := range map[string][]byte{"tar": row.content,
			"tar.gz": makeGzip(t, row.content)} {
			t.Run(name+" in a "+kind, func(t *testing.T) {
				a := mustOpen(t, save(t, content), standard)
				if got := contents(t, a); got != "a=1" {
					t.Errorf("it holds %q", got)
				}
				checkRefusals(t, a, row.refused)
			})
		}
	}
}
