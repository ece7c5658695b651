package node

import (
	"testing"

	"doctor/collectors"
	"doctor/collectors/tree"
)

// On any system each of them ends, and brings its file or says why not.
func TestMachineCollectorsAnswer(t *testing.T) {
	all := tree.New()
	all.JSON("meta.json", map[string]string{"layout": "evidence/v1", "node": "win-1",
		"collectedAt": "2026-11-20T10:02:00Z"})
	list := machineCollectors(Options{})
	var last []collectors.Reading
	collectors.Run(t.Context(), all, list, func(r []collectors.Reading) { last = r })
	for i, c := range list {
		if last[i].State != collectors.Done || c.Deadline == 0 {
			t.Errorf("%s: state %d, deadline %s", c.Name, last[i].State, c.Deadline)
		}
		for _, path := range c.Answers {
			if !all.Has(path) {
				t.Errorf("%s: neither %s nor a gap", c.Name, path)
			}
		}
	}
}
