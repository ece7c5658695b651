package evidence

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// The objects of the Host Networking Service. Windows lists them in two shapes:
// v1 (Get-HnsNetwork of the inbox module) and v2 (HCN). Both decode to the types
// below, under the names of v2. Ids are in lower case without braces, so that
// they compare; an all-zero id is "". MACs read 00-15-5D-BB-6E-B1.
//
// Truncated means that the recorder cut inner values off (ConvertTo-Json without
// -Depth): whatever is empty in such an object is unknown rather than empty.

// HNSNetwork is one virtual network.
type HNSNetwork struct {
	Placed `json:"-"`
	ID     string
	Name   string
	// NAT, L2Bridge, Overlay, Transparent, …: spelt as HCN spells them; "" where v1 did not say
	Type string
	// v2: the policy ProviderAddress; empty on L2Bridge and Overlay is a broken network
	ManagementIP string
	AdapterName  string         // the adapter that it is bound to: "Ethernet 2"
	DRMAC        string         // MAC of its distributed router; overlay only
	Subnets      []HNSSubnet    // of all address pools
	Policies     []HNSPolicy    // of the network itself
	Extensions   []HNSExtension // switch extensions; v1 only, so empty says nothing in v2
	SchemaMajor  int            // 1 or 2: the shape that it was recorded in
	Truncated    bool           // inner values are lost
}

// HNSSubnet is an address range of a network.
type HNSSubnet struct {
	Prefix  string     // 10.244.3.0/24
	Gateway string     // next hop of the default route
	VSID    uint64     // the VNI of an overlay; 0 where there is none
	Routes  []HNSRoute // v2 only
}

// HNSRoute is a route of a subnet or an endpoint.
type HNSRoute struct {
	Prefix  string // 0.0.0.0/0
	NextHop string
}

// HNSDNS is the resolver setting that HNS hands to a container.
type HNSDNS struct {
	Servers []string
	Search  []string // suffixes in the order in which they are tried
}

// HNSExtension is an extension of a virtual switch. Its name is translated, its id is not.
type HNSExtension struct {
	ID      string
	Name    string
	Enabled bool
}

// HNSEndpoint is one port of a network: a pod's, the host's, or a remote pod's.
type HNSEndpoint struct {
	Placed      `json:"-"`
	ID          string
	Name        string
	NetworkID   string
	NamespaceID string     // "" where it is in none
	Addresses   []string   // 10.244.1.5/24, or bare where no prefix length is known
	MAC         string     // 00-15-5D-BB-6E-B1
	Gateway     string     // the IPv4 one where it has two
	DNS         HNSDNS     // as the pod sees it
	Routes      []HNSRoute // v2 only
	Flags       uint64     // v2 only
	Remote      bool       // stands for a pod of another node
	// 1 created, 2 attached, 3 shared, 4 detached, 5 degraded, 6 destroyed; nil in v2
	State       *uint64
	Policies    []HNSPolicy // in the order in which they were recorded
	SchemaMajor int         // 1 or 2
	Truncated   bool        // inner values are lost
}

// HNSLoadBalancer is how kube-proxy's rules look in HNS; a "policy list" in v1.
type HNSLoadBalancer struct {
	Placed      `json:"-"`
	ID          string
	SourceVIP   string
	VIPs        []string // none: the rule of a node port
	Endpoints   []string // ids of the backends
	Ports       []HNSPort
	Flags       uint64 // 1 DSR, 2 IPv6; worked out for v1
	DSR         bool
	State       *uint64 // v1 only
	SchemaMajor int     // 1 or 2
	Truncated   bool    // inner values are lost
}

// HNSPort is one port mapping of a load balancer.
type HNSPort struct {
	Protocol string // tcp, udp, or the protocol's number
	Internal int
	External int
	// 0 by connection; 1 and 2 keep a client at one backend; v2 only
	Distribution uint64
	Flags        uint64 // 1 ILB, 2 local routed VIP, 4 mux, 8 preserve DIP
}

// HNSNamespace is a network compartment: a pod's sandbox, or the host.
type HNSNamespace struct {
	Placed        `json:"-"`
	ID            string
	CompartmentID uint64   // 0 where unknown
	Endpoints     []string // ids
	Containers    []string // ids
	Truncated     bool     // inner values are lost
}

// HNSGlobals is hns-globals.json.
type HNSGlobals struct {
	Version HNSRelease `json:"Version"`
}

// HNSRelease is a version of the service, which decides what it can do.
type HNSRelease struct {
	Major int
	Minor int
}

// Known tells whether a version was recorded.
func (v HNSRelease) Known() bool { return v != HNSRelease{} }

// AtLeast tells whether v is that version or a later one. Some features came to
// several majors at once; ask for each of them.
func (v HNSRelease) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

// String is the version as HNS writes it, such as "13.3".
func (v HNSRelease) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// HNSPolicy is one policy of a network or an endpoint. The flat policies of v1
// have the names and the settings of v2 here.
type HNSPolicy struct {
	Type      string         // OutBoundNAT, SDNRoute, ProviderAddress, …; "" where it is lost
	Settings  map[string]any // keys in lower case; numbers are json.Number
	Truncated bool           // some or all of its settings are lost
}

// The spellings of v2, and the names of v1 that differ by more than case.
var (
	hnsPolicyNames = []string{"OutBoundNAT", "SDNRoute", "ACL", "PortMapping", "ProviderAddress",
		"L4WFPPROXY", "L4Proxy",
		"QOS", "EncapOverhead", "PortName", "Iov", "InterfaceConstraint", "L2Driver", "TierAcl",
		"Encryption", "VLAN", "VSID",
		"InterfaceParameters", "SourceMacAddress", "NetAdapterName", "DrMacAddress", "AutomaticDNS",
		"VSwitchExtension",
		"VxlanPort", "HostRoute", "LayerConstraint", "SetPolicy", "NetworkACL", "RemoteSubnetRoute",
		"VNET", "Isolation",
		"ELB", "PROXY"}
	hnsPolicyOldNames = map[string]string{"route": "SDNRoute", "pa": "ProviderAddress",
		"nat": "PortMapping"}
	hnsSettingNames = map[string]map[string]string{
		"OutBoundNAT":     {"vip": "virtualip"},
		"ProviderAddress": {"pa": "provideraddress"},
		"VSID":            {"vsid": "isolationid"},
		"VLAN":            {"vlan": "isolationid"},
		"DrMacAddress":    {"drmacaddress": "address"},
	}
)

// canonical returns the member of names that is s in another case, or s.
func canonical(s string, names []string) string {
	if i := slices.IndexFunc(names, func(n string) bool {
		return strings.EqualFold(n, s)
	}); i >= 0 {
		return names[i]
	}
	return s
}

func hnsPolicy(o *hnsObject) HNSPolicy {
	settings, kind := o.object("Settings"), o.text("Type")
	p := HNSPolicy{Type: canonical(cmp.Or(hnsPolicyOldNames[strings.ToLower(kind)], kind), hnsPolicyNames),
		Settings: map[string]any{}}
	names := hnsSettingNames[p.Type]
	set := func(fields map[string]any) {
		for _, key := range sortedKeys(fields) {
			if fields[key] != nil && key != "type" && key != "settings" {
				p.Settings[cmp.Or(names[key], key)] = fields[key]
			}
		}
	}
	set(o.fields)
	if settings != nil {
		set(settings.fields)
	}
	if p.Type == "OutBoundNAT" {
		// v2 says Exceptions and v1 ExceptionList; recorders have been seen to mix them.
		old, now := p.Settings["exceptionlist"], p.Settings["exceptions"]
		p.Truncated = isLost(old) || isLost(now)
		delete(p.Settings, "exceptionlist")
		if list := Unique(append(splitList(now), splitList(old)...)); len(list) > 0 {
			p.Settings["exceptions"] = list
		}
	}
	for _, value := range p.Settings {
		p.Truncated = p.Truncated || isLost(value)
	}
	p.Truncated = p.Truncated || o.cut || settings != nil && settings.cut || o.lost("Settings")
	o.state.cut = o.state.cut || p.Truncated
	return p
}

// Text returns a setting as text; "" where it is not there.
func (p HNSPolicy) Text(key string) string {
	s, _ := scalar(p.Settings[strings.ToLower(key)])
	return s
}

// Number returns a setting as a number.
func (p HNSPolicy) Number(key string) (uint64, bool) {
	n, err := toNumber(p.Settings[strings.ToLower(key)])
	return n, err == nil
}

// isTrue tells whether a setting is true.
func (p HNSPolicy) isTrue(key string) bool {
	b, _ := toBool(p.Settings[strings.ToLower(key)])
	return b
}

// List returns a setting that holds several texts.
func (p HNSPolicy) List(key string) []string { return splitList(p.Settings[strings.ToLower(key)]) }

// HNSOutBoundNAT is the policy by which what leaves the pod gets the node's address.
type HNSOutBoundNAT struct {
	// destinations that see the pod's own address; verbatim, so not always CIDRs
	Exceptions   []string
	Destinations []string // where it is for these destinations only
	Truncated    bool     // inner values are lost
}

// OutBoundNAT lists the endpoint's policies of that type.
func (e HNSEndpoint) OutBoundNAT() []HNSOutBoundNAT {
	var list []HNSOutBoundNAT
	for p := range policiesOf(e.Policies, "OutBoundNAT") {
		list = append(list, HNSOutBoundNAT{p.List("Exceptions"), p.List("Destinations"),
			p.Truncated})
	}
	return list
}

// HNSSDNRoute says where an endpoint sends what is for a prefix.
type HNSSDNRoute struct {
	Prefix    string
	NextHop   string
	NeedEncap bool
	Truncated bool // inner values are lost
}

// SDNRoutes lists the endpoint's policies of that type.
func (e HNSEndpoint) SDNRoutes() []HNSSDNRoute {
	var list []HNSSDNRoute
	for p := range policiesOf(e.Policies, "SDNRoute") {
		list = append(list, HNSSDNRoute{p.Text("DestinationPrefix"), p.Text("NextHop"),
			p.isTrue("NeedEncap"), p.Truncated})
	}
	return list
}

// providerAddress is the node address that an endpoint's encapsulated packets carry.
func providerAddress(policies []HNSPolicy) string {
	for p := range policiesOf(policies, "ProviderAddress") {
		if s := p.Text("ProviderAddress"); s != "" {
			return s
		}
	}
	return ""
}

// HNSRemoteSubnet is the way to another node's pods.
type HNSRemoteSubnet struct {
	Prefix          string // the other node's pod CIDR
	ProviderAddress string // the other node's address
	DRMAC           string // the other node's distributed router
	VNI             uint64
	Truncated       bool // inner values are lost
}

// RemoteSubnets lists what the network's RemoteSubnetRoute policies say.
func (n HNSNetwork) RemoteSubnets() []HNSRemoteSubnet {
	var list []HNSRemoteSubnet
	for p := range policiesOf(n.Policies, "RemoteSubnetRoute") {
		vni, _ := p.Number("IsolationId")
		list = append(list, HNSRemoteSubnet{p.Text("DestinationPrefix"), p.Text("ProviderAddress"),
			hnsMAC(p.Text("DistributedRouterMacAddress")), vni, p.Truncated})
	}
	return list
}

func policiesOf(policies []HNSPolicy, name string) iter.Seq[HNSPolicy] {
	return func(yield func(HNSPolicy) bool) {
		for _, p := range policies {
			if p.Type == name && !yield(p) {
				return
			}
		}
	}
}
