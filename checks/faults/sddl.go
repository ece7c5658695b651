package faults

import (
	"strconv"
	"strings"
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
