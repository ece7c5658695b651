package evidence

import (
	"slices"
	"testing"
)

func TestDecodeFlannelSubnet(t *testing.T) {
	f := DecodeFlannelSubnet(
		"\ufeffFLANNEL_NETWORK=10.64.0.0/14\r\nFLANNEL_SUBNET=10.64.3.1/24\r\nFLANNEL_MTU=1450\r\nFLANNEL_IPMASQ=true\r\n")
	if f.Network != "10.64.0.0/14" || f.Subnet != "10.64.3.1/24" || f.MTU != 1450 ||
		f.IPMasq == nil || !*f.IPMasq || len(f.Missing) != 0 || f.Lines["FLANNEL_SUBNET"] != 2 {
		t.Errorf("got %+v", f)
	}
	for _, row := range []struct {
		name, text string
		missing    []string
	}{
		{"an empty file lacks all", "", []string{"FLANNEL_NETWORK", "FLANNEL_SUBNET", "FLANNEL_MTU",
			"FLANNEL_IPMASQ"}},
		{"IPv6 stands in for IPv4",
			"FLANNEL_IPV6_NETWORK=fd00::/48\nFLANNEL_IPV6_SUBNET=fd00::1/64\nFLANNEL_MTU=1450\nFLANNEL_IPMASQ=false", nil},
		{"an MTU that is no number",
			"FLANNEL_NETWORK=a\nFLANNEL_SUBNET=b\nFLANNEL_MTU=x\nFLANNEL_IPMASQ=false",
			[]string{"FLANNEL_MTU"}},
		{"a comment is no setting",
			"#FLANNEL_NETWORK=a\nFLANNEL_SUBNET=b\nFLANNEL_MTU=1\nFLANNEL_IPMASQ=false",
			[]string{"FLANNEL_NETWORK"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := DecodeFlannelSubnet(row.text).Missing; !slices.Equal(got, row.missing) {
				t.Errorf("missing %q, want %q", got, row.missing)
			}
		})
	}
}

func TestDecodeFlannelNetConf(t *testing.T) {
	c, err := DecodeFlannelNetConf(
		[]byte(`{"network":"10.64.0.0/14","backend":{"type":"vxlan","vni":4097,"port":8472,"name":"vxlan0","macPrefix":"0E-2A","directRouting":true}}`))
	want := FlannelNetConf{Network: "10.64.0.0/14", Backend: FlannelBackend{Type: "vxlan",
		Name: "vxlan0", VNI: 4097, Port: 8472, MacPrefix: "0E-2A", DirectRouting: true}}
	if err != nil || *c != want {
		t.Errorf("got %+v, %v", c, err)
	}
	if c, err := DecodeFlannelNetConf(
		[]byte("\ufeff{\"Network\":\"10.64.0.0/14\",\"Backend\":{\"Type\":\"host-gw\"}}")); err != nil || c.Backend.Type != "host-gw" {
		t.Errorf("with a byte order mark: %+v, %v", c, err)
	}
	for name, text := range map[string]string{"empty": "", "a list": "[]", "cut off": `{"Network":`,
		"a text for a number": `{"Backend":{"VNI":"4096"}}`} {
		if c, err := DecodeFlannelNetConf([]byte(text)); err == nil {
			t.Errorf("%s: no error but %+v", name, c)
		}
	}
}

func TestDecodeSourceVIP(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       SourceVIP
	}{
		{"the first recipe", `{"cniVersion":"0.2.0","ip4":{"ip":"10.64.3.9/24"},"dns":{}}`,
			SourceVIP{Spot: Spot{1, "/ip4/ip"}, IP: "10.64.3.9", Prefix: "10.64.3.9/24", Old: true}},
		{"the later one",
			"\ufeff" + `{"cniVersion":"0.3.0","ips":[{"version":"4","address":"10.64.3.8/24","gateway":"10.64.3.1"}],"dns":{}}`, SourceVIP{Spot: Spot{1, "/ips/0/address"}, IP: "10.64.3.8", Prefix: "10.64.3.8/24"}},
		{"an error in place of an address",
			`{"code":11,"msg":"no IP addresses available in range set"}`,
			SourceVIP{ErrorCode: 11, ErrorMsg: "no IP addresses available in range set"}},
		{"an error about the request's encoding",
			`{"code":100,"msg":"error reading network config: invalid character '茂' looking for beginning of value"}`,
			SourceVIP{ErrorCode: 100,
				ErrorMsg: "error reading network config: invalid character '茂' looking for beginning of value"}},
		{"a mark in a wrong code page", "ï»¿{\"ip4\":{}}", SourceVIP{Garbled: true}},
		{"no address", `{"cniVersion":"0.2.0"}`, SourceVIP{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := DecodeSourceVIP([]byte(row.text))
			if err != nil || got != row.want {
				t.Errorf("got %+v, %v, want %+v", got, err, row.want)
			}
		})
	}
	for _, text := range []string{"", "  ", "10.64.3.9", "{"} {
		if got, err := DecodeSourceVIP([]byte(text)); err == nil {
			t.Errorf("%q: no error but %+v", text, got)
		}
	}
}
