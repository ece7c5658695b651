package redact

import (
	"bytes"
	"slices"
	"strings"

	"doctor/checks/sorted"
)

// Signs are pairs of bytes near which a secret may stand that no longer text
// betrays: a short name before its colon, an issuer's few letters, the dot of a
// bootstrap token, the @ behind a URL's user.
const (
	assignSign = 1 << iota
	issuerSign
	dotSign
	markSign // a byte that says it all: @ ~ $ & % ESC
	middleSign
)

var (
	signPairs    [1 << 16]uint8
	shortIssuers [][]string      // that begin with the same two letters
	issuerPairs  [1 << 16]uint16 // 1 + the place of a pair in shortIssuers
)

// shortNames are those that no trigger is long enough for, by their last letter.
var shortNames = [256][]string{'d': {"pwd", "pswd", "pword", "pswrd", "psswd", "paswd", "cred", "keyid", "key_id", "key-id"}, 's': {"pass", "creds"}, 'h': {"auth"},
	't': {"jwt", "pat"}, 'y': {"key"}, 'w': {"pw", "psw", "passw"}, 'k': {"psk"}, 'm': {"ntlm"}, 'p': {"mdp"},
	'a': {"senha"}, 'o': {"haslo", "heslo", "geslo"}, 'l': {"parol"}, 'e': {"parole", "clave", "sifre"}, 'n': {"jeton"}}

// passwordMarks begin the hashes of passwords.
var passwordMarks = []string{"$2y$", "$2a$", "$2b$", "$apr1$", "$6$", "$5$", "$1$", "$y$", "$7$",
	"$8$", "$9$", "$krb5asrep$", "$krb5tgs$", "$argon2", "$pbkdf2"}

func init() {
	for _, list := range prefixIssuers {
		for _, x := range list {
			if len(x.text) < shortest {
				addShortIssuer(x.text)
				if last := x.text[len(x.text)-1]; last == '_' || last == '-' {
					addShortIssuer(strings.ToUpper(x.text))
					addShortIssuer(strings.ToUpper(x.text[:1]) + x.text[1:])
				}
			}
		}
	}
	for _, list := range shortIssuers { // the longest says most
		sorted.By(list, func(a, b string) int { return len(b) - len(a) })
	}
	const letters = lowers + uppers + digits
	var every, hex string
	for c := range 256 {
		every += string([]byte{byte(c)})
		if classOf[c]&hexByte != 0 {
			hex += string([]byte{byte(c)})
		}
	}
	for _, row := range []struct {
		firsts, nexts string
		sign          uint8
	}{
		{"=:", every, assignSign}, {">,|", letters + "'\"`=>", assignSign}, {"@", letters + "[]$%<({/_*", markSign},
		{".", letters, dotSign}, {"-/", "pPN", markSign}, {"\x1b", "[", markSign}, {"\xef", "\xbc\xbd", markSign},
		{"<", "/", markSign}, {"\\", `n"u`, markSign}, {"?", letters, markSign}, {"&", "#qalg", markSign},
		{"%", hex, markSign}, {`"`, "\r\n.", markSign},
	} {
		addPairs(row.firsts, row.nexts, row.sign)
	}
	for _, x := range middles {
		if len(x.text) > 1 {
			addPairs(x.text[:1], x.text[1:2], middleSign)
		} else {
			addPairs(x.text, letters, middleSign)
		}
	}
	for _, mark := range passwordMarks {
		addPairs("$", mark[1:2], markSign)
	}
}

// addPairs gives a sign to each of the first bytes before each of the next ones.
func addPairs(firsts, nexts string, sign uint8) {
	for _, a := range []byte(firsts) {
		for _, b := range []byte(nexts) {
			signPairs[pairOf(a, b)] |= sign
		}
	}
}

func addShortIssuer(text string) {
	pair := pairOf(text[0], text[1])
	signPairs[pair] |= issuerSign
	if issuerPairs[pair] == 0 {
		shortIssuers = append(shortIssuers, nil)
		issuerPairs[pair] = uint16(len(shortIssuers))
	}
	text = strings.ToLower(text)
	if list := &shortIssuers[issuerPairs[pair]-1]; !slices.Contains(*list, text) {
		*list = append(*list, text)
	}
}

func pairOf(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

// signs finds what no text betrays.
func (s *scan) signs(from, limit int) {
	b := s.b[:min(len(s.b), limit+1)]
	if from >= len(b) {
		return
	}
	pair := uint16(b[from])
	for i, next := range b[from+1:] {
		pair = pair<<8 | uint16(next)
		if sign := signPairs[pair]; sign != 0 {
			s.sign(from+i, sign)
		}
	}
	if len(b) == limit { // the end of the text is the end of its line
		if sign := signPairs[pairOf(b[limit-1], '\n')]; sign != 0 {
			s.sign(limit-1, sign)
		}
	}
}

func (s *scan) hit(start, end int, r rule) { s.hits = append(s.hits, hit{start, end, r, false}) }

// hitSecret is a hit that is a secret as it stands.
func (s *scan) hitSecret(start, end int, kind string) {
	s.hit(start, end, func(s *scan, b []byte, start, end int) { s.add(start, end, kind, s.b[start:end]) })
}

func (s *scan) layerHit(i int, r rule) { s.hits = append(s.hits, hit{i, i + 1, r, true}) }

func (s *scan) sign(i int, sign uint8) {
	b := s.b
	if sign&assignSign != 0 {
		if b[i] == '=' || b[i] == ':' {
			s.shortName(i)
		}
		if isOneOf(b, i+1, ":\r\n") {
			s.rancherToken(i)
		}
		s.namedValue(i)
	}
	if sign&issuerSign != 0 {
		s.shortIssuer(i)
	}
	if sign&dotSign != 0 {
		s.dot(i)
	}
	if sign&markSign != 0 {
		s.rareByte(i)
	}
	if sign&middleSign != 0 {
		s.middleAt(i)
	}
}

// dot looks for the tokens that have parts.
func (s *scan) dot(i int) {
	if aroundDot(s.b, i) {
		s.hit(i, i+1, (*scan).bootstrapRule)
	}
	if hasFold(s.b, i, ".ey") {
		s.hit(i, i+3, (*scan).jwtRule)
	}
	s.dottedToken(i)
}

// rareByte looks at a byte that few texts hold.
func (s *scan) rareByte(i int) {
	b := s.b
	switch b[i] {
	case '@':
		s.hit(i, i+1, (*scan).urlRule)
	case '$':
		s.passwordMark(i)
	case '-', '/':
		s.anyFlag(i)
	case '"':
		if byteAt(b, nextLine(b, skipOf(b, i+1, 3, "."))) == '0' { // an address
			s.layerHit(i, dumpedRule)
		}
	default:
		s.layerAt(i)
	}
}

// layerAt looks for what a layer writes in place of a byte.
func (s *scan) layerAt(i int) {
	b := s.b
	switch {
	case b[i] == 0x1b:
		s.layerHit(i, decodes[styles])
	case b[i] == '&' && entityAt(b, i) > 0:
		s.layerHit(i, decodes[entities])
	case hasFold(b, i, "："):
		s.hits = append(s.hits, hit{i, i + len("："), framedRule, true})
	case b[i] == 0xef:
		if c, _ := narrow(b[i:]); isWord(c) {
			s.layerHit(i, decodes[wides])
		}
	case b[i] == '<':
		s.layerHit(i, elementRule)
		s.nameBy(run(b, i+2, nameByte), func(s *scan, b []byte, name, end int) { // the name of an element stands in its last tag too
			tag := s.b[i+2 : end]
			lowest := min(i, max(s.done, i-layerBack))
			if open := bytes.LastIndex(b[lowest:i], tag); open > 0 && b[lowest+open-1] == '<' {
				s.judgeAt(b, lowest+open, lowest+open, lowest+open+len(tag))
			}
		})
	case b[i] == '?':
		s.layerHit(i, queryRule)
	case hasFold(b, i, `\u`):
		s.hit(i, i+1, decodes[escapes]) // what stands there is unknown
	case b[i] == '\\':
		s.layerHit(i, decodes[escapes])
	case b[i] == '%' && classOf[byteAt(b, i+2)]&hexByte != 0:
		s.layerHit(i, decodes[percents])
		s.layerHit(i, decodes[queries])
	}
}

// shortIssuer looks for an issuer's letters at the beginning of a word.
func (s *scan) shortIssuer(i int) {
	b := s.b
	if within(b, i) {
		return
	}
	for _, text := range shortIssuers[issuerPairs[pairOf(b[i], b[i+1])]-1] {
		if end := i + len(text); end < len(b) && hasFold(b, i, text) {
			s.hit(i, end, (*scan).issuerRule)
		}
	}
}

// passwordMark looks for the mark that begins the hash of a password.
func (s *scan) passwordMark(i int) {
	for _, mark := range passwordMarks {
		if hasFold(s.b, i, mark) && (len(mark) > 3 || byteAt(s.b, i-1) == ':' || isCrypt(s.b[i:])) {
			s.hit(i, i+len(mark), (*scan).hashRule)
		}
	}
}

// isCrypt tells of $1$SALT$HASH and its kin: 22 letters of a hash or more.
func isCrypt(b []byte) bool {
	i := 3
	if hasFold(b, i, "rounds=") {
		i += 1 + bytes.IndexByte(b[i:min(len(b), i+24)], '$')
	}
	salt := i
	i = runWith(b[:min(len(b), salt+17)], salt, "./")
	if i == salt || byteAt(b, i) != '$' {
		return false
	}
	hash := i + 1
	return runWith(b[:min(len(b), hash+90)], hash, "./")-hash >= 22
}

// nameBy looks for a short name that ends at end.
func (s *scan) nameBy(end int, r rule) {
	for _, name := range shortNames[s.b[end-1]|0x20] {
		if hasFold(s.b, end-len(name), name) {
			s.hit(end-len(name), end, r)
		}
	}
}

// shortName looks for a short name before the colon or the equals sign at i.
func (s *scan) shortName(i int) {
	b := s.b
	if i == 0 || isDigit(b[i-1]) && b[i] == ':' {
		return
	}
	end := backOf(b, i, 32, " \t\"\\']+?")
	if hasFold(b, end-len("-string"), "-string") {
		end -= len("-string")
	}
	for end > 2 && isDigit(b[end-1]) { // pwd2=VALUE
		end--
	}
	if end < 2 || !isAlnum(b[end-1]) {
		return
	}
	s.nameBy(end, (*scan).nameRule)
	if b[i] == '=' && end == i && (hasFold(b, end-4, "?key") || hasFold(b, end-4, "&key") ||
		hasFold(b, end-4, " key") && b[runBack(b, end-4, tokenByte)] == '/') { // GET /hook key=…, as IIS logs a query
		s.hit(end-4, i+1, (*scan).codeRule)
	}
	if b[i] == '=' && end == i && (hasFold(b, end-3, "sig") || hasFold(b, end-9, "signature")) {
		s.hit(end-3, i+1, (*scan).signatureRule)
	}
}

// within tells whether the byte at i goes on a word.
func within(b []byte, i int) bool {
	return i > 0 && (isAlnum(b[i-1]) || b[i-1] == '_') && !(byteAt(b, i-2) == '\\' && isOneOf(b, i-1, "nrtNRT"))
}

// aroundDot tells whether a dot may be that of a bootstrap token.
func aroundDot(b []byte, i int) bool {
	const before, behind = 6, 16
	if i < before || i+behind >= len(b) {
		return false
	}
	return run(b[:i+1+behind], i+1, base64Byte) == i+1+behind
}
