package redact

import (
	_ "embed"
	"fmt"
	"strings"

	"doctor/checks/sorted"
)

// Issuers' secrets are known by how they begin, or by the issuer's name in that
// of their setting. The table is made of gitleaks' rules; what they do not know
// is in ownIssuers.
//
//go:generate sh -c "go run -C ../../fixtures/gitleaks ./issuers > issuers.txt.new && mv issuers.txt.new issuers.txt"
//go:embed issuers.txt
var gitleaksIssuers string

// ownIssuers are written as issuers.txt is. A word stands before its value with nothing but a
// blank or a dash between.
const ownIssuers = `
prefix github_pat_ 40 255 a0_
prefix hvs. 20 400 a0-_
prefix hvb. 20 400 a0-_
prefix hvr. 20 400 a0-_
prefix glpat- 16 400 a0-_.
prefix glcbt- 16 80 a0-_
prefix xapp- 8 200 a0-
prefix XAPP- 8 200 a0-
prefix Xapp- 8 200 a0-
prefix xoxb- 10 400 a0-
prefix xoxp- 15 400 a0-
prefix xoxs- 10 400 a0-
prefix xoxc- 15 400 a0-
prefix xoxd- 15 400 a0-%
prefix xoxo- 8 400 a0-
prefix xoxe. 20 400 a0-.
prefix xoxe- 20 400 a0-
prefix xoxa- 8 400 a0-
prefix ya29. 20 400 a0-_.
prefix 1//0 30 200 a0-_
prefix dckr_pat_ 20 80 a0-_
prefix dckr_oat_ 20 80 a0-_
prefix pypi- 50 1000 a0-_
prefix glsa_ 30 80 a0_
prefix glc_ 30 400 a0+/=_
prefix shptka_ 30 40 h
prefix sk-ant- 30 200 a0-_
prefix sk-proj- 30 400 a0-_
prefix sk-or-v1- 40 100 a0
prefix sk_live_ 16 200 a0
prefix aio_ 24 40 a0
prefix odt_ 30 40 a0
prefix pk_ 24 100 a0_
prefix live_ 30 60 a0_
prefix whsec_ 20 100 a0+/=
prefix nvapi- 40 100 a0-_
prefix hf_ 30 60 a0
prefix gsk_ 40 80 a0
prefix xai- 40 120 a0-_
prefix r8_ 37 45 a0
prefix CFPAT- 40 60 a0-_
prefix sl. 100 200 a0-_
prefix sk_ 48 48 h
prefix flb_live_ 20 60 a0
prefix flb_test_ 20 60 a0
prefix shltm_ 36 60 a0-_
prefix na1. 90 110 a0+/=
prefix pat-na1- 36 36 h-
prefix pat-eu1- 36 36 h-
prefix ion_ 40 50 a0
prefix mdb_sa_sk_ 36 50 a0_-
prefix NF- 32 32 a0
prefix ak_live_ 26 40 a0
prefix ak_test_ 26 40 a0
prefix pub-c- 36 36 a0-
prefix sub-c- 36 36 a0-
prefix sec-c- 36 80 a0-
prefix scp-live- 32 40 h
prefix scp-test- 32 40 h
prefix sgp_ 40 140 a0_
prefix slk_ 64 64 h
prefix BBFF- 30 36 a0
prefix VF.DM. 30 60 a0.
prefix VF.WS. 30 60 a0.
prefix 1000. 65 67 h.
prefix web_ 32 32 h
prefix server_ 32 32 h
prefix AKC 10 10 a0
prefix AP2 10 10 a0
prefix AP3 10 10 a0
prefix AP5 10 10 a0
prefix AP6 10 10 a0
prefix APA 10 10 a0
prefix APB 10 10 a0
prefix pa- 43 43 a0-_
prefix jina_ 40 90 a0-_
prefix tvly- 30 60 a0-
prefix fw_ 20 40 a0
prefix gloas- 40 100 a0-_
prefix glagent- 40 100 a0-_
prefix dt0s01. 60 120 a0.
prefix dt0s02. 60 120 a0.
prefix dt0c01. 60 120 a0.
prefix NRAK- 24 40 a0
prefix NRII- 30 40 a0-_
prefix NRJS- 17 24 h
prefix NRAL 10 50 a0
prefix AKCp 60 80 a0
prefix cmVmdGtuO 40 200 a0=
prefix sntrys_ 40 500 a0+/=_
prefix sntryu_ 40 100 h
prefix SG. 50 80 a0-_.=
prefix GOCSPX- 20 60 a0-_
prefix SWMTKN-1- 40 100 a0-
prefix k8s-aws-v1. 40 4000 a0-_=
prefix tskey- 20 100 a0-
prefix ATATT3x 60 220 a0-_=
prefix ATCTT3x 60 220 a0-_=
prefix ATBB 24 60 a0
prefix ops_eyJ 80 4000 a0+/=-_
prefix HRKU-AA 40 80 a0-_
prefix HRKU- 30 80 a0-_
prefix bedrock-api-key- 20 4000 a0+/=
prefix ABSK 40 300 a0+/=
prefix AIzaSy 33 33 a0-_
prefix AGPA 16 16 a0
prefix AIDA 16 16 a0
prefix AROA 16 16 a0
prefix AIPA 16 16 a0
prefix ANPA 16 16 a0
prefix ANVA 16 16 a0
prefix APKA 16 16 a0
prefix SK 32 32 a0
prefix AC 32 32 a0
prefix AKC 10 80 a0
prefix AP2 10 80 a0
prefix AP3 10 80 a0
prefix AP5 10 80 a0
prefix AP6 10 80 a0
prefix ZXlK 40 4000 a0+/=-_
prefix glptt- 40 40 a0-_
prefix key- 32 32 h
prefix pubkey- 32 32 h
prefix rnd_ 20 60 a0
prefix sbp_ 40 60 a0
prefix vercel_ 20 60 a0
prefix dapi 32 36 h-
prefix dose 32 36 h-
prefix sq0csp- 22 60 a0-_
prefix sq0idp- 22 60 a0-_
prefix EAAAE 50 80 a0-_
prefix PMAT- 20 40 a0
prefix dp.st. 40 80 a0-_.
prefix dp.ct. 40 60 a0
prefix dp.sa. 40 60 a0
prefix dp.scim. 40 60 a0
prefix dp.audit. 40 60 a0
prefix sdk- 36 36 h-
prefix api- 36 36 h-
prefix mob- 36 36 h-
prefix cio- 20 60 a0
prefix figd_ 36 60 a0-_
prefix secret_ 40 50 a0
prefix ctp_ 30 60 a0
prefix AQVN 35 40 a0-_
prefix amzn.mws. 30 60 h-
prefix amzn1.oa2-cs.v1. 40 100 h
prefix r5_ 30 60 a0
prefix re_ 20 40 a0_
prefix nfp_ 30 60 a0
prefix railway_ 20 60 a0-
prefix agp_ 30 60 a0
prefix phc_ 40 50 a0
prefix phx_ 40 60 a0_-
prefix phs_ 40 50 a0
prefix bkua_ 36 50 a0
prefix CCIPAT_ 40 100 a0_
prefix cfat_ 36 60 a0
prefix cfut_ 36 60 a0
prefix oy2 43 43 a0
prefix LTAI 12 30 a0
prefix AKID 30 40 a0
prefix cio_ 30 60 a0
prefix age-secret-key-1 50 80 a0
prefix lsv2_pt_ 40 60 a0_
prefix lsv2_sk_ 40 60 a0_
prefix pcsk_ 40 100 a0_
prefix ubat_ 20 60 a0
prefix dG9rO 40 80 a0=
prefix FwoGZXIvYXdz 20 1000 a0+/=
prefix IQoJb3JpZ2lu 60 2000 a0+/=
prefix tkn.v1_ 60 100 a0=
prefix tfp_ 40 60 a0-_
prefix tgram:// 40 60 a0-_:
name mailchimp 32 37 h-us
name owm 32 32 a0
name telnyx 55 60 a0-_
name dareboost 60 60 a0
name enigma 40 40 a0
name everhour 32 36 a0-
name findl 36 36 h-
name pepipost 32 32 a0
name smartsheets 26 37 a0
name surveybot 80 80 a0
name postmark 36 36 h-
word blazemeter 36 36 h-
word runscope 36 36 h-
word chartmogul 32 32 a0
word cloudsmith 40 40 h
word fastforex 28 28 a0
word mailjet 32 32 a0
word nicereply 40 40 h
word noticeable 20 20 a0
word nozbe 78 82 a0-_=
word nozbeteams 78 82 a0-_=
word parseur 40 40 h
word refiner 36 36 a0-
word skrapp 42 42 a0
word wandb 40 40 h
name telegram 41 52 a0-:_
name azure 32 60 a0-_~.+/=
name openai 32 200 a0-_
name anthropic 32 200 a0-_
name aws 40 40 a0+/=
name okta 20 60 a0-_
`

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
	for line := range strings.Lines(gitleaksIssuers + ownIssuers) {
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
	for i := range len(text) {
		switch c := text[i]; c {
		case 'a':
			for c := byte('a'); c <= 'z'; c++ {
				set[c], set[c-0x20] = true, true
			}
		case 'h':
			for c := byte('a'); c <= 'f'; c++ {
				set[c], set[c-0x20] = true, true
			}
			fallthrough
		case '0':
			for c := byte('0'); c <= '9'; c++ {
				set[c] = true
			}
		default:
			set[c] = true
		}
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
func (s *scan) issuerRule(start, end int) {
	b := s.see(start)
	text := b[start:end]
	for _, x := range prefixIssuers[strings.ToLower(string(text))] {
		last := x.alphabet.run(b, end)
		tail := b[end:last]
		if len(x.text) < shortest && x.text != string(text) &&
			!(len(tail) >= leastOddCase && strings.IndexByte("_-", x.text[len(x.text)-1]) >= 0) {
			continue
		}
		if isDigest(b[start:last]) {
			return
		}
		for len(tail) > x.least && strings.IndexByte(".-", tail[len(tail)-1]) >= 0 {
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

// isDigest tells of the checksum of an image or a file, which may begin as an issuer's
// secrets do.
func isDigest(text []byte) bool {
	switch len(text) {
	case 40, 64, 96, 128:
		return run(text, 0, hexByte) == len(text)
	}
	return false
}

// inventive tells of letters that a generator put together: some are digits or of
// the other case, or they are many.
func inventive(tail []byte) bool {
	if sameByte(tail) {
		return false
	}
	var lower, upper, digit, other int
	for _, c := range tail {
		switch {
		case isDigit(c):
			digit++
		case isLower(c):
			lower++
		case isUpper(c):
			upper++
		default:
			other++
		}
	}
	if digit > 0 || lower > 0 && upper > 2 {
		return digit+lower+upper > other
	}
	return other == 0
}
