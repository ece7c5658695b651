package node

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// runSystem runs a program of System32, without a window, and keeps the beginning of what it prints.
func runSystem(ctx context.Context, program string, args ...string) (string, error) {
	dir, err := windows.GetSystemDirectory()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(dir, program), args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true,
		CreationFlags: windows.CREATE_NO_WINDOW}
	cmd.WaitDelay = 100 * time.Millisecond
	var out firstBytes
	cmd.Stdout = &out
	err = cmd.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if errors.Is(err, exec.ErrWaitDelay) { // it is done, and something else holds its output open
		err = nil
	}
	return string(out.kept), err
}
