package redact

import (
	"bytes"
	"strings"
)

// Sentences that tell a value some words behind its name: the password of ops is …

const (
	phraseReach = 64 // bytes between a name and the word that tells its value
	phraseWords = 8
)

// phraseForm takes what can be little else than a value behind "is" or a colon.
func (s *scan) phraseForm(f field) bool {
	b := f.b
	inPath := byteAt(b, f.from-1) == '/' && f.behind() != '(' || byteAt(b, f.to) == '/'
	linked := byteAt(b, f.at-1) == ']' && f.behind() == '(' // of Markdown
	if f.flag || inPath || linked || f.trust <= loose && f.kind != "credential" && f.kind != "hash" {
		return false
	}
	if f.quoted && f.at == f.after && !among(f.behind(), "[(") && s.told(f, f.after, true) { // 「密码」VALUE
		return true
	}
	bracket, n := wideAt(b, f.at)
	byDefault := hasFold(b, f.at+1, "default") // password,default:VALUE
	closed := byteAt(b, f.from-1) == '(' && f.behind() == ')'
	near := f // a password is short, and calls may be many
	near.b = b[:min(len(b), f.at+4*phraseReach)]
	if bracket == '(' && s.told(f, f.at+n, true) || // パスワード（VALUE）, password(VALUE), (PW)VALUE
		(closed || byDefault || f.behind() == '(') && s.told(near, f.at+1, closed || byDefault || f.foreign) {
		return true
	}
	last := min(len(b), f.after+phraseReach)
	for i, words := f.after, 0; i < last && words < phraseWords && !endsPhrase(b, i); i++ {
		switch c := b[i]; {
		case c == ':' && !(byteAt(b, runBack(b, i, wordByte)-1) == '$'): // $script:name
			return s.told(f, skipGap(b, i+1), true)
		case isBlank(c):
			words++
			if s.toldBehind(f, i, words) {
				return true
			}
			if end := upTo(b, i+2, phraseReach, ")]\r\n"); isOneOf(b, i+1, "([") && hasFold(b, end+1, ":") { // a remark
				i, last = end, end+2
			}
		}
	}
	return false
}

// accountWords are before the name of a password in a list of names.
var accountWords = setOf("id user login username account userid 계정 아이디 用户 用户名 账号 ユーザー名 benutzer utilisateur usuario логин")

// accountForm takes the value from a list behind a list of names: ID/PW ops/VALUE, (ID&PWD): ops/VALUE.
func (s *scan) accountForm(f field) bool {
	b := f.b
	before := bytes.TrimSuffix(bytes.TrimRight(b[max(0, f.from-longestPrefix):f.from], " /&()"), []byte(" and"))
	named := len(before) < min(f.from, longestPrefix) && accountWords[wordBefore(before, len(before))] && f.trust >= loose
	if f.flag || f.quoted || !named && !(f.kind == "credential" && hasFold(b, f.at, ": ")) {
		return false
	}
	line := b[:lineEnd(b[:min(len(b), f.to+phraseReach)], f.to)]
	for i := f.to; i < len(line) && tokenAt(line[i:]) == 0; { // else it was taken before
		v := s.value(line, i, " \t/(),:|\x1b\"'`")
		if text := v.in(line); looksChosen(text) || isTangled(text) || isCoined(text, false) {
			s.take(s.value(b, i, " \t\r\n\"'`,;)<>\x1b"), f.kind)
			return true
		}
		i = max(skipStyle(line, v.end), v.end+1)
	}
	return false
}

// endsPhrase tells where a name and a value have no more to do with each other.
func endsPhrase(b []byte, i int) bool {
	return isLine(b[i]) || among(b[i], "=;,(){}<>|") || hasFold(b, i, ". ") ||
		hasFold(b, i, "://") || hasFold(b, i, " --") && isAlnum(byteAt(b, i+3)) // the next flag
}

// toldBehind looks for a value behind the blank at i, which so many words precede.
func (s *scan) toldBehind(f field, i, words int) bool {
	for _, word := range isWords {
		if !hasFold(f.b, i, word) {
			continue
		}
		at := skipLeads(f.b, skipGap(f.b, i+len(word)))
		if v := s.value(f.b, at, plainStops); v.quoted && v.quote != '`' && v.whole() && f.trust == strong && v.end-v.start >= minKnown && (word != " to " || at > i+len(word)) && !bytes.ContainsRune(v.in(f.b), ' ') && !isDictionaryWord(v.in(f.b)) {
			s.takeJudged(f, v, false) // set the variable 'DbPassword' to value 'VALUE'
			s.changedTo(f, v)
			return true
		}
		if s.told(f, at, true) {
			return true
		}
	}
	given := words == 1 && isGivenBefore(f.b[lineBack(f.b, f.from, phraseReach):f.from]) // started with password VALUE, with a password of VALUE
	at := skipGap(f.b, i)
	return words <= 3 && s.told(f, at+b2i(given)*len(foldAt(f.b, at, "of ")), given)
}

// isGivenBefore tells that a sentence says a password: with, as user NAME and.
func isGivenBefore(before []byte) bool {
	words := strings.Fields(strings.ToLower(strings.TrimSuffix(string(before), " a ")))
	n := len(words)
	return n > 0 && words[n-1] == "with" || n > 2 && words[n-1] == "and" && (accountWords[words[n-3]] || words[n-3] == "account")
}

func b2i(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// told takes a value that a sentence tells: one that a generator made, or somebody who had to use
// signs. Where the sentence says that it is the value, letters and digits in one word are enough.
func (s *scan) told(f field, i int, said bool) bool {
	b := f.b
	if isLine(byteAt(b, i)) {
		return s.toldBelow(f, i)
	}
	v := s.value(b, skipLeads(b, i), " \t\r\n\"'`,;|<>)")
	if !v.whole() {
		return false
	}
	if inner, ok := s.wrapped(b, v); ok {
		v = inner
	}
	v.end = v.start + len(bytes.TrimRight(v.in(b), ".:"))
	text := v.in(b)
	if len(text) == 0 || text[0] == '-' || isSentence(text) {
		return false
	}
	if s.toldOfUser(f, v) || byteAt(b, v.end) == ':' && tokenAt(b[v.end+1:]) > 0 { // or it was
		return true
	}
	if isCode(s.b, v) || bytes.Contains(text, []byte("](")) || isGUID(text) && identified[wordBefore(b, v.start)] || isAssignment(text) && !isJumbled(text) ||
		f.trust <= loose && isSignedHex(text) || !tells(f.trust, text, said) {
		return false
	}
	s.takeJudged(f, v, false)
	s.changedTo(f, v)
	return true
}

// changedTo takes the second value of: changed from VALUE to VALUE.
func (s *scan) changedTo(f field, v value) {
	if end := skipQuote(f.b, v.end); hasFold(f.b, end, " to ") {
		if v := s.value(f.b, end+len(" to "), plainStops); v.whole() && mixed(v.in(f.b)) {
			s.takeJudged(f, v, false)
		}
	}
}

// identified are what has a GUID for a name: a token for client GUID.
var identified = setOf("client user tenant subscription application app device session request account id transaction operation connection trace job thread")

// toldOfUser takes the second part of user:VALUE.
func (s *scan) toldOfUser(f field, v value) bool {
	text := v.in(f.b)
	colon := bytes.IndexByte(text, ':')
	if f.kind != "credential" && f.kind != "password" || colon <= 0 || !looksChosen(text[colon+1:]) {
		return false
	}
	s.take(value{start: v.start + colon + 1, end: v.end}, "password")
	return true
}

// tells whether a word of a sentence is its value and no other word.
func tells(t trust, text []byte, said bool) bool {
	if len(text) >= leastTold && isGenerated(text) || t >= medium && isGUID(text) || said && t == strong && isSignedHex(text) {
		return true
	}
	return t == strong && (said && isPassphrase(text) || looksChosen(text) || isShuffled(text) || said && isTangled(text) || isCoined(text, said) ||
		said && isCoined(bytes.Map(withoutSigns, text), true))
}

// tellsAlone tells of a value beside a name with little between them.
func tellsAlone(t trust, text []byte) bool {
	return t >= medium && (tells(t, text, false) || looksChosen(text))
}

// leastTold is the length of the shortest token that a sentence tells.
const leastTold = 16

// askingWords are before a name at a prompt.
var askingWords = []string{"enter ", "type ", "[sudo] ", "new "}

// toldBelow takes a value that stands alone in the line below, or in the one after that.
func (s *scan) toldBelow(f field, i int) bool {
	b := f.b
	asked := containsAny(bytes.ToLower(b[lineBack(b, f.from, longestPrefix):f.from]), askingWords)
	for range 2 {
		next := nextPayload(b, i)
		at := skipBlanks(b, next)
		end := upTo(b, at, len(b), "\r\n<")
		if end > at {
			text := bytes.TrimRight(b[at:end], " \t")
			if len(text) >= leastTold && run(text, 0, tokenByte) == len(text) && isGenerated(text) ||
				f.trust == strong && !moreWords(b, at) && skipQuote(b, at) == at && (!isOneOf(b, at+len(text)-1, "$#>:") || asked && looksChosen(text) && !bytes.ContainsAny(text, "@:")) && foldAt(text, run(text, 0, nameByte), `="`, "='", "=$") == "" && (tells(strong, text, false) || asked && mixed(text) && len(text) >= minKnown) { // no prompt of a shell
				s.takeJudged(f, value{start: at, end: at + len(text)}, false)
				return true
			}
			return false
		}
		if i = end; i >= len(b) {
			return false
		}
	}
	return false
}

// usedForm tells of a variable that is used and not set: net user ops $password /add.
func (s *scan) usedForm(f field) bool {
	b := f.b
	scope := f.from - 1
	if byteAt(b, scope) == '%' {
		return byteAt(b, f.to) == '%'
	}
	if !isOneOf(b, scope, ":{") {
		return false
	}
	start := runBack(b[:scope], scope, wordByte)
	return byteAt(b, start-1) == '$' ||
		byteAt(b, start-1) == '{' && byteAt(b, start-2) == '$'
}

// isCoined tells of a word of letters and digits. Where nothing says that it is the value, they must
// take turns, as in no version and no name with a number.
func isCoined(v []byte, said bool) bool {
	turns := 0
	for i := 1; i < len(v); i++ {
		turns += b2i(isDigit(v[i]) != isDigit(v[i-1]))
	}
	return len(v) >= 8 && run(v, 0, wordByte) == len(v) && turns > 0 && turns+lettersOf(v).turns >= 3-2*b2i(said) &&
		!bytes.ContainsRune(v, '_') && !isSignedHex(v)
}

// withoutSigns drops the signs that names have too.
func withoutSigns(c rune) rune {
	if strings.ContainsRune("-_.~", c) {
		return -1
	}
	return c
}

// fitsWord tells of a word of a command that is a password where a password is to stand.
func fitsWord(v []byte) bool { return fitsPassword(v) || isPassphrase(v) }

// fitsPassword tells of a word that is no other word of a command.
func fitsPassword(v []byte) bool {
	return looksRandom(v) || looksChosen(v) || isShuffled(v) || isCoined(v, true) || isTangled(v)
}

// isShuffled tells of letters of both cases with signs among them, as no word has them.
func isShuffled(v []byte) bool {
	if len(v) < 10 || len(v) > 64 || isPlainValue(v) || isPlaceholder(v) || isComposed(v) {
		return false
	}
	n := lettersOf(v)
	signs := n.sign - b2i(!isAlnum(v[0]))
	return n.turns >= 2 && signs > 0 && signs <= 3 && !isWordy(v)
}

// isTangled tells of letters and digits in one word whose cases change as in no word and no name.
func isTangled(v []byte) bool {
	return len(v) >= 9 && lettersOf(v).turns >= 2 && isIdentifier(v) && !bytes.ContainsRune(v, '_') && !isWordy(v)
}

// isJumbled tells of text whose letters, digits and signs follow each other as they do
// in no word: a password that a generator made.
func isJumbled(v []byte) bool {
	if len(v) < 8 || len(v) > 64 {
		return false
	}
	turns, signs, n := 0, 0, lettersOf(v)
	class := func(c byte) int {
		switch {
		case isLower(c):
			return 0
		case isUpper(c):
			return 1
		}
		return 3 - b2i(isDigit(c))
	}
	last := class(v[0])
	for _, c := range v[1:] {
		now := class(c)
		turns += b2i(now != last && !(last == 1 && now == 0)) // a capital begins a word
		signs += b2i(now == 3 && among(c, "~!@#^*+=?%&$"))
		last = now
	}
	return n.lower > 0 && n.upper > 0 && signs > 0 && turns >= 4 && 3*turns >= len(v)
}
