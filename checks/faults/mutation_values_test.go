package faults_test

import (
	"encoding/json"
	"net/netip"
	"regexp"
	"strings"
)

// otherWords are what a word of the evidence becomes: the opposite, the next worse state, or
// another value of the same kind.
var otherWords = map[string]string{
	"running": "stopped", "automatic": "disabled", "manual": "disabled", "installed": "available",
	"available": "removed", "up": "down", "True": "False", "False": "True", "Running": "Failed",
	"SANDBOX_READY": "SANDBOX_NOTREADY", "CONTAINER_RUNNING": "CONTAINER_EXITED",
	"ok": "timeout", "nxdomain": "timeout", "timeout": "ok", "NOERROR": "SERVFAIL", "on": "off",
	"allow": "block", "block": "allow", "in": "out", "tcp": "udp", "udp": "tcp", "TCP": "UDP",
	"UDP": "TCP", "tls": "tcp", "Overlay": "L2Bridge", "L2Bridge": "Overlay", "L2Tunnel": "Overlay",
	"Transparent": "L2Bridge", "Static": "DHCP", "vxlan": "host-gw", "host-gw": "vxlan",
	"Cluster": "Local", "None": "ClientIP", "windows": "linux", "linux": "windows",
	"amd64": "arm64", "AMD64": "ARM64", "IPv4": "IPv6", "IPv6": "IPv4", "Server Core": "Nano Server",
	"too-large": "absent", "IfNotPresent": "Never",
	"Always": "Never", "ClusterFirst": "Default", "ClusterIP": "ExternalName",
	"Guaranteed": "BestEffort", "Warning": "Normal", "Normal": "Warning", "windows-docker": "docker",
	"information": "error", "OutBoundNAT": "L4Proxy", "SDNRoute": "Encryption", "ROUTE": "Encryption",
	"SDNROUTE": "ROUTE", "kernelspace": "userspace", "docker": "containerd", "containerd": "docker",
	"process": "hyperv", "InternalIP": "ExternalIP", "SingleStack": "RequireDualStack",
	"npipe": "tcp", "HostDefault": "Guest", "domain": "unknown", "Ready": "Unready",
	"azure-vnet": "bridge", "calico": "bridge", "flannel": "bridge", "host-local": "dhcp",
}

var (
	versionText = regexp.MustCompile(`^(v?)(\d+)\.(\d+)(\.\d+)*([-+][\w.+-]+)?$`)
	runtimeText = regexp.MustCompile(`^(containerd|docker)://`)
	dateText    = regexp.MustCompile(`^(\d{4})(-\d\d-\d\dT\d\d:\d\d:\d\d.*Z)$`)
	guidText    = regexp.MustCompile(
		`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	macIn        = regexp.MustCompile(`([0-9a-fA-F]{2}[-:]){5}[0-9a-fA-F]{2}`)
	macText      = regexp.MustCompile(`^([0-9a-fA-F]{2}[-:]){5}[0-9a-fA-F]{2}$`)
	quantityText = regexp.MustCompile(`^\d+(m|Ki|Mi|Gi|s|h|h0m0s)$`)
	numberText   = regexp.MustCompile(`^-?\d+$`)
	imageText    = regexp.MustCompile(`^[\w.-]+(:\d+)?/[\w./-]+(:[\w.-]+)?(@sha256:\w+)?$`)
	hostAndPort  = regexp.MustCompile(`^([\w.-]*[\w]):(\d+)$`)
	pathText     = regexp.MustCompile(`^(?i)([a-z]:)?[\\/]`)
	windowsTag   = regexp.MustCompile(`ltsc2022|ltsc2025|20H2|1809|2004|ltsc2019`)
	hexText      = regexp.MustCompile(`[0-9a-f]{32,}`)
	flagText     = regexp.MustCompile(`^(--?[\w-]+=)"?([^"]*)"?$`)
)

// wrongValue is another value of a scalar of JSON, or nil where none is recorded.
func wrongValue(key string, value any) any {
	switch v := value.(type) {
	case bool:
		return !v
	case json.Number:
		return json.Number(wrongNumber(key, v.String()))
	case string:
		if changed := wrongText(key, v); changed != v && v != "" {
			return changed
		}
	}
	return nil
}

// wrongNumber is the port next to the right one, an amount of next to nothing, or a number far off.
func wrongNumber(key, n string) string {
	lower := strings.ToLower(key)
	switch {
	case n == "0":
		return "1"
	case strings.HasSuffix(lower, "bytes"), lower == "size", lower == "memory", lower == "pods":
		return "1"
	case strings.HasSuffix(lower, "mtu") && len(n) > 3 && n[0] == '9':
		return "1500"
	case strings.HasSuffix(lower, "mtu"):
		return "9000"
	case lower == "flags":
		return n[:len(n)-1] + string('0'+(n[len(n)-1]-'0')^1) // the lowest bit
	case strings.Contains(lower, "length"):
		return "30"
	case lower == "build":
		return "16299"
	case strings.Contains(lower, "port"), lower == "start", lower == "end":
		return n[:len(n)-1] + string('0'+(n[len(n)-1]-'0'+1)%10)
	case lower == "apiserverskewms":
		return "-3600000"
	case len(n) > 15:
		return "1" + n[1:]
	}
	return "9" + strings.TrimPrefix(n, "-")
}

// wrongText is another text of the same kind.
func wrongText(key, v string) string {
	if other, ok := otherWords[v]; ok {
		return other
	}
	switch {
	case v == "null":
		return v // flannel's word for nothing
	case v == "eth0":
		return v // the interface of every container
	case v == "true":
		return "false"
	case v == "false":
		return "true"
	case key == "outcome" && (v == "copied" || v == "absent"):
		return v // a copy is in the recording and is removed as a whole; what is absent may be so
	}
	if a, err := netip.ParseAddr(v); err == nil && key == "address" && a.IsLoopback() {
		return "0.0.0.0"
	} else if err == nil && key == "address" && a.IsUnspecified() {
		return map[bool]string{true: "127.0.0.1", false: "::1"}[a.Is4()]
	} else if err == nil {
		return otherAddress(a)
	}
	if p, err := netip.ParsePrefix(v); err == nil && p.Bits() == 0 {
		return "203.0.0.0/8" // any address is in a prefix of no bits
	} else if err == nil {
		return strings.Replace(v, p.Addr().String(), otherNetwork(p.Addr()), 1)
	}
	if m := flagText.FindStringSubmatch(v); m != nil && m[2] != "" {
		return m[1] + wrongText(strings.Trim(m[1], "-="), m[2])
	}
	switch {
	case strings.HasPrefix(v, "--"):
		return v + "=false"
	case strings.Contains(key, "sddl"):
		return strings.Replace(v, "(A;", "(A;OICI;0x1200a9;;;WD)(A;", 1)
	case dateText.MatchString(v):
		return "2011" + v[4:]
	case runtimeText.MatchString(v):
		if hexText.MatchString(v) {
			return v[:len(v)-6] + "c0ffee"
		}
		scheme, _, _ := strings.Cut(v, "://")
		return scheme + "://1.2.0"
	case guidText.MatchString(v):
		return "0badc0de" + v[8:]
	case strings.HasPrefix(v, "{") && macIn.MatchString(v): // flannel's data of a node
		return macIn.ReplaceAllString(v, "02:00:00:00:00:77")
	case macText.MatchString(v):
		return "02-00-00-00-00-77"
	case quantityText.MatchString(v), strings.HasSuffix(key, "memory"):
		return "1"
	case versionText.MatchString(v):
		return olderVersion(v)
	case numberText.MatchString(v):
		return wrongNumber(key, v)
	case strings.Contains(v, "://") && !strings.HasPrefix(v, "npipe"):
		scheme, rest, _ := strings.Cut(v, "://")
		return scheme + "://" + wrongText(key, rest)
	case hostAndPort.MatchString(v):
		host, port, _ := strings.Cut(v, ":")
		return wrongText("host", host) + ":" + port
	case imageText.MatchString(v) && !pathText.MatchString(v):
		return otherImage(v)
	case strings.HasPrefix(v, `\\.\pipe`), strings.HasPrefix(v, "npipe"):
		return v + "-gone"
	case pathText.MatchString(v):
		root := strings.IndexAny(v, `\/`) + 1
		return v[:root] + "gone" + v[root-1:]
	case hexText.MatchString(v):
		return hexText.ReplaceAllString(v, strings.Repeat("0badc0de", 8))
	}
	return v + "-other"
}

func otherAddress(a netip.Addr) string {
	if a.Is6() {
		return "2001:db8:dead::77"
	}
	return "203.0.113.77"
}

func otherNetwork(a netip.Addr) string {
	if a.Is6() {
		return "2001:db8:dead::"
	}
	return "203.0.0.0"
}

// olderVersion is a version that is long out of support.
func olderVersion(v string) string {
	m := versionText.FindStringSubmatch(v)
	if m[2] == "10" {
		return "10.0.16299" + strings.Repeat(".15", min(strings.Count(v, ".")-2, 1))
	}
	if m[2] == "1" {
		return m[1] + "1.2" + m[4]
	}
	return m[1] + "0.1" + m[4]
}

// otherImage is an image for another Windows, or for none.
func otherImage(v string) string {
	switch {
	case windowsTag.MatchString(v):
		return windowsTag.ReplaceAllString(v, "1803")
	case strings.Contains(v, "/pause:"):
		return v[:strings.LastIndexByte(v, ':')] + ":3.1"
	case strings.Contains(v, "@sha256:"):
		return hexText.ReplaceAllString(v, strings.Repeat("0badc0de", 8))
	}
	return v + "-other"
}
