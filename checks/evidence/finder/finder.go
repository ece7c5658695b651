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

	MinText    = gram
	GoodText   = 10 // a shorter one slows the search for all others down
	MostCommon = 32 // above every Commonness
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
	last := len(b) - gram
	for i := f.window - gram; i <= last; {
		h := hash(binary.LittleEndian.Uint32(b[i:]))
		if jump := f.shift[h]; jump > 0 {
			i += int(jump)
			continue
		}
		for k := f.first[h]; k > 0; k = f.ends[k-1].next {
			e := f.ends[k-1]
			text := f.texts[e.text]
			start := i + gram - e.end
			if start >= 0 && start+len(text) <= len(b) && equalFold(b[start:start+len(text)], text) {
				found(e.text, start, start+len(text))
			}
		}
		i++
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
