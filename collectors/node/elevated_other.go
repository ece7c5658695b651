//go:build !windows

package node

// Elevated tells whether the program runs with administrator rights: a question for Windows alone.
func Elevated() (elevated, known bool) { return false, false }
