package lang

import "strings"

// Choose is the language to speak: the one that was asked for, or else the
// terminal's, by the variables that say so from strongest to weakest, or else the system's.
func Choose(asked string, getenv func(string) string, system func() string) string {
	if asked != "" {
		return asked
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := getenv(name); value != "" {
			return spoken(value)
		}
	}
	return spoken(system())
}

// spoken is the language of a locale such as zh_CN.UTF-8 or zh-Hans-CN, as far as there are texts.
func spoken(locale string) string {
	if strings.HasPrefix(strings.ToLower(locale), "zh") {
		return "zh"
	}
	return "en"
}
