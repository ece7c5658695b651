// Package vfp reads what vfpctrl prints of the Virtual Filtering Platform: the ports of virtual
// switches, whether each is blocked, and its rules for load balancers in DSR mode.
package vfp

import (
	"encoding/hex"
	"net"
	"regexp"
	"strings"

	"doctor/checks/evidence"
)

// Bounds on a dump, which has each rule of each port.
const (
	maxPorts    = 2000
	maxDSRRules = 20_000 // of all ports together
)

// What `vfpctrl /list-vmswitch-port` and the dump of dumpVfpPolicies.ps1 have in their lines.
var (
	field = regexp.MustCompile(`^\s*(Port name|Port Friendly name|Switch name|MAC [Aa]ddress)` +
		`\s*:\s*(\S.*?)\s*$`)
	policy    = regexp.MustCompile(`^\s*Policy for port(?: Name)?\s*:\s*(\S*)\s*$`)
	guid      = regexp.MustCompile(`^\s*([0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})\s*$`)
	state     = regexp.MustCompile(`(?i)^\s*Blocked\s*:\s*(TRUE|FALSE)\s*$`)
	layerLine = regexp.MustCompile(`^\s*LAYER\s*:\s*(\S+)`)
	rule      = regexp.MustCompile(`^\s*RULE\s*:\s*(LB_DSR_\S+)`)
	listed    = regexp.MustCompile(`(?i)Command (?:list-rule|get-rule-counter) succeeded`)
)

// Read joins the list of ports (vfpctrl /list-vmswitch-port) and the dump with the rules and the
// state of each, such as dumpVfpPolicies.ps1 writes. Either may be empty.
func Read(ports, policies string) []evidence.VFPPort {
	d := dump{at: map[string]int{}}
	d.readPorts(ports)
	d.readPolicies(policies)
	return d.list
}

type dump struct {
	list  []evidence.VFPPort
	at    map[string]int // by name
	rules int
}

// port finds the port of a name or begins it; nil where there are too many.
func (d *dump) port(name string) *evidence.VFPPort {
	name = strings.ToUpper(name)
	i, ok := d.at[name]
	if !ok {
		if len(d.list) == maxPorts {
			return nil
		}
		i = len(d.list)
		d.at[name] = i
		d.list = append(d.list, evidence.VFPPort{Name: name})
	}
	return &d.list[i]
}

// readPorts reads the blocks of the list, each of which begins with the port's name.
func (d *dump) readPorts(content string) {
	var p *evidence.VFPPort
	for line := range strings.Lines(content) {
		m := field.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		value := evidence.Clean(m[2])
		switch {
		case m[1] == "Port name":
			p = d.port(value)
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
	mac, err := hex.DecodeString(s)
	if err != nil || len(mac) != 6 {
		return s
	}
	return strings.ToUpper(strings.ReplaceAll(net.HardwareAddr(mac).String(), ":", "-"))
}

// readPolicies reads the dump. Each port's part begins with "Policy for port", whose name
// PowerShell's echo puts into the next line.
func (d *dump) readPolicies(content string) {
	var p *evidence.VFPPort
	named, layer := true, ""
	for line := range strings.Lines(content) {
		line = strings.TrimRight(line, "\n")
		if m := policy.FindStringSubmatch(line); m != nil {
			p, named, layer = nil, m[1] != "", ""
			if named {
				p = d.port(evidence.Clean(m[1]))
			}
			continue
		}
		if m := guid.FindStringSubmatch(line); m != nil && !named {
			p, named = d.port(m[1]), true
			continue
		}
		if p == nil {
			continue
		}
		if m := layerLine.FindStringSubmatch(line); m != nil {
			layer = m[1]
		} else if m := state.FindStringSubmatch(line); m != nil {
			p.Blocked = new(strings.EqualFold(m[1], "true"))
		} else if m := rule.FindStringSubmatch(line); m != nil && (layer == "" ||
			layer == "LB_DSR") && d.rules < maxDSRRules {
			p.DSRRules = append(p.DSRRules, evidence.Clean(m[1]))
			d.rules++
		} else if listed.MatchString(line) && p.DSRRules == nil && d.rules < maxDSRRules {
			p.DSRRules = []string{}
		}
	}
}
