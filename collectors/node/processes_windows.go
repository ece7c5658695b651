package node

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/windows"

	"doctor/checks/evidence"
)

const maxProcessBuffer = 64 << 20

// querySystem is a variable for tests: no machine of theirs has processes for a second call.
var querySystem = windows.NtQuerySystemInformation

// listProcesses asks for all of them at once, which needs no right to any of them.
func listProcesses() ([]evidence.Process, error) {
	for size := uint32(512 << 10); size <= maxProcessBuffer; size *= 2 {
		buf := make([]byte, size)
		err := querySystem(windows.SystemProcessInformation, unsafe.Pointer(&buf[0]), size, nil)
		if errors.Is(err, windows.STATUS_INFO_LENGTH_MISMATCH) ||
			errors.Is(err, windows.STATUS_BUFFER_TOO_SMALL) {
			continue
		}
		if err != nil {
			return nil, errnoOf(err)
		}
		return processRows(buf), nil
	}
	return nil, windows.ERROR_INSUFFICIENT_BUFFER
}

func processRows(buf []byte) []evidence.Process {
	var list []evidence.Process
	for {
		if len(buf) < int(unsafe.Sizeof(windows.SYSTEM_PROCESS_INFORMATION{})) {
			return list
		}
		p := (*windows.SYSTEM_PROCESS_INFORMATION)(unsafe.Pointer(&buf[0]))
		list = append(list, evidence.Process{
			PID: int(uint32(p.UniqueProcessID)), PPID: int(uint32(p.InheritedFromUniqueProcessID)),
			Name: p.ImageName.String(), StartedAt: started(p.CreateTime),
			Threads: int(p.NumberOfThreads), WorkingSetBytes: int64(p.WorkingSetSize),
			PrivateBytes: int64(p.PrivatePageCount), Handles: int(p.HandleCount)})
		if p.NextEntryOffset == 0 || uint64(p.NextEntryOffset) > uint64(len(buf)) {
			return list
		}
		buf = buf[p.NextEntryOffset:]
	}
}

// processOf brings what it can; the error says why something is missing.
func processOf(pid uint32) (d processDetail, err error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return d, err
	}
	defer windows.CloseHandle(h)
	name := make([]uint16, 4<<10)
	size := uint32(len(name))
	if err = windows.QueryFullProcessImageName(h, 0, &name[0], &size); err == nil {
		d.image = windows.UTF16ToString(name[:size])
	}
	line, status := commandLine(h)
	if status != nil {
		return d, errors.Join(err, errnoOf(status))
	}
	d.commandLine = line
	return d, err
}

// queryProcess is a variable for tests: Wine does not return command lines.
var queryProcess = windows.NtQueryInformationProcess

// commandLine is mostly short; the longest has 32,767 characters. A structure is in front of them.
func commandLine(h windows.Handle) (string, error) {
	var err error
	for _, size := range []uint32{4 << 10, 2<<15 + 64} {
		buf := make([]byte, size)
		err = queryProcess(h, windows.ProcessCommandLineInformation,
			unsafe.Pointer(&buf[0]), size, nil)
		if err == nil {
			return (*windows.NTUnicodeString)(unsafe.Pointer(&buf[0])).String(), nil
		}
		if !errors.Is(err, windows.STATUS_INFO_LENGTH_MISMATCH) &&
			!errors.Is(err, windows.STATUS_BUFFER_TOO_SMALL) &&
			!errors.Is(err, windows.STATUS_BUFFER_OVERFLOW) {
			return "", err
		}
	}
	return "", err
}

// errnoOf makes a Windows error of a kernel's status, which errors.Is can judge.
func errnoOf(err error) error {
	if status, ok := errors.AsType[windows.NTStatus](err); ok {
		return status.Errno()
	}
	return err
}
