package probe

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// A podTarget is one host as a pod asks for it.
type podTarget struct {
	host   string // an IPv6 address without brackets
	port   int    // 0: it is pinged
	scheme string // https, http, or "" for a port where nothing is said
	path   string
}

// The ports on which TLS or HTTP is spoken wherever anybody listens.
var (
	podTLSPorts  = []int{443, 6443, 8443, 9443, 9345, 10250}
	podHTTPPorts = []int{80, 8080}
)

// parsePodTarget takes nothing that a program could read as anything but a host.
func parsePodTarget(s string) (podTarget, error) {
	bad := collectors.Gapf(evidence.NotCollected, "the target %q is no HOST, HOST:PORT or URL of http or https", s)
	if a, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil && a.Zone() == "" {
		return podTarget{host: a.String()}, nil
	}
	var t podTarget
	port := ""
	switch u, err := url.Parse(s); {
	case strings.Contains(s, "://"):
		if err != nil || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			return t, bad
		}
		t = podTarget{host: u.Hostname(), scheme: u.Scheme, path: u.RequestURI()}
		if port = u.Port(); port == "" {
			port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
		}
	default:
		if t.host, port, err = net.SplitHostPort(s); err != nil {
			t.host, port = s, ""
		}
	}
	if a, err := netip.ParseAddr(t.host); (err != nil || a.Zone() != "") && !podName(t.host) {
		return t, bad
	}
	if port == "" {
		return t, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return t, bad
	}
	t.port = int(n)
	switch {
	case t.scheme != "":
	case slices.Contains(podTLSPorts, t.port):
		t.scheme = "https"
	case slices.Contains(podHTTPPorts, t.port):
		t.scheme = "http"
	}
	return t, nil
}

// podName tells whether a name may stand in a command line, and in a script:
// letters, digits, and what else host names are made of.
func podName(s string) bool {
	odd := func(r rune) bool {
		return !(r == '-' || r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}
	return s != "" && len(s) <= 254 && s[0] != '-' && strings.Trim(s, ".") != "" && !strings.ContainsFunc(s, odd)
}

// row is one of the target's, named as the node's own probes name it.
func (t podTarget) row(from, protocol string) evidence.ReachProbe {
	name := t.host
	if t.port > 0 {
		name = net.JoinHostPort(t.host, strconv.Itoa(t.port))
	}
	return evidence.ReachProbe{Target: name, From: from, Protocol: protocol}
}

func (t podTarget) isName() bool {
	_, err := netip.ParseAddr(t.host)
	return err != nil
}
