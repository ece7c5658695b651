// Package quiet keeps bubbletea v1 from questioning the terminal. Its init
// asks for the background colour, which waits up to five seconds for an answer
// that a slow ssh link or a serial console never gives, and does so in every
// program that links it, also one that only prints JSON.
//
// Go initialises packages in the order of their import paths as far as imports
// allow, so this one, which needs lipgloss alone, comes before bubbletea. The
// answer given here is never used: the screen draws with the 16 ANSI colours,
// which the user's theme fits to light and dark.
package quiet

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
