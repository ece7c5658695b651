//go:build !windows

package console

// SetClipboard is for Windows only: elsewhere the terminal has the clipboard (OSC 52).
func SetClipboard(string) error { return ErrNoClipboard }
