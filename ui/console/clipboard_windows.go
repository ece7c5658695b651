package console

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	user32   = windows.NewLazySystemDLL("user32.dll")
	kernel32 = windows.NewLazySystemDLL("kernel32.dll")

	openClipboard    = user32.NewProc("OpenClipboard")
	closeClipboard   = user32.NewProc("CloseClipboard")
	emptyClipboard   = user32.NewProc("EmptyClipboard")
	setClipboardData = user32.NewProc("SetClipboardData")
	globalAlloc      = kernel32.NewProc("GlobalAlloc")
	globalFree       = kernel32.NewProc("GlobalFree")
	globalLock       = kernel32.NewProc("GlobalLock")
	globalUnlock     = kernel32.NewProc("GlobalUnlock")
	moveMemory       = kernel32.NewProc("RtlMoveMemory")
)

const (
	unicodeText   = 13 // CF_UNICODETEXT
	memoryMovable = 2  // GMEM_MOVEABLE, which SetClipboardData requires
	tries         = 10 // another program may hold the clipboard for a moment
	betweenTries  = 10 * time.Millisecond
)

// SetClipboard puts a text on the clipboard of Windows. In a session over ssh that is a clipboard
// which nobody sees, so the error is ErrNoClipboard there.
func SetClipboard(text string) error {
	if os.Getenv("SSH_CONNECTION") != "" || os.Getenv("SSH_CLIENT") != "" {
		return ErrNoClipboard
	}
	lines := strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	wide, err := windows.UTF16FromString(lines)
	if err != nil {
		return fmt.Errorf("text for the clipboard: %w", err)
	}
	for _, p := range []*windows.LazyProc{openClipboard, closeClipboard, emptyClipboard,
		setClipboardData} { // Nano Server has no such functions
		if p.Find() != nil {
			return ErrNoClipboard
		}
	}
	runtime.LockOSThread() // the clipboard is opened for a thread
	defer runtime.UnlockOSThread()
	if err := open(); err != nil {
		return err
	}
	defer closeClipboard.Call()
	if ok, _, err := emptyClipboard.Call(); ok == 0 {
		return fmt.Errorf("EmptyClipboard: %w", err)
	}
	return setText(wide)
}

func open() error {
	for try := 1; ; try++ {
		ok, _, err := openClipboard.Call(0)
		if ok != 0 {
			return nil
		}
		if try == tries {
			return fmt.Errorf("OpenClipboard: %w", err)
		}
		time.Sleep(betweenTries)
	}
}

// setText hands a copy over; from then on the memory belongs to Windows.
func setText(wide []uint16) error {
	size := uintptr(len(wide)) * unsafe.Sizeof(wide[0])
	memory, _, err := globalAlloc.Call(memoryMovable, size)
	if memory == 0 {
		return fmt.Errorf("GlobalAlloc: %w", err)
	}
	at, _, err := globalLock.Call(memory)
	if at == 0 {
		globalFree.Call(memory)
		return fmt.Errorf("GlobalLock: %w", err)
	}
	moveMemory.Call(at, uintptr(unsafe.Pointer(&wide[0])), size)
	globalUnlock.Call(memory)
	if set, _, err := setClipboardData.Call(unicodeText, memory); set == 0 {
		globalFree.Call(memory)
		return fmt.Errorf("SetClipboardData: %w", err)
	}
	return nil
}
