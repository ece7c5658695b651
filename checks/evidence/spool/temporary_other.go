//go:build !windows

package spool

import "os"

// temporary is a file that is gone with the process, however that ends.
func temporary() (*os.File, error) {
	f, err := os.CreateTemp("", "doctor-*.tmp")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
