// Package hostprocess is what differs where the program runs in a HostProcess container: it sees the
// node's own files, and beside them a folder of the container, which goes with it. containerd 1.6 and
// Server 2019 put that folder below C:\C, and later ones mount it at C:\hpc.
// Source: https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#volume-mounts
package hostprocess

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Container is how evidence and reports name such a container.
const Container = "HostProcess"

// Mount is the folder of the container, "" where the program runs in none.
func Mount() string { return os.Getenv("CONTAINER_SANDBOX_MOUNT_POINT") }

// Goes tells whether a file of that name is gone when the container is.
func Goes(name string) bool {
	mount := Mount()
	path, err := filepath.Abs(name)
	if mount == "" || err != nil {
		return false
	}
	rel, err := filepath.Rel(strings.ToLower(mount), strings.ToLower(path))
	return err == nil && filepath.IsLocal(rel)
}

// Folder is where files go that nobody gave a place: the current folder, or where that goes with the
// container, one of the node.
func Folder() (string, error) {
	if !Goes(".") {
		return filepath.Abs(".")
	}
	folder := filepath.Join(cmp.Or(os.Getenv("ProgramData"), `C:\ProgramData`), "doctor")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("%w; the current folder goes with this container: name a file on the node", err)
	}
	return folder, nil
}

// Default is the place of a file that nobody gave one: its name alone where that is in the current folder.
func Default(name string) (string, error) {
	if !Goes(".") {
		return name, nil
	}
	folder, err := Folder()
	return filepath.Join(folder, name), err
}

// Warning is what to say of a file that was written, "" where it stays.
func Warning(name string) string {
	if !Goes(name) {
		return ""
	}
	return fmt.Sprintf("%s is below %s, and is gone when this container ends, unless a volume is mounted there",
		name, Mount())
}
