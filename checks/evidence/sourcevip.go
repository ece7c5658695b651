package evidence

import (
	"strings"
	"unicode/utf8"
)

// SourceVIP is sourceVip.json: what host-local answered when it was asked for
// the address that kube-proxy sends from on an overlay.
type SourceVIP struct {
	Spot             // of the address
	IP        string // 10.244.3.9, without a prefix length; "" where the answer has none
	Prefix    string // 10.244.3.9/24, as it is written
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
	return v, nil
}

// garbled tells whether the text begins with characters that no JSON begins
// with and that a byte order mark becomes in a wrong code page: "ï»¿", "ÿþ", "茂".
func garbled(text []byte) bool {
	r, size := utf8.DecodeRune([]byte(strings.TrimSpace(string(text[:min(len(text), 64)]))))
	return size > 0 && r >= utf8.RuneSelf
}
