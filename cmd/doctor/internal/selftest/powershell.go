package selftest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf16"

	"doctor/checks/evidence"
)

// Bounds on one run of PowerShell.
const (
	patience   = 2 * time.Minute // Get-WindowsFeature alone may take twenty seconds
	mostOutput = 32 << 20        // bytes
)

// WindowsPowerShell is the PowerShell 5.1 that every Windows but Nano Server has.
func WindowsPowerShell(ctx context.Context, script string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience,
		fmt.Errorf("PowerShell did not answer in %s", patience))
	defer cancel()
	var units []byte
	for _, u := range utf16.Encode([]rune(script)) {
		units = binary.LittleEndian.AppendUint16(units, u)
	}
	program := filepath.Join(os.Getenv("SystemRoot"), "System32", "WindowsPowerShell", "v1.0",
		"powershell.exe")
	cmd := exec.CommandContext(ctx, program, "-NoProfile", "-NonInteractive", "-EncodedCommand",
		base64.StdEncoding.EncodeToString(units))
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &atMost{&out, mostOutput}, &atMost{&said, 4 << 10}
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return "", cause
		}
		return "", fmt.Errorf("%s: %w: %s", program, err,
			evidence.Clean(strings.TrimSpace(said.String())))
	}
	return out.String(), nil
}

// atMost fails a write past its bound.
type atMost struct {
	io.Writer
	left int
}

func (w *atMost) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("PowerShell printed more than is read of it")
	}
	return w.Writer.Write(p)
}

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
