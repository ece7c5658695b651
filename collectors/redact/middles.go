package redact

import (
	"bytes"
)

// A middle is a mark within a secret, with how many letters of which alphabet
// stand before it and behind.
type middle struct {
	text                string
	before              string // alphabet
	leastBack, mostBack int
	behind              string
	least, most         int
	kind                string
}

var middles = []middle{
	{":A", "0", 5, 16, "a0-_", 33, 36, "token"}, // Telegram
	{"-us", "h", 32, 32, "0", 1, 2, "api-key"},  // Mailchimp
	{"-US", "h", 32, 32, "0", 1, 2, "api-key"},
	{"-", "h", 32, 32, "h-", 17, 17, "api-key"},               // Mailgun
	{"NRAL", "a0", 30, 40, "", 0, 0, "token"},                 // New Relic
	{"_mmk", "a0_", 36, 36, "", 0, 0, "key"},                  // MaxMind
	{"|", "0", 15, 16, "a0-_", 27, 40, "token"},               // Facebook
	{".atlasv1.", "a0", 10, 20, "a0-_=", 40, 90, "token"},     // Terraform Cloud
	{"T3BlbkFJ", "a0-_", 15, 200, "a0-_", 15, 200, "api-key"}, // OpenAI: "OpenAI" in base64
	{"Q~", "a0", 4, 4, "a0-_.~", 29, 41, "client-secret"},     // Entra ID
	{"Q~", "a0-_.~", 4, 4, "a0-_.~", 29, 41, "client-secret"},
	{"==", "a0+/", 86, 86, "", 0, 0, "access-key"},        // a storage account
	{"!", "a0", 12, 18, "a0-._", 80, 130, "token"},        // Salesforce
	{".AgAB", "a0-_.", 20, 90, "a0-_", 60, 2000, "token"}, // Entra ID: a refresh token, a code
	{":APA91", "a0-_", 7, 16, "a0-_", 100, 200, "token"},  // Firebase
	{"_PF84_", "a0-_", 60, 70, "h-", 36, 36, "token"},     // Webex
	{"==:", "a0+/", 20, 24, "a0", 32, 32, "token"},        // Tableau
	{"_secret_", "a0_", 15, 40, "a0", 16, 40, "token"},    // Stripe: pi_…_secret_…
}

// azureMarks are within the keys of Azure's services, and say which one checks them.
var azureMarks = []string{"AzSe", "AzFu", "AzCa", "AIoT", "+ASt", "+ACR", "+ABa", "+AEh", "+ASb",
	"+ARm", "ACDb", "APIM", "AZDO", "AMLk", "AMap", "AzSg", "JQQJ99", "ARla", "ASOa", "AzWe"}

// middlesBy are the marks by their first byte, with the alphabets of all of them.
var middlesBy, middleAlphabets = func() (by [256][]middle, alphabets map[string]*alphabet) {
	alphabets = map[string]*alphabet{}
	for _, x := range middles {
		by[x.text[0]] = append(by[x.text[0]], x)
		alphabets[x.before], alphabets[x.behind] = newAlphabet(x.before), newAlphabet(x.behind)
	}
	return by, alphabets
}()

// middleAt looks for a secret around the mark at i.
func (s *scan) middleAt(i int) {
	b := s.b
	for _, x := range middlesBy[b[i]] {
		if !bytes.HasPrefix(b[i:], []byte(x.text)) {
			continue
		}
		from := i
		for set := middleAlphabets[x.before]; from > 0 && i-from <= x.mostBack && set[b[from-1]]; from-- {
		}
		end := i + len(x.text)
		for set := middleAlphabets[x.behind]; end < len(b) && end-i <= x.most+len(x.text) && set[b[end]]; end++ {
		}
		n := end - i - len(x.text)
		if i-from < x.leastBack || i-from > x.mostBack || n < x.least || n > x.most ||
			within(b, from) || isAlnum(byteAt(b, end)) || !mixed(b[from:end]) ||
			hasFold(b, from-7, "sha512") { // the digest of a package
			continue
		}
		end = from + len(bytes.TrimRight(b[from:end], "."))
		s.hitSecret(from, end, x.kind)
	}
}

// dottedToken looks for a bot's token of Discord around its first dot: 24 letters,
// 6 and 27 or more.
func (s *scan) dottedToken(i int) {
	b := s.b
	second := run(b[:min(len(b), i+10)], i+1, base64Byte)
	set := middleAlphabets["a0-_"]
	if second != i+7 || byteAt(b, second) != '.' {
		return
	}
	from := i
	for from > 0 && i-from < 30 && set[b[from-1]] {
		from--
	}
	end := run(b[:min(len(b), second+80)], second+1, base64Byte)
	if n := i - from; n >= 22 && n <= 28 && end-second > 26 && mixed(b[from:i]) {
		s.hitSecret(from, end, "token")
	}
}

// azureKey is where base64 begins that holds the mark of a service of Azure, and -1 without one. It
// may be the end of an address.
func azureKey(text []byte) int {
	last := len(bytes.TrimRight(text, "="))
	for _, length := range []int{43, 44, 52, 54, 55, 56, 62, 84, 86, 88} {
		from := last - length
		if from < 0 || from > 0 && text[from-1] != '/' || !mixed(text[from:last]) {
			continue
		}
		for _, mark := range azureMarks {
			if bytes.Contains(text[from+32:], []byte(mark)) {
				return from
			}
		}
	}
	return -1
}

// wordForm: a name and, behind a blank, what a generator made.
func (s *scan) wordForm(f field) bool {
	b := f.b
	if f.at == f.after || f.at-f.after > 8 || isLineAt(b, f.at) {
		return false
	}
	i := f.at
	if hasFold(b, i, "key ") {
		i = skipBlanks(b, i+len("key "))
	}
	if v := s.value(b, i, plainStops); f.trust >= medium && v.whole() {
		text := v.in(b)
		tied := bytes.ContainsAny(f.text(), "_-") // of a configuration, and no word of a sentence
		if looksChosen(text) && hardWord(text) || f.trust == strong && isCoined(text, tied) || tied && (isCoined(bytes.Map(withoutSigns, text), false) || isPassphrase(text)) {
			s.takeJudged(f, v, false)
			return true
		}
	}
	end := run(b, i, tokenByte)
	text := bytes.TrimRight(b[i:end], ".")
	if len(text) < leastWord || isOneOf(b, end, ":(/\\@") ||
		!isGenerated(text) && !(f.kind == "token" && isSignedHex(text)) || bytes.Contains(text, []byte("/")) || isAssignment(text) {
		return false
	}
	s.takeJudged(f, value{start: i, end: i + len(text)}, true)
	return true
}

const leastWord = 20
