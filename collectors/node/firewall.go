package node

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
	facts "doctor/checks/node"
)

const (
	firewallKey = `SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy`
	// what the domain says goes before
	firewallPolicyKey = `SOFTWARE\Policies\Microsoft\WindowsFirewall`
)

// The profiles, by the names of their keys: the machine's, and the domain's.
var firewallProfiles = []struct{ name, key, policy string }{
	{"domain", "DomainProfile", "DomainProfile"},
	{"private", "StandardProfile", "PrivateProfile"},
	{"public", "PublicProfile", "PublicProfile"},
}

// Ports of a node: the kubelet's and kube-proxy's, VXLAN, Geneve and BGP, Typha,
// DNS, node exporters, and the range of NodePorts.
var nodePorts = [][2]int{
	{53, 53}, {179, 179}, {4789, 4789}, {5473, 5473}, {6081, 6081}, {8472, 8472}, {9100, 9100},
	{9182, 9182},
	{10248, 10250}, {10255, 10256}, {30000, 32767},
}

// firewall reads the profiles, and the rules that are of the node's affair.
func firewall(open hive) (evidence.Firewall, error) {
	found := evidence.Firewall{Rules: []evidence.FirewallRule{}}
	unmerged := map[string]bool{} // profiles in which the machine's own rules do not count
	for _, p := range firewallProfiles {
		own, err := open(firewallKey + `\` + p.key)
		if err != nil {
			return found, err
		}
		policy, err := open(firewallPolicyKey + `\` + p.policy)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return found, err
		}
		found.Profiles = append(found.Profiles, profileOf(p.name, policy, own))
		unmerged[p.name] = firstNumber("AllowLocalPolicyMerge", 1, policy) == 0
	}
	own, err := open(firewallKey + `\FirewallRules`)
	if err != nil {
		return found, err
	}
	addRules(&found, own, unmerged)
	policy, err := open(firewallPolicyKey + `\FirewallRules`)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return found, err
	}
	addRules(&found, policy, nil)
	return found, nil
}

// profileOf takes each setting from the first key that has it. Windows filters
// what comes in where none has it.
func profileOf(name string, keys ...key) evidence.FirewallProfile {
	action := map[bool]string{true: "allow", false: "block"}
	return evidence.FirewallProfile{
		Name: name, Enabled: firstNumber("EnableFirewall", 1, keys...) != 0,
		DefaultInbound:  action[firstNumber("DefaultInboundAction", 1, keys...) == 0],
		DefaultOutbound: action[firstNumber("DefaultOutboundAction", 0, keys...) == 0],
	}
}

func addRules(f *evidence.Firewall, rules key, unmerged map[string]bool) {
	for _, name := range rules.names() {
		text, _ := rules.str(name)
		rule, ok := parseFirewallRule(name, text)
		if !ok {
			continue
		}
		rule.Profiles = slices.DeleteFunc(rule.Profiles, func(p string) bool { return unmerged[p] })
		if len(rule.Profiles) > 0 {
			f.Rules = append(f.Rules, rule)
		}
	}
}

// parseFirewallRule reads "v2.30|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=10250|Name=kubelet|".
// It is false for rules that are none of the node's affair: those of other programs and services. A
// rule that blocks some senders or interfaces only blocks nobody else, so it is left out too.
func parseFirewallRule(name, text string) (evidence.FirewallRule, bool) {
	version, rest, ok := strings.Cut(text, "|")
	if !ok || !strings.HasPrefix(version, "v") {
		return evidence.FirewallRule{}, false
	}
	rule := evidence.FirewallRule{Name: name, Protocol: "any", LocalPorts: []string{}}
	others, app := false, "" // others: of a service, an app or a user
	for field := range strings.SplitSeq(rest, "|") {
		what, is, _ := strings.Cut(field, "=")
		switch {
		case what == "Action":
			rule.Action = strings.ToLower(is)
		case what == "Active":
			rule.Enabled = strings.EqualFold(is, "TRUE")
		case what == "Dir":
			rule.Direction = strings.ToLower(is)
		case what == "Protocol":
			rule.Protocol = protocolName(is)
		case what == "Profile":
			if p := profileNames[strings.ToLower(is)]; p != "" {
				rule.Profiles = append(rule.Profiles, p)
			}
		case strings.HasPrefix(what, "LPort"): // LPort, LPort2_10, LPort2_20, LPort2_24
			rule.LocalPorts = append(rule.LocalPorts, is)
		case what == "Name":
			rule.DisplayName = is
		case what == "App":
			app = is
		case slices.Contains([]string{"Svc", "ICMP4", "ICMP6", "AppPkgId", "LUAuth", "LUOwn"}, what):
			others = others || is != "*"
		case slices.Contains([]string{"RA4", "RA6", "RA42", "RA62", "LA4", "LA6", "LA42", "LA62", "RPort",
			"RPort2_10", "IF", "IFType", "RMauth", "RUAuth", "Security", "Security2"}, what):
			rule.Conditional = rule.Conditional || is != "*"
		}
	}
	if len(rule.Profiles) == 0 {
		rule.Profiles = []string{"domain", "private", "public"}
	}
	if rule.Direction != "in" || rule.Action != "allow" && rule.Action != "block" ||
		rule.Protocol == "1" || rule.Protocol == "58" {
		return rule, false
	}
	ours := app == "" || slices.ContainsFunc(nodePrograms, func(p nodeProgram) bool {
		return facts.EqualsAny(facts.Program(app), p.programs)
	})
	ours = ours && !others
	if rule.Action == "block" {
		return rule, ours && !rule.Conditional && (rule.Enabled || onePortOf(rule.LocalPorts, nodePorts))
	}
	if len(rule.LocalPorts) == 0 {
		return rule, ours && rule.Enabled // any port
	}
	// a component may be configured for a port of its own
	return rule, onePortOf(rule.LocalPorts, nodePorts) ||
		ours && rule.Enabled && onePortOf(rule.LocalPorts, [][2]int{{1, 1<<16 - 1}})
}

func protocolName(number string) string {
	if number == "256" || number == "" {
		return "any"
	}
	return evidence.ProtocolName(number)
}

var profileNames = map[string]string{"domain": "domain", "private": "private", "public": "public",
	"standard": "private"}

// onePortOf tells whether a list of ports and ranges has a port of one of the given ranges.
func onePortOf(ports []string, ranges [][2]int) bool {
	return slices.ContainsFunc(ports, func(list string) bool {
		for item := range strings.SplitSeq(list, ",") {
			low, high, isRange := strings.Cut(strings.TrimSpace(item), "-")
			from, err := strconv.Atoi(low)
			until := from
			if err == nil && isRange {
				until, err = strconv.Atoi(high)
			}
			if err == nil && slices.ContainsFunc(ranges, func(p [2]int) bool {
				return from <= p[1] && p[0] <= until
			}) {
				return true
			}
		}
		return false
	})
}
