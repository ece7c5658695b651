//go:build !windows

package node

import (
	"errors"
	"fmt"
	"time"

	"doctor/checks/evidence"
)

var errNoWindows = fmt.Errorf("this system is not Windows: %w", errors.ErrUnsupported)

func kernelBuild() int                        { return 0 }
func bootTime() time.Time                     { return time.Time{} }
func serviceStates() ([]serviceStatus, error) { return nil, errNoWindows }
func serviceState(string) (string, error)     { return "", errNoWindows }
func memoryStatus() (evidence.Memory, error)  { return evidence.Memory{}, errNoWindows }
func fixedDisks() ([]evidence.Disk, error)    { return nil, errNoWindows }
