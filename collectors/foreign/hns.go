package foreign

import (
	"encoding/json"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// An hnsKind is one list of HNS objects: where collectlogs.ps1 leaves it, and how hnsdiag shows it.
type hnsKind struct {
	path    string // in the layout
	file    string // in the folder
	what    string // in words, plural
	heading string // what a heading of hnsdiag starts with, in lower case
	is      func(record) bool
}

var hnsKinds = []hnsKind{
	{"hns-networks.json", "network.txt", "HNS networks", "network", isNetwork},
	{"hns-endpoints.json", "endpoint.txt", "HNS endpoints", "endpoint", isEndpoint},
	{"hns-loadbalancers.json", "policy.txt", "HNS load balancers", "load", isLoadBalancer},
	{"hns-namespaces.json", "namespaces.txt", "HNS namespaces", "namespace", isNamespace},
}

func isNetwork(r record) bool {
	return r.has("Ipams", "Subnets", "MacPool", "MacPools", "NetworkAdapterName") &&
		!r.has("MacAddress")
}

func isEndpoint(r record) bool {
	return r.has("MacAddress") && r.has("IpConfigurations", "IPAddress", "VirtualNetwork",
		"HostComputeNetwork")
}

func isLoadBalancer(r record) bool { return r.has("FrontendVIPs", "PortMappings", "References") }

func isNamespace(r record) bool {
	return r.has("NamespaceId", "NamespaceGuid", "CompartmentId", "CompartmentGuid") &&
		!r.has("MacAddress")
}

// secondVersion tells HCN's own schema from that of the first HNS.
func secondVersion(r record) bool {
	return r.has("SchemaVersion", "Ipams", "IpConfigurations", "HostComputeNetwork", "FrontendVIPs")
}

// An hnsState is everything the folder says about HNS.
type hnsState struct {
	dumps    []dump // one for each of hnsKinds
	detailed dump
	diag     hnsdiag
	noPorts  bool // the virtual switch answered that it has no port
}

func readHNS(src *source) hnsState {
	s := hnsState{detailed: readDump(src, "networkdetailed.txt"), diag: readHNSDiag(src),
		noPorts: noSwitchPorts(src.text("ports.txt"))}
	for _, k := range hnsKinds {
		s.dumps = append(s.dumps, readDump(src, k.file))
	}
	return s
}

// all lists every record of the folder.
//
//go:noinline
func (s hnsState) all() []record {
	list := append([]record{}, s.detailed.records...)
	for i, d := range s.dumps {
		list = append(append(list, d.records...), s.diag.records[i]...)
	}
	return list
}

// convert writes the lists, and the version, where unversioned is why there may be none.
func (s hnsState) convert(out *output, unversioned evidence.Gap) {
	for i, k := range hnsKinds {
		list, gap := s.list(i)
		switch k.path {
		case "hns-networks.json":
			addDetails(list, s.detailed.records)
		case "hns-endpoints.json":
			addStates(list, s.dumps[i].tables)
		}
		out.either(k.path, list, gap)
	}
	version, ok := hnsVersion(s.all())
	if ok {
		unversioned = evidence.Gap{}
	}
	out.either("hns-globals.json", version, unversioned)
}

// unversioned is that a tool asks for no version, and that no object carries one.
func unversioned(tool string) evidence.Gap {
	return missingf(
		"%s does not ask HNS for its version, and no object in the recording carries one; %s",
		tool, runBundle)
}

// list settles one kind. An empty file proves nothing, so that there is none must
// be said by another source, and only where no file says otherwise.
func (s hnsState) list(i int) ([]record, evidence.Gap) {
	d, path := s.dumps[i], hnsKinds[i].path
	network, endpoint := path == "hns-networks.json", path == "hns-endpoints.json"
	switch {
	case len(d.records) > 0:
		return d.records, evidence.Gap{}
	case network && len(s.detailed.records) > 0:
		return s.detailed.records, evidence.Gap{}
	case len(s.diag.records[i]) > 0:
		return s.diag.records[i], evidence.Gap{}
	case d.none, d.silent && s.diag.none[i]:
		return []record{}, evidence.Gap{}
	case d.silent && s.diag.plain[i] > 0:
		return nil, missingf(
			"hnsdiag was run without -d, and shows of the %d %s their names only; collect `hnsdiag list all -d`", s.diag.plain[i], hnsKinds[i].what)
	// Every network has its switch and every local endpoint its port: without any
	// port there is neither. A load balancer needs no port.
	case d.silent && s.noPorts && !s.answered() && (network || endpoint):
		return []record{}, evidence.Gap{}
	case d.gap.Kind == evidence.NotCollected:
		return nil, missingf("%s is not in the folder, which would hold the %s; %s",
			d.name, hnsKinds[i].what, runBundle)
	case d.silent && s.answered():
		return nil, brokenf(
			"%s is empty: PowerShell writes nothing both for no object and for a call that failed; %s", d.name, runBundle)
	}
	return nil, d.gap
}

// answered tells that HNS gave objects: it ran, and the tool had the rights to ask it.
func (s hnsState) answered() bool { return len(s.all()) > 0 }

// noSwitchPorts reads `vfpctrl /list-vmswitch-port`, which ends with a line of
// success when it could ask the switch.
func noSwitchPorts(t textFile) bool {
	s := strings.ToLower(t.content)
	return strings.Contains(s, "list-vmswitch-port succeeded") &&
		!strings.Contains(s, "port name") && !strings.Contains(s, "portid")
}

// addDetails fills in what networkdetailed.txt says and network.txt does not: up to
// 2022 the plain dump of some builds had no ManagementIP.
func addDetails(list, detailed []record) {
	byID := map[string]record{}
	for _, d := range detailed {
		byID[strings.ToLower(d.text("ID"))] = d
	}
	for _, r := range list {
		d := byID[strings.ToLower(r.text("ID"))]
		if d == nil || r.text("ID") == "" {
			continue
		}
		if secondVersion(r) != secondVersion(d) {
			// Only this field means the same in both schemas and has the same form.
			if ip, ok := d.get("ManagementIP"); ok && r.blank("ManagementIP") {
				r.set("ManagementIP", ip)
			}
			continue
		}
		for key, value := range d {
			if r.blank(key) {
				r.set(key, value)
			}
		}
	}
}

// hnsVersion finds HNS's version in its objects: major<<32 | minor. Objects that
// an older build made keep the older number, so the newest is the build's.
func hnsVersion(list []record) (v struct{ Version struct{ Major, Minor uint32 } }, ok bool) {
	var newest uint64
	for _, r := range list {
		var n uint64
		if value, found := r.get("Version"); found && json.Unmarshal(value, &n) == nil &&
			n>>32 > 0 && n>>32 < 1000 && n&0xffffffff < 1000 {
			newest = max(newest, n)
		}
	}
	v.Version.Major, v.Version.Minor = uint32(newest>>32), uint32(newest)
	return v, newest > 0
}

type endpointState struct {
	remote, state string
	clash         bool // two rows for one endpoint disagree
}

// endpointStates reads the table or list of endpoint.txt, by address and MAC. Mark and state come
// from a second question to HNS and are blank where that failed.
func endpointStates(tables string) map[string]endpointState {
	states := map[string]endpointState{}
	if len(tables) > maxText {
		return states
	}
	for _, o := range printed(tables) {
		ip, _, _ := strings.Cut(first(o, "IpAddress", "IPAddress"), ",")
		key := endpointKey(strings.Trim(ip, "{} "), o["MacAddress"])
		s := endpointState{remote: o["IsRemoteEndpoint"], state: o["State"]}
		if old, ok := states[key]; ok && old != s {
			s.clash = true
		}
		states[key] = s
	}
	return states
}

func endpointKey(ip, mac string) string {
	return strings.ToLower(ip) + " " + strings.ToLower(strings.ReplaceAll(mac, ":", "-"))
}

// addStates gives endpoints the state and the remote mark that only the table
// has: HCN's own objects as hcsshim knows them carry neither.
func addStates(list []record, tables string) {
	states := endpointStates(tables)
	if len(states) == 0 {
		return
	}
	for _, r := range list {
		s, ok := states[endpointKey(endpointIP(r), r.text("MacAddress"))]
		if !ok || s.clash {
			continue
		}
		if n, err := strconv.Atoi(s.state); err == nil && n >= 0 && r.blank("State") {
			r.set("State", json.RawMessage(strconv.Itoa(n)))
		}
		remote := strings.EqualFold(s.remote, "True")
		switch {
		case s.remote == "":
		case !secondVersion(r) && r.blank("IsRemoteEndpoint"):
			r.set("IsRemoteEndpoint", json.RawMessage(strconv.FormatBool(remote)))
		case secondVersion(r) && remote && r.blank("Flags"):
			r.set("Flags", json.RawMessage("1")) // RemoteEndpoint in the words of the second schema
		}
	}
}

func endpointIP(r record) string {
	if ip := r.text("IPAddress"); ip != "" {
		return ip
	}
	var configs []struct{ IpAddress string }
	if v, ok := r.get("IpConfigurations"); ok && json.Unmarshal(v, &configs) == nil &&
		len(configs) > 0 {
		return configs[0].IpAddress
	}
	return ""
}
