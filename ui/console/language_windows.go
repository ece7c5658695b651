package console

import "golang.org/x/sys/windows"

// Language is the language that Windows speaks to its user, such as zh-CN, or "" where it is not
// known.
func Language() string {
	names, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME)
	if err != nil || len(names) == 0 {
		return ""
	}
	return names[0]
}
