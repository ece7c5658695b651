package evidence

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// CNIConfig is a CNI configuration of any Windows plugin, in one shape. The
// settings are those in effect for pods: of the first plugin, and for flannel
// those of its delegate before its own.
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

// CNIFiles returns those of the names that containerd takes for configurations,
// in its order: bytewise, so 0-containerd-nat.conf is before 10-flannel.conf
// and upper case before lower.
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
