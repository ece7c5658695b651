// Package finder looks for many texts at once in a stream's bytes. What reads
// logs for signs of faults and what takes secrets out of them both stand on it.
package finder

import "encoding/binary"

// A Finder looks for many texts at once, in any case of ASCII letters. It is
// Wu and Manber's algorithm: a window as long as the shortest text slides over
// the log; the four bytes at its end tell how far it may jump, which is most of
// its length, for few places of a log hold four bytes of any text. Only where
// it may not jump are texts compared.
//
// It stands here in place of a library because of its speed: an Aho-Corasick
// automaton steps through every byte, and two well-kept ones did a quarter of
// what this does over the same klog with 360 texts. `make bench` holds it
// against ripgrep.
type Finder struct {
	texts  []string // in lower case
	window int      // bytes, the length of the shortest text
	shift  [1 << hashBits]uint8
	first  [1 << hashBits]int32 // 1 + the index in ends of the first text whose window ends so
	ends   []windowEnd
}

// windowEnd says where the window lies in a text. Texts whose windows end in
// the same four bytes are chained.
type windowEnd struct {
	text int
	end  int // of the window, in the text
	next int32
}

const (
	hashBits = 15
	gram     = 4

	MinText    = gram // bytes of the shortest text that can be looked for
	GoodText   = 10   // a shorter one slows the search for all others down
	MostCommon = 32   // above every Commonness
)

// New makes a finder of texts in lower case, none shorter than MinText.
func New(texts []string) *Finder {
	f := &Finder{texts: texts, window: 1 << 7}
	for _, t := range texts {
		f.window = min(f.window, len(t))
	}
	for i := range f.shift {
		f.shift[i] = uint8(f.window - gram + 1)
	}
	for i, t := range texts {
		start := rarest(t, f.window)
		for at := 0; at+gram <= f.window; at++ {
			h := hash(load(t[start+at:]))
			f.shift[h] = min(f.shift[h], uint8(f.window-gram-at))
		}
		end := start + f.window
		h := hash(load(t[end-gram:]))
		f.ends = append(f.ends, windowEnd{i, end, f.first[h]})
		f.first[h] = int32(len(f.ends))
	}
	return f
}

func load[T string | []byte](b T) uint32 {
	_ = b[3]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// hash folds the case of letters; that it also folds some signs only costs a comparison.
func hash(v uint32) uint32 { return (v | 0x20202020) * 0x9e3779b1 >> (32 - hashBits) }

// rarest returns the start of the window whose last bytes are the least common
// in logs, so that the search seldom has to stop and compare.
func rarest(text string, window int) int {
	best, at := 1<<30, 0
	for start := 0; start+window <= len(text); start++ {
		score := 0
		for _, c := range []byte(text[start+window-gram : start+window]) {
			score += Commonness(c)
		}
		if score < best {
			best, at = score, start
		}
	}
	return at
}

// Commonness ranks bytes by how often English text and logs hold them.
func Commonness(c byte) int {
	const order = "qzjxkvwybgpfumhdclnrsaoite0 "
	for i := range len(order) {
		if order[i] == c {
			return i + 4
		}
	}
	if c >= '1' && c <= '9' {
		return 20
	}
	return 6
}

// Each calls found for every text in b, in the order of the windows' ends. A
// text is found once for each place where it stands.
func (f *Finder) Each(b []byte, found func(text, start, end int)) {
	if len(f.texts) == 0 || len(b) < f.window {
		return
	}
	f.search(b, f.window-gram, len(b)-gram+1, found)
}

// EachUnordered calls found as Each does, in no order. It is twice as fast, for
// a jump need not wait for the one before: four windows slide at once, each
// over its quarter.
func (f *Finder) EachUnordered(b []byte, found func(text, start, end int)) {
	if len(b) < 4096 || len(f.texts) == 0 {
		f.Each(b, found)
		return
	}
	first, last := f.window-gram, len(b)-gram+1
	part := (last - first) / 4
	end0, end1, end2 := first+part, first+2*part, first+3*part
	i0, i1, i2, i3 := first, end0, end1, end2
	for i0 < end0 && i1 < end1 && i2 < end2 && i3 < last {
		j0 := f.shift[hash(binary.LittleEndian.Uint32(b[i0:]))]
		j1 := f.shift[hash(binary.LittleEndian.Uint32(b[i1:]))]
		j2 := f.shift[hash(binary.LittleEndian.Uint32(b[i2:]))]
		j3 := f.shift[hash(binary.LittleEndian.Uint32(b[i3:]))]
		if j0 == 0 {
			f.compare(b, i0, found)
			j0 = 1
		}
		if j1 == 0 {
			f.compare(b, i1, found)
			j1 = 1
		}
		if j2 == 0 {
			f.compare(b, i2, found)
			j2 = 1
		}
		if j3 == 0 {
			f.compare(b, i3, found)
			j3 = 1
		}
		i0, i1, i2, i3 = i0+int(j0), i1+int(j1), i2+int(j2), i3+int(j3)
	}
	f.search(b, i0, end0, found)
	f.search(b, i1, end1, found)
	f.search(b, i2, end2, found)
	f.search(b, i3, last, found)
}

// search slides the window while its last four bytes begin before stop.
func (f *Finder) search(b []byte, i, stop int, found func(text, start, end int)) {
	for i < stop {
		h := hash(binary.LittleEndian.Uint32(b[i:]))
		if jump := f.shift[h]; jump > 0 {
			i += int(jump)
			continue
		}
		f.compare(b, i, found)
		i++
	}
}

// compare reports the texts whose window ends in the four bytes at i.
func (f *Finder) compare(b []byte, i int, found func(text, start, end int)) {
	h := hash(binary.LittleEndian.Uint32(b[i:]))
	for k := f.first[h]; k > 0; k = f.ends[k-1].next {
		e := f.ends[k-1]
		text := f.texts[e.text]
		start := i + gram - e.end
		if start >= 0 && start+len(text) <= len(b) && equalFold(b[start:start+len(text)], text) {
			found(e.text, start, start+len(text))
		}
	}
}

// equalFold compares with a text in lower case.
func equalFold(b []byte, lower string) bool {
	for i, c := range b {
		if c != lower[i] && (c < 'A' || c > 'Z' || c|0x20 != lower[i]) {
			return false
		}
	}
	return true
}
