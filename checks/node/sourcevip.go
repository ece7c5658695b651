package node

import (
	"cmp"
	"errors"

	"doctor/checks/evidence"
)

// The files in which the recipes keep the source VIP, each with the request it was made from.
var (
	SourceVIPFiles    = []string{`C:\k\sourceVip.json`, `C:\sourcevip\sourceVip.json`}
	SourceVIPRequests = []string{`C:\k\sourceVipRequest.json`, `C:\sourcevip\sourceVipRequest.json`}
)

var errNoSourceVIP = errors.New("no source VIP is recorded")

// SourceVIP is the address that kube-proxy is given: by its own command line,
// or by the file from which the start script reads it.
func (n *Node) SourceVIP(s evidence.Snapshot) (Address, evidence.Because, error) {
	if v := n.proxy.SourceVIP; v.Set && !evidence.Placeholder(v.Value) {
		if a, ok := ParseAddress(v.Value); ok {
			return a, v.From, nil
		}
	}
	for _, path := range SourceVIPFiles {
		f := s.File(path)
		if f.Gap.Kind != "" {
			continue
		}
		vip, err := evidence.DecodeSourceVIP([]byte(f.Text))
		if err != nil || vip.IP == "" {
			continue
		}
		if a, ok := ParseAddress(vip.IP); ok {
			return a, f.At(vip.Spot).Because("the source VIP is %s", cmp.Or(vip.Prefix, vip.IP)),
				nil
		}
	}
	return Address{}, evidence.Because{}, errNoSourceVIP
}
