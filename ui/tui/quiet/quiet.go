// Package quiet keeps bubbletea v1 from querying the terminal. Its init asks for the background
// color, which waits up to five seconds for an answer that a slow ssh link or a serial console
// never gives, and does so in every program that links it, also one that only prints JSON.
//
// There is no option that prevents it, but termenv, which sends the query, sends none where CI is
// set in the environment. So this package sets it before bubbletea is initialized, and ui/tui,
// which is initialized after bubbletea, calls End to restore what was there.
//
// The order does not depend on where this module lives. Of all packages whose imports are ready, Go
// initializes the one whose path sorts first. This one is ready as soon as syscall is; package os,
// which bubbletea needs, also waits for package time, and every path that a module is likely to
// have (github.com/…, k8s.io/…, sigs.k8s.io/…) sorts before "time". That is why it imports nothing
// but syscall. TestQuietComesBeforeBubbletea watches over it.
package quiet

import "syscall"

var before, present = syscall.Getenv("CI")

func init() {
	if before == "" {
		_ = syscall.Setenv("CI", "true") // if this is refused, the terminal is queried
	}
}

// End restores the environment as the program found it.
func End() {
	switch {
	case !present:
		_ = syscall.Unsetenv("CI")
	case before == "":
		_ = syscall.Setenv("CI", "")
	}
}
