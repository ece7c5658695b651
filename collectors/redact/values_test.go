package redact_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Values are made when the tests run, from a seed, so that nothing in the repository looks like a
// secret and each run measures the same.

func newRand(seed string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(seed))
	return rand.New(rand.NewPCG(h.Sum64(), 18))
}

const (
	lower    = "abcdefghijklmnopqrstuvwxyz"
	upper    = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits   = "0123456789"
	letters  = lower + upper
	alnum    = letters + digits
	hexChars = digits + "abcdef"
	urlChars = alnum + "-_"
)

func chars(rnd *rand.Rand, set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[rnd.IntN(len(set))]
	}
	return string(b)
}

func randomBytes(rnd *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.IntN(256))
	}
	return b
}

var (
	seasons = []string{"Winter", "Summer", "Harbor", "Copper", "Falcon", "Meadow", "Orchid", "Quartz"}
	nouns   = []string{"river", "engine", "window", "basket", "signal", "garden", "marble", "tunnel"}
)

// simple are the kinds of values without a length; each returns the text, and the secrets in it.
var simple = map[string]func(*rand.Rand) (text string, secrets []string){
	// what a generator of passwords gives, without what a shell or XML would have to escape
	"pw": one(func(r *rand.Rand) string {
		return chars(r, upper, 1) + chars(r, alnum, 5) + chars(r, "!#*_-+=.?~^@", 1) +
			chars(r, alnum, 4) + chars(r, "!#*_-+.?~", 1) + chars(r, alnum, 2)
	}),
	// for URLs and where signs end the value
	"pwu": one(func(r *rand.Rand) string {
		return chars(r, upper, 1) + chars(r, alnum, 9) + chars(r, "-_.~", 1) + chars(r, alnum, 3)
	}),
	// what a person thinks of
	"phrase": one(func(r *rand.Rand) string {
		return pick(r, seasons) + "-" + pick(r, nouns) + "-" + chars(r, digits, 4)
	}),
	// with a blank: only between quotes
	"spaced": one(func(r *rand.Rand) string {
		return pick(r, seasons) + " " + pick(r, nouns) + " " + chars(r, digits, 4) + "!"
	}),
	"guid": one(guid),
	"GUID": one(func(r *rand.Rand) string { return strings.ToUpper(guid(r)) }),
	"jwt":  one(jwt),
	"ghp": one(func(r *rand.Rand) string {
		return "gh" + pick(r, []string{"p", "o", "s", "u"}) + "_" + chars(r, alnum, 36)
	}),
	"ghpat": one(func(r *rand.Rand) string {
		return "github_pat_" + chars(r, alnum, 22) + "_" + chars(r, alnum, 59)
	}),
	"glpat":   prefix("glpat-", urlChars, 20),
	"glrt":    prefix("glrt-", urlChars, 20),
	"akia":    prefix("AKIA", upper+"234567", 16),
	"asia":    prefix("ASIA", upper+"234567", 16),
	"bedrock": prefix("ABSK", alnum, 128),
	"slackbot": one(func(r *rand.Rand) string {
		return "xoxb-" + chars(r, digits, 12) + "-" + chars(r, digits, 12) + "-" + chars(r, alnum, 24)
	}),
	"openai": one(func(r *rand.Rand) string {
		return "sk-proj-" + chars(r, urlChars, 74) + "T3BlbkFJ" + chars(r, urlChars, 74)
	}),
	"openaiold": one(func(r *rand.Rand) string { return "sk-" + chars(r, alnum, 20) + "T3BlbkFJ" + chars(r, alnum, 20) }),
	"anthropic": one(func(r *rand.Rand) string { return "sk-ant-api03-" + chars(r, urlChars, 93) + "AA" }),
	"dapi":      prefix("dapi", hexChars, 32),
	"postman":   one(func(r *rand.Rand) string { return "PMAK-" + chars(r, hexChars, 24) + "-" + chars(r, hexChars, 34) }),
	"square":    prefix("sq0atp-", urlChars, 22),
	"doppler":   prefix("dp.pt.", alnum, 43),
	"groq":      prefix("gsk_", alnum, 52),
	"nvidia":    prefix("nvapi-", urlChars, 64),
	"terraform": one(func(r *rand.Rand) string { return chars(r, alnum, 14) + ".atlasv1." + chars(r, urlChars, 64) }),
	"telegram":  one(func(r *rand.Rand) string { return chars(r, digits, 10) + ":AA" + chars(r, urlChars, 33) }),
	"mailchimp": one(func(r *rand.Rand) string { return chars(r, hexChars, 32) + "-us" + strconv.Itoa(10+r.IntN(10)) }),
	"npm":       prefix("npm_", alnum, 36),
	"pypi":      one(func(r *rand.Rand) string { return "pypi-AgEIcHlwaS5vcmc" + chars(r, urlChars, 120) }),
	"gapi":      prefix("AIza", urlChars, 35),
	"stripe":    prefix("sk_live_", alnum, 24),
	"sendgrid":  one(func(r *rand.Rand) string { return "SG." + chars(r, urlChars, 22) + "." + chars(r, urlChars, 43) }),
	"hvs":       prefix("hvs.CAES", urlChars, 90),
	"dckr":      prefix("dckr_pat_", urlChars, 27),
	"nugetkey":  prefix("oy2", lower+"234567", 43),
	"grafana":   one(func(r *rand.Rand) string { return "glsa_" + chars(r, alnum, 32) + "_" + chars(r, hexChars, 8) }),
	"hf":        prefix("hf_", letters, 34),
	"age":       prefix("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
	"azclient": one(func(r *rand.Rand) string {
		return chars(r, alnum, 3) + "8Q~" + chars(r, alnum+"-_.~", 33) + "x"
	}),
	"azstorage": one(func(r *rand.Rand) string { return base64.StdEncoding.EncodeToString(randomBytes(r, 64)) }),
	"aiot":      signed("AIoT", 33, 0), // IoT Hub: 32 bytes with a signature in the middle
	"ast":       one(func(r *rand.Rand) string { return chars(r, alnum, 76) + "+ASt" + chars(r, alnum, 6) + "==" }),
	"azse":      one(func(r *rand.Rand) string { return chars(r, alnum, 42) + "AzSe" + chars(r, alnum, 6) }),
	"acr":       one(func(r *rand.Rand) string { return chars(r, alnum, 42) + "+ACR" + chars(r, alnum, 6) }),
	"sassig": one(func(r *rand.Rand) string {
		return strings.NewReplacer("+", "%2B", "/", "%2F", "=", "%3D").
			Replace(base64.StdEncoding.EncodeToString(randomBytes(r, 32)))
	}),
	"bootstrap": one(func(r *rand.Rand) string { return chars(r, lower+digits, 6) + "." + chars(r, lower+digits, 16) }),
	"k3s": one(func(r *rand.Rand) string {
		return "K10" + chars(r, hexChars, 64) + "::server:" + chars(r, hexChars, 32)
	}),
	// base64 of DER, without its armor
	"pkcs8": one(pkcs8),
	"rsa8":  one(func(r *rand.Rand) string { return "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" + chars(r, alnum+"+/", 1592) }),
	"rsa1":  one(func(r *rand.Rand) string { return "MIIEpAIBAAKCAQEA" + chars(r, alnum+"+/", 1576) }),
	// The templates hold no armor: a scanner of this repository would take it for a key.
	"pemblock":   one(func(r *rand.Rand) string { return privateKey(r, 0) }),
	"pemescaped": one(func(r *rand.Rand) string { return privateKey(r, 2) }),
	"jwtwrapped": one(func(r *rand.Rand) string { return wrapped(jwt(r), 76) }),
	// base64 of user:password as docker and HTTP have it; the password is secret in both forms
	"basic": func(r *rand.Rand) (string, []string) {
		password := chars(r, alnum, 16)
		text := base64.StdEncoding.EncodeToString([]byte("svc-pull:" + password))
		return text, []string{text, password}
	},
	"pw64": func(r *rand.Rand) (string, []string) {
		password := chars(r, alnum, 17)
		text := base64.StdEncoding.EncodeToString([]byte(password))
		return text, []string{text, password}
	},
	// the password of an unattend.xml: UTF-16 of it and of the name of its element, in base64
	"unattend": func(r *rand.Rand) (string, []string) {
		password := chars(r, alnum, 12)
		text := base64.StdEncoding.EncodeToString([]byte(toUTF16(password + "AdministratorPassword")))
		return text, []string{text, password}
	},
}

// sized are the kinds with a length: §hex:32§.
var sized = map[string]func(*rand.Rand, int) string{
	"alnum": func(r *rand.Rand, n int) string { return chars(r, alnum, n) },
	"lower": func(r *rand.Rand, n int) string { return chars(r, lower+digits, n) },
	"upper": func(r *rand.Rand, n int) string { return chars(r, upper+digits, n) },
	"hex":   func(r *rand.Rand, n int) string { return chars(r, hexChars, n) },
	"HEX":   func(r *rand.Rand, n int) string { return strings.ToUpper(chars(r, hexChars, n)) },
	"num":   func(r *rand.Rand, n int) string { return chars(r, digits, n) },
	"url":   func(r *rand.Rand, n int) string { return chars(r, urlChars, n) },
	"b64": func(r *rand.Rand, n int) string {
		return base64.StdEncoding.EncodeToString(randomBytes(r, n))
	},
	"bytes": func(r *rand.Rand, n int) string { // as reg query prints binary data of PowerShell
		return strings.TrimSpace(strings.Repeat(" ", 0) + strings.Join(octets(r, n), " "))
	},
}

func octets(r *rand.Rand, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = hex.EncodeToString(randomBytes(r, 1))
	}
	return out
}

func one(value func(*rand.Rand) string) func(*rand.Rand) (string, []string) {
	return func(r *rand.Rand) (string, []string) {
		v := value(r)
		return v, []string{v}
	}
}

func prefix(issuer, set string, n int) func(*rand.Rand) (string, []string) {
	return one(func(r *rand.Rand) string { return issuer + chars(r, set, n) })
}

func signed(signature string, before, after int) func(*rand.Rand) (string, []string) {
	return one(func(r *rand.Rand) string {
		return chars(r, alnum, before) + signature + chars(r, alnum, 6+after) + "="
	})
}

func guid(r *rand.Rand) string {
	b := randomBytes(r, 16)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func jwt(r *rand.Rand) string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"RS256","kid":"`+chars(r, urlChars, 22)+`"}`)) + "." +
		part([]byte(`{"iss":"https://kubernetes.default.svc","exp":17`+chars(r, digits, 8)+
			`,"sub":"system:serviceaccount:default:`+chars(r, lower, 8)+`"}`)) + "." +
		part(randomBytes(r, 256))
}

func pkcs8(r *rand.Rand) string {
	der, err := x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed(randomBytes(r, 32)))
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(der)
}

func wrapped(text string, width int) string {
	var b strings.Builder
	for len(text) > width {
		b.WriteString(text[:width] + "\n")
		text = text[width:]
	}
	return b.String() + text
}
