package redact

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash"
)

const (
	tokenStart = "<secret:"
	maxToken   = 48 // bytes, of the longest token
)

// token returns what stands in place of a value. It is the same for one value
// whatever surrounds it and says nothing of its length.
func (r *Redactor) token(kind string, value []byte) string {
	if r.plain {
		return tokenStart + kind + ">"
	}
	h := hmac.New(sha256.New, r.key)
	h.Write(canonical(value))
	return sealed(kind, h)
}

// note remembers a value and returns its token. A search learns nothing: what it
// sees is to leave the node.
func (p *pass) note(kind string, value []byte) string {
	token := p.token(kind, value)
	if p.found == nil {
		p.known.add(kind, token, value)
	}
	return token
}

func sealed(kind string, h hash.Hash) string {
	return tokenStart + kind + ":" + hex.EncodeToString(h.Sum(nil)[:3]) + ">"
}

// canonical brings the ways to write one value together: a private key is what
// stands between its first and last line, however it is folded, escaped or
// encoded, and other values do not begin or end with blanks.
func canonical(value []byte) []byte {
	value = bytes.TrimSpace(value)
	if bytes.HasPrefix(value, []byte("LS0tLS1CRUdJTi")) {
		if plain, err := decode64(value); err == nil {
			value = plain
		}
	}
	if !bytes.HasPrefix(value, []byte(pemBegin)) {
		return value
	}
	body := value[len(pemBegin):]
	if i := bytes.Index(body, []byte("-----")); i >= 0 {
		body = body[i+5:]
	}
	body, _, _ = bytes.Cut(body, []byte("-----END"))
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); i++ {
		if body[i] == '\\' && i+1 < len(body) {
			i++ // a line's end that is escaped
			continue
		}
		if classOf[body[i]]&base64Byte != 0 {
			out = append(out, body[i])
		}
	}
	return out
}

// decode64 takes base64 of either alphabet, folded or not, with or without its padding.
func decode64(text []byte) ([]byte, error) {
	clean := make([]byte, 0, len(text))
	for _, c := range text {
		switch c {
		case '-':
			c = '+'
		case '_':
			c = '/'
		case '=', '\r', '\n', ' ', '\t':
			continue
		}
		clean = append(clean, c)
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(clean)))
	n, err := base64.RawStdEncoding.Decode(out, clean)
	return out[:n], err
}

// tokenAt returns the length of the token that b begins with, and 0 for none.
func tokenAt(b []byte) int {
	if !bytes.HasPrefix(b, []byte(tokenStart)) {
		return 0
	}
	i := skipOf(b, len(tokenStart), maxToken-len(tokenStart), lowers+"-")
	switch {
	case i == len(tokenStart):
		return 0
	case byteAt(b, i) == '>':
		return i + 1
	case byteAt(b, i) == ':' && byteAt(b, i+7) == '>' && len(bytes.Trim(b[i+1:i+7], digits+"abcdef")) == 0:
		return i + 8
	}
	return 0
}

// inToken tells whether the byte at i lies in a token.
func inToken(b []byte, i int) bool {
	for at := i; at >= 0 && i-at < maxToken; at-- {
		switch c := b[at]; {
		case c == '<':
			return i < at+tokenAt(b[at:])
		case !isLower(c) && !isDigit(c) && c != '-' && c != ':' && (c != '>' || at < i):
			return false
		}
	}
	return false
}

// besideToken tells whether a token stands in b[start:end] or near it. What a
// rule says there is no news: it said it of the text that was there before, and a
// value that was cut in two or lost its quotes may look like another one.
func besideToken(b []byte, start, end int) bool {
	return bytes.Contains(b[max(0, start-back):min(len(b), end+back)], []byte(tokenStart))
}

// onlyTokens tells whether nothing but tokens and blanks stand in b.
func onlyTokens(b []byte) bool {
	b = bytes.TrimSpace(b)
	for len(b) > 0 {
		n := tokenAt(b)
		if n == 0 {
			return false
		}
		b = bytes.TrimLeft(b[n:], " ,;")
	}
	return true
}
