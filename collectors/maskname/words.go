package maskname

import (
	_ "embed"
	"strings"
)

// The words that the doctor looks for in evidence: of the texts of all checks,
// and the fields of the layout. A test holds the list to the checks.
//
//go:embed words.txt
var wordList string

// ours are words of the same kind that no check happens to look for.
const ours = `admin agent app apps application build client cloud cluster computer controlplane control-plane data default dev docker domain git guest home host hosts
http https images infra jenkins-agent kube-system kubelet kubernetes kube-public kube-node-lease linux local localhost log logs machine main master mirror name namespace net nginx node nodes
none ntp null office pod pods pool prod proxy public registry root server servers service services share shared site stage staging svc system sysvol temp test tests
tmp true false unknown user users version web windows winnt worker workers work workgroup www api auth backend cache demo dns etcd frontend info error warning debug trace`

var reservedWords = setOf(strings.Fields(wordList + " " + ours)...)

func setOf(words ...string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}

// reserved tells a name, in small letters, that cannot be searched for: text
// that the diagnosis goes by would change with it.
func reserved(name string) bool { return reservedWords[name] }

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
