package probed

import (
	"slices"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// A DnsTalk is what one server answered to one asker.
type DnsTalk struct {
	Server, From string
	Udp, Tcp     dnsWay
}

// A dnsWay is what came back over one transport. What could not be sent is in neither list.
type dnsWay struct{ answered, Lost []evidence.DNSProbe }

func (w dnsWay) Asked() bool { return len(w.answered)+len(w.Lost) > 0 }

// DnsTalks sorts the probes by server and asker. The system's resolver is no
// server: nobody knows whom it asked.
func DnsTalks(probes []evidence.DNSProbe) []DnsTalk {
	var talks []DnsTalk
	for _, p := range probes {
		if p.Server == SystemResolver {
			continue
		}
		at := slices.IndexFunc(talks, func(t DnsTalk) bool { return t.Server == p.Server && t.From == p.From })
		if at < 0 {
			at, talks = len(talks), append(talks, DnsTalk{Server: p.Server, From: p.From})
		}
		way := &talks[at].Udp
		if p.Transport == "tcp" {
			way = &talks[at].Tcp
		}
		switch {
		case p.Answered():
			way.answered = append(way.answered, p)
		case p.Lost():
			way.Lost = append(way.Lost, p)
		}
	}
	return talks
}

// SystemResolver stands in place of a server's address for the resolver of Windows itself.
const SystemResolver = "system"

// Asked reports whether anything could be sent to the server.
func (t DnsTalk) Asked() bool { return t.Udp.Asked() || t.Tcp.Asked() }

// Answered reports whether an answer came back over either transport.
func (t DnsTalk) Answered() bool { return len(t.Udp.answered)+len(t.Tcp.answered) > 0 }

// UdpLost tells that datagrams alone get lost.
func (t DnsTalk) UdpLost() bool {
	return len(t.Udp.Lost) > 0 && len(t.Udp.answered) == 0 && len(t.Tcp.answered) > 0
}

// Quotes shows the talk by its first probe of each kind.
func (t DnsTalk) Quotes() []evidence.Because {
	var quotes []evidence.Because
	for _, list := range [][]evidence.DNSProbe{t.Udp.Lost, t.Tcp.Lost, t.Tcp.answered, t.Udp.answered} {
		if len(list) > 0 && len(quotes) < checks.MaxQuotes {
			quotes = append(quotes, DnsTransportBecause(list[0]))
		}
	}
	return quotes
}

// Silence is how a talk without an answer went: "UDP: timeout, TCP: refused".
func (t DnsTalk) Silence() string {
	var ways []string
	if len(t.Udp.Lost) > 0 {
		ways = append(ways, "UDP: "+t.Udp.Lost[0].Outcome)
	}
	if len(t.Tcp.Lost) > 0 {
		ways = append(ways, "TCP: "+t.Tcp.Lost[0].Outcome)
	}
	return strings.Join(ways, ", ")
}

// DnsTransportBecause is a probe as evidence for whether a server answers over a transport.
func DnsTransportBecause(p evidence.DNSProbe) evidence.Because {
	text := p.Name + " over " + p.Transport + " from " + p.From + ", " + p.Server + ": " + p.Outcome
	if p.Retries > 0 {
		text += ", asked " + strconv.Itoa(p.Retries+1) + " times"
	}
	return p.Field("outcome").Because("%s", text)
}

// A DNSServerVerdict is how a server can be reached from where it was asked.
type DNSServerVerdict struct {
	Server  string
	Level   checks.Level // 0 where nothing is wrong, or nothing could be asked
	Verdict string
	Asked   bool // over both transports
}

// judgeDNSServers tells of each server that was asked whether it answers, over
// which transports.
func judgeDNSServers(probes []evidence.DNSProbe) []DNSServerVerdict {
	var list []DNSServerVerdict
	for _, t := range DnsTalks(probes) {
		v := DNSServerVerdict{Server: t.Server, Asked: t.Udp.Asked() && t.Tcp.Asked(), Verdict: "answers over UDP and TCP"}
		switch {
		case !t.Asked():
			v.Verdict = "could not be asked"
		case !t.Answered():
			v.Level, v.Verdict = checks.Fail, "does not answer ("+t.Silence()+")"
		case t.UdpLost():
			v.Level, v.Verdict = checks.Fail, "answers over TCP and not over UDP, by which programs ask"
		case len(t.Tcp.Lost) > 0 && len(t.Tcp.answered) == 0:
			v.Level, v.Verdict = checks.Warn, "answers over UDP and not over TCP, which long answers need"
		case !t.Udp.Asked():
			v.Verdict = "answers over TCP, and could not be asked over UDP"
		case !t.Tcp.Asked():
			v.Verdict = "answers over UDP, and could not be asked over TCP"
		}
		list = append(list, v)
	}
	return list
}
