package node

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"doctor/checks/evidence"
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
