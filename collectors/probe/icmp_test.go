package probe

import (
	"encoding/binary"
	"net/netip"
	"testing"
)

func TestReadICMP(t *testing.T) {
	to4, to6 := netip.MustParseAddr("10.0.0.9"), netip.MustParseAddr("fd00::9")
	router4, router6 := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fd00::1")
	e4, e6 := newEcho(to4, 32, false), newEcho(to6, 32, false)
	reply := func(e echoRequest, kind byte) []byte {
		b := e.message()
		b[0] = kind
		return b
	}
	says := func(kind, code byte, info uint32, packet []byte) []byte {
		b := []byte{kind, code, 0, 0, 0, 0, 0, 0}
		binary.BigEndian.PutUint32(b[4:], info)
		return append(b, packet...)
	}
	packet4 := append(append([]byte{0x45}, make([]byte, 19)...), e4.message()[:8]...)
	packet6 := append(make([]byte, 40), e6.message()[:8]...)
	other := newEcho(to4, 32, false)
	otherPacket := append(append([]byte{0x45}, make([]byte, 19)...), other.message()[:8]...)
	cases := []struct {
		name string
		e    echoRequest
		from netip.Addr
		b    []byte
		mine bool
		want string
	}{
		{"the reply", e4, to4, reply(e4, 0), true, "ok"},
		{"the reply to another request", e4, to4, reply(other, 0), false, ""},
		{"the reply of another host", e4, router4, reply(e4, 0), false, ""},
		{"the request itself, on the loopback", e4, to4, e4.message(), false, ""},
		{"no way to the host", e4, router4, says(3, 1, 0, packet4), true,
			"unreachable: host unreachable, says 10.0.0.1"},
		{"a code that nobody knows", e4, router4, says(3, 99, 0, packet4), true,
			"unreachable: unreachable, says 10.0.0.1"},
		{"too big, with the size", e4, router4, says(3, 4, 1400, packet4), true,
			"unreachable: the packet is too big for 10.0.0.1, which takes 1400 bytes"},
		{"too big, from an old router", e4, router4, says(3, 4, 0, packet4), true,
			"unreachable: the packet is too big for 10.0.0.1"},
		{"a circle", e4, router4, says(11, 0, 0, packet4), true,
			"unreachable: the way is a circle or too long, says 10.0.0.1"},
		{"about another request", e4, router4, says(3, 1, 0, otherPacket), false, ""},
		{"a quote that is cut off", e4, router4, says(3, 1, 0, packet4[:24]), false, ""},
		{"a quote with a header longer than itself", e4, router4, says(3, 1, 0, []byte{0x4f}),
			false, ""},
		{"nothing", e4, to4, nil, false, ""},
		{"IPv6: the reply", e6, to6, reply(e6, 129), true, "ok"},
		{"IPv6: no address there", e6, router6, says(1, 3, 0, packet6), true,
			"unreachable: address unreachable, says fd00::1"},
		{"IPv6: too big", e6, router6, says(2, 0, 1280, packet6), true,
			"unreachable: the packet is too big for fd00::1, which takes 1280 bytes"},
		{"IPv6: a neighbour's advertisement", e6, router6, says(136, 0, 0, nil), false, ""},
	}
	for _, c := range cases {
		got, mine := c.e.read(c.from, c.b)
		text := got.outcome
		if got.says != "" {
			text += ": " + got.says
		}
		if mine != c.mine || mine && text != c.want {
			t.Errorf("%s: %v %q, want %v %q", c.name, mine, text, c.mine, c.want)
		}
	}
}

func FuzzReadICMP(f *testing.F) {
	f.Add([]byte{3, 4, 0, 0, 0, 0, 5, 0, 0x45}, false)
	f.Add([]byte{2, 0, 0, 0, 0, 0, 5, 0, 0x60}, true)
	f.Fuzz(func(t *testing.T, b []byte, six bool) {
		to := netip.MustParseAddr("10.0.0.9")
		if six {
			to = netip.MustParseAddr("fd00::9")
		}
		newEcho(to, 32, false).read(to, b)
	})
}

func TestChecksum(t *testing.T) {
	for _, size := range []int{16, 17, 1472} {
		m := newEcho(netip.MustParseAddr("10.0.0.9"), size, false).message()
		if got := checksum(m); got != 0 {
			t.Errorf("%d bytes with their checksum sum up to %#x", size, got)
		}
	}
}

func TestWindowsPong(t *testing.T) {
	cases := []struct {
		status  uint32
		outcome string
	}{
		{0, answered}, {11010, timedOut}, {11003, unreachable}, {11009, unreachable},
		{1231, unreachable}, {5, denied}, {11050, outcomeError}, {120, outcomeError},
		{4711, outcomeError},
	}
	for _, c := range cases {
		got := windowsPong(c.status, "10.0.0.1")
		if got.outcome != c.outcome {
			t.Errorf("status %d is %s, want %s", c.status, got.outcome, c.outcome)
		}
		if (got.outcome == outcomeError || got.outcome == denied) && got.why == "" ||
			got.outcome == unreachable && got.says == "" {
			t.Errorf("status %d has no reason", c.status)
		}
	}
}
