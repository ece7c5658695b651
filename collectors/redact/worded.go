package redact

import (
	"bytes"
	"strings"
)

// Values that stand behind a word of secrets with no operator between: boxKEY 0123…,
// service-token-0123…, api key 0123…. Their letters must be a generator's.

const (
	leastWorded = 16
	leastLoud   = 12 // behind a word in capitals
	mostWorded  = 256
	wordedReach = 64 // bytes before a value in which its words stand
)

// keyWords are what the word before a value ends with.
var keyWords = []string{"key", "token", "secret", "access", "private"}

// notOfSecrets stand before a key or a token that is no secret, or before another thing of
// that name.
var notOfSecrets = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`registry cache layer image blob digest content container sandbox snapshot
		foreign primary public map hash index partition row sort host lookup metric store etcd object unique
		duplicate missing invalid found following current last first next config dictionary composite natural
		surrogate idempotency dedup deduplication cancellation continuation continue page cancel fencing
		pub gpg reg the a an this that its his each every with for by of and or no new old same given any such some to in on
		has is was has using sub root open close opened closed delete deleted create created volume pod node
		policy endpoint network adapter interface event session group user item entry value name type kind
		label annotation topology field column table json yaml string text elevation remote direct random
		full read write denied grant granted`) {
		m[w] = true
	}
	return m
}()

// worded looks before a run of letters and digits for a word of secrets.
func (s *scan) worded(start, end int) {
	b := s.b
	if b[start] == '-' || b[start] == '_' {
		start++
	}
	if slash := bytes.IndexAny(b[start:end], "/+"); slash >= 0 || end-start > mostWorded {
		return
	}
	at := s.behindName(start, end)
	text := bytes.TrimRight(b[at:end], "=-_")
	loud := s.afterLoudWord(at)
	if len(text) < leastWorded && !(loud && len(text) >= leastLoud) || !s.afterKeyWord(at) ||
		!s.valueEnds(b, skipEquals(b, at+len(text))) && b[at+len(text)] != '.' ||
		!isMade(text) && !(loud && isMadeLoosely(text)) {
		return
	}
	s.hit(at, at+len(text), func(s *scan, at, end int) {
		s.add(at, end, "key", s.b[at:end])
	})
}

// skipEquals passes what base64 is filled up with.
func skipEquals(b []byte, i int) int {
	for i < len(b) && b[i] == '=' {
		i++
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
			return at
		}
	}
	return start
}

// afterLoudWord tells whether a word of secrets in capitals stands right before i.
func (s *scan) afterLoudWord(i int) bool {
	before := bytes.TrimRight(s.b[max(0, i-wordedReach):i], " -_:=")
	for _, key := range keyWords {
		if bytes.HasSuffix(before, []byte(strings.ToUpper(key))) {
			return true
		}
	}
	return false
}

// afterKeyWord tells whether the words before i are of a secret.
func (s *scan) afterKeyWord(i int) bool {
	b := s.b
	lowest := max(0, i-wordedReach)
	end := i
	for end > lowest && i-end < 6 && strings.IndexByte(" \t'\"-_.:=\r\n", b[end-1]) >= 0 {
		end--
	}
	if end == i || end == lowest {
		return false
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
		end := from
		for end > lowest && strings.IndexByte("-_.", b[end-1]) >= 0 {
			end--
		}
		if tied = end < from; !tied {
			for end > lowest && from-end < 3 && (b[end-1] == ' ' || isLine(b[end-1])) {
				end--
			}
		}
		start := end
		for start > lowest && isAlnum(b[start-1]) {
			start--
		}
		stem = b[start:end]
	}
	lower := strings.ToLower(string(stem))
	if len(lower) < 3 || notOfSecrets[lower] || proseWords[lower] {
		return false
	}
	for _, word := range innocents {
		if strings.HasSuffix(lower+strings.ToLower(string(key)), word) {
			return false
		}
	}
	return tied || lower == "secret" || lower == "private" || !bytes.ContainsAny(key, lowers) || !bytes.ContainsAny(stem, uppers)
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
	return len(stem) >= 4 && !notOfSecrets[stem] && !proseWords[stem]
}

// isMade tells of a value that a generator made: a GUID, long hexadecimal digits, letters
// and digits in no order.
func isMade(v []byte) bool {
	if isGUID(v) {
		return true
	}
	if isPlaceholder(v) || isObjectName(v) && bytes.ContainsAny(v, "-.") || isWordy(v) || isTime(v) ||
		entropy(v) < leastEntropy {
		return false
	}
	if allDigits(v) {
		return len(v) >= 24
	}
	return mixed(v) && bytes.ContainsAny(v, digits) || len(v) >= 20 && isRun(v)
}

// isMadeLoosely takes what stands behind a word in capitals: letters and digits, which may
// have words in them.
func isMadeLoosely(v []byte) bool {
	return mixed(v) && bytes.ContainsAny(v, digits) && !isPlaceholder(v) && !isTime(v) && entropy(v) >= leastEntropy
}

// leastEntropy keeps out what repeats a few letters.
const leastEntropy = 2.5

// isRun tells of letters that no word is made of: too many of them.
func isRun(v []byte) bool {
	return run(v, 0, wordByte) == len(v) && bytes.IndexByte(v, '_') < 0 && !isCamelWords(v)
}

// isCamelWords tells of words written together: SourcePortPreservationForHostPort.
func isCamelWords(v []byte) bool {
	words, capitals := 0, 0
	for i, c := range v {
		if isUpper(c) {
			capitals++
			if i+2 < len(v) && isLower(v[i+1]) && isLower(v[i+2]) {
				words++
			}
		}
	}
	return words >= 2 && words == capitals
}
