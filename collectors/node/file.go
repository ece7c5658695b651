package node

import (
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// fileCollectors read its files: configuration, logs, event logs, certificates and who may read them.
func fileCollectors(o Options) []collectors.Collector {
	after := []string{"services", "processes"}
	return []collectors.Collector{
		{Name: "files", Answers: []string{evidence.FileIndex.Path(), "files/"}, After: after, Deadline: deadline, Read: readFiles(o, localVolumes)},
		{Name: "logs", Answers: []string{"logs/"}, After: after, Deadline: deadline, Read: readLogs(o, localVolumes, openKey, time.Now)},
	}
}
