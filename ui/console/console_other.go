//go:build !windows

package console

import (
	"os"

	"github.com/charmbracelet/x/term"
)

type mode = term.State

func modeOf(f *os.File) (mode, error) {
	s, err := term.GetState(f.Fd())
	if err != nil {
		return mode{}, err
	}
	return *s, nil
}

func setMode(f *os.File, m mode) error { return term.Restore(f.Fd(), &m) }

// Other systems' terminals take sequences always, and are not stopped by a click.
func withSequences(m mode) mode { return m }

func undisturbed(m mode) mode { return m }

func factsOf(stream) facts { return facts{} }

// SetClipboard is for Windows only: elsewhere the terminal has the clipboard (OSC 52).
func SetClipboard(string) error { return ErrNoClipboard }

// Language is the language that the system speaks to its user. Systems other than Windows say it in
// variables of the environment.
func Language() string { return "" }
