package foreign

import (
	"regexp"
	"strings"

	"doctor/checks/evidence"
)

// What `netsh advfirewall` prints in English: profiles ("Domain Profile Settings:") and rules
// ("Rule Name:"), each a block of fields below a rule of dashes.
var (
	advProfile = regexp.MustCompile(`^(Domain|Private|Public) Profile Settings:`)
	advField   = regexp.MustCompile(`^([A-Z][A-Za-z ]*?)(?::\s*| {2,})(\S.*)?$`)
)

// readAdvFirewall reads profiles and rules, as many as there are. A rule for some addresses only is
// none of the port.
func readAdvFirewall(s string) (fw evidence.Firewall) {
	profile, rule := -1, -1
	narrow := map[int]bool{}
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n \t")
		if m := advProfile.FindStringSubmatch(line); m != nil && len(fw.Profiles) < maxFields {
			fw.Profiles = append(fw.Profiles, evidence.FirewallProfile{Name: strings.ToLower(m[1])})
			profile, rule = len(fw.Profiles)-1, -1
			continue
		}
		m := advField.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		value := strings.ToLower(m[2])
		if m[1] == "Rule Name" && len(fw.Rules) < maxObjects {
			fw.Rules = append(fw.Rules, evidence.FirewallRule{Name: m[2], LocalPorts: []string{}})
			profile, rule = -1, len(fw.Rules)-1
			continue
		}
		switch {
		case profile >= 0 && m[1] == "State":
			fw.Profiles[profile].Enabled = value == "on"
		case profile >= 0 && m[1] == "Firewall Policy":
			in, out, _ := strings.Cut(value, ",")
			fw.Profiles[profile].DefaultInbound = strings.TrimSuffix(in, "inbound")
			fw.Profiles[profile].DefaultOutbound = strings.TrimSuffix(out, "outbound")
		case rule >= 0 && (m[1] == "RemoteIP" || m[1] == "LocalIP" || m[1] == "RemotePort"):
			narrow[rule] = narrow[rule] || value != "any"
		case rule >= 0:
			fw.Rules[rule] = withAdvField(fw.Rules[rule], m[1], value)
		}
	}
	var rules []evidence.FirewallRule
	for i, r := range fw.Rules {
		if !narrow[i] {
			rules = append(rules, r)
		}
	}
	fw.Rules = rules
	return fw
}

func withAdvField(r evidence.FirewallRule, field, value string) evidence.FirewallRule {
	split := func() []string {
		return strings.FieldsFunc(value, func(c rune) bool { return c == ',' || c == ' ' })
	}
	switch field {
	case "Enabled":
		r.Enabled = value == "yes"
	case "Direction":
		r.Direction = value
	case "Action":
		r.Action = value
	case "Protocol":
		r.Protocol = value
	case "Profiles":
		r.Profiles = split()
	case "LocalPort":
		if value != "any" {
			r.LocalPorts = split()
		}
	}
	return r
}

// convertFirewall writes what netsh and PowerShell show of the firewall: a part, for nothing in a list
// of rules says whether its command narrowed it.
func (p *pieces) convertFirewall(out *output) {
	fw := readAdvFirewall(p.texts[partAdvFirewall])
	names := p.namesOf(psFirewall, "DisplayName", "Name", "Direction", "Action", "Enabled",
		"DefaultInboundAction")
	for _, f := range fw.Profiles {
		names = append(names, f.Name+" "+f.DefaultInbound)
	}
	for _, r := range fw.Rules {
		names = append(names, strings.Join([]string{r.Name, r.Direction, r.Action}, " "))
	}
	out.partial("firewall.json", "the list of the firewall", names, fw)
}
