package foreign

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// An interfaces is what the folder tells of adapters: ipconfig, which is always
// there, and the commands of later versions, whose columns are not translated.
type interfaces struct {
	ip        textFile
	sections  []ipSection
	addresses []netIPAddress
	adapterOf []evidence.Adapter // of Get-NetAdapter
	mtus      []evidence.Adapter // of netsh, or of Get-NetIPInterface
	listed    []evidence.Adapter // of the interface list above the routes of route print
}

func readInterfaces(src *source) interfaces {
	ip := src.text("ip.txt")
	return interfaces{
		ip:        ip,
		sections:  parseIPConfig(ip.content),
		addresses: addressesOf(printed(ip.content)),
		adapterOf: netAdaptersOf(printed(src.text("netadapter.txt").content)),
		mtus:      parseNetshInterfaces(src.text("mtu.txt").content, false),
		listed:    listedInterfaces(src.text("routes.txt").content),
	}
}

// adapters makes adapters.json: those that ipconfig shows, since a list without addresses would look
// like adapters that have none, and those that only Get-NetAdapter shows: no IP is bound to them, as
// where a switch took the adapter.
func (n interfaces) adapters() ([]evidence.Adapter, evidence.Gap) {
	list := []evidence.Adapter{}
	for _, sec := range n.sections {
		if sec.heading != "" && len(sec.fields) > 0 {
			list = append(list, n.adapter(sec))
		}
	}
	if len(list) == 0 {
		return nil, n.ip.otherwise("%s shows no adapter; it begins with: %s")
	}
	// two runs of ipconfig, of which one was asked for more
	list = joined(func(have, more evidence.Adapter) bool {
		return have.Name == more.Name && (have.Compartment == more.Compartment || have.Compartment*more.Compartment == 0)
	}, list)
	for _, known := range n.adapterOf {
		if known.Name != "" && !hostAdapter.MatchString(known.Name) && !slices.ContainsFunc(list, func(a evidence.Adapter) bool {
			return a.Name == known.Name || a.IfIndex == known.IfIndex
		}) {
			known.Addresses, known.Gateways = []string{}, []string{}
			list = append(list, known)
		}
	}
	return list, evidence.Gap{}
}

var (
	// Those that ipconfig shows: of switches, whose pods may be left out, and the loopback's.
	hostAdapter = regexp.MustCompile(`(?i)^vEthernet |loopback`)

	// A link-local address has the number of its interface behind it.
	linkLocalZone = regexp.MustCompile(`(?i)^fe80:[0-9a-f:]*%(\d+)`)

	macValue = regexp.MustCompile(`^(?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}$`)
	yesNo    = map[string]bool{"yes": true, "no": false, "是": true, "否": false, "ja": true,
		"nein": false, "oui": true, "non": false,
		"はい": true, "いいえ": false, "sí": true, "sì": true, "si": true, "sim": true, "não": false,
		"да": true, "нет": false, "예": true, "아니요": false, "아니오": false, "tak": true, "nie": false}
)

func (n interfaces) adapter(sec ipSection) evidence.Adapter {
	a := evidence.Adapter{
		Compartment: sec.compartment, DNSSuffix: new(string),
		Addresses: []string{}, Gateways: []string{}, DNSServers: []string{},
	}
	var plain []netip.Addr // addresses whose length only Get-NetIPAddress knows
	for i, f := range sec.fields {
		ips := f.addresses()
		switch {
		case len(f.values) == 1 && macValue.MatchString(f.values[0]):
			a.MAC = f.values[0]
			if i > 0 {
				a.Description = strings.Join(sec.fields[i-1].values, " ")
			}
		case f.has("DHCP"):
			if a.DHCP == nil && len(f.values) == 1 && !f.has("DHCPV6") {
				if yes, known := yesNo[strings.ToLower(f.values[0])]; known {
					a.DHCP = &yes
				}
			}
		case f.has("DNS") && len(ips) > 0:
			a.DNSServers = append(a.DNSServers, texts(ips)...)
		case f.has("DNS") && *a.DNSSuffix == "" && len(f.values) == 1 && a.MAC == "":
			*a.DNSSuffix = f.values[0]
		case len(ips) == 0 || f.has("WINS") || f.has("IAID") || f.has("DUID"):
		case f.has("IPV6"):
			plain = append(plain, ips...)
			if m := linkLocalZone.FindStringSubmatch(f.values[0]); m != nil {
				a.IfIndex = ifNumber(m[1])
			}
		case i+1 < len(sec.fields) && isMaskField(sec.fields[i+1]):
			bits, _ := maskBits(sec.fields[i+1].addresses()[0])
			a.Addresses = append(a.Addresses, netip.PrefixFrom(ips[0], bits).String())
		case isMaskField(f):
		case f.has("IPV4"):
			plain = append(plain, ips...)
		default:
			a.Gateways = append(a.Gateways, texts(ips)...)
		}
	}
	n.name(&a, sec.heading)
	n.enrich(&a, plain)
	return a
}

// isMaskField tells a netmask from a gateway that happens to look like one: a
// field that has no abbreviation in its name and one value of leading ones.
func isMaskField(f ipField) bool {
	ips := f.addresses()
	if len(ips) != 1 || len(f.values) != 1 || f.has("IPV4") || f.has("IPV6") || f.has("DNS") ||
		f.has("DHCP") {
		return false
	}
	bits, ok := maskBits(ips[0])
	return ok && bits > 0
}

// adapterWords end the kind of adapter, in front of its name, in the languages
// that are known here. Another language keeps the whole heading as the name.
var adapterWords = regexp.MustCompile(
	`^.*?(?: adapter |-Adapter |适配器 |介面卡 |アダプター |어댑터 |адаптер |Адаптер Ethernet |Адаптер беспроводной локальной сети |Carte Ethernet |Carte réseau sans fil |Carte inconnue |Adaptador de Ethernet |Adaptador desconocido |Scheda Ethernet |Adaptador Ethernet |Karta Ethernet )`)

// name finds the adapter's name in the heading "Ethernet adapter NAME": the names
// of Get-NetIPAddress are sure, since they stand alone.
func (n interfaces) name(a *evidence.Adapter, heading string) {
	for _, known := range n.addresses {
		if rest, ok := strings.CutSuffix(heading, known.alias); ok &&
			len(known.alias) > len(a.Name) && strings.HasSuffix(rest, " ") {
			a.Name = known.alias
		}
	}
	if at := strings.Index(heading, "vEthernet ("); at >= 0 {
		a.Name = cmp.Or(a.Name, heading[at:])
	}
	a.Name = cmp.Or(a.Name, strings.TrimSpace(heading[len(adapterWords.FindString(heading)):]), heading)
}

// enrich adds what the untranslated commands know of the adapter.
func (n interfaces) enrich(a *evidence.Adapter, plain []netip.Addr) {
	for _, known := range n.addresses {
		if known.alias != a.Name {
			continue
		}
		a.IfIndex = known.ifIndex
		for _, ip := range plain {
			if ip == known.prefix.Addr() {
				a.Addresses = append(a.Addresses, known.prefix.String())
			}
		}
	}
	for _, known := range n.listed {
		if a.IfIndex == 0 && a.MAC != "" && known.MAC == a.MAC && known.Description == a.Description {
			a.IfIndex = known.IfIndex
		}
	}
	for _, known := range n.mtus {
		if known.Name == a.Name || a.IfIndex != 0 && known.IfIndex == a.IfIndex {
			a.IfIndex = cmp.Or(a.IfIndex, known.IfIndex)
			if a.IfIndex == known.IfIndex {
				a.MTU = cmp.Or(known.MTU, a.MTU)
			}
		}
	}
	for _, known := range n.adapterOf {
		switch {
		case a.IfIndex == known.IfIndex:
		case a.IfIndex == 0 && known.MAC != "" && strings.EqualFold(known.MAC, a.MAC) &&
			known.Name == a.Name:
			a.IfIndex = known.IfIndex
		default:
			continue
		}
		a.Status = known.Status
	}
}

// dnsClient makes dns-client.json of the compartment's own block, which holds the
// primary suffix and, where there is one, the search list.
func (n interfaces) dnsClient() (any, evidence.Gap) {
	if n.ip.gap.Kind != "" {
		return nil, n.ip.gap
	}
	for _, sec := range n.sections {
		if sec.heading != "" || len(sec.fields) == 0 {
			continue
		}
		settings := evidence.DNSClientSettings{SuffixSearchList: []string{}}
		seen := 0
		for _, f := range sec.fields {
			if !f.has("DNS") || f.has("WINS") {
				continue
			}
			if seen++; seen == 1 {
				settings.PrimarySuffix = strings.Join(f.values, "")
			} else {
				settings.SuffixSearchList = append(settings.SuffixSearchList, f.values...)
			}
		}
		if seen > 0 {
			return settings, evidence.Gap{}
		}
	}
	return nil, brokenf("%s does not show the host's DNS suffixes", n.ip.name)
}

// indexOf is the interface that has the address, 0 where that is not known.
func (n interfaces) indexOf(ip netip.Addr) int {
	for _, known := range n.addresses {
		if known.prefix.Addr() == ip {
			return known.ifIndex
		}
	}
	return 0
}

func texts(ips []netip.Addr) []string {
	var list []string
	for _, ip := range ips {
		list = append(list, ip.String())
	}
	return list
}

// ifNumber reads an interface's index.
func ifNumber(s string) int {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

// An ipSection is one block of `ipconfig /all`: what holds for the compartment, or
// one adapter. ipconfig is translated, so a block is known by its shape: a heading at
// column 0 that ends in a colon, fields indented by three, further values by far more.
type ipSection struct {
	heading     string // "" for the compartment's own block
	compartment int    // 0 where ipconfig was not asked for all of them
	fields      []ipField
}

type ipField struct {
	key    string
	values []string
}

// Bounds on a hostile ip.txt; a node of 250 pods has some 260 adapters.
const (
	maxSections = 5_000
	maxFields   = 200
)

var (
	ipFieldLine    = regexp.MustCompile(`^\s{1,8}(\S[^:]*?)[ .]*:(?:\s+(.*))?$`)
	compartmentNum = regexp.MustCompile(`\d+`)
	equalsLine     = regexp.MustCompile(`^={10,}\s*$`)
)

// parseIPConfig reads the text up to the output of the next command.
func parseIPConfig(s string) []ipSection {
	var list []ipSection
	compartment, ruled := 0, false
	open := func(heading string) {
		list = append(list, ipSection{heading: heading, compartment: compartment})
	}
	open("")
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \t\n")
		if line == "" {
			continue
		}
		if len(list) > maxSections || strings.HasPrefix(line, "IPAddress ") {
			break
		}
		last := &list[len(list)-1]
		column0 := line[0] != ' ' && line[0] != '\t'
		switch {
		case equalsLine.MatchString(line):
			ruled = true
			continue
		case column0 && ruled && compartmentNum.MatchString(line):
			compartment = number(compartmentNum.FindString(line))
			open("")
		case column0 && (strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：")):
			open(strings.TrimSpace(strings.TrimRight(line, ":：")))
		case column0 && ipconfigHead.MatchString(line): // of one more run
			compartment = 0
			open("")
		case column0:
		default:
			last.take(line)
		}
		ruled = false
	}
	return list
}

func (s *ipSection) take(line string) {
	if m := ipFieldLine.FindStringSubmatch(line); m != nil {
		if len(s.fields) < maxFields {
			f := ipField{key: strings.TrimRight(m[1], " ."), values: nil}
			if v := strings.TrimSpace(m[2]); v != "" {
				f.values = append(f.values, v)
			}
			s.fields = append(s.fields, f)
		}
		return
	}
	if n := len(s.fields); n > 0 && strings.HasPrefix(line, "         ") &&
		len(s.fields[n-1].values) < maxFields {
		s.fields[n-1].values = append(s.fields[n-1].values, strings.TrimSpace(line))
	}
}

// hostName is the first value of the first block, the same in all languages.
func hostName(s string) string {
	for _, sec := range parseIPConfig(s) {
		if sec.heading != "" {
			return ""
		}
		if len(sec.fields) > 0 {
			if f := sec.fields[0]; len(f.values) == 1 && hostNamePattern.MatchString(f.values[0]) {
				return f.values[0]
			}
			return ""
		}
	}
	return ""
}

// has tells whether the field's name holds an abbreviation, which translators leave
// as it is: DNS, DHCP, IPv4, WINS.
func (f ipField) has(word string) bool {
	return strings.Contains(strings.ToUpper(f.key), strings.ToUpper(word))
}

// addresses are the values that are IP addresses, without "(Preferred)" and zone.
func (f ipField) addresses() []netip.Addr {
	var list []netip.Addr
	for _, v := range f.values {
		if ip, ok := leadingAddr(v); ok {
			list = append(list, ip)
		}
	}
	return list
}

func leadingAddr(s string) (netip.Addr, bool) {
	s, _, _ = strings.Cut(s, "(")
	s, _, _ = strings.Cut(s, "（")
	s, _, _ = strings.Cut(strings.TrimSpace(s), "%")
	ip, err := netip.ParseAddr(s)
	return ip, err == nil
}

// maskBits is the length of a netmask, false for what is none.
func maskBits(ip netip.Addr) (int, bool) {
	if !ip.Is4() {
		return 0, false
	}
	mask := binary.BigEndian.Uint32(ip.AsSlice())
	ones := bits.LeadingZeros32(^mask)
	return ones, mask<<ones == 0
}
