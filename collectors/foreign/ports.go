package foreign

import (
	"doctor/checks/evidence"
	"doctor/collectors/netsh"
)

// readPorts needs both files: half a table would read as no exclusions, or as no
// dynamic range.
func readPorts(excluded, dynamic textFile) (any, evidence.Gap) {
	for _, t := range []textFile{excluded, dynamic} {
		if t.gap.Kind != "" {
			return nil, t.gap
		}
	}
	ranges, tables := netsh.Excluded(excluded.content)
	if !tables["tcp"] {
		return nil, excluded.otherwise("%s shows no table of TCP ports; it begins with: %s")
	}
	table := evidence.PortTable{Dynamic: netsh.Dynamic(dynamic.content), Excluded: ranges}
	if table.Dynamic["tcp"].Count == 0 {
		return nil, dynamic.otherwise("%s shows no range of TCP ports; it begins with: %s")
	}
	return table, evidence.Gap{}
}
