package foreign

import (
	"net/netip"
	"regexp"
	"strings"
)

// A netIPAddress is one object of Get-NetIPAddress, printed as a list whose names
// are not translated.
type netIPAddress struct {
	alias   string
	ifIndex int
	prefix  netip.Prefix
}

// maxObjects bounds the rows of any table; a node has some hundreds.
const maxObjects = 10_000

var (
	netIPAddressStart = regexp.MustCompile(`^IPAddress\s+: `)
	netProperty       = regexp.MustCompile(`^(\w+)\s*: ?(.*?)\s*$`)
)

func parseNetIPAddress(s string) []netIPAddress {
	var list []netIPAddress
	props := map[string]string{}
	flush := func() {
		ip, ok := leadingAddr(props["IPAddress"])
		bits := number(props["PrefixLength"])
		if ok && bits > 0 && bits <= ip.BitLen() && len(list) < maxObjects {
			list = append(list, netIPAddress{props["InterfaceAlias"],
				ifNumber(props["InterfaceIndex"]), netip.PrefixFrom(ip, bits)})
		}
		clear(props)
	}
	inside := false
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \t\n")
		if netIPAddressStart.MatchString(line) {
			flush()
			inside = true
		}
		if m := netProperty.FindStringSubmatch(line); m != nil && inside {
			props[m[1]] = m[2]
		} else if line != "" && line[0] != ' ' {
			inside = false
		}
	}
	flush()
	return list
}

// A netAdapter is one row of Get-NetAdapter's table.
type netAdapter struct {
	name, status, mac string
	index             int
}

var netAdapterRow = regexp.MustCompile(
	`(?m)^(\S.*?) +(\d+) (Up|Disconnected|Disabled|Not Present|Lower Layer Down|Dormant)\b[ \t]*((?:[0-9A-F]{2}-){5}[0-9A-F]{2})?`)

// parseNetAdapter reads index, status and MAC, which stand right of the
// description. The name is sure only where it is not cut and two blanks end it.
func parseNetAdapter(s string) []netAdapter {
	var list []netAdapter
	for _, m := range netAdapterRow.FindAllStringSubmatch(s, maxObjects) {
		name, _, _ := strings.Cut(m[1], "  ")
		if strings.HasSuffix(name, "...") {
			name = ""
		}
		list = append(list, netAdapter{name: name, index: ifNumber(m[2]),
			status: strings.ToLower(m[3]), mac: m[4]})
	}
	return list
}

// A netshInterface is one row of `netsh int ipv4 sh int`.
type netshInterface struct {
	index, mtu int
	name       string
}

var netshRow = regexp.MustCompile(`(?m)^ *(\d+) +(\d+) +(\d+) +(\S+) +(\S.*?) *$`)

func parseNetshInterfaces(s string) []netshInterface {
	var list []netshInterface
	for _, m := range netshRow.FindAllStringSubmatch(s, maxObjects) {
		if mtu := number(m[3]); mtu > 0 {
			list = append(list, netshInterface{ifNumber(m[1]), mtu, m[5]})
		}
	}
	return list
}
