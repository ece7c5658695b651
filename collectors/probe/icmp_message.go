package probe

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"net/netip"
)

// An icmpFamily is the numbers of the messages that an echo request may bring back, and what the
// codes of "unreachable" mean.
type icmpFamily struct {
	request, reply, unreachable, exceeded byte
	codes                                 map[byte]string
}

var (
	icmp4 = icmpFamily{8, 0, 3, 11, map[byte]string{
		0: "network unreachable", 1: "host unreachable", 2: "protocol unreachable",
		3: "port unreachable", 6: "network unknown", 7: "host unknown",
		9: "network administratively prohibited", 10: "host administratively prohibited",
		13: "administratively prohibited",
	}}
	icmp6 = icmpFamily{128, 129, 1, 3, map[byte]string{
		0: "no route", 1: "administratively prohibited", 2: "beyond the scope of the address",
		3: "address unreachable", 4: "port unreachable",
		5: "source address refused", 6: "route refused",
	}}
)

const (
	needsFragment4 = 4 // a code of icmp4.unreachable
	tooBig6        = 2
)

func familyOf(a netip.Addr) icmpFamily {
	if a.Is4() {
		return icmp4
	}
	return icmp6
}

// stopped tells what a message means that came instead of an answer, if it is one.
func (f icmpFamily) stopped(kind, code byte, who string) (p pong, ok bool) {
	switch kind {
	case f.exceeded:
		return unreachableBy("the way is a circle or too long", who), true
	case f.unreachable:
		return unreachableBy(cmp.Or(f.codes[code], "unreachable"), who), true
	}
	return pong{}, false
}

// message writes the request. Of an IPv6 one the system reckons the checksum.
func (e echoRequest) message() []byte {
	b := make([]byte, icmpHeader, icmpHeader+len(e.payload))
	b[0] = familyOf(e.to).request
	binary.BigEndian.PutUint16(b[4:], e.id)
	binary.BigEndian.PutUint16(b[6:], e.seq)
	b = append(b, e.payload...)
	if e.to.Is4() {
		binary.BigEndian.PutUint16(b[2:], checksum(b))
	}
	return b
}

func checksum(b []byte) uint16 {
	sum := uint32(0)
	for i := 0; i+1 < len(b); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	if len(b)%2 == 1 {
		sum += uint32(b[len(b)-1]) << 8
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}

// read tells what a message that came in says of the request. A socket that
// gets all of a machine's ICMP gets a great deal that is meant for others.
func (e echoRequest) read(from netip.Addr, b []byte) (p pong, mine bool) {
	if len(b) < icmpHeader {
		return pong{}, false
	}
	kind, code, info := b[0], b[1], binary.BigEndian.Uint32(b[4:])
	f := familyOf(e.to)
	if kind == f.reply {
		return pong{outcome: answered}, from.WithZone("") == e.to.WithZone("") &&
			bytes.Equal(b[icmpHeader:], e.payload)
	}
	if !e.quotedIn(b[icmpHeader:]) {
		return pong{}, false
	}
	switch {
	case e.to.Is4() && kind == f.unreachable && code == needsFragment4:
		return tooBig(from.String(), int(info&0xffff)), true
	case e.to.Is6() && kind == tooBig6:
		return tooBig(from.String(), int(min(info, 1<<16))), true
	}
	return f.stopped(kind, code, from.String())
}

// quotedIn tells whether a router speaks of this very request: it quotes the packet's beginning.
func (e echoRequest) quotedIn(packet []byte) bool {
	header := 40
	if e.to.Is4() && len(packet) > 0 {
		header = int(packet[0]&0xf) * 4
	}
	if len(packet) < header+icmpHeader {
		return false
	}
	inner := packet[header:]
	return inner[0] == familyOf(e.to).request && binary.BigEndian.Uint16(inner[4:]) == e.id &&
		binary.BigEndian.Uint16(inner[6:]) == e.seq
}
