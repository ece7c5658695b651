package redact

import (
	"bytes"
	"math"
	"strings"
)

// Values behind a setting whose name an issuer's word or a word of secrets
// betrays, wherever it stands in the name: their letters decide.

// genericWords are in the names of secrets, and of much else.
var genericWords = bytes.Fields([]byte("access auth api credential creds key passw secret token"))

const (
	leastNamed  = 10  // letters of a value
	mostNamed   = 150 // and at most, that tell of a generator
	nameReach   = 72  // bytes before an operator in which its name stands
	leastChaos  = 3.5 // bits of entropy in each letter of a generated value
	leastShaped = 12
)

// innocentWords hold a generic word and are no names of secrets.
var innocentWords = append(strings.Fields(`author capital rapid monkey turkey donkey keyboard keyword apiversion
	apiserver apigroup accessible accessor hockey jockey whiskey certificate publickey keyring tokenizer`), innocents...)

// shortWords are the issuers' words that no trigger is long enough for.
var shortWords = func() (list [][]byte) {
	for word := range namedIssuers {
		if len(word) < shortest {
			list = append(list, []byte(word))
		}
	}
	return list
}()

func namedTexts() (list []string) {
	for word := range namedIssuers {
		if len(word) >= shortest {
			list = append(list, word)
		}
	}
	return list
}

// namedRule looks behind an issuer's word for an operator and a value.
func (s *scan) namedRule(start, end int) {
	b := s.see(start)
	i := end
	for i < len(b) && i-end < 24 && (isWord(b[i]) || isBlank(b[i]) || b[i] == '.' || b[i] == '-') {
		i++
	}
	for i < len(b) && i-end < 28 && strings.IndexByte(" \t'\"\\", b[i]) >= 0 {
		i++
	}
	if i < len(b) && strings.IndexByte("=>:|,?", b[i]) >= 0 {
		s.issued(b, strings.ToLower(string(b[start:end])), i+1)
	}
}

// issued takes a value behind an operator that is made as the issuer's are.
func (s *scan) issued(b []byte, word string, i int) {
	for n := 0; i < len(b) && n < 8 && strings.IndexByte(" \t'\"`=>:|\\", b[i]) >= 0; n++ {
		i++
	}
	for _, x := range namedIssuers[word] {
		if !hasFold(b, i, x.text) {
			continue
		}
		end := x.alphabet.run(b, i+len(x.text))
		n := end - i - len(x.text)
		if n >= x.least && n <= x.most && !within(b, i) && s.valueEnds(b, end) &&
			!sameByte(b[i+len(x.text):end]) {
			s.add(i, end, "token", b[i:end])
			return
		}
	}
}

// valueEnds tells whether nothing of a value follows.
func (s *scan) valueEnds(b []byte, i int) bool {
	return i >= len(b) || strings.IndexByte(" \t\r\n'\"`;,&)]}<>\\|\x1b", b[i]) >= 0
}

// namedValue looks behind the operator at i for a value that a generator made,
// and before it for the name of a secret.
func (s *scan) namedValue(i int) {
	b := s.b[:min(len(s.b), i+mostNamed+16)]
	at := i + 1
	for n := 0; at < len(b) && n < 5 && strings.IndexByte(" \t'\"`=>", b[at]) >= 0; n++ {
		at++
	}
	end, digit, letter := at, false, false
	for end < len(b) && classOf[b[end]]&(base64Byte|nameByte) != 0 && b[end] != '$' {
		digit = digit || isDigit(b[end])
		letter = letter || isLower(b[end]|0x20)
		end++
	}
	if end-at < leastNamed || end-at > mostNamed || !digit || !s.valueEnds(b, end) {
		return
	}
	var small [nameReach]byte
	name := s.nameBefore(small[:0], i)
	if len(name) < 3 {
		return
	}
	for _, word := range shortWords {
		if at := bytes.LastIndex(name, word); at >= 0 && len(name)-at-len(word) <= 20 {
			s.hit(i, i+1, func(s *scan, i, end int) { s.issued(s.see(i), string(word), end) })
		}
	}
	if text := b[at:end]; letter && isGenericName(name) && isGenerated(text) && !isAssignment(text) {
		s.hit(at, end, func(s *scan, at, end int) { s.add(at, end, "key", s.b[at:end]) })
	}
}

// nameBefore is the name before an operator, in lower case and without what
// separates its words.
func (s *scan) nameBefore(joined []byte, i int) []byte {
	b, end := s.b, i
	for end > 0 && i-end < 4 && strings.IndexByte(" \t'\"?+:\\]", b[end-1]) >= 0 {
		end--
	}
	start := end
	for start > 0 && end-start < nameReach && classOf[b[start-1]]&nameByte != 0 {
		start--
	}
	for _, c := range b[start:end] {
		if isUpper(c) {
			c |= 0x20
		}
		if isAlnum(c) {
			joined = append(joined, c)
		}
	}
	return joined
}

// isGenericName tells whether a name holds the word of a secret, and no word
// behind it that makes it one of something else.
func isGenericName(name []byte) bool {
	for _, word := range genericWords {
		i := bytes.LastIndex(name, word)
		if i < 0 || len(name)-i-len(word) > 20 {
			continue
		}
		return !containsAny(name[i+len(word):], looseTails) && !containsAny(name, innocentWords)
	}
	return false
}

func containsAny(b []byte, words []string) bool {
	for _, word := range words {
		if bytes.Contains(b, []byte(word)) {
			return true
		}
	}
	return false
}

// isGenerated tells of a value that has the chaos of a generator's.
func isGenerated(v []byte) bool {
	return entropy(v) >= leastChaos && !isPlaceholder(v) && !isPlainValue(v) && !isObjectName(v) &&
		!isGUID(v) && !isTypeName(v) && looksRandom(v) && !isTime(v)
}

// isTime takes 2026-11-20T09:00:00.123456789Z and its kin.
func isTime(v []byte) bool {
	return len(v) >= 10 && v[4] == '-' && v[7] == '-' && isDigit(v[0]) && isDigit(v[9])
}

// entropy is how many bits each byte of v tells.
func entropy(v []byte) float64 {
	var count [256]int
	for _, c := range v {
		count[c]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(v))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
