package node

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"doctor/checks/evidence"
)

var (
	kernel32                 = windows.NewLazySystemDLL("kernel32.dll")
	procGlobalMemoryStatusEx = kernel32.NewProc("GlobalMemoryStatusEx")
	procGetPerformanceInfo   = kernel32.NewProc("K32GetPerformanceInfo")
)

func kernelBuild() int { return int(windows.RtlGetVersion().BuildNumber) }

// systemTimeOfDay is SYSTEM_TIMEOFDAY_INFORMATION.
type systemTimeOfDay struct {
	Boot, Current, ZoneBias int64
	ZoneID, Reserved        uint32
	BootBias, SleepBias     uint64
}

// bootTime is the zero time where Windows does not tell.
func bootTime() time.Time {
	var t systemTimeOfDay
	if querySystem(windows.SystemTimeOfDayInformation, unsafe.Pointer(&t), uint32(unsafe.Sizeof(t)),
		nil) != nil || t.Boot <= 0 {
		return time.Time{}
	}
	return fromFileTime(uint64(t.Boot))
}

// serviceManager has one caller at a time: Wine mixes the handles of several up.
var serviceManager sync.Mutex

func serviceStates() ([]serviceStatus, error) {
	serviceManager.Lock()
	defer serviceManager.Unlock()
	scm, err := windows.OpenSCManager(nil, nil,
		windows.SC_MANAGER_CONNECT|windows.SC_MANAGER_ENUMERATE_SERVICE)
	if err != nil {
		return nil, fmt.Errorf("the service manager: %w", err)
	}
	defer windows.CloseServiceHandle(scm)
	const size, rounds = 256 << 10, 64 // the most that one call fills; a node needs one or two
	buf := make([]uint64, size/8)      // the entries hold pointers, so they are aligned
	var list []serviceStatus
	var resume uint32
	for range rounds {
		var needed, n uint32
		err = windows.EnumServicesStatusEx(scm, windows.SC_ENUM_PROCESS_INFO,
			windows.SERVICE_WIN32|windows.SERVICE_DRIVER, windows.SERVICE_STATE_ALL,
			(*byte)(unsafe.Pointer(&buf[0])), size, &needed, &n, &resume, nil)
		if err != nil && !errors.Is(err, windows.ERROR_MORE_DATA) {
			return nil, fmt.Errorf("the list of services: %w", err)
		}
		for _, e := range unsafe.Slice((*windows.ENUM_SERVICE_STATUS_PROCESS)(
			unsafe.Pointer(&buf[0])), n) {
			p := e.ServiceStatusProcess
			list = append(list, newServiceStatus(windows.UTF16PtrToString(e.ServiceName),
				windows.UTF16PtrToString(e.DisplayName),
				p.ServiceType, p.CurrentState, p.Win32ExitCode, p.ServiceSpecificExitCode,
				p.ProcessId))
		}
		if err == nil {
			return list, nil
		}
	}
	return nil, errors.New("the service manager's list of services has no end")
}

// serviceState is the state of one service, by the names of serviceStateNames.
func serviceState(name string) (string, error) {
	serviceManager.Lock()
	defer serviceManager.Unlock()
	scm, err := windows.OpenSCManager(nil, nil, windows.SC_MANAGER_CONNECT)
	if err != nil {
		return "", fmt.Errorf("the service manager: %w", err)
	}
	defer windows.CloseServiceHandle(scm)
	wide, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return "", err
	}
	service, err := windows.OpenService(scm, wide, windows.SERVICE_QUERY_STATUS)
	if err != nil {
		return "", fmt.Errorf("the service %s: %w", name, err)
	}
	defer windows.CloseServiceHandle(service)
	var status windows.SERVICE_STATUS
	if err := windows.QueryServiceStatus(service, &status); err != nil {
		return "", fmt.Errorf("the state of the service %s: %w", name, err)
	}
	if int(status.CurrentState) >= len(serviceStateNames) {
		return "", fmt.Errorf("the state of the service %s is %d, which Windows does not document",
			name, status.CurrentState)
	}
	return serviceStateNames[status.CurrentState], nil
}

// memoryStatusEx is MEMORYSTATUSEX.
type memoryStatusEx struct {
	Length, Load                              uint32
	TotalPhys, AvailPhys                      uint64
	TotalPageFile, AvailPageFile              uint64
	TotalVirtual, AvailVirtual, AvailExtended uint64
}

// performanceInformation is PERFORMANCE_INFORMATION.
type performanceInformation struct {
	Size                                               uint32
	CommitTotal, CommitLimit, CommitPeak               uintptr
	PhysicalTotal, PhysicalAvailable, SystemCache      uintptr
	KernelTotal, KernelPaged, KernelNonpaged, PageSize uintptr
	HandleCount, ProcessCount, ThreadCount             uint32
}

func memoryStatus() (evidence.Memory, error) {
	var m memoryStatusEx
	m.Length = uint32(unsafe.Sizeof(m))
	if err := procGlobalMemoryStatusEx.Find(); err != nil {
		return evidence.Memory{}, fmt.Errorf("GlobalMemoryStatusEx: %w: %w", errors.ErrUnsupported,
			err)
	}
	if ok, _, err := procGlobalMemoryStatusEx.Call(uintptr(unsafe.Pointer(&m))); ok == 0 {
		return evidence.Memory{}, fmt.Errorf("GlobalMemoryStatusEx: %w", err)
	}
	s := evidence.Memory{TotalBytes: int64(m.TotalPhys), AvailableBytes: int64(m.AvailPhys)}
	// What GlobalMemoryStatusEx calls page file is bounded by this process's own limits.
	var p performanceInformation
	p.Size = uint32(unsafe.Sizeof(p))
	if procGetPerformanceInfo.Find() != nil {
		return s, nil
	}
	if ok, _, _ := procGetPerformanceInfo.Call(uintptr(unsafe.Pointer(&p)),
		unsafe.Sizeof(p)); ok != 0 {
		s.CommitLimitBytes, s.CommitUsedBytes = int64(p.CommitLimit*p.PageSize),
			int64(p.CommitTotal*p.PageSize)
	}
	return s, nil
}

// fixedDisks leaves out a drive that has no file system Windows can read.
func fixedDisks() ([]evidence.Disk, error) {
	drives, err := fixedDrives()
	if err != nil {
		return nil, fmt.Errorf("the drives: %w", err)
	}
	list := []evidence.Disk{}
	var unread error
	for _, drive := range drives {
		root := windows.StringToUTF16Ptr(drive + `\`)
		d := evidence.Disk{Drive: drive}
		var total, free uint64
		if err := windows.GetDiskFreeSpaceEx(root, nil, &total, &free); err != nil {
			unread = fmt.Errorf("drive %s: %w", drive, err)
			continue
		}
		d.TotalBytes, d.FreeBytes = int64(total), int64(free)
		var name [64]uint16
		if windows.GetVolumeInformation(root, nil, 0, nil, nil, nil, &name[0],
			uint32(len(name))) == nil {
			d.FileSystem = windows.UTF16ToString(name[:])
		}
		list = append(list, d)
	}
	if len(list) == 0 && unread != nil {
		return nil, unread
	}
	return list, nil
}

// Elevated tells whether the program runs with administrator rights.
func Elevated() (elevated, known bool) {
	return windows.GetCurrentProcessToken().IsElevated(), true
}

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
