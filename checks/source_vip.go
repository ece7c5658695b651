package checks

import (
	"cmp"
	"errors"

	"doctor/checks/evidence"
)

// The files in which the recipes keep the source VIP, each with the request it was made from.
var (
	sourceVIPFiles    = []string{`C:\k\sourceVip.json`, `C:\sourcevip\sourceVip.json`}
	sourceVIPRequests = []string{`C:\k\sourceVipRequest.json`, `C:\sourcevip\sourceVipRequest.json`}
)

var errNoSourceVIP = errors.New("no source VIP is recorded")

// sourceVIP is the address that kube-proxy is given: by its own command line,
// or by the file from which the start script reads it.
func (n *Node) sourceVIP(s evidence.Snapshot) (Address, Because, error) {
	if v := n.proxy.SourceVIP; v.Set && !evidence.Placeholder(v.Value) {
		if a, ok := parseAddress(v.Value); ok {
			return a, v.From, nil
		}
	}
	for _, path := range sourceVIPFiles {
		f := s.File(path)
		if f.Gap != "" {
			continue
		}
		vip, err := evidence.DecodeSourceVIP([]byte(f.Text))
		if err != nil || vip.IP == "" {
			continue
		}
		if a, ok := parseAddress(vip.IP); ok {
			return a, Because{Path: f.Path, Text: "the source VIP is " + cmp.Or(vip.Prefix, vip.IP)}, nil
		}
	}
	return Address{}, Because{}, errNoSourceVIP
}
