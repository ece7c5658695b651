package selftest

import (
	"io"
	"os"
	"os/exec"
	"strings"
)

// HoldFlag is the flag of the process that only has a long command line.
const HoldFlag = "hold"

// longest is the length of an argument that Windows still takes: a command line has up to 32,767
// units, and tables that hold them break at half of it where a length is taken for a signed one.
const longest = 30_000

// Hold starts the program again with a long command line, which stays until release is called.
func Hold(command string) (release func(), err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe, command, "--"+HoldFlag+"="+strings.Repeat("x", longest))
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		in.Close()
		_ = cmd.Wait() // it has nothing to say
	}, nil
}

// Held waits until the other side releases the process, or is gone.
func Held(in io.Reader) { io.Copy(io.Discard, in) }
