//go:build !windows

package node

import (
	"errors"
	"fmt"
	"time"
)

var errNoWindows = fmt.Errorf("this system is not Windows: %w", errors.ErrUnsupported)

func kernelBuild() int                        { return 0 }
func bootTime() time.Time                     { return time.Time{} }
func serviceStates() ([]serviceStatus, error) { return nil, errNoWindows }
func memoryStatus() (memoryState, error)      { return memoryState{}, errNoWindows }
func fixedDisks() ([]diskState, error)        { return nil, errNoWindows }
