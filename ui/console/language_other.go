//go:build !windows

package console

// Language is the language that the system speaks to its user. Systems other than Windows say it in
// variables of the environment.
func Language() string { return "" }
