//go:build !windows

package node

import (
	"errors"

	"doctor/checks/evidence"
)

func listProcesses() ([]evidence.Process, error) { return nil, errors.ErrUnsupported }

func processOf(uint32) (processDetail, error) { return processDetail{}, errors.ErrUnsupported }

func runsElevated() bool { return false }
