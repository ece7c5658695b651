package console

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// terminal opens a new one; what is written there is read by nobody.
func terminal(t *testing.T) *os.File {
	t.Helper()
	host, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	t.Cleanup(func() { host.Close() })
	n, err := unix.IoctlGetInt(int(host.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(host.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(host.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 90, Row: 30})
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	t.Cleanup(func() { tty.Close() })
	return tty
}

func TestATerminalIsGivenBack(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("CI", "")
	t.Setenv("COLUMNS", "70") // a terminal knows better
	os.Unsetenv("NO_COLOR")
	tty := terminal(t)
	before, err := modeOf(tty)
	if err != nil {
		t.Fatal(err)
	}
	c := Open(tty, tty)
	if w := c.Width(); !c.Screen() || !c.Colour() || c.ASCII() || w != 90 {
		t.Errorf("screen %v, colour %v, ASCII %v, %d columns", c.Screen(), c.Colour(), c.ASCII(), w)
	}
	c.EnterScreen()
	for range 2 { // whoever changes it after a first Restore is undone by the next
		if _, err := term.MakeRaw(tty.Fd()); err != nil {
			t.Fatal(err)
		}
		if now, _ := modeOf(tty); now == before {
			t.Fatal("the mode did not change")
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(c.Restore)
		}
		all.Wait()
		if now, err := modeOf(tty); err != nil || now != before {
			t.Errorf("mode %v, error %v; it was %v", now, err, before)
		}
	}
}
