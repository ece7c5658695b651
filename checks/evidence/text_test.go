package evidence

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

func utf16Bytes(order binary.AppendByteOrder, s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

func le(s string) string { return utf16Bytes(binary.LittleEndian, s) }
func be(s string) string { return utf16Bytes(binary.BigEndian, s) }

func encoded(t testing.TB, e encoding.Encoding, s string) string {
	t.Helper()
	b, err := e.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestText(t *testing.T) {
	long := strings.Repeat("I0102 03:04:05.678901 1234 proxier.go:99] Syncing proxy rules\r\n",
		3000)
	chinese := "适配器 vEthernet (以太网) 已启用\r\n"
	gbk := func(s string) string { return encoded(t, simplifiedchinese.GBK, s) }
	ansi := func(s string) string { return encoded(t, charmap.Windows1252, s) }
	oem := func(s string) string { return encoded(t, charmap.CodePage850, s) }
	us := func(s string) string { return encoded(t, charmap.CodePage437, s) }
	for _, test := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"one byte", "x", "x"},
		{"plain ASCII", "a\r\nb\n", "a\r\nb\n"},
		{"UTF-8 with a byte order mark", "\xef\xbb\xbf{\"a\":\"ü\"}", "{\"a\":\"ü\"}"},
		{"a byte order mark and nothing else", "\xef\xbb\xbf", ""},
		{"UTF-16 LE with a byte order mark", "\xff\xfe" + le("ä€𝄞\r\n"), "ä€𝄞\r\n"},
		{"UTF-16 BE with a byte order mark", "\xfe\xff" + be("ä€𝄞\r\n"), "ä€𝄞\r\n"},
		{"a UTF-16 byte order mark and nothing else", "\xff\xfe", ""},
		{"UTF-16 LE without a byte order mark", le("{\"ID\":1}"), "{\"ID\":1}"},
		{"UTF-16 BE without a byte order mark", be("{\"ID\":1}"), "{\"ID\":1}"},
		{"UTF-16 LE of two characters without a byte order mark", le("ok"), "ok"},
		{"UTF-16 LE without a byte order mark that begins with Chinese", le(chinese), chinese},
		{"Chinese in UTF-16 LE", "\xff\xfe" + le(strings.Repeat(chinese+"上下上下上\r\n", 5000)),
			strings.Repeat(chinese+"上下上下上\r\n", 5000)},
		{"UTF-16 that ends in the middle of a character", "\xff\xfe" + le("abc") + "\x00", "abc"},
		{"half a surrogate pair", "\xff\xfe" + le("a") + "\x34\xd8" + le("b"), "a\uFFFDb"},
		{"half a surrogate pair at the end", "\xff\xfe" + le("a") + "\x34\xd8", "a\uFFFD"},
		{"UTF-16 appended to ASCII", "start\r\n" + le("line two\r\n"), "start\r\nline two\r\n"},
		{"UTF-16 appended to ASCII far inside", long + le("line two\r\n") + long,
			long + "line two\r\n" + long},
		{"UTF-16 with its mark appended to ASCII", "start\r\n\xff\xfe" + le("line two\r\n"),
			"start\r\nline two\r\n"},
		{"UTF-16 BE with its mark appended to ASCII", "start\r\n\xfe\xff" + be("line two\r\n"),
			"start\r\nline two\r\n"},
		{"UTF-16 that begins with Chinese appended to ASCII", "start\r\n" + le(chinese),
			"start\r\n" + chinese},
		{"an empty UTF-16 line appended to ASCII", "start\r\n" + le("\r\n"), "start\r\n\r\n"},
		{"ASCII appended to UTF-16", "\xff\xfe" + le("one\r\n") + "two\r\n", "one\r\ntwo\r\n"},
		{"ASCII without a line end appended to UTF-16", "\xff\xfe" + le("one\r\n") + "two",
			"one\r\ntwo"},
		{"long ASCII appended to UTF-16", "\xff\xfe" + le("one\r\n") + long + le("three\r\n"),
			"one\r\n" + long + "three\r\n"},
		{"long ASCII appended in the middle of a UTF-16 line", "\xff\xfe" + le("one: ") + long,
			"one: " + long},
		{"GBK appended to UTF-16", "\xff\xfe" + le("one\r\n") + gbk("网络已启用\r\n"),
			"one\r\n网络已启用\r\n"},
		{"to and fro", "\xff\xfe" + le("1\r\n") + "2\r\n" + le("3\r\n") + "four\r\n" + le("5\r\n"),
			"1\r\n2\r\n3\r\nfour\r\n5\r\n"},
		{"UTF-16 through a program in text mode", "\xff\xfe" + strings.ReplaceAll(le("one\ntwo\n"),
			"\n", "\r\n"), "one\ntwo\n"},
		{"UTF-16 that lost a byte", "\xff\xfe" + le("one\r\n") + "\x00" + le("two three four\r\n"),
			"one\r\ntwo three four\r\n"},
		{"two UTF-16 files joined", "\xff\xfe" + le("one\r\n") + "\xff\xfe" + le("two\r\n"),
			"one\r\ntwo\r\n"},
		{"two UTF-16 files of different order joined", "\xff\xfe" + le("one\r\n") + "\xfe\xff" +
			be("two\r\n"), "one\r\ntwo\r\n"},
		{"a NUL in ASCII", "a\x00b\nc", "a\x00b\nc"},
		{"a log that a crash filled with NULs", "one\r\n" + strings.Repeat("\x00", 200_000) +
			"two\r\n", "one\r\n" + strings.Repeat("\x00", 200_000) + "two\r\n"},
		{"one bad byte in UTF-8", "grün\nfür \xff Größe\ngrün\n", "grün\nfür \uFFFD Größe\ngrün\n"},
		{"one line of Windows-1252 in UTF-8", "grün\n" + ansi("Schnittstelle übergangen\n") +
			"日本語\n", "grün\nSchnittstelle übergangen\n日本語\n"},
		{"a Windows-1252 apostrophe", "can\x92t\n", "can’t\n"},
		{"German of a console program",
			oem("Gerät wurde nicht gefunden, prüfen Sie die Verfügbarkeit\r\n"),
			"Gerät wurde nicht gefunden, prüfen Sie die Verfügbarkeit\r\n"},
		{"French of a console program", oem("Carte réseau sans fil: déconnecté\r\n"),
			"Carte réseau sans fil: déconnecté\r\n"},
		{"French of a Windows program", ansi("Carte réseau sans fil: déconnecté\r\n"),
			"Carte réseau sans fil: déconnecté\r\n"},
		{"Japanese", encoded(t, japanese.ShiftJIS, "メディアは接続されていません\r\n"), "メディアは接続されていません\r\n"},
		{"Russian of a console program", encoded(t, charmap.CodePage866, "Отслеживание сервера\r\n"), "Отслеживание сервера\r\n"},
		{"Russian of a Windows program", encoded(t, charmap.Windows1251, "Отслеживание сервера\r\n"), "Отслеживание сервера\r\n"},
		{"German of a Windows program", ansi("Größe des Präfixes für Übergänge\r\n"),
			"Größe des Präfixes für Übergänge\r\n"},
		{"a tree drawn by a console program", oem("C:.\r\n├───cni\r\n│   └───config\r\n"),
			"C:.\r\n├───cni\r\n│   └───config\r\n"},
		{"a table with mixed lines", us("╒════╕\r\n│ ok │\r\n╘════╛\r\n"),
			"╒════╕\r\n│ ok │\r\n╘════╛\r\n"},
		{"Chinese of a console program",
			gbk("以太网适配器 vEthernet (nat):\r\n   DHCP 已启用 . . . : 是\r\n"),
			"以太网适配器 vEthernet (nat):\r\n   DHCP 已启用 . . . : 是\r\n"},
		{"much Chinese of a console program", gbk(strings.Repeat("网络连接已断开，请检查。", 20_000)),
			strings.Repeat("网络连接已断开，请检查。", 20_000)},
		{"GBK with a broken character", gbk("网络连接已断开") + "\xff" + gbk("请检查\r\n"),
			"网络连接已断开\uFFFD请检查\r\n"},
		{"a whole chunk of bytes that no code page is known for", strings.Repeat("\xff", 100_000),
			strings.Repeat("ÿ", 100_000)},
		{"UTF-8 Chinese across chunks", strings.Repeat("a"+chinese, 10_000),
			strings.Repeat("a"+chinese, 10_000)},
		{"a UTF-8 character cut off at the end", "grün gr\xc3", "grün gr\uFFFD"},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := test.want
			for name, r := range map[string]io.Reader{
				"whole":               strings.NewReader(test.in),
				"bytes":               iotest.OneByteReader(strings.NewReader(test.in)),
				"data with its error": iotest.DataErrReader(strings.NewReader(test.in)),
			} {
				got, err := io.ReadAll(Text(r))
				if err != nil || string(got) != want {
					t.Errorf("%s: got %s, %v; want %s", name, sample(string(got), want), err,
						sample(want, string(got)))
				}
			}
			if got := string(DecodeText([]byte(test.in))); got != want {
				t.Errorf("DecodeText: got %s, want %s", sample(got, want), sample(want, got))
			}
		})
	}
}

// sample quotes s around the first place where it differs from other.
func sample(s, other string) string {
	i := 0
	for i < len(s) && i < len(other) && s[i] == other[i] {
		i++
	}
	return strings.ToValidUTF8(strings.Trim(strings.Join([]string{"…",
		s[max(0, i-20):min(len(s), i+60)], "…"}, "|"), " "), "?")
}

func TestDecodeTextReturnsUTF8AsItIs(t *testing.T) {
	in := []byte("{\"name\":\"以太网\"}")
	if out := DecodeText(in); &out[0] != &in[0] {
		t.Error("DecodeText copied what was UTF-8 already")
	}
}

func TestTextReportsTheErrorAfterTheText(t *testing.T) {
	broken := errors.New("broken pipe")
	got, err := io.ReadAll(Text(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken))))
	if string(got) != "abc" || !errors.Is(err, broken) {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := io.ReadAll(Text(stuck{})); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that gives nothing: got %v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func FuzzText(f *testing.F) {
	for _, s := range []string{
		"a\r\nb",
		"\xef\xbb\xbfabc",
		"\xff\xfe" + le("ä€𝄞\r\nabc") + "eight bits\r\n" + le("x\r\n"),
		"\xfe\xff" + be("ä€𝄞\r\n"),
		"\xb4\xed\xce\xf3\r\n" + le("错误 x\r\n") + strings.Repeat("eight bits ", 4) +
			le("once more"),
		"├─── \xc4\xc4\xc4 M\x81ller",
		"one\r\n\x00\x00\x00h\x00e\x00l\x00\x0d\x0a\x00x\x00",
		"\xfe\xff\x000" + strings.Repeat("\xfd\x00", 200),
	} {
		f.Add([]byte(s), uint16(300))
	}
	f.Add([]byte("0\xff0\x000\x00"), uint16(textAhead+50-6)) // just one chunk
	f.Fuzz(func(t *testing.T, in []byte, shift uint16) {
		check := func(got []byte, in []byte) {
			t.Helper()
			if !utf8.Valid(got) {
				t.Error("the text is no UTF-8")
			}
			if len(got) > 3*len(in) {
				t.Errorf("%d bytes became %d", len(in), len(got))
			}
			if utf8.Valid(in) && bytes.IndexByte(in, 0) < 0 &&
				!bytes.Equal(got, bytes.TrimPrefix(in, []byte("\ufeff"))) {
				t.Error("UTF-8 was changed")
			}
		}
		got, err := io.ReadAll(Text(bytes.NewReader(in)))
		if err != nil {
			t.Fatal(err)
		}
		check(got, in)
		if again := DecodeText(in); !bytes.Equal(got, again) {
			t.Errorf("DecodeText differs: %s and %s", sample(string(got), string(again)),
				sample(string(again), string(got)))
		}
		// The same in small chunks, so that what matters lies on their borders.
		in = append(bytes.Repeat([]byte("x"), int(shift)%600), in...)
		small := func(r io.Reader) []byte {
			text, err := io.ReadAll(&textReader{src: r, buf: make([]byte, textAhead+50),
				dec: newTextDecoder()})
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		got = small(bytes.NewReader(in))
		check(got, in)
		if !bytes.Equal(got, small(iotest.HalfReader(iotest.DataErrReader(bytes.NewReader(in))))) {
			t.Error("the text depends on how it is read")
		}
	})
}

func FuzzJSONError(f *testing.F) {
	f.Add([]byte("{\n\"a\":\n}"))
	f.Add([]byte("[1,\n2,\n\"x\"]"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var list []int
		if err := decodeJSON(in, &list); err != nil && !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("no line in %q", err)
		}
	})
}

func TestJSONErrorNamesTheLine(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"a missing value", "{\n  \"pid\":\n}",
			"line 3: invalid character '}' looking for beginning of value"},
		{"a cut file", "{\n\n\"pid\": 1", "line 3: unexpected end of JSON input"},
		{"a wrong type", "{\n  \"pid\": \"x\"\n}",
			"line 2: pid is a JSON string, where a number belongs"},
		{"a wrong document", "\n7",
			"line 2: the document is a JSON number, where an object belongs"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var p Process
			if err := decodeJSON([]byte(test.in), &p); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
	var syntax *json.SyntaxError
	if err := decodeJSON([]byte("{"), &Process{}); !errors.As(err, &syntax) {
		t.Errorf("%v hides what it wraps", err)
	}
	if err := jsonError(nil, nil); err != nil {
		t.Errorf("no error became %v", err)
	}
}

func BenchmarkText(b *testing.B) {
	for name, line := range map[string]string{
		"ASCII":   "I0102 03:04:05.678901 1234 proxier.go:99] Syncing proxy rules for service default/kubernetes\r\n",
		"Chinese": "适配器 vEthernet (以太网) 已启用，网络连接正常\r\n",
		"UTF-16":  le("I0102 03:04:05.678901 1234 proxier.go:99] Syncing proxy rules\r\n"),
		"1252":    "Schnittstelle \xfcbergangen, Gr\xf6\xdfe 12345 der Verbindung\r\n",
		"GBK":     "\xb4\xed\xce\xf3\xb4\xed\xce\xf3\xb4\xed\xce\xf3 vEthernet (nat) 10.0.0.4\r\n",
	} {
		b.Run(name, func(b *testing.B) {
			in := strings.Repeat(line, 64<<20/len(line))
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				io.Copy(io.Discard, Text(strings.NewReader(in)))
			}
		})
	}
}
