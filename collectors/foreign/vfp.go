package foreign

import (
	"regexp"
	"strings"

	"doctor/checks/evidence"
)

// Bounds on a dump of VFP, which has each rule of each port.
const (
	maxVFP      = 64 << 20
	maxVFPPorts = 2000
	maxDSRRules = 20_000 // of all ports together
)

// What `vfpctrl /list-vmswitch-port` and the dump of dumpVfpPolicies.ps1 have in their lines.
var (
	vfpField = regexp.MustCompile(`^\s*(Port name|Port Friendly name|Switch name|MAC [Aa]ddress)` +
		`\s*:\s*(\S.*?)\s*$`)
	vfpPolicy = regexp.MustCompile(`^\s*Policy for port(?: Name)?\s*:\s*(\S*)\s*$`)
	vfpGUID   = regexp.MustCompile(`^\s*([0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})\s*$`)
	vfpState  = regexp.MustCompile(`(?i)^\s*Blocked\s*:\s*(TRUE|FALSE)\s*$`)
	vfpLayer  = regexp.MustCompile(`^\s*LAYER\s*:\s*(\S+)`)
	vfpRule   = regexp.MustCompile(`^\s*RULE\s*:\s*(LB_DSR_\S+)`)
	vfpName   = regexp.MustCompile(`(?:LAYER|GROUP|RULE) : \S+`)
	vfpListed = regexp.MustCompile(`(?i)Command (?:list-rule|get-rule-counter) succeeded`)
)

// readVFP makes vfp.json of ports.txt, which lists the ports, and vfpOutput.txt, which has the
// rules and the state of each.
func readVFP(ports, policies textFile) (any, evidence.Gap) {
	if policies.gap.Kind != "" {
		return nil, policies.gap
	}
	v := vfpDump{at: map[string]int{}}
	if ports.gap.Kind == "" {
		v.readPorts(ports.content)
	}
	v.readPolicies(policies.content)
	if len(v.list) == 0 {
		return nil, policies.otherwise("%s shows no port of VFP; it begins with: %s")
	}
	return v.list, evidence.Gap{}
}

type vfpDump struct {
	list  []evidence.VFPPort
	at    map[string]int // by name
	rules int
}

// port finds the port of a name or begins it; nil where there are too many.
func (v *vfpDump) port(name string) *evidence.VFPPort {
	name = strings.ToUpper(name)
	i, ok := v.at[name]
	if !ok {
		if len(v.list) == maxVFPPorts {
			return nil
		}
		i = len(v.list)
		v.at[name] = i
		v.list = append(v.list, evidence.VFPPort{Name: name})
	}
	return &v.list[i]
}

// readPorts reads the blocks of the list, each of which begins with the port's name.
func (v *vfpDump) readPorts(content string) {
	var p *evidence.VFPPort
	for line := range strings.Lines(content) {
		m := vfpField.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		value := evidence.Clean(m[2])
		switch {
		case m[1] == "Port name":
			p = v.port(value)
		case p == nil:
		case m[1] == "Port Friendly name":
			p.Friendly = value
		case m[1] == "Switch name":
			p.Switch = value
		default:
			p.MAC = dashedMAC(value)
		}
	}
}

// dashedMAC writes a MAC as HNS does; vfpctrl leaves the dashes out.
func dashedMAC(s string) string {
	if len(s) != 12 || strings.Trim(strings.ToUpper(s), "0123456789ABCDEF") != "" {
		return s
	}
	s = strings.ToUpper(s)
	return strings.Join([]string{s[0:2], s[2:4], s[4:6], s[6:8], s[8:10], s[10:12]}, "-")
}

// readPolicies reads the dump. Each port's part begins with "Policy for port", whose name
// PowerShell's echo puts into the next line.
func (v *vfpDump) readPolicies(content string) {
	var p *evidence.VFPPort
	named, layer := true, ""
	for line := range strings.Lines(content) {
		line = strings.TrimRight(line, "\n")
		if m := vfpPolicy.FindStringSubmatch(line); m != nil {
			p, named, layer = nil, m[1] != "", ""
			if named {
				p = v.port(evidence.Clean(m[1]))
			}
			continue
		}
		if m := vfpGUID.FindStringSubmatch(line); m != nil && !named {
			p, named = v.port(m[1]), true
			continue
		}
		if p == nil {
			continue
		}
		if m := vfpLayer.FindStringSubmatch(line); m != nil {
			layer = m[1]
		} else if m := vfpState.FindStringSubmatch(line); m != nil {
			blocked := strings.EqualFold(m[1], "true")
			p.Blocked = &blocked
		} else if m := vfpRule.FindStringSubmatch(line); m != nil && (layer == "" ||
			layer == "LB_DSR") && v.rules < maxDSRRules {
			p.DSRRules = append(p.DSRRules, evidence.Clean(m[1]))
			v.rules++
		} else if vfpListed.MatchString(line) && p.DSRRules == nil && v.rules < maxDSRRules {
			p.DSRRules = []string{}
		}
	}
}
