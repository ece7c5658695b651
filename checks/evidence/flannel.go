package evidence

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// FlannelSubnet is subnet.env, the lease that flanneld leaves for its CNI plugin.
type FlannelSubnet struct {
	Network     string // 10.244.0.0/16; a comma between several
	Subnet      string // 10.244.4.1/24: the first address that can be used, not the base
	IPv6Network string
	IPv6Subnet  string
	MTU         int   // 0 where it is absent or no number
	IPMasq      *bool // nil where it is absent
	Missing     []string
	Lines       map[string]int // FLANNEL_SUBNET → 2
}

// DecodeFlannelSubnet reads subnet.env. Missing holds what the CNI plugin would
// refuse to go on without.
func DecodeFlannelSubnet(text string) FlannelSubnet {
	f := FlannelSubnet{Lines: map[string]int{}}
	texts := map[string]*string{
		"FLANNEL_NETWORK": &f.Network, "FLANNEL_IPV6_NETWORK": &f.IPv6Network,
		"FLANNEL_SUBNET": &f.Subnet, "FLANNEL_IPV6_SUBNET": &f.IPv6Subnet,
	}
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok || !strings.HasPrefix(key, "FLANNEL_") {
			continue
		}
		key, value = strings.TrimSpace(key), unquote(strings.TrimSpace(value))
		f.Lines[key] = number
		if text := texts[key]; text != nil {
			*text = value
		}
		switch key {
		case "FLANNEL_MTU":
			if mtu, err := strconv.Atoi(value); err == nil && mtu > 0 {
				f.MTU = mtu
			}
		case "FLANNEL_IPMASQ":
			masq := value == "true"
			f.IPMasq = &masq
		}
	}
	f.need("FLANNEL_NETWORK", f.Network != "" || f.IPv6Network != "")
	f.need("FLANNEL_SUBNET", f.Subnet != "" || f.IPv6Subnet != "")
	f.need("FLANNEL_MTU", f.MTU != 0)
	f.need("FLANNEL_IPMASQ", f.IPMasq != nil)
	return f
}

func (f *FlannelSubnet) need(key string, there bool) {
	if !there {
		f.Missing = append(f.Missing, key)
	}
}

// FlannelNetConf is net-conf.json, from a file of the node or from flannel's ConfigMap.
type FlannelNetConf struct {
	Network     string
	IPv6Network string
	Backend     FlannelBackend
}

// FlannelBackend is how flannel carries packets between nodes. VNI and Port are
// 0 where they are left to their defaults, 4096 and 4789 on Windows.
type FlannelBackend struct {
	Type          string // vxlan, host-gw
	Name          string // of the HNS network
	VNI           int
	Port          int
	MacPrefix     string
	DirectRouting bool
	GBP           bool
}

// DecodeFlannelNetConf reads net-conf.json. Its keys come in any case, as they do for flanneld.
func DecodeFlannelNetConf(b []byte) (*FlannelNetConf, error) {
	text, _ := trimBOM(b)
	if _, err := parseJSONObject(text); err != nil {
		return nil, err
	}
	c := &FlannelNetConf{}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("net-conf.json: %w", err)
	}
	return c, nil
}

// SourceVIP is sourceVip.json: what host-local answered when it was asked for
// the address that kube-proxy sends from on an overlay.
type SourceVIP struct {
	Spot             // of the address
	IP        string // 10.244.3.9, without a prefix length; "" where the answer has none
	Prefix    string // 10.244.3.9/24, as it is written
	Old       bool   // the address is in ip4, as of CNI 0.2.0
	ErrorCode int    // of host-local, which writes its error where the address should be
	ErrorMsg  string
	// the text starts with characters of a wrong encoding, so that no reader can use it
	Garbled bool
}

// DecodeSourceVIP reads the answer in the shapes of all CNI versions. A byte
// order mark is normal here: PowerShell wrote the file and PowerShell reads it.
func DecodeSourceVIP(b []byte) (SourceVIP, error) {
	text, _ := trimBOM(b)
	if garbled(text) {
		return SourceVIP{Garbled: true}, nil
	}
	root, err := parseJSONObject(text)
	if err != nil {
		return SourceVIP{}, err
	}
	v := SourceVIP{ErrorCode: root.Lookup("code").Number(), ErrorMsg: root.Lookup("msg").Text()}
	addresses := []*jsonNode{root.Lookup("ip4", "ip")}
	for _, ip := range root.Lookup("ips").Items() {
		addresses = append(addresses, ip.Lookup("address"))
	}
	for _, address := range addresses {
		if v.Prefix == "" && address.Text() != "" {
			v.Prefix, v.Spot = address.Text(), spotOf(address)
		}
	}
	v.IP, _, _ = strings.Cut(strings.TrimSpace(v.Prefix), "/")
	v.Old = addresses[0].Text() != ""
	return v, nil
}

// garbled tells whether the text begins with characters that no JSON begins
// with and that a byte order mark becomes in a wrong code page: "ï»¿", "ÿþ", "茂".
func garbled(text []byte) bool {
	r, size := utf8.DecodeRune([]byte(strings.TrimSpace(string(text[:min(len(text), 64)]))))
	return size > 0 && r >= utf8.RuneSelf
}
