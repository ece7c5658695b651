package faults

import (
	"slices"

	"doctor/checks/evidence"
)

// liveSigns are the finds of a check's signs that may convict: neither over nor
// there only to confirm. It is for faults of which the logs alone tell, and
// the state only which shape the fault has.
func liveSigns(s evidence.Snapshot, id string) []evidence.SignMatch {
	c := checkOf(id)
	return slices.DeleteFunc(slices.Clone(s.Signs(id)), func(m evidence.SignMatch) bool {
		sign := c.SignOf(m)
		return m.Over != "" || sign == nil || sign.ConfirmOnly
	})
}
