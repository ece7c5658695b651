package faults

import (
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// The bits of an access mask that let file content be read: FILE_READ_DATA,
// GENERIC_READ and GENERIC_ALL.
const readBits = 0x1 | 0x80000000 | 0x10000000

// allowsRead tells whether the rights of an access list entry, as a mask or as
// two-letter words, include reading.
func allowsRead(rights string) bool {
	if mask, err := strconv.ParseUint(rights, 0, 64); err == nil {
		return mask&readBits != 0
	}
	rights = strings.ToUpper(rights)
	for i := 0; i+2 <= len(rights); i += 2 {
		switch rights[i : i+2] {
		case "FA", "FR", "GA", "GR",
			"CC": // all, read, and CC, which is what bit 0x1 is called in a descriptor
			return true
		}
	}
	return false
}

// opened tells whether somebody let everybody read the file, whose own descriptor is given, or a folder above it. What Users inherit
// from the drive is what Windows, the kubelet (setupDataDirs in pkg/kubelet/kubelet.go) and kubeadm leave.
func opened(acls []evidence.ACL, path, sddl string) bool {
	path = strings.ToLower(evidence.CleanWinPath(path))
	return !onlyInherits(sddl) || slices.ContainsFunc(acls, func(a evidence.ACL) bool {
		folder := strings.TrimRight(strings.ToLower(evidence.CleanWinPath(a.Path)), `\`)
		return strings.Contains(folder, `\`) && strings.HasPrefix(path, folder+`\`) && len(readers(a.SDDL)) > 0 && !onlyInherits(a.SDDL)
	})
}

// onlyInherits tells whether all that lets everybody read is an entry for Users that was inherited (ID).
func onlyInherits(sddl string) bool {
	if strings.Contains(strings.ToUpper(sddl), noAccessControl) {
		return false
	}
	for entry := range strings.SplitSeq(strings.ToUpper(sddl), "(") {
		fields := strings.Split(strings.TrimRight(entry, ")"), ";")
		if len(fields) < 6 || fields[0] != "A" || !allowsRead(fields[2]) {
			continue
		}
		if name := everybody[strings.TrimRight(fields[5], ") ")]; name != "" && (name != "Users" || !strings.Contains(fields[1], "ID")) {
			return false
		}
	}
	return true
}
