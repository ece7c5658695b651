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
		{Name: "files", Answers: []string{evidence.FileIndex.Path(), "files/"}, After: after,
			Deadline: deadline, Read: readFiles(o, localVolumes)},
		{Name: "logs", Answers: []string{"logs/"}, After: after, Deadline: deadline,
			Read: readLogs(o, localVolumes, openKey, time.Now)},
		{Name: "certificates", Answers: []string{evidence.Certificates.Path()}, After: after,
			Deadline: deadline, Read: readCertificates(localVolumes)},
		{Name: "security", Answers: []string{evidence.SecurityInfo.Path()}, Deadline: deadline,
			Read: readSecurity(windowsSecurity, openKey)},
		{Name: "firewall", Answers: []string{evidence.FirewallInfo.Path()}, Deadline: deadline,
			Read: readFirewall(openKey)},
		{Name: "event logs", Answers: []string{evidence.WindowsEvents.Path()}, Deadline: deadline,
			Read: readEvents(o, askEventLog)},
	}
}
