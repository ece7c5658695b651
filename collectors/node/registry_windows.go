package node

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/sys/windows/registry"
)

// What is read of one key is bounded. The largest that is known, that of the
// packages of Windows' updates, has some ten thousand keys below it.
const (
	maxSubkeys  = 200_000
	maxValues   = 50_000
	maxValueLen = 16 << 20 // a list of files to be renamed grows until the reboot
)

// openKey reads a key of HKEY_LOCAL_MACHINE.
func openKey(path string) (key, error) {
	k, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		return key{}, noKey(path)
	}
	if err != nil {
		return key{}, fmt.Errorf(`HKLM\%s: %w`, path, err)
	}
	return k, nil
}

func readKey(path string) (key, error) {
	h, err := registry.OpenKey(registry.LOCAL_MACHINE, path,
		registry.QUERY_VALUE|registry.ENUMERATE_SUB_KEYS|registry.WOW64_64KEY)
	if err != nil {
		return key{}, err
	}
	defer h.Close()
	info, err := h.Stat()
	if err != nil {
		return key{}, err
	}
	subkeys, err := h.ReadSubKeyNames(maxSubkeys)
	if err != nil && err != io.EOF {
		return key{}, err
	}
	names, err := h.ReadValueNames(maxValues)
	if err != nil && err != io.EOF {
		return key{}, err
	}
	values := make([]value, 0, len(names))
	buf := make([]byte, min(info.MaxValueLen, maxValueLen)+2)
	for _, name := range names {
		n, kind, err := h.GetValue(name, buf)
		if errors.Is(err, registry.ErrShortBuffer) && n <= maxValueLen { // it has grown meanwhile
			buf = make([]byte, n)
			n, kind, err = h.GetValue(name, buf)
		}
		if err == nil { // what is too large, or went away meanwhile, is left out
			values = append(values, value{name: name, kind: kind, data: slices.Clone(buf[:n])})
		}
	}
	return newKey(os.LookupEnv, subkeys, values), nil
}
