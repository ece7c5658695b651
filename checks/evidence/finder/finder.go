// Package finder looks for many texts at once in a stream's bytes. What reads
// logs for signs of faults and what takes secrets out of them both stand on it.
package finder

// A Finder looks for many texts at once. It is Wu and Manber's algorithm: a window as long as the shortest text slides over
// the log; the four bytes at its end tell how far it may jump, which is most of
// its length, for few places of a log hold four bytes of any text. Only where
// it may not jump are texts compared.
//
// It stands here in place of a library because of its speed: an Aho-Corasick automaton steps
// through every byte, and two well-kept ones did a quarter of what this does over the same klog
// with 360 texts. `make bench` holds it against ripgrep.
type Finder struct {
	texts  []text
	links  []link
	fold   uint32 // bits that make small letters of four letters; 0 where case counts
	window int    // bytes, no more than the shortest text has
	shift  [1 << hashBits]uint8
	first  [1 << hashBits]int32 // 1 + the index of the first text whose window ends so
}

// A text knows where the window lies in it.
type text struct {
	text string
	end  int    // of the window
	head uint32 // its first four bytes, by which places are told from it
}

// A link is of the chain of texts whose windows end in the same four bytes. Most places are told from
// a text by the four bytes before these, which are the same for the whole chain.
type link struct {
	before uint32 // 0 where the text does not have them
	next   int32
}

const (
	hashBits = 15
	gram     = 4

	MinText    = gram // bytes of the shortest text that can be looked for
	GoodText   = 10   // a shorter one slows the search for all others down
	MostCommon = 32   // above every Commonness
)

// New makes a finder of texts, none shorter than MinText, that finds them in any case of ASCII letters.
func New(texts []string) *Finder {
	f := &Finder{fold: 0x20202020, window: 1 << 7}
	for _, t := range texts {
		f.window = min(f.window, len(t))
	}
	for _, t := range texts {
		t = Lower(t)
		f.texts = append(f.texts, text{text: t, end: rarest(t, f.window) + f.window, head: load(t) | f.fold})
	}
	f.index()
	return f
}

// Lower is a text as New compares it: the case of letters beyond ASCII counts.
func Lower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// NewExact makes a finder of texts that are added one by one, and of which case counts.
func NewExact() *Finder { return &Finder{window: 1 << 4} }

// Add adds a text. Its beginning up to end, of MinText bytes or more, is what the search jumps by:
// the end of many texts may be the same.
func (f *Finder) Add(t string, end int) {
	f.texts = append(f.texts, text{text: t, end: end, head: load(t)})
	if len(f.texts) == 1 || end < f.window {
		f.window = min(f.window, end)
		f.index()
		return
	}
	f.indexText(len(f.texts) - 1)
}

// index puts all texts into the tables.
func (f *Finder) index() {
	f.first, f.links = [1 << hashBits]int32{}, f.links[:0]
	for i := range f.shift {
		f.shift[i] = uint8(f.window - gram + 1)
	}
	for i := range f.texts {
		f.indexText(i)
	}
}

func (f *Finder) indexText(i int) {
	t := &f.texts[i]
	for at := t.end - f.window; at+gram <= t.end; at++ {
		h := hash(load(t.text[at:]), f.fold)
		f.shift[h] = min(f.shift[h], uint8(t.end-gram-at))
	}
	h := hash(load(t.text[t.end-gram:]), f.fold)
	l := link{next: f.first[h]}
	if t.end >= 2*gram {
		l.before = load(t.text[t.end-2*gram:]) | f.fold
	}
	f.links = append(f.links, l)
	f.first[h] = int32(i + 1)
}

func load[T string | []byte](b T) uint32 {
	_ = b[3]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// hash may fold the case of letters; that it also folds some signs only costs a comparison.
func hash(v, fold uint32) uint32 { return (v | fold) * 0x9e3779b1 >> (32 - hashBits) }

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
func (f *Finder) Each(b []byte, found func(text, start, end int)) { f.EachFrom(b, 0, found) }

// EachFrom is Each without the windows whose last four bytes begin before from.
//
// A jump waits for the one before, so four windows slide at once, each over its
// quarter: this is twice as fast as one. What the later three meet waits for its turn.
func (f *Finder) EachFrom(b []byte, from int, found func(text, start, end int)) {
	if len(f.texts) == 0 {
		return
	}
	first, last := max(from, f.window-gram), len(b)-gram+1
	if last-first < 4096 {
		f.search(b, first, last, found)
		return
	}
	fold := f.fold
	part := (last - first) / 4
	end0, end1, end2 := first+part, first+2*part, first+3*part
	i0, i1, i2, i3 := first, end0, end1, end2
	var later1, later2, later3 met
	add1, add2, add3 := later1.add, later2.add, later3.add
	for i0 < end0 && i1 < end1 && i2 < end2 && i3 < last {
		h0 := hash(load(b[i0:]), fold)
		h1 := hash(load(b[i1:]), fold)
		h2 := hash(load(b[i2:]), fold)
		h3 := hash(load(b[i3:]), fold)
		j0 := f.shift[h0]
		j1 := f.shift[h1]
		j2 := f.shift[h2]
		j3 := f.shift[h3]
		if j0 == 0 {
			f.compare(b, i0, h0, found)
			j0 = 1
		}
		if j1 == 0 {
			f.compare(b, i1, h1, add1)
			j1 = 1
		}
		if j2 == 0 {
			f.compare(b, i2, h2, add2)
			j2 = 1
		}
		if j3 == 0 {
			f.compare(b, i3, h3, add3)
			j3 = 1
		}
		i0, i1, i2, i3 = i0+int(j0), i1+int(j1), i2+int(j2), i3+int(j3)
	}
	f.search(b, i0, end0, found)
	f.search(b, i1, end1, add1)
	f.search(b, i2, end2, add2)
	f.search(b, i3, last, add3)
	for _, later := range []met{later1, later2, later3} {
		for _, x := range later {
			found(x.text, x.start, x.end)
		}
	}
}

// met are finds in their order.
type met []struct{ text, start, end int }

func (m *met) add(text, start, end int) {
	*m = append(*m, struct{ text, start, end int }{text, start, end})
}

// search slides the window while its last four bytes begin before stop.
func (f *Finder) search(b []byte, i, stop int, found func(text, start, end int)) {
	fold := f.fold
	for i < stop {
		h := hash(load(b[i:]), fold)
		if jump := f.shift[h]; jump > 0 {
			i += int(jump)
			continue
		}
		f.compare(b, i, h, found)
		i++
	}
}

// compare reports the texts whose window ends in the four bytes at i.
func (f *Finder) compare(b []byte, i int, h uint32, found func(text, start, end int)) {
	before := uint32(0)
	if i >= gram {
		before = load(b[i-gram:]) | f.fold
	}
	for k := f.first[h]; k > 0; k = f.links[k-1].next {
		if l := f.links[k-1]; l.before != before && l.before != 0 {
			continue
		}
		t := &f.texts[k-1]
		start := i + gram - t.end
		end := start + len(t.text)
		if start < 0 || end > len(b) || load(b[start:])|f.fold != t.head {
			continue
		}
		if place := b[start:end]; f.fold == 0 && string(place) == t.text || f.fold != 0 &&
			equalFold(place, t.text) {
			found(int(k-1), start, end)
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
