package checks

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// dnsSources are what DNSServers, DNSBackends and ClusterDomain read.
var dnsSources = slices.Concat(clusterSources, kubeletSources, []evidence.Need{NeedCNIFiles, evidence.EndpointSlices})

// DNSServers are the servers that pods of this node ask: the cluster's DNS
// Service, the kubelet's setting, and that of the CNI configuration.
func (n *Node) DNSServers(s evidence.Snapshot) []Address {
	list := slices.Concat(n.ClusterDNS.Value, kubeletDNS(n, s))
	if f := n.Intended(); f != nil && f.Config != nil {
		list = append(list, parseAddresses(f.Config.DNS.Nameservers...)...)
	}
	var once []Address
	for _, a := range list {
		if !slices.Contains(once, a) {
			once = append(once, a)
		}
	}
	return once
}

// DNSBackends are the pods behind the cluster's DNS Service that are ready,
// with the port at which they listen.
func (n *Node) DNSBackends(s evidence.Snapshot) []netip.AddrPort {
	var list []netip.AddrPort
	for _, svc := range evidence.KubeServices.In(s) {
		if !slices.ContainsFunc(parseAddresses(svc.ClusterIPs()...), func(a Address) bool { return slices.Contains(n.ClusterDNS.Value, a) }) {
			continue
		}
		for _, slice := range evidence.EndpointSlices.In(s) {
			if slice.Metadata.Namespace != svc.Metadata.Namespace || slice.Metadata.Labels["kubernetes.io/service-name"] != svc.Metadata.Name {
				continue
			}
			port := 53
			for _, p := range slice.Ports {
				if protocolOf(p.Protocol) == protocolOf("UDP") && p.Port > 0 && p.Port <= 0xffff {
					port = p.Port
				}
			}
			for _, e := range slice.Endpoints {
				if e.Conditions.Ready != nil && !*e.Conditions.Ready {
					continue
				}
				for _, a := range parseAddresses(e.Addresses...) {
					list = append(list, netip.AddrPortFrom(a, uint16(port)))
				}
			}
		}
	}
	return list
}

// ClusterDomain is the domain of the cluster's names, as the kubelet or the CNI
// configuration has it; "" where nothing tells.
func (n *Node) ClusterDomain(s evidence.Snapshot) string {
	flag, _ := n.KubeletFlag("cluster-domain")
	config, _, _ := n.kubeletConfig(s)
	domain := cmp.Or(flag.Value, config.ClusterDomain)
	if f := n.Intended(); domain == "" && f != nil && f.Config != nil {
		for _, suffix := range f.Config.DNS.Search {
			if before, after, ok := strings.Cut(suffix, "svc."); ok && (before == "" || strings.HasSuffix(before, ".")) {
				domain = after
				break
			}
		}
	}
	return strings.Trim(domain, ".")
}

// A dnsTalk is what one server answered to one asker.
type dnsTalk struct {
	server, from string
	udp, tcp     dnsWay
}

// A dnsWay is what came back over one transport. What could not be sent is in neither list.
type dnsWay struct{ answered, lost []evidence.DNSProbe }

// dnsTalks sorts the probes by server and asker. The system's resolver is no
// server: nobody knows whom it asked.
func dnsTalks(probes []evidence.DNSProbe) []dnsTalk {
	var talks []dnsTalk
	for _, p := range probes {
		if p.Server == systemResolver {
			continue
		}
		at := slices.IndexFunc(talks, func(t dnsTalk) bool { return t.server == p.Server && t.from == p.From })
		if at < 0 {
			at, talks = len(talks), append(talks, dnsTalk{server: p.Server, from: p.From})
		}
		way := &talks[at].udp
		if p.Transport == "tcp" {
			way = &talks[at].tcp
		}
		switch {
		case p.Answered():
			way.answered = append(way.answered, p)
		case p.Lost():
			way.lost = append(way.lost, p)
		}
	}
	return talks
}

const systemResolver = "system"

func (t dnsTalk) asked() bool    { return t.answered() || len(t.udp.lost)+len(t.tcp.lost) > 0 }
func (t dnsTalk) answered() bool { return len(t.udp.answered)+len(t.tcp.answered) > 0 }

// udpLost tells that datagrams alone get lost.
func (t dnsTalk) udpLost() bool {
	return len(t.udp.lost) > 0 && len(t.udp.answered) == 0 && len(t.tcp.answered) > 0
}

// quotes shows the talk by its first probe of each kind.
func (t dnsTalk) quotes() []Because {
	var quotes []Because
	for _, list := range [][]evidence.DNSProbe{t.udp.lost, t.tcp.lost, t.tcp.answered, t.udp.answered} {
		if len(list) > 0 && len(quotes) < maxQuotes {
			quotes = append(quotes, dnsTransportBecause(list[0]))
		}
	}
	return quotes
}

// silence is how a talk without an answer went: "UDP: timeout, TCP: refused".
func (t dnsTalk) silence() string {
	var ways []string
	if len(t.udp.lost) > 0 {
		ways = append(ways, "UDP: "+t.udp.lost[0].Outcome)
	}
	if len(t.tcp.lost) > 0 {
		ways = append(ways, "TCP: "+t.tcp.lost[0].Outcome)
	}
	return strings.Join(ways, ", ")
}

func dnsTransportBecause(p evidence.DNSProbe) Because {
	text := p.Name + " over " + p.Transport + " from " + p.From + ", " + p.Server + ": " + p.Outcome
	if p.Retries > 0 {
		text += ", asked " + strconv.Itoa(p.Retries+1) + " times"
	}
	return Because{Path: evidence.DNSProbes.Path(), Text: text}
}

// dnsRoles tells which servers are the pods' own.
type dnsRoles struct{ servers, backends []Address }

func (n *Node) dnsRoles(s evidence.Snapshot) dnsRoles {
	r := dnsRoles{servers: n.DNSServers(s)}
	for _, b := range n.DNSBackends(s) {
		r.backends = append(r.backends, b.Addr())
	}
	return r
}

// ofPods tells whether names of the cluster are asked of that server. Where no
// server of pods is known, what a pod asks is one.
func (r dnsRoles) ofPods(server, from string) bool {
	a, ok := parseAddress(hostOf(server))
	return ok && (slices.Contains(r.servers, a) || slices.Contains(r.backends, a) || len(r.servers) == 0 && from != "node")
}

// isBackend tells whether the server is a pod behind the Service.
func (r dnsRoles) isBackend(server string) bool {
	a, ok := parseAddress(hostOf(server))
	return ok && slices.Contains(r.backends, a) && !slices.Contains(r.servers, a)
}

// A DNSServerVerdict is how a server can be reached from where it was asked.
type DNSServerVerdict struct {
	Server  string
	Level   Level // 0 where nothing is wrong, or nothing could be asked
	Verdict string
	Asked   bool
}

// JudgeDNSServers tells of each server that was asked whether it answers, over
// which transports.
func JudgeDNSServers(probes []evidence.DNSProbe) []DNSServerVerdict {
	var list []DNSServerVerdict
	for _, t := range dnsTalks(probes) {
		v := DNSServerVerdict{Server: t.server, Asked: t.asked(), Verdict: "answers"}
		switch {
		case !t.asked():
			v.Verdict = "could not be asked"
		case !t.answered():
			v.Level, v.Verdict = Fail, "does not answer ("+t.silence()+")"
		case t.udpLost():
			v.Level, v.Verdict = Fail, "answers over TCP and not over UDP, by which programs ask"
		case len(t.tcp.lost) > 0 && len(t.tcp.answered) == 0:
			v.Level, v.Verdict = Warn, "answers over UDP and not over TCP, which long answers need"
		case len(t.udp.answered) > 0 && len(t.tcp.answered) > 0:
			v.Verdict = "answers over UDP and TCP"
		}
		list = append(list, v)
	}
	return list
}
