package evidence

import (
	"bytes"
	"errors"
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
	HNSVersion       = hnsKind("hns-globals.json", DecodeHNSGlobals)
	ReachProbes      = listKind[ReachProbe]("probes/reach.json")
	DNSProbes        = listKind[DNSProbe]("probes/dns.json")
)

// hnsWeight: HNS objects are read into a generic form first, since they come in two shapes.
const hnsWeight = 3

func hnsKind[T any](path string, decode func([]byte) (T, error)) *Kind[T] {
	return &Kind[T]{path: path, weight: hnsWeight, decode: func(b []byte) (v T, err error) {
		if len(bytes.TrimSpace(b)) == 0 {
			return v, errors.New("the file is empty, which PowerShell writes both for nothing there and for no rights to look")
		}
		return decode(b)
	}}
}

// Adapter is one network interface, virtual ones included.
type Adapter struct {
	Name        string   `json:"name"` // "vEthernet (Ethernet)"; localised on some systems
	Description string   `json:"description"`
	IfIndex     int      `json:"ifIndex"`
	Status      string   `json:"status"` // up, down, …
	MAC         string   `json:"mac"`
	MTU         int      `json:"mtu"`
	DHCP        *bool    `json:"dhcp"`
	Addresses   []string `json:"addresses"` // 10.0.0.4/24
	Gateways    []string `json:"gateways"`
	DNSServers  []string `json:"dnsServers"`
	DNSSuffix   string   `json:"dnsSuffix"`
	Forwarding  *bool    `json:"forwarding"` // nil where the recorder could not read it
	Compartment int      `json:"compartment"`
}

// Route is one row of the routing table.
type Route struct {
	Destination string `json:"destination"`
	NextHop     string `json:"nextHop"`
	IfIndex     int    `json:"ifIndex"`
	Metric      int    `json:"metric"`
}

// DNSClientSettings is how the host's own resolver is set up.
type DNSClientSettings struct {
	SuffixSearchList []string `json:"suffixSearchList"`
	PrimarySuffix    string   `json:"primarySuffix"`
	Devolution       bool     `json:"devolution"`
}

// PortTable is ports.json.
type PortTable struct {
	Dynamic  map[string]PortRange `json:"dynamic"` // tcp, udp
	Excluded []ExcludedPorts      `json:"excluded"`
	Listener []PortListener       `json:"listeners"`
}

// PortRange is the dynamic port range of a protocol.
type PortRange struct {
	Start int `json:"start"`
	Count int `json:"count"`
}

// ExcludedPorts is a range that Windows gives to nobody.
type ExcludedPorts struct {
	Protocol string `json:"protocol"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
}

// PortListener is a socket that waits for connections.
type PortListener struct {
	Protocol string `json:"protocol"`
	Address  string `json:"address"`
	Port     int    `json:"port"`
	Process  string `json:"process"`
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
	Target    string  `json:"target"`            // 10.96.0.1:443, or a host alone for icmp
	Address   string  `json:"address,omitempty"` // what the name in Target stood for
	Purpose   string  `json:"purpose,omitempty"` // what the target is to the node: "API server"
	From      string  `json:"from"`              // "node", or "namespace/pod"
	Protocol  string  `json:"protocol"`          // tcp, tls, http, icmp
	Bytes     int     `json:"bytes,omitempty"`   // of an icmp that asks for the MTU: its payload, sent so that nobody may fragment it
	Outcome   string  `json:"outcome"`           // ok, timeout, refused, reset, unreachable, denied, error
	LatencyMS float64 `json:"latencyMs,omitempty"`
	Answer    string  `json:"answer,omitempty"` // the certificate's subject, the status line, who says that it is unreachable
	MTU       int     `json:"mtu,omitempty"`    // what fits, where somebody on the way said so
	Why       string  `json:"why,omitempty"`    // it was denied, or an error, or is unreachable
}

// DNSProbe is one name asked of one server in one form.
type DNSProbe struct {
	Name      string   `json:"name"`
	Type      string   `json:"type"`
	Server    string   `json:"server"` // 10.96.0.10:53, or "system"
	Transport string   `json:"transport"`
	From      string   `json:"from"`
	Form      string   `json:"form"`    // plain, windows, linux: which resolver's rules made Sent
	Sent      []string `json:"sent"`    // the names that went out
	Outcome   string   `json:"outcome"` // ok, nxdomain, nodata, servfail, refused, truncated, timeout, error
	Rcode     string   `json:"rcode"`   // what the server said; empty where nothing came back
	Answers   []string `json:"answers"`
	LatencyMS float64  `json:"latencyMs"`

	Decided   string `json:"decided,omitempty"`   // the one of Sent whose answer is the outcome
	EDNS      bool   `json:"edns,omitempty"`      // the server answered with EDNS0
	Retries   int    `json:"retries,omitempty"`   // how often a name was asked again
	Truncated bool   `json:"truncated,omitempty"` // an answer did not fit and asked for TCP
	Why       string `json:"why,omitempty"`       // of error and refused: the system's own words
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
