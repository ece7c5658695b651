package evidence

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// CNIConfig is a CNI configuration of any Windows plugin, in one shape. The settings are those in
// effect for pods: of the first plugin, and for flannel those of its delegate before its own.
type CNIConfig struct {
	CNISettings
	BOM     bool   // a byte order mark is in front, which containerd and host-local do not accept
	List    bool   // it has plugins[], the form of a .conflist
	Name    string // "" where it is absent, which a list may not be
	Version string // cniVersion
	Type    string // of the first plugin; "" where it is absent, which nothing accepts
	Plugins []CNIPlugin
}

// CNIPlugin is one plugin of a configuration, as it is written.
type CNIPlugin struct {
	CNISettings
	Spot
	Type     string
	Delegate *CNIPlugin
}

// CNISettings are the settings that plugins have in common, and the ones of
// some plugins that a diagnosis needs.
type CNISettings struct {
	APIVersion      int // 0 where it is absent, which win-bridge and win-overlay take for 1
	Policies        []CNIPolicy
	Exceptions      []CNIExceptions
	Routes          []CNIRoute
	ProviderAddress string

	DNS          CNIDNS
	IPAM         CNIIPAM
	Capabilities map[string]bool

	Mode              string // calico: vxlan or ""; azure-vnet: bridge
	SubnetFile        string // flannel
	IPMasq            bool
	EndpointMacPrefix string
	LoopbackDSR       bool
	VPCCIDRs          []string // vpc-bridge: SNAT exceptions too
	ServiceCIDR       string   // vpc-bridge, azure-vnet
}

// CNIPolicy is one entry of the policies of a configuration, whatever its type.
type CNIPolicy struct {
	Spot
	Name string
	Type string
}

// CNIExceptions is one OutBoundNAT policy: the destinations that keep the pod's
// address. One that has only Destinations is for loopback and excepts nothing.
type CNIExceptions struct {
	Spot
	Exceptions   []string
	Destinations []string
	// v1: Value.ExceptionList; v2: Value.Settings.Exceptions; wmco: Value.Settings.ExceptionList
	Shape string
}

// CNIRoute is a ROUTE (v1) or SDNRoute (v2) policy.
type CNIRoute struct {
	Spot
	Prefix    string
	NeedEncap bool
}

// CNIDNS is what pods get as their resolver, unless the runtime says otherwise.
type CNIDNS struct {
	Spot
	Nameservers []string
	Search      []string
}

// CNIIPAM is where pod addresses come from.
type CNIIPAM struct {
	Spot
	Type   string
	Subnet string
	Ranges []string // subnets of all ranges
	Routes []CNIGateway
}

// CNIGateway is a route of the IPAM section.
type CNIGateway struct{ GW string }

// DecodeCNI reads a .conf, .json or .conflist. The error of a file that is not
// valid JSON is a *SyntaxFault; keys in any case, absent fields and versions
// that a plugin does not support are no errors here, for checks to judge.
func DecodeCNI(b []byte) (*CNIConfig, error) {
	text, bom := trimBOM(b)
	root, err := parseJSONObject(text)
	if err != nil {
		return nil, err
	}
	c := &CNIConfig{BOM: bom, Name: root.Lookup("name").Text(),
		Version: root.Lookup("cniVersion").Text()}
	if plugins := root.Lookup("plugins"); plugins != nil {
		c.List = true
		for _, p := range plugins.Items() {
			c.Plugins = append(c.Plugins, readCNIPlugin(p, 0))
		}
	} else {
		c.Plugins = []CNIPlugin{readCNIPlugin(root, 0)}
	}
	if len(c.Plugins) == 0 {
		return c, nil
	}
	first := c.Plugins[0]
	c.Type, c.CNISettings = first.Type, first.CNISettings
	if first.Delegate != nil {
		c.CNISettings = first.Delegate.over(first.CNISettings)
	}
	return c, nil
}

// trimBOM drops byte order marks. UTF-16 was decoded before, but its mark may be left.
func trimBOM(b []byte) (rest []byte, bom bool) {
	_, n := byteOrderMark(b)
	return b[n:], n > 0
}

// EffectiveType is the plugin that makes the pod's endpoint: flannel's delegate,
// which is win-bridge unless it says otherwise, or the first plugin itself.
func (c *CNIConfig) EffectiveType() string {
	if !strings.EqualFold(strings.TrimSuffix(c.Type, ".exe"), "flannel") {
		return c.Type
	}
	if d := c.Plugins[0].Delegate; d != nil {
		return cmp.Or(d.Type, "win-bridge")
	}
	return "win-bridge"
}

// over returns the delegate's settings with those of flannel itself in the gaps.
func (p *CNIPlugin) over(own CNISettings) CNISettings {
	s := p.CNISettings
	s.APIVersion = cmp.Or(s.APIVersion, own.APIVersion)
	s.SubnetFile = cmp.Or(own.SubnetFile, s.SubnetFile)
	if s.DNS.Line == 0 {
		s.DNS = own.DNS
	}
	if s.IPAM.Line == 0 {
		s.IPAM = own.IPAM
	}
	// The runtime reads the capabilities of the plugin that it calls.
	if own.Capabilities != nil {
		s.Capabilities = own.Capabilities
	}
	return s
}

// CNIVersionSupported tells whether a plugin accepts the cniVersion; known is
// false where nothing certain is known about the plugin. Those of
// microsoft/windows-container-networking compare with a fixed list.
func CNIVersionSupported(pluginType, version string) (supported, known bool) {
	switch strings.ToLower(strings.TrimSuffix(pluginType, ".exe")) {
	case "nat", "sdnbridge", "sdnoverlay":
		return slices.Contains([]string{"0.2.0", "0.3.0", "0.4.0", "1.0.0"}, version), version != ""
	}
	return false, false
}

// CNIFiles returns those of the names that containerd takes for configurations, in its order:
// bytewise, so 0-containerd-nat.conf is before 10-flannel.conf and upper case before lower.
func CNIFiles(names []string) []string {
	var list []string
	for _, name := range names {
		if slices.Contains([]string{".conf", ".conflist", ".json"},
			path.Ext(strings.ReplaceAll(name, `\`, "/"))) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

var placeholder = regexp.MustCompile(
	`<[^<>]*>` + // <service CIDR>
		`|\{\{.*\}\}` + // {{ .ServiceCIDR }}
		`|__\w+__` + // __SERVICE_CIDR__
		// $env:POD_CIDR, $(hostname), ${CIDR}
		`|\$(?i:env|global|script):\w+|\$\(.+\)|\$\{?[A-Za-z_]\w*` +
		`|(?:^|[^{])%\w+%` + // %POD_CIDR%, but not {%namespace%}, which vpc-bridge fills in itself
		`|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:/\d+)?$`) // KUBERNETES_SERVICE_CIDR

// Placeholder tells whether a value is one of a template that nobody filled in.
func Placeholder(s string) bool {
	return len(s) < 4096 && placeholder.MatchString(strings.TrimSpace(s))
}

// readCNIPlugin reads one plugin. A delegate of a delegate is nothing that any
// plugin reads, so the depth ends there.
func readCNIPlugin(n *jsonNode, depth int) CNIPlugin {
	p := CNIPlugin{Spot: spotOf(n), Type: n.Lookup("type").Text(), CNISettings: readCNISettings(n)}
	if d := n.Lookup("delegate"); d != nil && d.Kind == '{' && depth == 0 {
		delegate := readCNIPlugin(d, depth+1)
		p.Delegate = &delegate
	}
	return p
}

func readCNISettings(n *jsonNode) CNISettings {
	s := CNISettings{
		APIVersion:   n.Lookup("apiVersion").Number(),
		IPAM:         readCNIIPAM(n.Lookup("ipam")),
		Capabilities: n.Lookup("capabilities").Truths(),
		Mode:         n.Lookup("mode").Text(),
		SubnetFile:   n.Lookup("subnetFile").Text(),
		IPMasq:       n.Lookup("ipMasq").Truth(),
		EndpointMacPrefix: cmp.Or(n.Lookup("endpointMacPrefix").Text(),
			n.Lookup("vxlan_mac_prefix").Text()),
		VPCCIDRs:    n.Lookup("vpcCIDRs").Texts(),
		ServiceCIDR: cmp.Or(n.Lookup("serviceCIDR").Text(), n.Lookup("serviceCidrs").Text()),
	}
	if dns := n.Lookup("dns"); dns != nil {
		s.DNS = CNIDNS{spotOf(dns), dns.Lookup("nameservers").Texts(), dns.Lookup("search").Texts()}
	}
	for _, where := range [][]string{{"loopbackDSR"}, {"optionalFlags", "loopbackDSR"},
		{"windowsSettings", "enableLoopbackDSR"}, {"windows_loopback_DSR"}} {
		s.LoopbackDSR = s.LoopbackDSR || n.Lookup(where...).Truth()
	}
	for _, key := range []string{"policies", "AdditionalArgs"} {
		for _, item := range n.Lookup(key).Items() {
			s.addPolicy(item)
		}
	}
	return s
}

func (s *CNISettings) addPolicy(item *jsonNode) {
	value := item.Lookup("value")
	kind, settings := value.Lookup("type").Text(), value.Lookup("settings")
	s.Policies = append(s.Policies, CNIPolicy{spotOf(item), item.Lookup("name").Text(), kind})
	switch strings.ToLower(kind) {
	case "outboundnat":
		s.Exceptions = append(s.Exceptions, readCNIExceptions(value, settings, spotOf(item))...)
	case "route", "sdnroute":
		from := cmp.Or(settings, value)
		s.Routes = append(s.Routes, CNIRoute{spotOf(item), from.Lookup("destinationPrefix").Text(),
			from.Lookup("needEncap").Truth()})
	case "provideraddress", "pa":
		s.ProviderAddress = cmp.Or(settings.Lookup("providerAddress").Text(),
			value.Lookup("providerAddress").Text(), value.Lookup("pa").Text(), s.ProviderAddress)
	}
}

// readCNIExceptions gives one entry for each shape that the policy has: which
// of them counts depends on the plugin and its apiVersion.
func readCNIExceptions(value, settings *jsonNode, policy Spot) []CNIExceptions {
	var list []CNIExceptions
	for _, shape := range []struct {
		name               string
		node, destinations *jsonNode
	}{
		{"v1", value.Lookup("exceptionList"), value.Lookup("destinations")},
		{"v2", settings.Lookup("exceptions"), settings.Lookup("destinations")},
		{"wmco", settings.Lookup("exceptionList"), settings.Lookup("destinations")},
	} {
		if shape.node != nil {
			list = append(list, CNIExceptions{spotOf(shape.node), shape.node.Texts(),
				shape.destinations.Texts(), shape.name})
		}
	}
	if list != nil {
		return list
	}
	if settings != nil {
		return []CNIExceptions{{policy, nil, settings.Lookup("destinations").Texts(), "v2"}}
	}
	return []CNIExceptions{{policy, nil, value.Lookup("destinations").Texts(), "v1"}}
}

func readCNIIPAM(n *jsonNode) CNIIPAM {
	ipam := CNIIPAM{Spot: spotOf(n), Type: n.Lookup("type").Text(), Subnet: n.Lookup("subnet").Text()}
	for _, r := range n.Lookup("routes").Items() {
		ipam.Routes = append(ipam.Routes, CNIGateway{GW: r.Lookup("gw").Text()})
	}
	for _, set := range n.Lookup("ranges").Items() {
		for _, r := range set.Items() {
			if subnet := r.Lookup("subnet").Text(); subnet != "" {
				ipam.Ranges = append(ipam.Ranges, subnet)
			}
		}
	}
	return ipam
}
