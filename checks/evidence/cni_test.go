package evidence

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

const overlayConf = `{
  "cniVersion": "0.2.0",
  "name": "vxlan0",
  "type": "flannel",
  "capabilities": {"portMappings": true, "dns": true},
  "delegate": {
    "type": "win-overlay",
    "apiVersion": 2,
    "DNS": {"Nameservers": ["10.100.0.10"], "Search": ["svc.cluster.local"]},
    "Policies": [
      {"Name": "EndpointPolicy", "Value": {"Type": "OutBoundNAT", "Settings": {"Exceptions": ["10.64.0.0/14", "10.100.0.0/16"]}}},
      {"Name": "EndpointPolicy", "Value": {"Type": "SDNRoute", "Settings": {"DestinationPrefix": "10.100.0.0/16", "NeedEncap": true}}},
      {"Name": "EndpointPolicy", "Value": {"Type": "ProviderAddress", "Settings": {"ProviderAddress": "192.168.7.21"}}}
    ]
  }
}`

func decodeCNI(t *testing.T, text string) *CNIConfig {
	t.Helper()
	c, err := DecodeCNI([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDecodeCNIOfFlannelTakesTheDelegate(t *testing.T) {
	c := decodeCNI(t, overlayConf)
	if c.Name != "vxlan0" || c.Version != "0.2.0" || c.Type != "flannel" ||
		c.EffectiveType() != "win-overlay" || c.APIVersion != 2 || c.List || c.BOM {
		t.Errorf("head is %+v", c)
	}
	if !c.Capabilities["dns"] || c.ProviderAddress != "192.168.7.21" ||
		!slices.Equal(c.DNS.Nameservers, []string{"10.100.0.10"}) || c.DNS.Line != 9 {
		t.Errorf("settings are %+v", c.CNISettings)
	}
	if len(c.Exceptions) != 1 || c.Exceptions[0].Shape != "v2" || c.Exceptions[0].Line != 11 ||
		len(c.Exceptions[0].Exceptions) != 2 {
		t.Errorf("exceptions are %+v", c.Exceptions)
	}
	if want := (CNIRoute{Spot: Spot{12, "/delegate/Policies/1"}, Prefix: "10.100.0.0/16",
		NeedEncap: true}); len(c.Routes) != 1 || c.Routes[0] != want {
		t.Errorf("routes are %+v", c.Routes)
	}
	if len(c.Policies) != 3 || c.Policies[2].Type != "ProviderAddress" {
		t.Errorf("policies are %+v", c.Policies)
	}
}

func TestEffectiveType(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a plugin that is no meta-plugin", `{"type":"sdnbridge"}`, "sdnbridge"},
		{"flannel without a delegate", `{"type":"flannel"}`, "win-bridge"},
		{"flannel with a delegate of no type", `{"type":"flannel","delegate":{"dns":{}}}`,
			"win-bridge"},
		{"flannel in a list",
			`{"name":"n","plugins":[{"type":"flannel","delegate":{"type":"win-overlay"}},{"type":"portmap"}]}`, "win-overlay"},
		{"the first generation keeps its extension", `{"type":"wincni.exe"}`, "wincni.exe"},
		{"no type at all", `{"name":"n"}`, ""},
		{"a list of nothing", `{"name":"n","plugins":[]}`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := decodeCNI(t, row.text).EffectiveType(); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestExceptionsOfEveryShape(t *testing.T) {
	for _, row := range []struct {
		name, policy string
		want         []CNIExceptions
	}{
		{"v1", `{"Type":"OutBoundNAT","ExceptionList":["10.1.0.0/16"]}`,
			[]CNIExceptions{{Exceptions: []string{"10.1.0.0/16"}, Shape: "v1",
				Spot: Spot{Line: 1}}}},
		{"v1 in lower case", `{"type":"outboundnat","exceptionlist":["10.1.0.0/16"]}`,
			[]CNIExceptions{{Exceptions: []string{"10.1.0.0/16"}, Shape: "v1",
				Spot: Spot{Line: 1}}}},
		{"v2", `{"Type":"OutBoundNAT","Settings":{"Exceptions":["10.1.0.0/16"]}}`,
			[]CNIExceptions{{Exceptions: []string{"10.1.0.0/16"}, Shape: "v2",
				Spot: Spot{Line: 1}}}},
		{"wmco", `{"type":"OutBoundNAT","settings":{"exceptionList":["10.1.0.0/16"],"destinationPrefix":""}}`, []CNIExceptions{{Exceptions: []string{"10.1.0.0/16"}, Shape: "wmco", Spot: Spot{Line: 1}}}},
		{"both shapes at once are two",
			`{"Type":"OutBoundNAT","ExceptionList":["a"],"Settings":{"Exceptions":["b"]}}`,
			[]CNIExceptions{{Exceptions: []string{"a"}, Shape: "v1", Spot: Spot{Line: 1}},
				{Exceptions: []string{"b"}, Shape: "v2", Spot: Spot{Line: 1}}}},
		{"destinations alone except nothing",
			`{"Type":"OutBoundNAT","Settings":{"Destinations":["10.1.2.3"]}}`,
			[]CNIExceptions{{Destinations: []string{"10.1.2.3"}, Shape: "v2",
				Spot: Spot{Line: 1}}}},
		{"one exception that ConvertTo-Json unwrapped",
			`{"Type":"OutBoundNAT","ExceptionList":"10.1.0.0/16"}`,
			[]CNIExceptions{{Exceptions: []string{"10.1.0.0/16"}, Shape: "v1",
				Spot: Spot{Line: 1}}}},
		{"none at all", `{"Type":"OutBoundNAT"}`,
			[]CNIExceptions{{Shape: "v1", Spot: Spot{Line: 1}}}},
		{"another policy is none", `{"Type":"ACL","ExceptionList":["x"]}`, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, key := range []string{"policies", "AdditionalArgs"} {
				c := decodeCNI(t, `{"type":"x","`+key+`":[{"name":"EndpointPolicy","value":`+
					row.policy+`}]}`)
				equal := func(a, b CNIExceptions) bool {
					return a.Shape == b.Shape && a.Line == b.Line &&
						slices.Equal(a.Exceptions, b.Exceptions) &&
						slices.Equal(a.Destinations, b.Destinations)
				}
				if !slices.EqualFunc(c.Exceptions, row.want, equal) {
					t.Errorf("%s: got %+v, want %+v", key, c.Exceptions, row.want)
				}
			}
		})
	}
}

func TestDecodeCNISettingsOfOtherPlugins(t *testing.T) {
	c := decodeCNI(t,
		`{"name":"vpc","type":"vpc-bridge","vpcCIDRs":["10.9.0.0/16"],"serviceCIDR":"172.20.0.0/16"}`)
	if !slices.Equal(c.VPCCIDRs, []string{"10.9.0.0/16"}) || c.ServiceCIDR != "172.20.0.0/16" {
		t.Errorf("vpc-bridge: %+v", c.CNISettings)
	}
	c = decodeCNI(t, `{"name":"Calico","type":"calico","mode":"vxlan","vxlan_vni":4096,"windows_loopback_DSR":"true","kubernetes":{"kubeconfig":"c:/etc/cni/net.d/calico-kubeconfig"},
		"policies":[{"Name":"EndpointPolicy","Value":{"Type":"ROUTE","DestinationPrefix":"10.100.0.0/16","NeedEncap":true}}]}`)
	if c.Mode != "vxlan" || !c.LoopbackDSR || len(c.Routes) != 1 {
		t.Errorf("calico: %+v", c.CNISettings)
	}
	c = decodeCNI(t, `{"name":"l2bridge","type":"wincni.exe","master":"Ethernet","dnsCapabilities":{"dns":true},"optionalFlags":{"forceBridgeGateway":true},
		"ipam":{"environment":"azure","subnet":"10.64.3.0/24","routes":[{"GW":"10.64.3.2"}],"ranges":[[{"subnet":"10.64.3.0/24"}],[{"subnet":"fd00::/64"}]]}}`)
	if c.IPAM.Subnet != "10.64.3.0/24" ||
		len(c.IPAM.Routes) != 1 || c.IPAM.Routes[0].GW != "10.64.3.2" ||
		!slices.Equal(c.IPAM.Ranges, []string{"10.64.3.0/24", "fd00::/64"}) {
		t.Errorf("wincni: %+v", c.CNISettings)
	}
	c = decodeCNI(t,
		`{"type":"sdnbridge","AdditionalArgs":["@{Name=EndpointPolicy}",{"Name":"EndpointPolicy","Value":"@{Type=ROUTE}"}]}`)
	if len(c.Policies) != 2 {
		t.Errorf("cut policies: %+v", c.Policies)
	}
}

func TestDecodeCNIFaults(t *testing.T) {
	for _, row := range []struct {
		name, text string
		line       int
		comment    bool
	}{
		{"a number sign", "{\n \"type\": \"x\",\n # the pods\n \"name\": \"y\"}", 3, true},
		{"a comment behind a value", "{\n \"list\": [\n  \"10.0.0.0/8\", # pods\n \"x\"]}", 3,
			true},
		{"two slashes", "// conf\n{}", 1, true},
		{"a missing comma", "{\n\"a\": 1\n\"b\": 2}", 3, false},
		{"an end too early", "{\n\"a\": [", 2, false},
		{"an empty file", " \n", 1, false},
		{"a list", "[]", 1, false},
		{"too many levels", strings.Repeat("[", 300) + strings.Repeat("]", 300), 1, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := DecodeCNI([]byte(row.text))
			var fault *SyntaxFault
			if c != nil || !errors.As(err, &fault) {
				t.Fatalf("got %v, %v", c, err)
			}
			if fault.Line != row.line || fault.Comment != row.comment {
				t.Errorf("got line %d, comment %v (%v), want line %d, comment %v", fault.Line,
					fault.Comment, err, row.line, row.comment)
			}
		})
	}
	if c := decodeCNI(t, "\ufeff"+overlayConf); !c.BOM || c.Name != "vxlan0" {
		t.Errorf("with a byte order mark: %+v", c)
	}
}

func TestCNIFiles(t *testing.T) {
	got := CNIFiles([]string{"10-flannel.conf", "readme.txt", "0-containerd-nat.conf", "Z.json",
		"a.conflist", "10-flannel.conf.bak", "x.CONF"})
	if want := []string{"0-containerd-nat.conf", "10-flannel.conf", "Z.json",
		"a.conflist"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCNIVersionSupported(t *testing.T) {
	for _, row := range []struct {
		plugin, version  string
		supported, known bool
	}{
		{"sdnoverlay", "0.3.0", true, true},
		{"sdnbridge", "0.3.1", false, true},
		{"nat.exe", "1.1.0", false, true},
		{"nat", "", false, false},
		{"win-bridge", "0.3.1", false, false},
	} {
		if s, k := CNIVersionSupported(row.plugin, row.version); s != row.supported ||
			k != row.known {
			t.Errorf("%s %s: got %v, %v", row.plugin, row.version, s, k)
		}
	}
}

func TestPlaceholder(t *testing.T) {
	for _, s := range []string{"<your service cidr>", "KUBERNETES_SERVICE_CIDR", "$env:POD_CIDR",
		"__SERVICE_CIDR__", "{{ .ClusterCIDR }}", "%CLUSTER_CIDR%", "$(hostname)", "${POD_CIDR}",
		"<ip>/24"} {
		if !Placeholder(s) {
			t.Errorf("%q is taken for a value", s)
		}
	}
	for _, s := range []string{"10.96.0.0/12", "", "svc.cluster.local",
		"{%namespace%}.svc.cluster.local", "Ethernet", "fd00::/64", "0E-2A",
		"vEthernet (Ethernet 2)", "flannel.4096"} {
		if Placeholder(s) {
			t.Errorf("%q is taken for a placeholder", s)
		}
	}
}
