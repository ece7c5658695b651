package node

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"

	"doctor/checks/evidence"
)

func TestCommandLines(t *testing.T) {
	defer func(real func(windows.Handle, int32, unsafe.Pointer, uint32, *uint32) error) {
		queryProcess = real
	}(queryProcess)
	for _, c := range []struct {
		name, line string
		fails      error
		want       error
	}{
		{name: "a short one", line: `C:\k\kubelet.exe --v=4 --node-name "win 1"`},
		{name: "the longest that Windows has", line: strings.Repeat("x", 32766)},
		{name: "none, as system processes have"},
		{name: "a process that refuses", fails: windows.STATUS_ACCESS_DENIED, want: fs.ErrPermission},
		{name: "a Windows without the call", fails: windows.STATUS_INVALID_INFO_CLASS, want: windows.ERROR_INVALID_PARAMETER},
		{name: "a length that changes at each call", fails: windows.STATUS_INFO_LENGTH_MISMATCH, want: windows.ERROR_BAD_LENGTH},
	} {
		t.Run(c.name, func(t *testing.T) {
			queryProcess = func(_ windows.Handle, class int32, to unsafe.Pointer, room uint32, _ *uint32) error {
				const head = uint32(unsafe.Sizeof(windows.NTUnicodeString{}))
				text, err := windows.UTF16FromString(c.line)
				if err != nil || class != windows.ProcessCommandLineInformation {
					t.Fatal(class, err)
				}
				if c.fails != nil {
					return c.fails
				}
				if room < head+uint32(2*len(text)) {
					return windows.STATUS_INFO_LENGTH_MISMATCH
				}
				copy(unsafe.Slice((*uint16)(unsafe.Add(to, head)), len(text)), text)
				*(*windows.NTUnicodeString)(to) = windows.NTUnicodeString{Length: uint16(2 * (len(text) - 1)),
					MaximumLength: uint16(2*len(text) - 1), Buffer: (*uint16)(unsafe.Add(to, head))}
				return nil
			}
			got, err := commandLine(windows.CurrentProcess())
			if got != c.line {
				t.Errorf("%d characters, want %d", len(got), len(c.line))
			}
			if err = errnoOf(err); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}

func TestTheListOfProcesses(t *testing.T) {
	defer func(real func(int32, unsafe.Pointer, uint32, *uint32) error) { querySystem = real }(querySystem)
	real := querySystem
	for _, c := range []struct {
		name  string
		room  uint32 // from which on Windows answers
		fails error
		want  error
	}{
		{name: "fits at once"},
		{name: "fits after two calls more", room: 2 << 20, fails: windows.STATUS_INFO_LENGTH_MISMATCH},
		{name: "fits the largest buffer", room: maxProcessBuffer, fails: windows.STATUS_BUFFER_TOO_SMALL},
		{name: "never fits", room: 2 * maxProcessBuffer, fails: windows.STATUS_INFO_LENGTH_MISMATCH,
			want: windows.ERROR_INSUFFICIENT_BUFFER},
		{name: "is refused", room: 2 * maxProcessBuffer, fails: windows.STATUS_ACCESS_DENIED,
			want: fs.ErrPermission},
	} {
		t.Run(c.name, func(t *testing.T) {
			querySystem = func(class int32, to unsafe.Pointer, room uint32, used *uint32) error {
				if room < c.room {
					return c.fails
				}
				return real(class, to, room, used)
			}
			list, err := listProcesses()
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			own := slices.ContainsFunc(list, func(p evidence.Process) bool {
				return p.PID == int(windows.GetCurrentProcessId()) && p.Threads > 0 && !p.StartedAt.IsZero()
			})
			if own != (c.want == nil) {
				t.Errorf("this process is among the %d: %t", len(list), own)
			}
		})
	}
	querySystem = func(int32, unsafe.Pointer, uint32, *uint32) error { return windows.STATUS_ACCESS_DENIED }
	if at := bootTime(); !at.IsZero() {
		t.Errorf("Windows does not say when it started, and the time is %v", at)
	}
}

func TestAProcessThatIsGoneIsNoProcess(t *testing.T) {
	const gone = 1 << 30
	if d, err := processOf(gone); err == nil || d != (processDetail{}) {
		t.Errorf("%+v, %v", d, err)
	}
	own, err := processOf(windows.GetCurrentProcessId())
	if !strings.HasSuffix(own.image, ".exe") {
		t.Errorf("the program of this process is %q: %v", own.image, err)
	}
}
