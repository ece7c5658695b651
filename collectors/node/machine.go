package node

import "doctor/collectors"

// machineCollectors read the machine itself: its Windows, services, memory and disks.
func machineCollectors(o Options) []collectors.Collector {
	return nil
}
