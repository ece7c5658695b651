package node

import (
	"fmt"
	"syscall"
	"unsafe"

	"github.com/Microsoft/hcsshim/hcn"
	"golang.org/x/sys/windows"

	"doctor/checks/evidence"
)

var windowsHNS = hnsCalls{version: hnsVersion, hcn: hasHCN, list: listHCN, call: hnsCall}

func hnsVersion() (evidence.HNSRelease, error) {
	g, err := hcn.GetGlobals()
	if err != nil {
		return evidence.HNSRelease{}, err
	}
	return evidence.HNSRelease{Major: g.Version.Major, Minor: g.Version.Minor}, nil
}

var computeNetwork = windows.NewLazySystemDLL("computenetwork.dll")

func hasHCN() bool { return computeNetwork.NewProc("HcnEnumerateNetworks").Find() == nil }

func listHCN(l hnsList) (any, error) {
	switch l {
	case hnsNetworks:
		return neverNil(hcn.ListNetworks())
	case hnsEndpoints:
		return neverNil(hcn.ListEndpoints())
	case hnsLoadBalancers:
		return neverNil(hcn.ListLoadBalancers())
	default:
		return neverNil(hcn.ListNamespaces())
	}
}

// neverNil makes a list of none of nothing at all.
func neverNil[T any](list []T, err error) (any, error) { return append([]T{}, list...), err }

var (
	vmcompute   = windows.NewLazySystemDLL("vmcompute.dll")
	procHNSCall = vmcompute.NewProc("HNSCall")
)

// hnsCall reads through the first interface, whose records have more than the
// library's structures keep.
func hnsCall(path string) ([]byte, error) {
	if err := procHNSCall.Find(); err != nil {
		return nil, err
	}
	method, _ := windows.UTF16PtrFromString("GET")
	object, _ := windows.UTF16PtrFromString("")
	where, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	var answer *uint16
	r, _, _ := procHNSCall.Call(uintptr(unsafe.Pointer(method)), uintptr(unsafe.Pointer(where)),
		uintptr(unsafe.Pointer(object)), uintptr(unsafe.Pointer(&answer)))
	if answer != nil {
		defer windows.CoTaskMemFree(unsafe.Pointer(answer))
	}
	if int32(r) < 0 {
		return nil, fmt.Errorf("HNSCall GET %s (0x%x): %w", path, uint32(r),
			syscall.Errno(uint32(r)))
	}
	return []byte(windows.UTF16PtrToString(answer)), nil
}

var procEnumerateComputeSystems = vmcompute.NewProc("HcsEnumerateComputeSystems")

// enumerateComputeSystems asks for all of them; the answer is JSON.
func enumerateComputeSystems() (string, error) {
	if err := procEnumerateComputeSystems.Find(); err != nil {
		return "", err
	}
	query, _ := windows.UTF16PtrFromString("{}")
	var systems, result *uint16
	r, _, _ := procEnumerateComputeSystems.Call(uintptr(unsafe.Pointer(query)),
		uintptr(unsafe.Pointer(&systems)), uintptr(unsafe.Pointer(&result)))
	for _, p := range []*uint16{systems, result} {
		if p != nil {
			defer windows.CoTaskMemFree(unsafe.Pointer(p))
		}
	}
	if int32(r) < 0 {
		code := uint32(r)
		if code&0x1fff0000 == 0x00070000 {
			code &= 0xffff // a Win32 error in an HRESULT, such as access denied
		}
		return "", fmt.Errorf("HcsEnumerateComputeSystems (0x%x): %w", uint32(r),
			syscall.Errno(code))
	}
	return windows.UTF16PtrToString(systems), nil
}
