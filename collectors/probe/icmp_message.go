package probe

import (
	"bytes"
	"encoding/binary"
	"net/netip"
)

// The messages of ICMP that an echo request may bring back.
const (
	echoRequest4, echoReply4 = 8, 0
	unreachable4, exceeded4  = 3, 11
	needsFragment4           = 4 // a code of unreachable4

	echoRequest6, echoReply6 = 128, 129
	unreachable6, tooBig6    = 1, 2
	exceeded6                = 3
)

// message writes the request. Of an IPv6 one the system reckons the checksum.
func (e echoRequest) message() []byte {
	b := make([]byte, icmpHeader, icmpHeader+len(e.payload))
	b[0] = echoRequest6
	if e.to.Is4() {
		b[0] = echoRequest4
	}
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
	if e.to.Is4() {
		switch {
		case kind == echoReply4:
			return pong{outcome: answered}, from == e.to && bytes.Equal(b[icmpHeader:], e.payload)
		case kind != unreachable4 && kind != exceeded4 || !e.quotedIn(b[icmpHeader:]):
			return pong{}, false
		case kind == exceeded4:
			return unreachableBy("the way is a circle or too long", from.String()), true
		case code == needsFragment4:
			return tooBig(from.String(), int(info&0xffff)), true
		}
		return unreachableBy(name(unreachableCodes4, code), from.String()), true
	}
	switch {
	case kind == echoReply6:
		return pong{outcome: answered}, from.WithZone("") == e.to.WithZone("") &&
			bytes.Equal(b[icmpHeader:], e.payload)
	case kind != unreachable6 && kind != exceeded6 && kind != tooBig6 ||
		!e.quotedIn(b[icmpHeader:]):
		return pong{}, false
	case kind == exceeded6:
		return unreachableBy("the way is a circle or too long", from.String()), true
	case kind == tooBig6:
		return tooBig(from.String(), int(min(info, 1<<16))), true
	}
	return unreachableBy(name(unreachableCodes6, code), from.String()), true
}

// quotedIn tells whether a router speaks of this very request: it quotes the packet's beginning.
func (e echoRequest) quotedIn(packet []byte) bool {
	kind, header := byte(echoRequest6), 40
	if e.to.Is4() {
		kind = echoRequest4
		if len(packet) == 0 {
			return false
		}
		header = int(packet[0]&0xf) * 4
	}
	if len(packet) < header+icmpHeader {
		return false
	}
	inner := packet[header:]
	return inner[0] == kind && binary.BigEndian.Uint16(inner[4:]) == e.id &&
		binary.BigEndian.Uint16(inner[6:]) == e.seq
}

// What the codes of "unreachable" mean, by number.
var (
	unreachableCodes4 = map[byte]string{
		0: "network unreachable", 1: "host unreachable", 2: "protocol unreachable",
		3: "port unreachable", 6: "network unknown", 7: "host unknown",
		9: "network administratively prohibited", 10: "host administratively prohibited",
		13: "administratively prohibited",
	}
	unreachableCodes6 = map[byte]string{
		0: "no route", 1: "administratively prohibited", 2: "beyond the scope of the address",
		3: "address unreachable", 4: "port unreachable",
		5: "source address refused", 6: "route refused",
	}
)

func name(codes map[byte]string, code byte) string {
	if s := codes[code]; s != "" {
		return s
	}
	return "unreachable"
}
