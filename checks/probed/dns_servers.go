package probed

import (
	"slices"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// A DNSTalk is what one server answered to one asker.
type DNSTalk struct {
	Server, From string
	UDP, TCP     dnsTransport
}

// A dnsWay is what came back over one transport. What could not be sent is in neither list.
type dnsTransport struct{ answered, Lost []evidence.DNSProbe }

func (w dnsTransport) Asked() bool { return len(w.answered)+len(w.Lost) > 0 }

// DNSTalks sorts the probes by server and asker. The system's resolver is no
// server: nobody knows whom it asked.
func DNSTalks(probes []evidence.DNSProbe) []DNSTalk {
	var talks []DNSTalk
	for _, p := range probes {
		if p.Server == SystemResolver {
			continue
		}
		at := slices.IndexFunc(talks, func(t DNSTalk) bool {
			return t.Server == p.Server && t.From == p.From
		})
		if at < 0 {
			at, talks = len(talks), append(talks, DNSTalk{Server: p.Server, From: p.From})
		}
		way := &talks[at].UDP
		if p.Transport == "tcp" {
			way = &talks[at].TCP
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
func (t DNSTalk) Asked() bool { return t.UDP.Asked() || t.TCP.Asked() }

// Answered reports whether an answer came back over either transport.
func (t DNSTalk) Answered() bool { return len(t.UDP.answered)+len(t.TCP.answered) > 0 }

// UDPLost tells that datagrams alone get lost.
func (t DNSTalk) UDPLost() bool {
	return len(t.UDP.Lost) > 0 && len(t.UDP.answered) == 0 && len(t.TCP.answered) > 0
}

// Quotes shows the talk by its first probe of each kind.
func (t DNSTalk) Quotes() []evidence.Because {
	var quotes []evidence.Because
	for _, list := range [][]evidence.DNSProbe{t.UDP.Lost, t.TCP.Lost, t.TCP.answered,
		t.UDP.answered} {
		if len(list) > 0 && len(quotes) < checks.MaxQuotes {
			quotes = append(quotes, DNSTransportBecause(list[0]))
		}
	}
	return quotes
}

// Silence is how a talk without an answer went: "UDP: timeout, TCP: refused".
func (t DNSTalk) Silence() string {
	var ways []string
	if len(t.UDP.Lost) > 0 {
		ways = append(ways, "UDP: "+t.UDP.Lost[0].Outcome)
	}
	if len(t.TCP.Lost) > 0 {
		ways = append(ways, "TCP: "+t.TCP.Lost[0].Outcome)
	}
	return strings.Join(ways, ", ")
}

// DNSTransportBecause is a probe as evidence for whether a server answers over a transport.
func DNSTransportBecause(p evidence.DNSProbe) evidence.Because {
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
	for _, t := range DNSTalks(probes) {
		v := DNSServerVerdict{Server: t.Server, Asked: t.UDP.Asked() && t.TCP.Asked(),
			Verdict: "answers over UDP and TCP"}
		switch {
		case !t.Asked():
			v.Verdict = "could not be asked"
		case !t.Answered():
			v.Level, v.Verdict = checks.Fail, "does not answer ("+t.Silence()+")"
		case t.UDPLost():
			v.Level, v.Verdict = checks.Fail,
				"answers over TCP and not over UDP, by which programs ask"
		case len(t.TCP.Lost) > 0 && len(t.TCP.answered) == 0:
			v.Level, v.Verdict = checks.Warn,
				"answers over UDP and not over TCP, which long answers need"
		case !t.UDP.Asked():
			v.Verdict = "answers over TCP, and could not be asked over UDP"
		case !t.TCP.Asked():
			v.Verdict = "answers over UDP, and could not be asked over TCP"
		}
		list = append(list, v)
	}
	return list
}
