package maskname

import (
	"slices"
	"unicode"

	"doctor/checks/sorted"
)

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
