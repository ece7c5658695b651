package probe

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// The ports on which TLS or HTTP is spoken wherever anybody listens. On any
// other, only https:// and http:// make a probe say a word: a listener may
// take it amiss.
var (
	tlsPorts  = []int{443, 6443, 8443, 9443, 9345, 10250}
	httpPorts = []int{80, 8080}
)

// ParseReachTarget reads HOST:PORT, a host alone, or a URL of http or https. An
// IPv6 address with a port stands in brackets.
func ParseReachTarget(s string) (ReachTarget, error) {
	s = strings.TrimSpace(s)
	if strings.Contains(s, "://") {
		return parseURL(s)
	}
	if a, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil && isZone(a.Zone()) {
		return ReachTarget{Host: a.String()}, nil
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		host, port = s, ""
	}
	if err := checkHost(host, s); err != nil {
		return ReachTarget{}, err
	}
	t := ReachTarget{Host: host}
	if err != nil {
		return t, nil
	}
	if t.Port, err = parsePort(port); err != nil {
		return ReachTarget{}, fmt.Errorf("the target %q: %w", evidence.Clean(s), err)
	}
	t.Scheme = usualScheme(t.Port)
	return t, nil
}

func parseURL(s string) (ReachTarget, error) {
	u, err := url.Parse(s)
	if err != nil {
		return ReachTarget{}, fmt.Errorf("the target %q is no URL", evidence.Clean(s))
	}
	t := ReachTarget{Host: u.Hostname(), Scheme: strings.ToLower(u.Scheme), Path: u.RequestURI()}
	switch {
	case t.Scheme != "http" && t.Scheme != "https":
		return ReachTarget{},
			fmt.Errorf("the target %q: only http and https are probed; give HOST:PORT for anything else", evidence.Clean(s))
	case u.User != nil:
		return ReachTarget{},
			fmt.Errorf("the target on %s: a probe signs in nowhere; leave user and password out",
				evidence.Clean(t.Host))
	}
	if err := checkHost(t.Host, s); err != nil {
		return ReachTarget{}, err
	}
	if t.Port = map[string]int{"http": 80, "https": 443}[t.Scheme]; u.Port() != "" {
		if t.Port, err = parsePort(u.Port()); err != nil {
			return ReachTarget{}, fmt.Errorf("the target %q: %w", evidence.Clean(s), err)
		}
	}
	return t, nil
}

// checkHost refuses what no resolver should be asked.
func checkHost(host, target string) error {
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	odd := func(r rune) bool { return r <= 0x7f && !strings.ContainsRune(hostCharacters, r) }
	if host == "" || len(host) > 253 || host[0] == '-' || strings.ContainsFunc(host, odd) {
		return fmt.Errorf(
			"the target %q is no HOST, HOST:PORT or URL; an IPv6 address with a port is written [::1]:443", evidence.Clean(target))
	}
	return nil
}

func parsePort(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 65535 {
		return 0, fmt.Errorf("%q is no port; they go from 1 to 65535", evidence.Clean(s))
	}
	return n, nil
}

func usualScheme(port int) string {
	switch {
	case slices.Contains(tlsPorts, port):
		return "https"
	case slices.Contains(httpPorts, port):
		return "http"
	}
	return ""
}
