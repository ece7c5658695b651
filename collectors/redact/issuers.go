package redact

import (
	_ "embed"
	"fmt"
	"strings"

	"doctor/checks/packed"
	"doctor/checks/sorted"
)

// Issuers' secrets are known by how they begin, or by the issuer's name in that
// of their setting. The table is made of gitleaks' rules; what they do not know
// is in ownIssuers.
//
//go:generate sh -c "go run -C ../../fixtures/gitleaks ./issuers > issuers.txt.new && mv issuers.txt.new issuers.txt"
var gitleaksIssuers = packed.Text(tables, "issuers.txt")

// packedTables are the .txt files of this folder.
//
//go:embed tables.zip.bz2
var packedTables []byte

var tables = packed.Files(packedTables, ".")

// ownIssuers are written as issuers.txt is. A word stands before its value with nothing but a
// blank or a dash between.
var ownIssuers = packed.Text(tables, "own_issuers.txt")

// An issuer is how the secrets of one begin, and what follows.
type issuer struct {
	text        string // as the issuer writes it
	least, most int    // letters behind the text
	alphabet    *alphabet
	bare        bool // the value stands behind the word itself
}

// An alphabet is the letters that a secret may be made of.
type alphabet [256]bool

// issuers by the text that secrets begin with, in lower case, and issuers' words
// by which their settings are called.
var prefixIssuers, namedIssuers = func() (prefixes, names map[string][]issuer) {
	prefixes, names = map[string][]issuer{}, map[string][]issuer{}
	alphabets := map[string]*alphabet{}
	for line := range strings.Lines(string(gitleaksIssuers()) + string(ownIssuers())) {
		f := strings.Fields(line)
		if len(f) < 5 || f[0] == "#" {
			continue
		}
		x := issuer{text: f[1]}
		if _, err := fmt.Sscan(f[2]+" "+f[3], &x.least, &x.most); err != nil {
			panic(line)
		}
		if alphabets[f[4]] == nil {
			alphabets[f[4]] = newAlphabet(f[4])
		}
		x.alphabet = alphabets[f[4]]
		if f[0] == "prefix" {
			lower := strings.ToLower(x.text)
			prefixes[lower] = append(prefixes[lower], x)
			continue
		}
		word := x.text
		x.bare = f[0] == "word"
		if x.text = ""; len(f) > 5 {
			x.text = f[5]
		}
		names[word] = append(names[word], x)
	}
	for _, list := range prefixes { // the one that takes most comes first
		sorted.By(list, func(a, b issuer) int { return b.most - a.most })
	}
	return prefixes, names
}()

// newAlphabet reads an alphabet of the table.
func newAlphabet(text string) *alphabet {
	set := &alphabet{}
	for _, c := range []byte(strings.NewReplacer("a", lowers+uppers, "h", digits+"abcdefABCDEF", "0", digits).Replace(text)) {
		set[c] = true
	}
	return set
}

// run returns where the letters end that begin at i.
func (set *alphabet) run(b []byte, i int) int {
	for i < len(b) && set[b[i]] {
		i++
	}
	return i
}

// issuerRule takes what begins as an issuer's secrets do. Short texts begin many
// words, and count only as they are written.
func (s *scan) issuerRule(b []byte, start, end int) {
	text := b[start:end]
	for _, x := range prefixIssuers[strings.ToLower(string(text))] {
		last := x.alphabet.run(b, end)
		tail := b[end:last]
		if len(x.text) < shortest && x.text != string(text) &&
			!(len(tail) >= leastOddCase && among(x.text[len(x.text)-1], "_-")) {
			continue
		}
		if len(x.text) < 3 && !isMade(tail) { // s.reconcileTheControlPlane
			continue
		}
		for len(tail) > x.least && among(tail[len(tail)-1], ".-") {
			tail = tail[:len(tail)-1] // the end of a sentence
		}
		if len(x.text) < 4 && len(tail) > x.most {
			continue
		}
		if len(tail) >= x.least && (inventive(tail) || len(tail) <= x.most && x.most-x.least < 2) {
			s.add(start, end+len(tail), "token", b[start:end+len(tail)])
			return
		}
	}
}

// leastOddCase is what follows an issuer's few letters where their case is not as the
// issuer writes it.
const leastOddCase = 20

// inventive tells of letters that a generator put together: some are digits or of
// the other case, or they are many.
func inventive(tail []byte) bool {
	n := lettersOf(tail)
	return !isFilling(tail) && (n.sign == 0 || n.digit > 0 || n.lower > 0 && n.upper > 2)
}
