package node

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

var kbNumber = regexp.MustCompile(`KB\d{5,8}\b`)

// manifestKB is in the head of a package's manifest, which names the update
// where the package itself is called RollupFix or ServicingStack.
var manifestKB = regexp.MustCompile(`identifier="(KB\d{5,8})"`)

// stateInstalled is CurrentState of a package that is installed. One that a
// later one has replaced has another.
const stateInstalled = 112

// readHotfixes reads the packages that Windows' servicing lists. The manifest
// of a package is its text as far as its head.
func readHotfixes(ctx context.Context, open hive,
	manifest func(name string) string) ([]evidence.Hotfix, error) {
	const packages = servicing + `\Packages`
	all, err := open(packages)
	if err != nil {
		return nil, err
	}
	newest := map[string]time.Time{}
	for _, name := range all.subkeys {
		if !strings.HasPrefix(name, "Package_") {
			continue // a part of Windows itself
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k, err := open(packages + `\` + name)
		if errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
		if state, ok := k.number("CurrentState"); err != nil || !ok || state != stateInstalled {
			continue
		}
		id := kbNumber.FindString(name)
		if id == "" { // there are many, and most names tell
			if m := manifestKB.FindStringSubmatch(manifest(name)); m != nil {
				id = m[1]
			}
		}
		if t := installTime(k); id != "" && !newest[id].After(t) {
			newest[id] = t
		}
	}
	list := []evidence.Hotfix{}
	for id, t := range newest {
		list = append(list, evidence.Hotfix{ID: id, InstalledAt: moment(t)})
	}
	sorted.By(list, func(a, b evidence.Hotfix) int {
		return cmp.Or(newest[b.ID].Compare(newest[a.ID]), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

func installTime(k key) time.Time {
	high, ok := k.number("InstallTimeHigh")
	low, ok2 := k.number("InstallTimeLow")
	if !ok || !ok2 || high == 0 {
		return time.Time{}
	}
	return fromFileTime(high<<32 | low&0xffffffff)
}

// updateManifest reads the head of a package's manifest; empty where it may
// not be read or is not there.
func updateManifest(name string) string {
	if strings.ContainsAny(name, `/\:`) {
		return ""
	}
	f, err := os.Open(filepath.Join(systemRoot(openKey), "servicing", "Packages", name+".mum"))
	if err != nil {
		return ""
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 4096))
	return string(head)
}
