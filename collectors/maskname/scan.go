package maskname

import (
	"encoding/hex"
	"slices"
	"unicode"
	"unicode/utf8"

	"doctor/checks/sorted"
)

// Append appends text with its names masked. The text is a block that is cut
// where no word goes on.
func (n *Names) Append(dst, text []byte) []byte {
	s := scan{n: n, table: n.table.Load(), text: text, dst: dst}
	s.run()
	for k, c := range s.counts {
		if c > 0 {
			n.counts[k].Add(c)
		}
	}
	return append(s.dst, text[s.done:]...)
}

// A scan goes once through a text, from the start of one word to the next.
type scan struct {
	n      *Names
	table  *table
	text   []byte
	dst    []byte
	done   int // how much of text dst holds
	counts [kinds]int64
}

// replace appends what is left before the index, and skips what is to be
// replaced; the caller appends the mask.
func (s *scan) replace(at, end int, k kind) {
	s.dst = append(s.dst, s.text[s.done:at]...)
	s.done = end
	s.counts[k]++
}

func (s *scan) run() {
	t := s.text
	for i := 0; i < len(t); {
		c := t[i]
		if isAlnum[c] {
			j := i + 1
			for j < len(t) && isAlnum[t[j]] {
				j++
			}
			i = max(j, s.word(i, j))
			continue
		}
		end := 0
		switch {
		case c == ':' && i+1 < len(t) && t[i+1] == ':' && (i == 0 || t[i-1] != ':'):
			end = s.ipv6(i)
		case c == '@':
			end = s.mail(i)
		case c >= utf8.RuneSelf && utf8.RuneStart(c) && (i == 0 || !isAlnum[t[i-1]]) && startsWord(t, i):
			end = s.name(i)
		}
		i = max(i+1, end)
	}
}

// word looks at a run of letters and digits. It returns the index behind what it
// masked or knows, 0 for nothing.
func (s *scan) word(at, end int) int {
	t := s.text
	if !startsWord(t, at) {
		return 0
	}
	if e := s.value(at, end); e > 0 {
		return e
	}
	// In "\nwin-1" and "%5Cwin-1" the name follows the sign that is spelled so.
	if start := s.spelled(at, end); start > 0 && start < end {
		return s.value(start, end)
	}
	return 0
}

// spelled returns where a word starts behind an escaped sign, 0 where none is.
func (s *scan) spelled(at, end int) int {
	if at == 0 {
		return 0
	}
	switch t := s.text; {
	case t[at-1] == '%' && end-at > 2 && hexValue[t[at]] < 16 && hexValue[t[at+1]] < 16:
		return at + 2
	case t[at-1] != '\\':
		return 0
	case t[at] == 'u' && end-at > 5:
		return at + 5
	case t[at] == 'n', t[at] == 't', t[at] == 'r', t[at] == 'b', t[at] == 'f':
		return at + 1
	}
	return 0
}

// value masks what starts at the index, whose run of letters and digits ends at end.
func (s *scan) value(at, end int) int {
	t := s.text
	// what may begin a name with its domain, which no number does
	if end < len(t) && (t[end] == '.' && (isLetter(t[at]) || end-at > 3) ||
		t[end] == '-' && isLetter(t[at])) {
		if e := s.fullName(at, end); e > 0 {
			return e
		}
	}
	if e := s.name(at); e > 0 {
		return e
	}
	if e := s.placed(at, end); e > 0 {
		return e
	}
	if end >= len(t) {
		return s.bare(at, end)
	}
	c, next, length := t[at], t[end], end-at
	switch {
	case length == 12:
		return s.bare(at, end)
	case next == '-' && length == 1 && folded[c] == 's':
		return s.sid(at)
	case next == '-' && (length == 2 || length == 3) && (startsFold(t[at:end], "ip") ||
		startsFold(t[at:end], "ec2")):
		if e := s.dashed(at, end+1); e > 0 {
			return e
		}
	case length == 5 && (next == '\\' || next == '/') && startsFold(t[at:], "users"):
		return s.profile(at, end)
	}
	if hexValue[c] > 15 || length > 4 {
		return 0
	}
	if length == 2 && (next == '-' || next == ':') || length == 4 && next == '.' {
		if m, e := macAt(t, at); e > 0 {
			s.putMAC(at, e, m)
			return e
		}
	}
	switch {
	case next == ':':
		return s.ipv6(at)
	case next != '.':
	case length == 1 && s.reverse6(at) > 0:
		return at + 64
	case isDigit(c):
		return s.ipv4(at)
	}
	return 0
}

// placed masks a name that its place tells: the value of a field, a machine of a share, a SID in
// binary.
func (s *scan) placed(at, end int) int {
	t := s.text
	switch {
	case at > 1 && t[at-1] == '\\' && t[at-2] == '\\':
		return s.share(at, end)
	case end-at >= len(binarySID):
		return s.inBinary(at, end)
	}
	return s.stated(at, end)
}

// bare masks twelve hex digits that were seen as a MAC address before.
func (s *scan) bare(at, end int) int {
	var m [6]byte
	if end-at != 2*len(m) {
		return 0
	}
	if _, err := hex.Decode(m[:], s.text[at:end]); err != nil {
		return 0
	}
	if _, known := s.n.macs.lookup(m); !known && !vendors[[3]byte(m[:3])] {
		return 0
	}
	s.putMAC(at, end, m)
	return end
}

func (s *scan) putMAC(at, end int, m [6]byte) {
	if mask := s.n.mac(m); mask != m {
		s.replace(at, end, mac)
		s.dst = respell(s.dst, s.text[at:end], mask)
	}
}

func (s *scan) sid(at int) int {
	start, end := sidAt(s.text, at)
	if end == 0 {
		return 0
	}
	plain := string(s.text[start:end])
	if mask := s.n.sid(plain); mask != plain {
		s.replace(start, end, sid)
		s.dst = append(s.dst, mask...)
	}
	return end
}

const (
	minName  = 3   // bytes; a shorter one stands in too many words
	maxName  = 253 // of a DNS name
	gramBits = 14
)

// An entry is a learnt name, or a spelling of it.
type entry struct {
	mask    string // in small letters
	kind    kind
	domain  bool // dotted: labels before it belong to it
	account bool // a host or domain: what follows a backslash is its user
}

// A table finds learnt names. The first three bytes say whether any name may
// start at a place and which lengths are worth a try.
type table struct {
	entries map[string]entry
	parts   map[string]bool // the words that the names are made of
	grams   [1 << gramBits / 64]uint64
	lengths map[uint32][]uint8 // longest first
}

func newTable(entries map[string]entry) *table {
	t := &table{entries: entries, lengths: map[uint32][]uint8{}}
	for name := range entries {
		g := gram(name)
		h := g * 0x9e3779b1 >> (32 - gramBits)
		t.grams[h/64] |= 1 << (h % 64)
		if l := uint8(len(name)); !slices.Contains(t.lengths[g], l) {
			t.lengths[g] = append(t.lengths[g], l)
		}
	}
	for _, l := range t.lengths {
		sorted.By(l, func(a, b uint8) int { return int(b) - int(a) })
	}
	return t
}

func gram[T string | []byte](b T) uint32 {
	return uint32(folded[b[0]]) | uint32(folded[b[1]])<<8 | uint32(folded[b[2]])<<16
}

// find returns the longest learnt name that stands at the index as words of its own.
func (t *table) find(text []byte, at int) (e entry, end int) {
	if at+minName > len(text) {
		return e, 0
	}
	g := gram(text[at:])
	h := g * 0x9e3779b1 >> (32 - gramBits)
	if t.grams[h/64]>>(h%64)&1 == 0 {
		return e, 0
	}
	lengths := t.lengths[g]
	if len(lengths) == 0 {
		return e, 0
	}
	var low [maxName]byte
	n := min(int(lengths[0]), len(text)-at)
	for i, c := range text[at : at+n] {
		low[i] = folded[c]
	}
	for _, l := range lengths {
		if int(l) > n || !endsWord(text, at+int(l)) {
			continue
		}
		if e, ok := t.entries[string(low[:l])]; ok {
			return e, at + int(l)
		}
	}
	return e, 0
}

// name masks the learnt name at the index, and the names that belong to it.
func (s *scan) name(at int) int {
	e, end := s.table.find(s.text, at)
	if end == 0 {
		return 0
	}
	if e.domain && at > 0 && s.text[at-1] == '.' {
		s.labelsBefore(at - 1)
	}
	s.replace(at, end, e.kind)
	s.dst = restyle(s.dst, s.text[at:end], e.mask)
	if e.account && (at == 0 || s.text[at-1] != '\\' && s.text[at-1] != '/') {
		return s.account(end)
	}
	return end
}

// restyle appends a mask in the case of what it stands for, letter by letter
// where the two have the same length.
func restyle(dst, plain []byte, mask string) []byte {
	if len(plain) == len(mask) {
		for i := range len(mask) {
			c := mask[i]
			if plain[i] >= 'A' && plain[i] <= 'Z' && isLetter(c) {
				c &^= 0x20
			}
			dst = append(dst, c)
		}
		return dst
	}
	upper, lower, first := false, false, false
	for i, r := range string(plain) {
		upper = upper || unicode.IsUpper(r)
		lower = lower || unicode.IsLower(r)
		first = first || i == 0 && unicode.IsUpper(r)
	}
	for i := range len(mask) {
		c := mask[i]
		if isLetter(c) && upper && (!lower || first && i == 0) {
			c &^= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}
