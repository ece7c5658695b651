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
		one("logs", "logs/", readLogs(o, localVolumes, openKey, time.Now), after...),
		one("certificates", evidence.Certificates.Path(), readCertificates(localVolumes), after...),
		one("security", evidence.SecurityInfo.Path(), readSecurity(windowsSecurity, openKey)),
		fromRegistry("firewall", evidence.FirewallInfo.Path(), firewall),
		one("event logs", evidence.WindowsEvents.Path(), readEvents(o, askEventLog)),
	}
}
