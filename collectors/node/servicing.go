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
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

const servicing = `SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing`

// Keys that are there only until the next reboot.
var rebootKeys = []struct{ path, reason string }{
	{servicing + `\RebootPending`, "component-based-servicing"},
	{servicing + `\RebootInProgress`, "component-based-servicing"},
	{servicing + `\PackagesPending`, "component-based-servicing"},
	{`SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired`,
		"windows-update"},
}

// readPendingReboot looks at everything that asks for a reboot. Where nothing
// does, and something could not be read, nobody knows.
func readPendingReboot(open hive) (evidence.Reboot, error) {
	reasons := []string{}
	add := func(reason string) {
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	var unread error
	note := func(err error) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) && unread == nil {
			unread = err
		}
	}
	for _, k := range rebootKeys {
		_, err := open(k.path)
		note(err)
		if err == nil {
			add(k.reason)
		}
	}
	k, err := open(`SYSTEM\CurrentControlSet\Control\Session Manager`)
	note(err)
	for _, name := range []string{"PendingFileRenameOperations", "PendingFileRenameOperations2"} {
		if list, _ := k.strings(name); len(list) > 0 {
			add("pending-file-rename")
		}
	}
	const names = `SYSTEM\CurrentControlSet\Control\ComputerName\`
	now, err := open(names + "ActiveComputerName")
	note(err)
	next, err := open(names + "ComputerName")
	note(err)
	if a, b := now.text("ComputerName"), next.text("ComputerName"); a != "" && b != "" &&
		!strings.EqualFold(a, b) {
		add("computer-name")
	}
	if len(reasons) == 0 && unread != nil {
		return evidence.Reboot{}, unread
	}
	return evidence.Reboot{Pending: len(reasons) > 0, Reasons: reasons}, nil
}

// servicingPending tells whether installed or removed features wait for a reboot.
func servicingPending(open hive) bool {
	for _, k := range rebootKeys {
		if _, err := open(k.path); err == nil && k.reason == "component-based-servicing" {
			return true
		}
	}
	return false
}

// A feature is judged without asking Windows' servicing, which takes seconds
// and an administrator, by what only it brings.
type feature struct {
	name     string
	services []string
	files    []string // in System32
	shared   string   // a service of another feature that brings all of the above as well
}

var features = []feature{
	{name: "Containers", services: []string{"vmcompute", "hns"}, files: []string{"vmcompute.dll"},
		shared: "vmms"},
	{name: "Hyper-V", services: []string{"vmms"}, files: []string{"vmms.exe"}},
}

// readFeatures says of a feature what its traces prove, and leaves it out
// where they contradict each other.
func readFeatures(open hive, services []evidence.Service, exists func(path string) (exists,
	looked bool)) map[string]string {
	found := map[string]string{}
	there := map[string]bool{}
	for _, s := range services {
		there[strings.ToLower(s.Name)] = true
	}
	system32 := systemRoot(open) + `\System32\`
	for _, f := range features {
		all, none := true, true
		for _, s := range f.services {
			all, none = all && there[s], none && !there[s]
		}
		for _, file := range f.files {
			is, looked := exists(system32 + file)
			all, none = all && is, none && !is && looked
		}
		if state := f.judge(open, all, none, there[f.shared]); state != "" {
			found[f.name] = state
		}
	}
	return found
}

func (f feature) judge(open hive, all, none, shared bool) string {
	listed, cached := f.serverManager(open)
	switch {
	case none && servicingPending(open):
		return "" // it may be this one that the reboot completes
	case none && cached && listed == 0:
		return "available"
	case none:
		return "absent"
	case all && cached && listed == 1:
		return "installed"
	case all && f.shared == "":
		return "installed"
	case all && !cached && !shared && isServer(open):
		return "installed"
	}
	return ""
}

// serverManager is what Server Manager noted when somebody last used it: 1 for
// installed, 0 for not. It may be older than the last change.
func (f feature) serverManager(open hive) (state uint64, ok bool) {
	k, _ := open(`SOFTWARE\Microsoft\ServerManager\ServicingStorage\ServerComponentCache\` +
		f.name)
	return k.number("InstallState")
}

// isServer tells a server, where no other feature brings the services of
// containers, from Windows 10 and 11, where Linux' subsystem does.
func isServer(open hive) bool {
	k, _ := open(currentVersion)
	return strings.HasPrefix(k.text("InstallationType"), "Server")
}

func systemRoot(open hive) string {
	k, _ := open(currentVersion)
	return cmp.Or(k.text("SystemRoot"), `C:\Windows`)
}

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
