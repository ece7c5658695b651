package evidence

import (
	"bytes"
	"errors"
	"reflect"
)

// The network as Windows and HNS see it, and what probes measured.
var (
	Adapters         = listKind[Adapter]("adapters.json")
	Routes           = listKind[Route]("routes.json")
	DNSClient        = jsonKind[DNSClientSettings]("dns-client.json")
	Ports            = jsonKind[PortTable]("ports.json")
	HNSNetworks      = hnsKind("hns-networks.json", DecodeHNSNetworks)
	HNSEndpoints     = hnsKind("hns-endpoints.json", DecodeHNSEndpoints)
	HNSLoadBalancers = hnsKind("hns-loadbalancers.json", DecodeHNSLoadBalancers)
	HNSNamespaces    = hnsKind("hns-namespaces.json", DecodeHNSNamespaces)
	HNSVersion       = hnsKind("hns-globals.json", decodeHNSGlobals)
	ReachProbes      = listKind[ReachProbe]("probes/reach.json")
	DNSProbes        = listKind[DNSProbe]("probes/dns.json")
)

// hnsWeight: HNS objects are read into a generic form first, since they come in two shapes.
const hnsWeight = 3

func hnsKind[T any](path string, decode func([]byte) (T, error)) *Kind[T] {
	return &Kind[T]{kind{path: path, weight: hnsWeight, decode: func(b []byte) (any, *origin, error) {
		if len(bytes.TrimSpace(b)) == 0 {
			return nil, nil,
				errors.New("the file is empty, which PowerShell writes both for nothing there and for no rights to look")
		}
		v, err := decode(b)
		in := &origin{bare: true}
		if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.Len() > 0 {
			in = list.Index(0).Addr().Interface().(placer).origin() // each element has it
		}
		return v, in, err
	}}}
}

// Adapter is one network interface, virtual ones included.
type Adapter struct {
	Placed      `json:"-"`
	Name        string `json:"name"` // "vEthernet (Ethernet)"; localized on some systems
	Description string `json:"description,omitempty"`
	IfIndex     int    `json:"ifIndex,omitempty"`

	// up, down, testing, unknown, dormant, not-present or lower-layer-down.
	Status string `json:"status,omitempty"`
	MAC    string `json:"mac,omitempty"`  // such as 00-15-5D-BB-6E-B1
	MTU    int    `json:"mtu,omitempty"`  // bytes; left out where there is no limit
	DHCP   *bool  `json:"dhcp,omitempty"` // of IPv4

	Addresses   []string `json:"addresses"` // such as 10.0.0.4/24
	Gateways    []string `json:"gateways"`
	DNSServers  []string `json:"dnsServers,omitzero"`
	DNSSuffix   *string  `json:"dnsSuffix,omitempty"`  // empty where there is none
	Forwarding  *bool    `json:"forwarding,omitempty"` // of IPv4
	Compartment int      `json:"compartment,omitempty"`
}

// Route is one row of the routing table.
type Route struct {
	Placed      `json:"-"`
	Destination string `json:"destination"` // such as 10.244.2.0/24
	NextHop     string `json:"nextHop"`     // 0.0.0.0 or :: where it is on the link
	IfIndex     int    `json:"ifIndex,omitempty"`
	Metric      int    `json:"metric"` // the route's own and that of its interface
}

// DNSClientSettings is how the host's own resolver completes names.
type DNSClientSettings struct {
	SuffixSearchList []string `json:"suffixSearchList"`
	PrimarySuffix    string   `json:"primarySuffix"` // empty where there is none
	Devolution       *bool    `json:"devolution,omitempty"`
}

// PortTable is ports.json.
type PortTable struct {
	Dynamic  map[string]PortRange `json:"dynamic,omitzero"` // by protocol: tcp, udp
	Excluded []ExcludedPorts      `json:"excluded,omitzero"`
	Listener []PortListener       `json:"listeners,omitzero"`
}

// PortRange is the dynamic port range of a protocol.
type PortRange struct {
	Start int `json:"start"`
	Count int `json:"count"`
}

// ExcludedPorts is a range that Windows gives to no program that asks for a port in it.
type ExcludedPorts struct {
	Protocol string `json:"protocol"` // tcp, udp
	Start    int    `json:"start"`
	End      int    `json:"end"` // the last one
}

// PortListener is a socket that waits for connections, or for packets.
type PortListener struct {
	Protocol string `json:"protocol"` // tcp, udp
	Address  string `json:"address"`  // 0.0.0.0 or :: for all
	Port     int    `json:"port"`
	Process  string `json:"process,omitempty"` // such as kubelet.exe
}

// FromNode is where a probe of the node itself comes from.
const FromNode = "node"

// What a probed host is to the node, where doctor chose it.
const (
	ForAPIServer   = "API server"
	ForClusterDNS  = "cluster DNS"
	ForServiceVIP  = "Service kubernetes"
	ForNodePort    = "NodePort of this node"
	ForOtherNode   = "kubelet of another node"
	ForRegistry    = "registry"
	ForOutside     = "outside"
	ForWhoeverAsks = "--target"
)

// ReachProbe is one attempt to reach a target.
type ReachProbe struct {
	Placed   `json:"-"`
	Target   string `json:"target"`            // 10.96.0.1:443, or a host alone for icmp
	Address  string `json:"address,omitempty"` // what the name in Target stood for
	Purpose  string `json:"purpose,omitempty"` // what the target is to the node: "API server"
	From     string `json:"from"`              // "node", or "namespace/pod"
	Protocol string `json:"protocol"`          // tcp, tls, http, icmp

	// Payload of an icmp probe that measures the MTU: it is sent with "do not fragment".
	Bytes int `json:"bytes,omitempty"`
	// ok, timeout, refused, reset, unreachable, denied, error
	Outcome   string  `json:"outcome"`
	LatencyMS float64 `json:"latencyMs,omitempty"` // milliseconds
	// The certificate's subject, the status line, or the host that reports it as unreachable.
	Answer string `json:"answer,omitempty"`
	MTU    int    `json:"mtu,omitempty"` // bytes that fit, where a host on the way reported it
	Why    string `json:"why,omitempty"` // of denied, error and unreachable: the reason
}

// DNSProbe is one name asked of one server in one form.
type DNSProbe struct {
	Placed    `json:"-"`
	Name      string   `json:"name"`
	Type      string   `json:"type"`      // A, AAAA, SRV, PTR
	Server    string   `json:"server"`    // 10.96.0.10:53, or "system"
	Transport string   `json:"transport"` // udp, tcp
	From      string   `json:"from"`      // "node", or "namespace/pod"
	Form      string   `json:"form"`      // plain, windows, linux: which resolver's rules made Sent
	Sent      []string `json:"sent"`      // the names that went out
	// ok, nxdomain, nodata, servfail, refused, truncated, timeout or error.
	Outcome   string   `json:"outcome"`
	Rcode     string   `json:"rcode"` // as the server returned it; empty where nothing came back
	Answers   []string `json:"answers"`
	LatencyMS float64  `json:"latencyMs"` // milliseconds

	Decided   string `json:"decided,omitempty"`   // the one of Sent whose answer is the outcome
	EDNS      bool   `json:"edns,omitempty"`      // the server answered with EDNS0
	Retries   int    `json:"retries,omitempty"`   // how often a name was asked again
	Truncated bool   `json:"truncated,omitempty"` // an answer did not fit and asked for TCP
	Why       string `json:"why,omitempty"`       // of error and refused: the system's message
}

// Answered tells whether the server said anything: that a name does not exist is
// an answer too. A probe for which neither Answered nor Lost holds was never sent.
func (p DNSProbe) Answered() bool {
	switch p.Outcome {
	case "ok", "nxdomain", "nodata", "servfail", "truncated":
		return true
	}
	return p.Outcome == "refused" && p.Rcode != ""
}

// Lost tells whether nothing came back, or only that nobody listens.
func (p DNSProbe) Lost() bool {
	return p.Outcome == "timeout" || p.Outcome == "refused" && p.Rcode == ""
}
