package console

import (
	"os"

	"golang.org/x/sys/windows"
)

type mode = uint32

func modeOf(f *os.File) (mode, error) {
	var m mode
	err := windows.GetConsoleMode(windows.Handle(f.Fd()), &m)
	return m, err
}

func setMode(f *os.File, m mode) error {
	return windows.SetConsoleMode(windows.Handle(f.Fd()), m)
}

func withSequences(m mode) mode { return sequencesOn(m) }

func undisturbed(m mode) mode { return quickEditOff(m) }

// factsOf asks the console. Whether it takes sequences only shows when they are
// switched on.
func factsOf(out stream) facts {
	f := facts{windows: true}
	f.codePage, _ = windows.GetConsoleOutputCP()
	if out.terminal && setMode(out.file, sequencesOn(out.was)) == nil {
		f.sequences = true
		_ = setMode(out.file, out.was)
	}
	return f
}

// Language is the language that Windows speaks to its user, such as zh-CN, or "" where it is not
// known.
func Language() string {
	names, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME)
	if err != nil || len(names) == 0 {
		return ""
	}
	return names[0]
}
