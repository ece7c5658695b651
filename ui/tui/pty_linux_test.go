package tui

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sys/unix"

	"doctor/checks/evidence"
	"doctor/fixtures/wait"
)

// A session is the screen in a terminal of its own, in a process of its own.
type session struct {
	t    *testing.T
	host *os.File
	tty  *os.File
	cmd  *exec.Cmd
	was  unix.Termios
	transcript
}

// childEnv makes the test binary the screen.
const childEnv = "DOCTOR_SCREEN_CHILD"

// TestScreenChild is the screen that the sessions start.
func TestScreenChild(t *testing.T) {
	mode := os.Getenv(childEnv)
	if mode == "" {
		t.Skip("started by the sessions")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	feed := Finished(sample(), evidence.Snapshot{})
	if mode == "live" {
		updates := make(chan Update)
		feed = Feed{Updates: updates}
		go func() {
			for i := range 300 {
				updates <- live(i % 9)
			}
			updates <- live(whole)
			_ = os.WriteFile(os.Getenv(childEnv+"_DONE"), nil, 0o600)
		}()
	}
	places = append(places, place{key: bind("P", "panics"), open: func(env) screen {
		panic("a fault of the screen")
	}},
		place{key: bind("T", "panics beside the screen"), open: func(env) screen {
			return panicking{newViewer("", 0)}
		}})
	_, err := Run(ctx, os.Stdin, os.Stdout, feed, Options{})
	fmt.Printf("left: %v\n", err)
}

// panicking has a task that panics.
type panicking struct{ screen }

func (panicking) start(env) func() tea.Msg {
	return func() tea.Msg { panic("a fault of a task") }
}

func startSession(t *testing.T, mode string, read bool) *session {
	t.Helper()
	host, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	n, err := unix.IoctlGetInt(int(host.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(host.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(host.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 80, Row: 24})
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	s := &session{t: t, host: host, tty: tty}
	s.was = s.modes()
	s.cmd = exec.Command(os.Args[0], "-test.run=^TestScreenChild$")
	s.cmd.Env = append(os.Environ(), childEnv+"="+mode, childEnv+"_DONE="+t.TempDir()+"/done",
		"TERM=xterm-256color")
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		tty.Close()
		host.Close()
	})
	if read {
		go s.take()
	}
	return s
}

func (s *session) take() {
	b := make([]byte, 4096)
	for {
		n, err := s.host.Read(b)
		if err != nil {
			return
		}
		_, _ = s.Write(b[:n])
	}
}

func (s *session) modes() unix.Termios {
	s.t.Helper()
	m, err := unix.IoctlGetTermios(int(s.tty.Fd()), unix.TCGETS)
	if err != nil {
		s.t.Fatal(err)
	}
	return *m
}

func (s *session) until(text string, meanwhile ...func()) {
	s.t.Helper()
	s.transcript.until(s.t, text, meanwhile...)
}

func (s *session) press(keys string) {
	s.t.Helper()
	if _, err := s.host.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

const enterScreen, leaveScreen = "\x1b[?1049h", "\x1b[?1049l"

func TestTheTerminalIsGivenBackOnEveryWayOut(t *testing.T) {
	for _, row := range []struct {
		name string
		out  func(*session)
		says string
	}{
		{"the key", func(s *session) { s.press("jjkq") }, "left: <nil>"},
		{"the other key, with the mouse on", func(s *session) { s.press("mQ") }, "left: <nil>"},
		{"ctrl+c", func(s *session) { s.press("\x03") }, "left: <nil>"},
		{"an interrupt", func(s *session) {
			_ = s.cmd.Process.Signal(os.Interrupt)
		}, "left: context canceled"},
		{"an end", func(s *session) {
			_ = s.cmd.Process.Signal(syscall.SIGTERM)
		}, "left: context canceled"},
		{"a panic of the screen", func(s *session) { s.press("P") }, "a fault of the screen"},
		{"a panic beside it", func(s *session) { s.press("T") }, "left: the screen stopped"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := startSession(t, "report", true)
			s.until(enterScreen)
			s.until("Paging file is too small")
			row.out(s)
			s.until(leaveScreen)
			s.until(row.says)
			_, _ = s.cmd.Process.Wait()
			if now := s.modes(); now != s.was {
				t.Errorf("the modes are\n%+v, they were\n%+v", now, s.was)
			}
		})
	}
}

func TestSuspensionGivesTheTerminalBackAndComesBack(t *testing.T) {
	s := startSession(t, "report", true)
	s.until("Paging file is too small")
	s.press("m")
	s.until("\x1b[?1002h")
	s.press("\x1a")
	s.until("\x1b[?1002l")
	s.until(leaveScreen)
	if !wait.Holds(func() bool { return s.modes() == s.was }) {
		t.Errorf("while it is suspended the modes are\n%+v, they were\n%+v", s.modes(), s.was)
	}
	// Its group has no shell to stop for: it waits all the same. Nothing tells when it has begun to,
	// and a signal that comes before is lost.
	s.until(enterScreen, func() { _ = s.cmd.Process.Signal(syscall.SIGCONT) })
	s.until("\x1b[?1002h") // before the first frame or after it
	s.press("\x0c")
	s.until("Paging file is too small")
	s.press("q")
	s.until("left: <nil>")
}

func TestATerminalThatNobodyReadsStopsNoReading(t *testing.T) {
	s := startSession(t, "live", false)
	var done string
	for _, e := range s.cmd.Env {
		done, _ = strings.CutPrefix(e, childEnv+"_DONE=")
		if done != e {
			break
		}
	}
	wait.Until(t, "an end of the reading, which waits for the terminal", func() bool {
		_, err := os.Stat(done)
		return err == nil
	})
	go s.take()
	s.until("Causes")
	s.press("q")
	s.until("left: <nil>")
}

// TestAnIdleScreenSleeps: some time after its first frame the screen comes to rest. How soon is up
// to the machine.
func TestAnIdleScreenSleeps(t *testing.T) {
	s := startSession(t, "report", true)
	s.until("Paging file is too small")
	spent := func() (ticks int) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+2:]))
		var user, system int
		fmt.Sscan(fields[11], &user)
		fmt.Sscan(fields[12], &system)
		return user + system
	}
	wakes := func() (n int) {
		threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", s.cmd.Process.Pid))
		for _, th := range threads {
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/status", s.cmd.Process.Pid,
				th.Name()))
			for l := range strings.Lines(string(status)) {
				if text, ok := strings.CutPrefix(l, "voluntary_ctxt_switches:"); ok {
					var one int
					fmt.Sscan(text, &one)
					n += one
				}
			}
		}
		return n
	}
	const window = time.Second
	ticks := 0
	rests := wait.Holds(func() bool {
		before, awake := spent(), wakes()
		time.Sleep(window)
		ticks = spent() - before
		t.Logf("%d ms of processor time and %d wake-ups in %v", ticks*10, wakes()-awake, window)
		return ticks <= 1
	})
	if !rests {
		t.Errorf("idle, it takes %d ms of %v", ticks*10, window)
	}
}
