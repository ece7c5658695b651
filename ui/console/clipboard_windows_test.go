package console

import (
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"
)

func TestATextOnTheClipboardIsReadBack(t *testing.T) {
	t.Setenv("SSH_CONNECTION", "")
	t.Setenv("SSH_CLIENT", "")
	for _, row := range []struct{ name, text, want string }{
		{"one line", "Restart-Service flanneld", "Restart-Service flanneld"},
		{"lines end as Windows ends them", "a\nb\r\nc", "a\r\nb\r\nc"},
		{"letters beyond ASCII", "节点 Größe 😀", "节点 Größe 😀"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := SetClipboard(row.text); err != nil {
				t.Fatal(err)
			}
			if got := clipboardText(t); got != row.want {
				t.Errorf("the clipboard holds %q, want %q", got, row.want)
			}
		})
	}
	t.Setenv("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22")
	if err := SetClipboard("x"); err != ErrNoClipboard {
		t.Errorf("over ssh: %v, want %v", err, ErrNoClipboard)
	}
}

// clipboardText reads what a paste would give.
func clipboardText(t *testing.T) string {
	t.Helper()
	runtime.LockOSThread() // the clipboard is opened for a thread
	defer runtime.UnlockOSThread()
	if err := open(); err != nil {
		t.Fatal(err)
	}
	defer closeClipboard.Call()
	memory, _, err := user32.NewProc("GetClipboardData").Call(unicodeText)
	if memory == 0 {
		t.Fatalf("GetClipboardData: %v", err)
	}
	size, _, _ := kernel32.NewProc("GlobalSize").Call(memory)
	at, _, err := globalLock.Call(memory)
	if at == 0 {
		t.Fatalf("GlobalLock: %v", err)
	}
	defer globalUnlock.Call(memory)
	wide := make([]uint16, size/2)
	moveMemory.Call(uintptr(unsafe.Pointer(&wide[0])), at, size)
	return windows.UTF16ToString(wide)
}
