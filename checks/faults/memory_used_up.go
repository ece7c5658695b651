package faults

import "doctor/checks/evidence"

// memoryFollows are the faults that show memory which is used up.
var memoryFollows = []string{"paging-file-too-small", "node-under-pressure"}

// memoryUsedUp tells whether both the memory of the machine and what Windows may commit are used up, with
// a page file that Windows makes as large as it can: then too much was requested. Where memory is free and
// the commit limit is reached, or the page file has a fixed size, the page file is the fault.
func memoryUsedUp(s evidence.Snapshot) (evidence.Because, bool) {
	m := evidence.MemoryInfo.In(s)
	if m.CommitLimitBytes <= 0 || m.CommitUsedBytes*100 < m.CommitLimitBytes*commitStrain ||
		m.AvailableBytes <= 0 || m.AvailableBytes*20 >= m.TotalBytes || len(m.PageFiles) == 0 {
		return evidence.Because{}, false
	}
	for _, p := range m.PageFiles {
		if !p.Automatic {
			return evidence.Because{}, false
		}
	}
	return evidence.MemoryInfo.Field(s, "availableBytes").Because("availableBytes %d of totalBytes %d",
		m.AvailableBytes, m.TotalBytes), true
}
