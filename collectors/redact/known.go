package redact

import (
	"bytes"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
	"sync"

	"doctor/checks/evidence/finder"
)

const (
	maxKnown  = 5000
	minKnown  = 6    // bytes; a shorter value stands in too much that is no secret
	knownHead = 1024 // bytes that a value is known by
	minWindow = 6    // bytes of a text that are looked for
)

// known are the values that were seen.
type known struct {
	mu        sync.RWMutex
	at        map[string]int // into values
	values    []knownValue   // what is in it stays as it is
	finder    *finder.Finder
	limit     int  // of values; 0: maxKnown
	lost      bool // more were seen than are kept, and not all of the rest is known by its shape
	more      bool // more were seen than are kept
	spellings int  // among values, which do not count
}

type knownValue struct {
	text     string // its beginning, when it is long
	whole    bool   // text is all of it
	kind     string
	token    string
	strong   bool // stands out so much that it needs no bounds
	spelling bool // of another value, with what some format asks to be escaped
}

// hasShape are the kinds of secrets that are known wherever they stand, so that
// it is enough to remember some thousands: a log may hold a fresh one in each line.
var hasShape = setOf("jwt bearer sas private-key bootstrap-token dpapi")

func (k *known) full() bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.lost
}

// add remembers a value, unless it is one of those that are everywhere.
func (k *known) add(kind, token string, value []byte) {
	value = bytes.TrimSpace(value)
	if n := len(value); n > 2 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		value = value[1 : n-1] // which are the format's, and stand around the value elsewhere too
	}
	value = bytes.TrimRight(value, `\`) // half of what was escaped
	if len(value) < minKnown || isCommon(value) || isSyntax(value) || isSpoken(kind, value) {
		return
	}
	text := value[:min(len(value), knownHead)]
	v := knownValue{text: string(text), whole: len(text) == len(value), kind: kind, token: token,
		strong: standsOut(value)}
	k.put(v)
	v.spelling = true
	for _, text := range spellings(text) {
		v.text = string(text)
		k.put(v)
	}
}

// put remembers a text of at least minWindow bytes.
func (k *known) put(v knownValue) {
	text := v.text
	if len(text) < minWindow {
		return
	}
	k.mu.RLock()
	_, ok := k.at[text]
	k.mu.RUnlock()
	if ok {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.at[text]; ok {
		return
	}
	if v.spelling {
		if k.spellings >= maxKnown {
			return
		}
		k.spellings++
	} else if len(k.values)-k.spellings >= max(k.limit, maxKnown) {
		k.more = true
		k.lost = k.lost || !hasShape[v.kind]
		return
	}
	if k.at == nil {
		k.at = map[string]int{}
		k.finder = finder.NewExact()
	}
	k.at[v.text] = len(k.values)
	k.values = append(k.values, v)
	k.finder.Add(v.text, v.length())
}

// length is that of the text by which the search jumps: what base64 ends with
// is the same for many.
func (v *knownValue) length() int {
	if n := len(strings.TrimRight(v.text, "=")); n >= minWindow {
		return n
	}
	return len(v.text)
}

// each calls found for every known value in b[from:], which may begin before.
func (k *known) each(b []byte, from int, found func(v *knownValue, start, end int)) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if len(k.values) == 0 {
		return
	}
	k.finder.EachFrom(b, from, func(text, start, end int) {
		v := &k.values[text]
		if !v.whole {
			end = run(b, end, base64Byte)
		}
		if v.strong || isBound(b, start-1, start) && isBound(b, end, end) {
			found(v, start, end)
		}
	})
}

// kindOf tells of a whole value that was seen.
func (k *known) kindOf(value []byte) (kind string, ok bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	i, ok := k.at[string(value)]
	if !ok {
		return "", false
	}
	return k.values[i].kind, true
}

// isSyntax takes what is no value, but was read as one out of a text that was cut
// or nested: a piece of JSON, the first line of a key.
func isSyntax(v []byte) bool {
	if bytes.HasPrefix(v, []byte("-----BEGIN ")) {
		return !bytes.ContainsRune(v, '\n') && len(v) < 64
	}
	if v[0] == '"' || v[len(v)-1] == '"' {
		return true // one end of a longer text
	}
	if plain, ok := unquoteJSON(v); ok && len(plain) < minKnown {
		return true // little but escapes
	}
	for i := 1; i < len(v); i++ {
		if v[i] == '"' && among(v[i-1], ":,{[") || v[i-1] == '"' &&
			among(v[i], ":,}]") {
			return true
		}
	}
	return false
}

// isSpoken takes words that are written together: id_token, PsDscRunAsCredential. Code and documents
// are full of them, so that one that was taken wrongly, or for want of a better password, would be
// taken out of all that follows.
func isSpoken(kind string, v []byte) bool {
	capitals := lettersOf(v).turns
	if !isIdentifier(v) || bytes.ContainsAny(v, digits) ||
		!isSnake(v) && (capitals == 0 || 5*capitals > len(v) || !hasVowels(v)) {
		return false
	}
	_, t := judgeName(v)
	return kind != "password" || t > noSecret || containsFold(v, "password")
}

// isBound tells whether a value may begin or end at at, beside the byte at i. A
// token that stands there took the place of what may have been part of its word.
func isBound(b []byte, i, at int) bool {
	if i < 0 || i >= len(b) {
		return true
	}
	if i < at {
		return !isAlnum(b[i]) && b[i] != '_' && (b[i] != '>' || !inToken(b, i))
	}
	return !isAlnum(b[i]) && b[i] != '_' && (b[i] != '<' || tokenAt(b[i:]) == 0)
}

// spellings are a value as it stands where some of its bytes have to be escaped,
// or were before.
func spellings(v []byte) [][]byte {
	if run(v, 0, nameByte) == len(v) {
		return nil
	}
	query := url.QueryEscape(string(v))
	list := [][]byte{quoteJSON(v), []byte(query), []byte(url.PathEscape(string(v))),
		lowerEscapes(query), []byte(html.EscapeString(string(v)))}
	list[0] = list[0][1 : len(list[0])-1]
	for plain, ok := unquoteJSON(v); ok && !bytes.Equal(plain, list[len(list)-1]) &&
		!isCommon(plain); plain, ok = unquoteJSON(plain) {
		list = append(list, plain) // from text to text, as deep as it was
	}
	if quoted, err := json.Marshal(string(v)); err == nil {
		list = append(list, quoted[1:len(quoted)-1])
	}
	return slices.DeleteFunc(list, func(text []byte) bool { return bytes.Equal(text, v) })
}

// lowerEscapes writes %2F as %2f, and nothing else in lower case.
func lowerEscapes(query string) []byte {
	b := []byte(query)
	for i, c := range b {
		if c == '%' { // and two digits behind it
			b[i+1] |= 0x20 // a digit stays one
			b[i+2] |= 0x20
		}
	}
	return b
}

// standsOut tells of a value that is no part of anything else by chance.
func standsOut(v []byte) bool {
	return mixed(v) && (len(v) >= 12 || len(v) >= 8 && hardWord(v))
}

// isCommon tells of words that stand everywhere and are no secret elsewhere.
func isCommon(v []byte) bool {
	letters := len(bytes.Trim(v, lowers+uppers)) == 0
	signs := bytes.IndexFunc(v, func(c rune) bool { return c >= 0x80 || !isAlnum(byte(c)) }) >= 0
	return letters && len(v) <= 12 && !mixed(v) || signs && !bytes.ContainsAny(v, digits) && isObjectName(v) ||
		isPlainValue(v) || commonWords[strings.ToLower(string(v))]
}

var commonWords = setOf(`password administrator kubelet containerd kube-proxy kubernetes kubernetes.io evidence/v1 windows localhost localsystem flannel calico-node
		v1.34.0 win-2019 win-2022 server2019 server2022 x509 sha256 base64 utf-8 utf-16 http2 http1 http1.1 ipv4 ipv6 amd64 arm64 x86_64 win32 10.0.17763 l2bridge l2tunnel hns-v1 hns-v2`)
