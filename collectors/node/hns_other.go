//go:build !windows

package node

import (
	"errors"

	"doctor/checks/evidence"
)

var windowsHNS = hnsCalls{version: func() (evidence.HNSRelease, error) {
	return evidence.HNSRelease{}, errors.ErrUnsupported
}}
