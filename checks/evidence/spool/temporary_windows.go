package spool

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// temporary is a file that is gone with the process, however that ends: Windows
// deletes it when its last handle is closed.
func temporary() (*os.File, error) {
	name := filepath.Join(os.TempDir(), fmt.Sprintf("doctor-%016x.tmp", rand.Uint64()))
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|windows.FILE_FLAG_DELETE_ON_CLOSE,
		0o600)
}
