package foreign

import (
	"cmp"
	"encoding/json"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
	"doctor/collectors/netsh"
)

// What single outputs show of the machine and its runtime. The layout has few half lists: what an
// output shows of a list without showing all of it becomes a gap that says so.

// convertObjects writes what PowerShell's lists and tables show.
func (p *pieces) convertObjects(out *output) {
	for _, o := range p.shown[psComputer] {
		out.computer(o)
	}
	if list := p.shown[psVersion]; len(list) > 0 && !out.Has("os.json") {
		out.write("os.json")(readOS(textFile{name: "OSVersion",
			content: list[0].get("VersionString", "Version")}))
	}
	if list := p.shown[psHotfixes]; len(list) > 0 && !out.Has("hotfixes.json") {
		out.JSON("hotfixes.json", hotfixesOf(p.namesOf(psHotfixes, "HotFixID", "")))
	}
	features := map[string]string{}
	for _, o := range p.shown[psFeatures] {
		state := strings.ToLower(o.get("Install State", "InstallState", "State"))
		if known := featureStates[state]; known != "" {
			name := o.get("Name", "FeatureName")
			if name == "Microsoft-Hyper-V" { // as an optional feature
				name = "Hyper-V"
			}
			features[name] = known
		}
	}
	if len(features) >= leastFeatures {
		out.JSON("features.json", features)
	}
	var names []string
	for _, name := range sortedKeys(features) {
		names = append(names, name+" "+features[name])
	}
	out.partial("features.json", "the list of features", names, features)
	p.convertFirewall(out)
	p.convertState(out)
}

// leastFeatures is how many a whole Get-WindowsFeature lists at least.
const leastFeatures = 40

var featureStates = map[string]string{"installed": "installed", "enabled": "installed",
	"available": "available", "disabled": "available", "removed": "absent",
	"disabledwithpayloadremoved": "absent", "installpending": "pending", "enablepending": "pending"}

// namesOf are the objects of a class, each by its name and some of its properties.
func (p *pieces) namesOf(class, name, otherwise string, properties ...string) (names []string) {
	for _, o := range p.shown[class] {
		text := o.get(name, otherwise)
		for _, property := range properties {
			if v := o.fields[property]; v != "" {
				text += " " + v
			}
		}
		names = append(names, clip(strings.TrimSpace(text)))
	}
	return names
}

// computer writes Get-ComputerInfo.
func (o *output) computer(c psObject) {
	build := number(c.get("OsBuildNumber", "BuildNumber"))
	if m := buildLab.FindStringSubmatch(c.get("WindowsBuildLabEx")); build == 0 && m != nil {
		build = number(m[1])
	}
	if build == 0 || o.Has("os.json") {
		return
	}
	o.JSON("os.json", evidence.OS{Build: build,
		ProductName:      strings.TrimPrefix(c.get("OsName", "WindowsProductName", "Caption"), "Microsoft "),
		DisplayVersion:   c.get("OSDisplayVersion", "WindowsVersion"),
		Edition:          c.get("WindowsEditionId"),
		InstallationType: c.get("WindowsInstallationType"),
		Machine: evidence.Machine{Manufacturer: c.get("CsManufacturer"),
			Model: c.get("CsModel")}})
	var fixes []string
	if values, whole := listValues(c.get("OsHotFixes")); whole {
		for _, v := range values {
			fixes = append(fixes, hotfixID.FindString(v))
		}
		o.JSON("hotfixes.json", hotfixesOf(fixes))
	}
}

var buildLab = regexp.MustCompile(`^(\d{5})\.`)

// convertAdapters writes what shows adapters without all of their addresses.
func (p *pieces) convertAdapters(out *output) {
	var shown []string
	shown = append(shown, p.namesOf(psAdapters, "Name", "InterfaceAlias", "Status", "MacAddress",
		"IPv4Address")...)
	shown = append(shown, p.namesOf(psAddresses, "InterfaceAlias", "ifIndex", "IPAddress")...)
	for _, i := range p.interfacesOf() {
		shown = append(shown, i.Name)
	}
	for _, a := range dumpedAdapters(p.texts[partNetshDump]) {
		shown = append(shown, clip(strings.TrimSpace(a.Name+" "+strings.Join(a.Addresses, " "))))
	}
	out.partial("adapters.json", "the list of adapters", shown, p.partOfAdapters())
}

// interfacesOf are the rows of netsh and of Get-NetIPInterface, which tell MTUs.
func (p *pieces) interfacesOf() []evidence.Adapter {
	list := parseNetshInterfaces(p.texts[partNetsh], false)
	for _, o := range p.shown[psInterfaces] {
		list = append(list, evidence.Adapter{IfIndex: ifNumber(o.get("ifIndex", "InterfaceIndex")),
			MTU: limited(number(o.get("NlMtu(Bytes)", "NlMtu"))), Name: o.get("InterfaceAlias")})
	}
	return list
}

// partOfAdapters joins by their index what cmdlets and netsh tell of adapters, and by their name
// where no index is printed.
func (p *pieces) partOfAdapters() []evidence.Adapter {
	list, at := []evidence.Adapter(nil), map[int]int{}
	adapter := func(index int, name string) *evidence.Adapter {
		i, known := at[index]
		if index == 0 {
			i = slices.IndexFunc(list, func(a evidence.Adapter) bool { return a.Name == name })
			known = i >= 0
		}
		if !known {
			i = len(list)
			at[index], list = i, append(list, evidence.Adapter{IfIndex: index})
		}
		list[i].Name = cmp.Or(list[i].Name, name)
		return &list[i]
	}
	for _, n := range netAdaptersOf(p.fieldsOf(psAdapters)) {
		a := adapter(n.IfIndex, n.Name)
		a.Description, a.Status, a.MAC = n.Description, n.Status, n.MAC
	}
	for _, n := range p.interfacesOf() {
		a := adapter(n.IfIndex, n.Name)
		a.MTU = cmp.Or(n.MTU, a.MTU)
	}
	list = append(list, dumpedAdapters(p.texts[partNetshDump])...)
	for _, n := range addressesOf(p.fieldsOf(psAddresses)) {
		a := adapter(n.ifIndex, n.alias)
		a.Addresses = append(a.Addresses, n.prefix.String())
	}
	return list
}

// dumpedAdapters are the interfaces of `netsh interface dump` that somebody configured.
func dumpedAdapters(s string) (list []evidence.Adapter) {
	for _, row := range dumpedRow.FindAllString(s, maxObjects) {
		v := map[string]string{}
		for _, m := range dumpedValue.FindAllStringSubmatch(row, maxFields) {
			v[m[1]] = m[2] + m[3]
		}
		name := cmp.Or(v["interface"], v["name"])
		at := slices.IndexFunc(list, func(a evidence.Adapter) bool { return a.Name == name })
		if name == "" || strings.HasPrefix(row, "add route") {
			continue
		}
		if at < 0 {
			at, list = len(list), append(list, evidence.Adapter{Name: evidence.Clean(name)})
		}
		list[at].MTU = cmp.Or(limited(number(v["mtu"])), list[at].MTU)
		ip, err := netip.ParseAddr(v["address"])
		mask, maskErr := netip.ParseAddr(v["mask"])
		if bits, ok := maskBits(mask); err == nil && maskErr == nil && ok && bits <= ip.BitLen() {
			list[at].Addresses = append(list[at].Addresses, netip.PrefixFrom(ip, bits).String())
		}
	}
	return list
}

// Of the list of one service, or of few: their state is in the gap.
func (p *pieces) convertServices(out *output, sc textFile) {
	listed, configs, cut := parseSC(sc.content)
	printed := printedServices(p.fieldsOf(psServices))
	services := joinServices(configs, listed, printed)
	if len(listed) >= enoughServices && !cut || len(printed) >= enoughServices {
		out.JSON("services.json", services)
	}
	var shown []string
	for _, s := range services {
		shown = append(shown, s.Name+" "+s.State)
	}
	for _, m := range nssmSetting.FindAllStringSubmatch(p.texts[partNSSM], maxShown) {
		shown = append(shown, "of "+m[1]+" "+clip(m[2]))
	}
	for _, m := range scPath.FindAllStringSubmatch(sc.content, maxShown) {
		shown = append(shown, clip(m[1]+" "+strings.TrimSpace(m[2])))
	}
	out.partial("services.json", "the list of services", shown, services)
}

// createsService is a command that creates a service, or a script's line that says so. What it
// prints is the service before its first start.
var createsService = regexp.MustCompile(
	`(?i)\bnew-service\b|\b(?:creat(?:e|es|ed|ing)|install(?:s|ed|ing)?|` +
		`register(?:s|ed|ing)?)\b.*service`)

var (
	nssmSetting = regexp.MustCompile(`(?im)nssm(?:\.exe)?"? (?:install|set) (\S+) (.*)$`)
	scPath      = regexp.MustCompile(
		`SERVICE_NAME *: *(\S+)[^\n]*\n(?:[ \t][^\n]*\n)*?\s+BINARY_PATH_NAME\s*:([^\n]*)`)
)

// Of `netstat -ano`, whose states are translated, and with -b the program in the lines below.
var (
	netstatRow = regexp.MustCompile(
		`^\s*(TCP|UDP)\s+(\[?[0-9A-Fa-f.:%]+\]?|\*):(\d{1,5})` +
			`\s+(\S+):(\d+|\*)(?:\s+(\S.*?))??(?:\s+(\d+))?\s*$`)
	netstatProgram = regexp.MustCompile(`^\s*\[([^\]]+)\]\s*$`)
)

// parseNetstat lists the sockets that wait for connections or packets.
func parseNetstat(s string) (list []evidence.PortListener) {
	unnamed := 0
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		if m := netstatProgram.FindStringSubmatch(line); m != nil {
			for ; unnamed > 0 && unnamed <= len(list); unnamed-- {
				list[len(list)-unnamed].Process = evidence.Clean(m[1])
			}
			continue
		}
		m := netstatRow.FindStringSubmatch(line)
		if m == nil || len(list) == maxObjects {
			continue
		}
		unnamed = 0
		listens := m[1] == "UDP" || (m[5] == "0" || m[5] == "*") &&
			(m[4] == "0.0.0.0" || m[4] == "[::]" || m[4] == "*")
		address, _, _ := strings.Cut(strings.Trim(m[2], "[]"), "%")
		if port := number(m[3]); listens && port <= 65535 {
			list = append(list, evidence.PortListener{Protocol: strings.ToLower(m[1]),
				Address: address, Port: port})
			unnamed = 1
		}
	}
	return list
}

// convertPorts writes the ranges and the listeners, whichever are shown.
func (p *pieces) convertPorts(out *output, excluded, dynamic textFile) {
	var table evidence.PortTable
	if !excluded.missing && !dynamic.missing {
		if both, gap := readPorts(excluded, dynamic); gap.Kind == "" {
			table = both.(evidence.PortTable)
		}
	} else if !excluded.missing {
		if ranges, whole := netsh.Excluded(excluded.content); whole["tcp"] || whole["udp"] {
			table.Excluded = ranges
		}
	} else if !dynamic.missing {
		table.Dynamic = netsh.Dynamic(dynamic.content)
	}
	table.Listener = append(parseNetstat(p.texts[partNetstat]), p.listeners()...)
	if len(table.Excluded)+len(table.Dynamic)+len(table.Listener) > 0 {
		out.JSON("ports.json", table)
	}
}

// listeners are the sockets of Get-NetTCPConnection that wait. It has no names of processes.
func (p *pieces) listeners() (list []evidence.PortListener) {
	for _, o := range p.fieldsOf(psConnections) {
		if port := number(o["LocalPort"]); port > 0 && strings.EqualFold(o["State"], "Listen") {
			list = append(list, evidence.PortListener{Protocol: "tcp",
				Address: evidence.Clean(o["LocalAddress"]), Port: port})
		}
	}
	return list
}

// reached are the attempts of Test-NetConnection. It does not say why one failed.
func (p *pieces) reached() (list []evidence.ReachProbe) {
	for _, o := range p.fieldsOf(psReach) {
		address, port := o["RemoteAddress"], number(o["RemotePort"])
		if _, err := netip.ParseAddr(address); err != nil || port == 0 {
			continue
		}
		r := evidence.ReachProbe{Target: net.JoinHostPort(address, strconv.Itoa(port)),
			From: evidence.FromNode, Protocol: "tcp", Outcome: "ok"}
		if !strings.EqualFold(o["TcpTestSucceeded"], "True") {
			r.Outcome, r.Why = "error", "Test-NetConnection failed"
		}
		if podInterface.MatchString(o["InterfaceAlias"]) { // it ran in a container
			r.From = "unknown/" + evidence.Clean(o["SourceAddress"])
		}
		list = append(list, r)
	}
	return list
}

// Of kubectl version, as text: the server's, which the short form has in one line.
var apiServerVersion = regexp.MustCompile(
	`(?m)^Server Version: (?:(v\d\S*)|version\.Info\{.*?GitVersion:"(v[^"]*)")|` +
		`^serverVersion:\n(?: .*\n)*? +gitVersion: (v\S+)`)

func kubectlVersion(s string) json.RawMessage {
	if m := apiServerVersion.FindStringSubmatch(s); m != nil {
		return jsonOf(map[string]string{"gitVersion": m[1] + m[2] + m[3]})
	}
	return nil
}
