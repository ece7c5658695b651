package foreign

import (
	"net/netip"
	"regexp"
	"strings"

	"doctor/checks/evidence"
	"doctor/collectors/netsh"
	"doctor/collectors/vfp"
)

const maxRoutes = 100_000

var (
	// Number, MAC and description in the interface list of route print.
	interfaceRow = regexp.MustCompile(`(?m)^ *(\d+)\.{3}((?:[0-9a-f]{2} ){6})\.+(\S.*?)[ \t]*$`)
	// ifIndex, DestinationPrefix, NextHop, RouteMetric, ifMetric, PolicyStore. Narrow
	// consoles drop the last columns and cut "PersistentStore".
	netRouteRow = regexp.MustCompile(
		`(?m)^(\d+) +(\S+/\d+) +(\S+) +(\d+)(?:[ \t]+(\d+))?(?:[ \t]+(\S+))?[ \t]*$`)
	// Network, mask, gateway or the translated word for on-link, own address, metric.
	routePrintRow = regexp.MustCompile(
		`(?m)^ +(\d+(?:\.\d+){3}) +(\d+(?:\.\d+){3}) +(\S.*?) +(\d+(?:\.\d+){3}) +(\d+)[ \t]*$`)
	persistent = regexp.MustCompile(`^Persist`)
)

// readRoutes prefers Get-NetRoute, which names interfaces and knows IPv6 and all
// compartments; `route print` is what the oldest version has. The two count
// metrics differently (the second adds the interface's), so they are not mixed.
func readRoutes(t textFile, net interfaces) (any, evidence.Gap) {
	list := parseNetRoutes(t.content)
	if len(list) == 0 {
		list = parseRoutePrint(t.content, net.byAddress().indexOf)
	}
	if len(list) == 0 {
		return nil, t.otherwise("%s shows no route; it begins with: %s")
	}
	return list, evidence.Gap{}
}

func parseNetRoutes(s string) []evidence.Route {
	var list []evidence.Route
	for _, m := range netRouteRow.FindAllStringSubmatch(s, maxRoutes) {
		prefix, err := netip.ParsePrefix(m[2])
		hop, ok := leadingAddr(m[3])
		// stored, and in the active store once more
		if err != nil || !ok || persistent.MatchString(m[6]) {
			continue
		}
		list = append(list, evidence.Route{
			Destination: prefix.String(), NextHop: hop.String(), IfIndex: ifNumber(m[1]),
			Metric: number(m[4]),
		})
	}
	return list
}

// listedInterfaces are the interfaces that route print lists above the routes.
func listedInterfaces(s string) (list []evidence.Adapter) {
	for _, m := range interfaceRow.FindAllStringSubmatch(s, maxObjects) {
		mac := strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(m[2]), " ", "-"))
		list = append(list, evidence.Adapter{IfIndex: ifNumber(m[1]), MAC: mac, Description: m[3]})
	}
	return list
}

func parseRoutePrint(s string, indexOf func(netip.Addr) int) []evidence.Route {
	var list []evidence.Route
	for _, m := range routePrintRow.FindAllStringSubmatch(s, maxRoutes) {
		dest, err := netip.ParseAddr(m[1])
		mask, maskErr := netip.ParseAddr(m[2])
		own, ownErr := netip.ParseAddr(m[4])
		if err != nil || maskErr != nil || ownErr != nil {
			continue
		}
		bits, ok := maskBits(mask)
		if !ok {
			continue
		}
		hop := "0.0.0.0" // on-link, as Get-NetRoute writes it
		if ip, err := netip.ParseAddr(m[3]); err == nil {
			hop = ip.String()
		}
		list = append(list, evidence.Route{
			Destination: netip.PrefixFrom(dest, bits).String(), NextHop: hop, IfIndex: indexOf(own),
			Metric: number(m[5]),
		})
	}
	return list
}

// readPorts needs both files: half a table would read as no exclusions, or as no dynamic range.
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
