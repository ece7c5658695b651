package redact

import (
	"bytes"
	"strings"
)

// How sure the name of a setting makes that its value is a secret.
type trust int

const (
	noSecret trust = iota
	weak           // the value must look like one too
	medium         // unless the value is plainly something else
	strong         // unless it is a placeholder
)

// endings of names that keep secrets, in lower case and without separators.
var endings = []struct {
	text, kind string
	trust      trust
}{
	{"msdsmanagedpassword", "gmsa", strong},
	{"plugininput", "gmsa", strong},
	{"unicodepwd", "password", strong},
	{"password", "password", strong},
	{"passwords", "password", strong},
	{"passwd", "password", strong},
	{"passphrase", "password", strong},
	{"passcode", "password", strong},
	{"passwort", "password", strong},
	{"kennwort", "password", strong},
	{"motdepasse", "password", strong},
	{"passwordhash", "password", medium},
	{"passworddata", "password", strong},
	{"passwordbase64", "password", strong},
	{"passwordvalue", "password", strong},
	{"pwd", "password", strong},
	{"clientsecret", "client-secret", strong},
	{"clientsecrets", "client-secret", strong},
	{"appsecret", "client-secret", strong},
	{"secretaccesskey", "access-key", strong},
	{"secretkey", "access-key", medium},
	{"accesskey", "access-key", medium},
	{"accesskeyid", "access-key", medium},
	{"accountkey", "access-key", strong},
	{"storagekey", "access-key", medium},
	{"sharedkey", "access-key", medium},
	{"presharedkey", "access-key", medium},
	{"sharedaccesssignature", "sas", medium},
	{"sastoken", "sas", strong},
	{"apikey", "api-key", strong},
	{"apikeys", "api-key", strong},
	{"apptoken", "token", medium},
	{"tokenid", "bootstrap-token", weak},
	{"tokensecret", "bootstrap-token", strong},
	{"bootstraptoken", "bootstrap-token", medium},
	{"identitytoken", "registry-auth", strong},
	{"registrytoken", "registry-auth", strong},
	{"registryauth", "registry-auth", weak},
	{"dockerconfigjson", "registry-auth", medium},
	{"dockercfg", "registry-auth", medium},
	{"bearertoken", "bearer", medium},
	{"accesstoken", "token", medium},
	{"idtoken", "jwt", medium},
	{"jwt", "jwt", medium},
	{"token", "token", medium},
	{"tokens", "token", medium},
	{"tokendata", "token", medium},
	{"tokenvalue", "token", medium},
	{"secret", "secret", medium},
	{"secretvalue", "secret", medium},
	{"secretdata", "secret", medium},
	{"credential", "credential", weak},
	{"credentials", "credential", weak},
	{"creds", "credential", weak},
	{"auth", "registry-auth", weak},
	{"pass", "password", strong},
	{"privatekey", "private-key", medium},
	{"privatekeyid", "private-key", medium},
	{"privatekeydata", "private-key", medium},
	{"clientkeydata", "private-key", strong},
	{"keydata", "private-key", medium},
	{"keymaterial", "password", medium},
	{"certificatekey", "private-key", weak},
	{"encryptionkey", "key", medium},
	{"decryptionkey", "key", medium},
	{"validationkey", "key", medium},
	{"signingkey", "key", medium},
	{"masterkey", "key", medium},
	{"sessionkey", "key", medium},
	{"joinkey", "key", medium},
	{"sshkey", "private-key", medium},
	{"primarykey", "access-key", weak},
	{"secondarykey", "access-key", weak},
	{"productkey", "product-key", medium},
	{"secretkeybase", "key", medium},
	{"instrumentationkey", "key", medium},
	{"workspacekey", "access-key", medium},
	{"subscriptionkey", "access-key", medium},
	{"functionkey", "access-key", medium},
	{"functionskey", "access-key", medium},
	{"basicauth", "basic-auth", medium},
	{"licensekey", "key", medium},
	{"appkey", "api-key", medium},
	{"identityheader", "token", medium},
	{"snmpcommunity", "snmp-community", medium},
	{"communitystring", "snmp-community", medium},
	{"rocommunity", "snmp-community", medium},
	{"rwcommunity", "snmp-community", medium},
	{"psk", "password", medium},
	{"bindpw", "password", strong},
	{"pw", "password", medium},
	{"pfx", "private-key", weak},
	{"pfxdata", "private-key", weak},
	{"pfxblob", "private-key", weak},
	{"ntlmhash", "hash", weak},
	{"nthash", "hash", weak},
	{"lmhash", "hash", weak},
	{"ntlm", "hash", weak},
	{"cookie", "cookie", weak},
	{"cookies", "cookie", weak},
	{"sessionid", "cookie", weak},
	{"key", "key", weak},
}

// innocents are endings that look like the above and keep none.
var innocents = []string{
	"publickeytoken", "publickey", "cancellationtoken", "continuetoken", "nexttoken", "pagetoken",
	"tokenize",
	"pullsecret", "pullsecrets", "tlssecret", "existingsecret", "registrykey", "hkey", "subkey",
	"hotkey", "parentkey", "foreignkey",
	"oldpwd", "changepassword", "lastpassword", "bypass", "compass", "multipass", "kubernetespass",
	"requireauth", "useauth", "noauth", "enableauth",
	"anonymousauth", "proxyauth", "mapkey", "topologykey", "configkey", "annotationkey", "labelkey",
}

// byEnding finds the endings by their last two letters.
var byEnding = func() map[[2]byte][]int {
	m := map[[2]byte][]int{}
	for i, e := range endings {
		k := [2]byte{e.text[len(e.text)-2], e.text[len(e.text)-1]}
		m[k] = append(m[k], i)
	}
	return m
}()

// judgeName tells what the value of a setting of this name keeps.
func judgeName(name []byte) (kind string, t trust) {
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	var buf [maxName]byte
	joined := buf[:0]
	start := -1 // of the last word, in joined
	for i, c := range name {
		switch {
		case isUpper(c):
			if i > 0 && isLower(name[i-1]) {
				start = len(joined)
			}
			joined = append(joined, c|0x20)
		case isLower(c) || isDigit(c):
			joined = append(joined, c)
		default:
			start = len(joined)
		}
	}
	for len(joined) > 3 && isDigit(joined[len(joined)-1]) &&
		!bytes.HasSuffix(joined, []byte("base64")) {
		joined = joined[:len(joined)-1]
	}
	if len(joined) < 2 {
		return "", noSecret
	}
	best, trust := -1, noSecret
	for _, i := range byEnding[[2]byte{joined[len(joined)-2], joined[len(joined)-1]}] {
		e := endings[i]
		if strings.HasSuffix(string(joined), e.text) &&
			(best < 0 || len(e.text) > len(endings[best].text)) {
			if wholeWord(e.text) && len(joined) > len(e.text) && start != len(joined)-len(e.text) {
				continue // authority, compass
			}
			if e.text == "key" && len(joined) == 3 {
				continue // of a map, of a registry
			}
			best, trust = i, e.trust
		}
	}
	if best < 0 {
		return "", noSecret
	}
	for _, text := range innocents {
		if strings.HasSuffix(string(joined), text) {
			return "", noSecret
		}
	}
	return endings[best].kind, trust
}

// wholeWord tells of short endings that they count only where a word begins.
func wholeWord(ending string) bool {
	switch ending {
	case "auth", "pass", "key", "pfx", "jwt", "ntlm", "creds", "pw", "psk":
		return true
	}
	return false
}

const maxName = 96

// isBareSecret tells of names that name an object as often as a value:
// secret="default/regcred".
func isBareSecret(name []byte) bool {
	name = bytes.TrimLeft(name, "-/$")
	return hasFold(name, 0, "tokens") && len(name) == 6 || hasFold(name, 0, "secret") &&
		len(name) == 6 || hasFold(name, len(name)-7, "secrets") ||
		hasFold(name, len(name)-6, "secret") && !hasFold(name, len(name)-12, "clientsecret")
}
