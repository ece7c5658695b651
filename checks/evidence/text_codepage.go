package evidence

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// pageVotes is what the lines that are not UTF-8 have said so far about their
// code page. Nothing in a file names it, so this is a guess by what is usual:
//
//   - Shift JIS (932) where kana follow each other;
//   - 866 or Windows-1251 where words have Cyrillic letters only;
//   - GB18030 where bytes come in pairs that are common Chinese characters, at
//     least two of them and three for each other pair;
//   - the OEM code page (850, or 437 where it draws boxes that 850 has not) of
//     console programs, where letters lie below C0 or a rule is drawn;
//   - Windows-1252 otherwise.
type pageVotes struct {
	kana        int // that another one follows
	dos, win    int // letters of words that are Cyrillic in 866, and in Windows-1251
	common, odd int // pairs
	oem, ansi   int // letters
	boxes       int // bytes that are box corners in 437 and letters in 850
	heard       int // bytes of the lines that voted
}

// enoughVotes is how many bytes of lines are heard before the page stands.
const enoughVotes = 1 << 20

// decode appends b to dst, line by line: valid ones untouched, damaged UTF-8
// with its bad bytes marked, and the rest from the code page.
func (v *pageVotes) decode(dst, b []byte) []byte {
	for line := range bytes.Lines(b) {
		if v.heard < enoughVotes && !utf8.Valid(line) && !isDamagedUTF8(line) {
			v.heard += len(line)
			v.count(line)
		}
	}
	page := v.page()
	for line := range bytes.Lines(b) {
		switch {
		case utf8.Valid(line):
			dst = append(dst, line...)
		case isDamagedUTF8(line):
			dst = append(dst, bytes.ToValidUTF8(line, []byte("\uFFFD"))...)
		default:
			dst = appendDecoded(dst, line, page.NewDecoder())
		}
	}
	return dst
}

// appendDecoded needs at most three bytes of UTF-8 for each byte of line.
func appendDecoded(dst, line []byte, d *encoding.Decoder) []byte {
	dst = slices.Grow(dst, 3*len(line)+utf8.UTFMax)
	n, _, err := d.Transform(dst[len(dst):cap(dst)], line, true)
	if err != nil {
		return append(dst, bytes.ToValidUTF8(line, []byte("\uFFFD"))...)
	}
	return dst[:len(dst)+n]
}

// isDamagedUTF8 tells whether the line is UTF-8 with some bad bytes in it:
// other code pages give its longer sequences by rare accident only.
func isDamagedUTF8(line []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(line); {
		if line[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && size == 1 {
			bad++
		} else {
			good++
		}
		i += size
	}
	return good > 0 && good >= bad
}

// page returns the likeliest code page.
func (v *pageVotes) page() encoding.Encoding {
	switch {
	case v.kana >= 4 && v.kana > v.oem:
		return japanese.ShiftJIS
	case v.common >= 2 && v.common >= 3*v.odd:
		return simplifiedchinese.GB18030
	case v.dos > 8 && v.dos > 2*v.win:
		return charmap.CodePage866
	case v.win > 8:
		return charmap.Windows1251
	case v.oem <= v.ansi:
		return charmap.Windows1252
	case v.boxes > 0:
		return charmap.CodePage437
	}
	return charmap.CodePage850
}

func (v *pageVotes) count(line []byte) {
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c < 0x80:
			i++
		case ruleLength(line[i:]) >= 3:
			n := ruleLength(line[i:])
			v.oem += n
			i += n
		case i+1 < len(line) && ruleLength(line[i+1:]) >= 3: // a corner; the rule comes next
			i++
		case i+2 < len(line) && (c == 0x82 || c == 0x83) && line[i+1] >= 0x40 && line[i+2] >= 0x81 && line[i+2] <= 0x83:
			v.kana++
			i += 2
		case i+1 < len(line) && c >= 0xa1 && c <= 0xd7 && line[i+1] >= 0xa1 &&
			(c <= 0xa3 || c >= 0xb0):
			v.common++ // GB 2312: punctuation, full-width letters, the 3,755 commonest characters
			i += 2
		case c == 0x80 || c == 0xff: // begins no pair
			v.odd++
			i++
		default:
			v.odd++
			i += min(2, len(line)-i)
		}
	}
	for _, word := range bytes.FieldsFunc(line, func(r rune) bool { return r < 0x80 }) {
		// of Western words few letters are outside of ASCII, and rules repeat a byte
		if len(word) < 3 || 2*bytes.Count(word, word[1:2]) > len(word) {
			continue
		}
		if !slices.ContainsFunc(word, func(c byte) bool { return c > 0xaf && c < 0xe0 || c > 0xf1 }) {
			v.dos += len(word)
		} else if !slices.ContainsFunc(word, func(c byte) bool { return c < 0xc0 && c != 0xa8 && c != 0xb8 }) {
			v.win += len(word)
		}
	}
	for i, c := range line {
		var before, after byte
		if i > 0 {
			before = line[i-1]
		}
		if i+1 < len(line) {
			after = line[i+1]
		}
		v.countByte(before, c, after)
	}
}

func (v *pageVotes) countByte(before, c, after byte) {
	inWord := isLetter(before) && isLetter(after)
	switch {
	case c < 0x80:
	case isBoxLine(before) && isMixedBox(c), isMixedBox(c) && isBoxLine(after):
		v.boxes++
		v.oem++
	case c == 0x81, c == 0x8d, c == 0x8f, c == 0x90, c == 0x9d: // not in Windows-1252
		v.oem++
	case c == 0x92: // the apostrophe of Windows-1252
		v.ansi++
	case inWord && (c <= 0x9a || 0xa0 <= c && c <= 0xa5):
		v.oem++
	case isLetter(after) && (c == 0x8e || c == 0x99 || c == 0x9a), isLetter(before) && c == 0x82:
		v.oem++ // Ä, Ö and Ü at the start of a word, é at its end
	case c >= 0xc0 && (isLetter(before) || isLetter(after)):
		v.ansi++
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isBoxLine tells whether c draws a straight line in an OEM code page.
func isBoxLine(c byte) bool { return c == 0xb3 || c == 0xba || c == 0xc4 || c == 0xcd }

// isMixedBox tells whether c joins a single and a double line in 437; 850 has letters there.
func isMixedBox(c byte) bool {
	return 0xb5 <= c && c <= 0xb8 || c == 0xbd || c == 0xbe || c == 0xc6 || c == 0xc7 ||
		0xcf <= c && c <= 0xd8
}

// ruleLength counts how often b repeats the byte it begins with, where that is
// one of which OEM text draws rules and bars.
func ruleLength(b []byte) int {
	switch c := b[0]; c {
	case 0xc4, 0xcd, 0xdb, 0xdc, 0xdf, 0xb0, 0xb1, 0xb2:
		n := 1
		for n < len(b) && b[n] == c {
			n++
		}
		return n
	}
	return 0
}
