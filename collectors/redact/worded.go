package redact

import (
	"bytes"
	"slices"
	"strings"
)

// Values that stand behind a word of secrets with no operator between: boxKEY 0123…,
// service-token-0123…, api key 0123…. Their letters must be a generator's.

const (
	leastWorded = 16
	leastLoud   = 12 // behind a word in capitals
	mostWorded  = 4096
	gluedReach  = 48
	wordedReach = 64 // bytes before a value in which its words stand
	leastRun    = 20 // letters that no word has
	leastBase64 = 32 // letters of which some are signs that paths have too
)

// keyWords are what the word before a value ends with.
var (
	keyWords  = []string{"key", "token", "secret", "access", "private"}
	loudWords = []string{"KEY", "TOKEN", "SECRET", "ACCESS", "PRIVATE"}
)

// notOfSecrets stand before a key or a token that is no secret, or before another thing of
// that name.
var notOfSecrets = setOf(`registry cache layer image blob digest content container sandbox snapshot
		foreign primary public map hash index partition row sort host lookup metric store etcd object unique
		duplicate missing invalid found following current last first next config dictionary composite natural
		surrogate idempotency dedup deduplication cancellation continuation continue page cancel fencing
		pub gpg reg the a an this that its his each every with for by of and or no new old same given any such some to in on
		has is was has using sub root open close opened closed delete deleted create created volume pod node
		policy endpoint network adapter interface event session group user item entry value name type kind
		label annotation topology field column table json yaml string text elevation remote direct random
		full read write denied grant granted`)

// worded looks before a run of letters and digits for a word of secrets.
func (s *scan) worded(start, end int) {
	b := s.b
	if end-start < leastRun && !bytes.ContainsAny(b[start:end], digits) || hasFold(b, start-len("sha256:"), "sha256:") { // of a public key
		return
	}
	at := s.behindName(start, end)
	keyed := s.afterKeyWord(at)
	if slash := bytes.LastIndexByte(b[start:end], '/') + 1; !keyed && slash > 0 && s.afterKeyWord(start+slash) { // /api/token/VALUE
		at, keyed = start+slash, true
	}
	if !keyed && !s.afterGluedWord(at) {
		return
	}
	loud := s.afterLoudWord(at)
	if bytes.ContainsAny(b[start:end], "/+") && !((loud || end-at >= leastBase64) && isGenerated(b[at:end])) ||
		end-start > mostWorded {
		return
	}
	text := bytes.TrimRight(b[at:end], "=-_")
	if len(text) < leastWorded && !(loud && len(text) >= leastLoud) ||
		!s.valueEnds(b, len(b)-len(bytes.TrimLeft(b[at+len(text):], "="))) && b[at+len(text)] != '.' ||
		!isMade(text) && !(loud && isMadeLoosely(text)) {
		return
	}
	s.hitSecret(at, s.dottedOn(at+len(text)), "key")
}

// dottedOn passes the other parts of a value whose parts dots separate.
func (s *scan) dottedOn(i int) int {
	const leastPart = 20
	for byteAt(s.b, i) == '.' {
		next := run(s.b, i+1, base64Byte)
		if next-i <= leastPart {
			break
		}
		i = next
	}
	return i
}

// behindName passes the words that a dash ties to a value: service-secret-key-0123….
func (s *scan) behindName(start, end int) int {
	at := start
	for i := start; i < end && i-start < wordedReach; i++ {
		switch c := s.b[i]; {
		case c == '-' || c == '_':
			if i > start {
				at = i + 1
			}
		case isDigit(c) && at == start && i > start+3: // collect2TOKEN-0123…
		case !isLower(c | 0x20):
			if end-at < leastLoud {
				return start
			}
			return at
		}
	}
	if end-at >= leastRun { // letters alone
		return at
	}
	return start
}

// afterLoudWord tells whether a word of secrets in capitals stands right before i.
func (s *scan) afterLoudWord(i int) bool {
	before := bytes.TrimRight(s.b[max(0, i-wordedReach):i], " -_:=")
	ends := func(key string) bool { return bytes.HasSuffix(before, []byte(key)) }
	return slices.ContainsFunc(loudWords, ends) || s.afterGluedWord(i)
}

// afterGluedWord tells of a word of secrets in capitals that the small letters of a service's name
// precede, and at most a few letters between it and i: infuraKEYwithspecial-VALUE.
func (s *scan) afterGluedWord(i int) bool {
	before := s.b[max(0, i-gluedReach):i]
	before = before[runBack(before, len(before), wordByte|nameByte|blankByte):]
	if len(before) < len("nameKEY") || !bytes.ContainsRune(before, 'E') { // which each word has
		return false
	}
	for _, key := range loudWords {
		at := bytes.LastIndex(before, []byte(key))
		if at < 0 || bytes.ContainsAny(before[at+len(key):], digits+".") {
			continue
		}
		stem := bytes.TrimRight(bytes.TrimRight(before[:at], uppers), " -_")
		name := stem[len(bytes.TrimRight(stem, lowers)):]
		if len(name) >= 4 && (len(stem) == at || !isOrdinary(name)) {
			return true
		}
	}
	return false
}

// isOrdinary tells of a word that says of a key that it is no secret, or goes on a sentence.
func isOrdinary(word []byte) bool {
	lower := strings.ToLower(string(word))
	return len(lower) < 3 || notOfSecrets[lower] || proseWords[lower]
}

// afterKeyWord tells whether the words before i are of a secret.
func (s *scan) afterKeyWord(i int) bool {
	b := s.b
	lowest := max(0, i-wordedReach)
	end := backOf(b[:i], i, min(6, i-lowest), " \t'\"-_.:=/\r\n")
	if end == i || end == lowest {
		return false
	}
	if hasFold(b, end-len(" is"), " is") { // the API key is 0123…
		end -= len(" is")
	}
	from := end
	for from > lowest && isLower(b[from-1]|0x20) {
		from--
	}
	word := b[from:end]
	for _, key := range keyWords {
		if len(word) < len(key) || !hasFold(word, len(word)-len(key), key) {
			continue
		}
		return s.isOfSecret(lowest, from, word[:len(word)-len(key)], word[len(word)-len(key):])
	}
	return false
}

// isOfSecret judges the word before a key word, which may be glued to it.
func (s *scan) isOfSecret(lowest, from int, stem, key []byte) bool {
	b := s.b
	tied := true
	if len(stem) == 0 {
		end := backOf(b, from, from-lowest, "-_./")
		if tied = end < from; !tied {
			end = lowest + len(bytes.TrimRight(b[lowest:end], " \r\n"))
		}
		start := end
		for start > lowest && isAlnum(b[start-1]) {
			start--
		}
		stem = b[start:end]
	}
	lower := strings.ToLower(string(stem))
	if isOrdinary(stem) || isOfPublicKey(b, from) {
		return false
	}
	for _, word := range innocents {
		if strings.HasSuffix(lower+strings.ToLower(string(key)), word) {
			return false
		}
	}
	return tied ||
		!bytes.ContainsAny(stem, uppers) || !bytes.ContainsAny(stem, lowers)
}

// isKeyOfService tells of a name such as onesignal_key: a word that says of what the key is,
// and none of the words of keys that are no secrets.
func isKeyOfService(name []byte) bool {
	lower := strings.ToLower(string(name))
	stem, ok := strings.CutSuffix(lower, "key")
	if stem = strings.TrimRight(stem, "_-."); !ok || len(stem) < 4 {
		return false
	}
	stem = stem[strings.LastIndexAny(stem, "_-.")+1:]
	return len(stem) >= 4 && !notOfSecrets[stem]
}

// isMade tells of a value that a generator made: a GUID, long hexadecimal digits, letters
// and digits in no order.
func isMade(v []byte) bool {
	if isGUID(v) {
		return true
	}
	if bytes.IndexByte(bytes.TrimRight(v, "="), '=') > 0 || isPlaceholder(v) ||
		isObjectName(v) && bytes.ContainsAny(v, "-.") || isWordy(v) ||
		entropy(v) < leastEntropy {
		return false
	}
	if allDigits(v) {
		return len(v) >= 24
	}
	return mixed(v) || len(v) >= leastRun && run(v, 0, wordByte) == len(v) && !bytes.ContainsRune(v, '_')
}

// isMadeLoosely takes what stands behind a word in capitals: letters and digits, which may
// have words in them.
func isMadeLoosely(v []byte) bool {
	return mixed(v) && !bytes.ContainsRune(v, '=') && !isPlaceholder(v) &&
		entropy(v) >= leastEntropy
}

// leastEntropy keeps out what repeats a few letters.
const leastEntropy = 2.5

// isCamelWords tells of words written together: SourcePortPreservationForHostPort.
func isCamelWords(v []byte) bool {
	words, capitals := 0, 0
	for i, c := range v {
		capitals += b2i(isUpper(c))
		words += b2i(isUpper(c) && isLower(byteAt(v, i+1)))
	}
	return words >= 2 && words == capitals && len(v) >= 4*words // some are as short as Id and To
}
