package foreign

import (
	"regexp"
	"strings"

	"doctor/checks/evidence"
)

var (
	// A row of `Get-ChildItem env:`. Both columns are cut to the console's width.
	envRow   = regexp.MustCompile(`(?m)^(\S+(?: ?\(x86\))?)[ \t]+(\S.*?)[ \t]*$`)
	proxyEnv = regexp.MustCompile(`(?i)^(?:https?|ftp|all|no)_proxy$`)
	userInfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/@]*@`)
)

// readEnvironment reads the variables of the session in which the tool ran,
// which are the machine's and the user's. One that was cut is left out; where it
// is about a proxy nothing is believed, since a half NO_PROXY accuses the wrong
// one. The second text, of proxies alone, may be empty: then there is none.
func readEnvironment(all, proxies textFile) (any, evidence.Gap) {
	if all.gap.Kind != "" && proxies.gap.Kind != "" {
		return nil, all.gap
	}
	env := map[string]string{}
	for _, t := range []textFile{all, proxies} {
		for _, m := range envRow.FindAllStringSubmatch(t.content, maxObjects) {
			name, value := m[1], m[2]
			cut := cutShort(value) || strings.HasSuffix(name, "...")
			switch {
			case cut && proxyEnv.MatchString(strings.TrimRight(name, ".")):
				return nil, brokenf(
					"%s shows %s cut to the width of a console; collect `Get-ChildItem env: | Format-List`", t.name, name)
			case cut, strings.Trim(name, "-") == "", name == "Name" && value == "Value":
			default:
				env[name] = userInfo.ReplaceAllString(value, "${1}")
			}
		}
	}
	if all.gap.Kind == "" && len(env) == 0 {
		return nil, all.otherwise("%s shows no variable; it begins with: %s")
	}
	return env, evidence.Gap{}
}
