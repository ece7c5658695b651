package node

import (
	"regexp"
	"strings"
)

const machineEnvironment = `SYSTEM\CurrentControlSet\Control\Session Manager\Environment`

// readEnvironment reads the machine's variables as a service gets them that
// is started now.
func readEnvironment(open hive) (map[string]string, error) {
	k, err := open(machineEnvironment)
	if err != nil {
		return nil, err
	}
	// What names other variables may name one that was set after this program began.
	around := k.lookup
	k.lookup = func(name string) (string, bool) {
		if v, ok := k.value(name, regSZ); ok {
			return k.text(v.name), true
		}
		if around == nil {
			return "", false
		}
		return around(name)
	}
	env := map[string]string{}
	for _, name := range k.names() {
		if v, ok := k.expanded(name); ok && name != "" {
			env[name] = withoutCredentials(name, v)
		}
	}
	return env, nil
}

var (
	urlUser   = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)([^\s"'<>|]*)`)
	proxyName = regexp.MustCompile(`(?i)proxy$`)
	onlyPort  = regexp.MustCompile(`^[^:]*(:\d*)?$|^\[[^\]]*\](:\d*)?$`)
)

// withoutCredentials takes user names and passwords out of the URLs in the
// value of a variable. A proxy may be given without a scheme.
func withoutCredentials(name, s string) string {
	if proxyName.MatchString(name) && !strings.Contains(s, "://") {
		return withoutUser(s)
	}
	return urlUser.ReplaceAllStringFunc(s, func(u string) string {
		m := urlUser.FindStringSubmatch(u)
		return m[1] + withoutUser(m[2])
	})
}

// withoutUser cuts user@ off what follows the scheme. A password with a slash
// in it, which no URL may have, goes as well.
func withoutUser(s string) string {
	end := strings.IndexAny(s, "/?#")
	if end < 0 {
		end = len(s)
	}
	if at := strings.LastIndexByte(s[:end], '@'); at >= 0 {
		return s[at+1:]
	}
	if at := strings.LastIndexByte(s, '@'); at >= 0 && !onlyPort.MatchString(s[:end]) {
		return s[at+1:]
	}
	return s
}
