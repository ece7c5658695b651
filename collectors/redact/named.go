package redact

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// Values behind a setting whose name an issuer's word or a word of secrets
// betrays, wherever it stands in the name: their letters decide.

// genericWords are in the names of secrets, and of much else.
var genericWords = strings.Fields("access auth api credential creds key passw secret token")

const (
	leastNamed = 10  // letters of a value
	mostNamed  = 400 // and at most, that tell of a generator
	nameReach  = 72  // bytes before an operator in which its name stands
	leastChaos = 3.5 // bits of entropy in each letter of a generated value
	mostBehind = 20  // bytes of a name behind the word that betrays it
)

// innocentWords hold a generic word and are no names of secrets.
var innocentWords = append(strings.Fields(`author capital rapid monkey turkey donkey keyboard keyword apiversion
	apiserver apigroup accessible accessor hockey jockey whiskey certificate publickey keyring tokenizer`), innocents...)

// A nameWord is a word by which the name of a setting is judged.
type nameWord struct {
	text   string
	issuer bool
}

// nameWords are the generic words, and the issuers' that no trigger is long enough
// for, by their first two letters.
var nameWords = func() (t [1 << 16][]nameWord) {
	add := func(text string, issuer bool) {
		pair := pairOf(text[0], text[1])
		t[pair] = append(t[pair], nameWord{text, issuer})
	}
	for _, word := range genericWords {
		add(word, false)
	}
	for word := range namedIssuers {
		if len(word) < shortest {
			add(word, true)
		}
	}
	return t
}()

// namedRule looks behind an issuer's word for an operator and a value.
func (s *scan) namedRule(b []byte, start, end int) {
	if b[end-1] == ' ' {
		end--
	}
	i := end
	for i < len(b) && i-end < 24 && (isWord(b[i]) || isBlank(b[i]) || b[i] == '.' || b[i] == '-') {
		i++
	}
	i = skipOf(b, i, end+28-i, " \t'\"\\")
	if i := skipBlanks(b, end); i-end <= 1 && (i > end || byteAt(b, end) == '-') {
		s.bareIssued(b, strings.ToLower(string(b[start:end])), end+1)
	}
	if isOneOf(b, i, "=>:|,?") {
		s.issued(b, strings.ToLower(string(b[start:end])), i+1)
	}
}

// aroundOperators stand beside an operator, and are operators.
const aroundOperators = " \t'\"`=>:|\\"

// issued takes a value behind an operator that is made as the issuer's are.
func (s *scan) issued(b []byte, word string, i int) {
	i = skipOf(b, i, 8, aroundOperators)
	for _, x := range namedIssuers[word] {
		if !hasFold(b, i, x.text) {
			continue
		}
		end := x.alphabet.run(b, i+len(x.text))
		n := end - i - len(x.text)
		if n >= x.least && n <= x.most && s.valueEnds(b, end) &&
			!sameByte(b[i+len(x.text):end]) && (n >= leastRun || bytes.ContainsAny(b[i:end], digits+uppers)) && !(isGUID(b[i:end]) && s.identifies(i)) {
			s.add(i, end, "token", b[i:end])
			return
		}
	}
}

// bareIssued takes a value behind an issuer's word, with no operator between.
func (s *scan) bareIssued(b []byte, word string, i int) {
	for _, x := range namedIssuers[word] {
		end := x.alphabet.run(b, i)
		if n := end - i; x.bare && n >= x.least && n <= x.most && s.valueEnds(b, end) {
			s.add(i, end, "token", b[i:end])
			return
		}
	}
}

// identifies tells of the name of something that has a GUID and is no secret:
// AZURE_SUBSCRIPTION_ID, tenantId.
func (s *scan) identifies(value int) bool {
	i := backOf(s.b, value, 8, aroundOperators)
	return hasFold(s.b, i-2, "id") && !hasFold(s.b, i-9, "client_id") && !hasFold(s.b, i-8, "clientid")
}

// valueEnds tells whether nothing of a value follows.
func (s *scan) valueEnds(b []byte, i int) bool {
	if isOneOf(b, i, ".:") {
		return isLineAt(b, i+1) || isBlank(b[i+1]) // of a sentence
	}
	return i >= len(b) || b[i] >= 0x80 || among(b[i], " \t\r\n'\"`;,&)]}<>\\|\x1b")
}

// namedValue looks behind the operator at i for a value that a generator made,
// and before it for the name of a secret.
func (s *scan) namedValue(i int) {
	at, end, ok := s.madeBehind(i)
	if !ok {
		return
	}
	var small [nameReach]byte
	name := s.nameBefore(small[:0], i)
	generic := false
	for k := len(name) - 2; k >= 0; k-- {
		for _, word := range nameWords[pairOf(name[k], name[k+1])] {
			rest := len(name) - k - len(word.text)
			if rest < 0 || rest > mostBehind || string(name[k:k+len(word.text)]) != word.text {
				continue
			}
			if word.issuer {
				s.hit(i, i+1, func(s *scan, b []byte, _, end int) { s.issued(b, word.text, end) })
			} else if !generic {
				generic = true
				if containsAny(name[k+len(word.text):], looseTails) || containsAny(name, innocentWords) {
					return
				}
			}
		}
	}
	text := s.b[at:end]
	if generic && len(name) >= 3 && isGenerated(text) && !isAssignment(text) && !isRooted(text) && !isOfPublicKey(s.b, backOf(s.b, i, 4, " ")-len("token")) {
		s.hitSecret(at, end, "key")
	}
}

// madeBehind tells where behind an operator a value stands that a generator may have made.
func (s *scan) madeBehind(i int) (at, end int, ok bool) {
	b := s.b[:min(len(s.b), i+mostNamed+16)]
	if hasFold(b, i, "://") { // api://3976eca5-…
		return 0, 0, false
	}
	at = skipOf(b, i+1, 5, " \t'\"`=>")
	digit := false
	for end = at; end < len(b) && (classOf[b[end]]&madeByte != 0 || end-at >= leastNamed && (b[end] == ':' || b[end] == '*')); end++ {
		digit = digit || isDigit(b[end])
	}
	return at, end, digit && end-at >= leastNamed && end-at <= mostNamed && s.valueEnds(b, end) && !isPortAndPath(b, i) &&
		!isTagged(b[at:end])
}

// isTagged takes the version of an image: 0.1.0-main-04-10-2024.
func isTagged(v []byte) bool {
	dot := bytes.IndexByte(v, '.')
	return dot > 0 && dot+1 < len(v) && allDigits(v[:dot]) && isDigit(v[dot+1])
}

// isPortAndPath reports whether what follows the colon at i is the port of a host and a path:
// api.corp.example:6443/api/v1.
func isPortAndPath(b []byte, i int) bool {
	host := i
	for host > 0 && i-host < nameReach && (isAlnum(b[host-1]) || b[host-1] == '-') {
		host--
	}
	end := skipOf(b, i+1, len(b), digits)
	return b[i] == ':' && host > 0 && among(b[host-1], "./") && byteAt(b, end) == '/'
}

// nameBefore is the name before an operator, in lower case and without what
// separates its words.
func (s *scan) nameBefore(joined []byte, i int) []byte {
	end := backOf(s.b, i, 4, " \t'\"?+:\\]|=>!")
	name := s.b[max(0, end-nameReach):end]
	from := runBack(name, len(name), nameByte)
	if hasFold(name, from-len("checksum/"), "checksum/") {
		return joined
	}
	for _, c := range name[from:] {
		if isUpper(c) {
			c |= 0x20
		}
		if isAlnum(c) {
			joined = append(joined, c)
		}
	}
	return joined
}

func containsAny(b []byte, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(b, []byte(word)) })
}

// isGenerated tells of a value that has the chaos of a generator's.
func isGenerated(v []byte) bool {
	return entropy(v) >= leastChaos && !isSnake(v) && looksRandom(v) && !isWordy(v)
}

// isWordy tells of words written together, with a digit among them: enable3DSupport.
func isWordy(v []byte) bool {
	if !bytes.ContainsAny(v, uppers) {
		return false
	}
	letters := 0
	for i := 0; i < len(v); i++ {
		end := i
		for end < len(v) && isLower(v[end]) {
			end++
		}
		if end-i >= 3 && !isAlphabet(v[i:end]) && hasVowels(v[i:end]) {
			letters += end - i
		}
		i = max(i, end-1)
	}
	return 2*letters >= len(v)
}

// isSaid tells of words written together of which at least half can be said.
func isSaid(v []byte) bool {
	letters := 0
	for i := 0; i < len(v); {
		end := i + 1 + len(v[i+1:]) - len(bytes.TrimLeft(v[i+1:], lowers))
		if end-i >= 3 && hasVowels(v[i:end]) {
			letters += end - i
		}
		i = end
	}
	return 2*letters >= len(v)
}

// isTitled tells of words of three letters or more on average, each with a capital: IntPtr, Zero.
func isTitled(v []byte) bool {
	words := 0
	for i, c := range v {
		if !isLower(c) && (!isUpper(c) || !isLower(byteAt(v, i+1))) {
			return false
		}
		words += b2i(isUpper(c))
	}
	return len(v) > 0 && isUpper(v[0]) && len(v) >= 3*words && hasVowels(v)
}

// hasVowels tells of letters that can be said: one in six is a vowel.
func hasVowels(v []byte) bool {
	vowels := 0
	for _, c := range v {
		vowels += b2i(among(c, "aeiouyAEIOUY"))
	}
	return 6*vowels >= len(v)
}

// isAlphabet tells of letters in their order, of which no word is made.
func isAlphabet(v []byte) bool {
	for i := 1; i < len(v); i++ {
		if v[i] != v[i-1]+1 {
			return false
		}
	}
	return true
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
