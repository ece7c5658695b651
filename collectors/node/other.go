//go:build !windows

package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"doctor/checks/evidence"
)

// What the files named _windows.go ask, on a system that cannot answer.

var errNoWindows = fmt.Errorf("this system is not Windows: %w", errors.ErrUnsupported)

// Elevated tells whether the program runs with administrator rights: a question for Windows alone.
func Elevated() (elevated, known bool) { return false, false }

func kernelBuild() int                        { return 0 }
func bootTime() time.Time                     { return time.Time{} }
func serviceStates() ([]serviceStatus, error) { return nil, errNoWindows }
func serviceState(string) (string, error)     { return "", errNoWindows }
func memoryStatus() (evidence.Memory, error)  { return evidence.Memory{}, errNoWindows }
func fixedDisks() ([]evidence.Disk, error)    { return nil, errNoWindows }

func listProcesses() ([]evidence.Process, error)   { return nil, errors.ErrUnsupported }
func processOf(uint32) (processDetail, error)      { return processDetail{}, errors.ErrUnsupported }
func listAdapters() ([]adapterRow, error)          { return nil, errors.ErrUnsupported }
func listInterfaces() ([]adapterRow, error)        { return nil, errors.ErrUnsupported }
func listForwarding() (map[uint64]bool, error)     { return nil, errors.ErrUnsupported }
func listRoutes() ([]routeRow, error)              { return nil, errors.ErrUnsupported }
func socketTable(socketLayout) ([]byte, error)     { return nil, errors.ErrUnsupported }
func enumerateComputeSystems() (string, error)     { return "", errors.ErrUnsupported }
func accessListOf(string) (string, error)          { return "", errors.ErrUnsupported }
func fixedDrives() ([]string, error)               { return nil, errors.ErrUnsupported }
func protectionOf(string) (int32, error)           { return 0, errors.ErrUnsupported }
func hnsVersion() (r evidence.HNSRelease, _ error) { return r, errors.ErrUnsupported }

func askEventLog(string, string, func(string, string) bool) error { return errors.ErrUnsupported }

func runSystem(context.Context, string, ...string) (string, error) {
	return "", errors.ErrUnsupported
}

var windowsHNS = hnsCalls{version: hnsVersion}

func openKey(string) (key, error) {
	return key{}, fmt.Errorf("this system has no registry: %w", errors.ErrUnsupported)
}

func localVolumes(letter string) (fs.FS, error) {
	return nil, fmt.Errorf("this system has no drive %s: %w", letter, errors.ErrUnsupported)
}
