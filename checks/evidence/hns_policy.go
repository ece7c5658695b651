package evidence

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

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
