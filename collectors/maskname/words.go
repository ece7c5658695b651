package maskname

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"doctor/checks/packed"
)

// The words that the doctor looks for in evidence: of the texts of all checks,
// and the fields of the layout. A test holds the list to the checks.
//
//go:embed words.zip.bz2
var packedWords []byte

var wordList = packed.Text(packed.Files(packedWords, "."), "words.txt")

// ours are words of the same kind that no check happens to look for.
const ours = `admin agent app apps application build client cloud cluster computer controlplane control-plane data default dev docker domain git guest home host hosts
http https images infra jenkins-agent kube-system kubelet kubernetes kube-public kube-node-lease linux local localhost log logs machine main master mirror name namespace net nginx node nodes
none ntp null office pod pods pool prod proxy public registry root server servers service services share shared site stage staging svc system sysvol temp test tests
tmp true false unknown user users version web windows winnt worker workers work workgroup www api auth backend cache demo dns etcd frontend info error warning debug trace`

var reservedWords = sync.OnceValue(func() map[string]bool {
	return setOf(strings.Fields(string(wordList()) + " " + ours)...)
})

func setOf(words ...string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}

// reserved tells a name, in small letters, that cannot be searched for: text
// that the diagnosis goes by would change with it.
func reserved(name string) bool { return reservedWords()[name] }

// accounts are the users that every Windows has.
var accounts = setOf(
	"administrator", "administrators", "administrateur", "administrador", "amministratore",
	"järjestelmänvalvoja", "administratör", "администратор", "system", "localsystem",
	"local system", "localservice", "local service", "networkservice", "network service",
	"containeradministrator", "containeruser", "public", "default", "default user", "defaultuser0",
	"defaultaccount", "all users", "guest", "gast", "wdagutilityaccount", "systemprofile",
	"everyone", "users", "trustedinstaller", "sshd", "nobody", "root", "virtual machine", "iusr",
	".net v4.5", ".net v4.5 classic", "nt authority", "builtin", "nt service")

func wellKnownAccount(name string) bool { return name == "" || accounts[name] }

// authorities are those of Windows itself.
var authorities = setOf(
	"nt authority", "nt service", "nt-autorität", "autorite nt", "builtin", "iis apppool",
	"font driver host", "window manager", "nt virtual machine", "workgroup", "user manager",
	"application package authority")

func wellKnownDomain(name string) bool { return authorities[strings.ToLower(name)] }

// isAlnum tells ASCII letters and digits.
var isAlnum = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' && c < 0x80
	}
	return t
}()

// hexValue is above 15 for what is no hex digit.
var hexValue = func() (t [256]byte) {
	for c := range t {
		t[c] = 255
	}
	for i, c := range "0123456789abcdef" {
		t[c], t[unicode.ToUpper(c)] = byte(i), byte(i)
	}
	return t
}()

// folded lowers ASCII letters.
var folded = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
		if c >= 'A' && c <= 'Z' {
			t[c] |= 0x20
		}
	}
	return t
}()

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return isAlnum[c] && !isDigit(c) }

// continues tells whether a rune carries on a word in a script whose words are
// told apart by what stands between them. A Japanese or Chinese text has
// nothing between its words and the name of a host.
func continues(r rune) bool {
	return r >= utf8.RuneSelf && unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}

// startsWord tells whether a word may begin at the index.
func startsWord(t []byte, at int) bool {
	if at == 0 || t[at-1] < utf8.RuneSelf {
		return true // the caller knows about ASCII
	}
	r, _ := utf8.DecodeLastRune(t[:at])
	return !continues(r)
}

// endsWord tells whether a word may end before the index.
func endsWord(t []byte, at int) bool {
	if at >= len(t) {
		return true
	}
	if t[at] < utf8.RuneSelf {
		return !isAlnum[t[at]]
	}
	r, _ := utf8.DecodeRune(t[at:])
	return !continues(r)
}
