package foreign

import (
	"regexp"

	"doctor/checks/evidence"
	"doctor/collectors/netsh"
	"doctor/collectors/vfp"
)

const maxVFP = 64 << 20 // a dump has each rule of each port

// vfpName is a line of a dump that names a rule, where the dump does not say of which port.
var vfpName = regexp.MustCompile(`(?:LAYER|GROUP|RULE) : \S+`)

// readVFP makes vfp.json of ports.txt, which lists the ports, and vfpOutput.txt, which has the
// rules and the state of each.
func readVFP(ports, policies textFile) (any, evidence.Gap) {
	if policies.gap.Kind != "" {
		return nil, policies.gap
	}
	if ports.gap.Kind != "" {
		ports.content = ""
	}
	if list := vfp.Read(ports.content, policies.content); len(list) > 0 {
		return list, evidence.Gap{}
	}
	return nil, policies.otherwise("%s shows no port of VFP; it begins with: %s")
}

// readWFP makes wfp.json of the drops in netevents.xml.
func readWFP(t textFile) (any, evidence.Gap) {
	if w, ok := netsh.NetEvents(t.content); ok {
		return w, evidence.Gap{}
	}
	return nil, t.otherwise("%s shows no events of WFP; it begins with: %s")
}
