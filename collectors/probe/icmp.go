package probe

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"doctor/checks/evidence"
)

// The sizes of packet that tell one network from another: Ethernet, Ethernet
// less the headers of VXLAN, less those of a cloud's tunnel, and the least that
// IPv6 promises.
var packetSizes = []int{1500, 1450, 1400, 1280}

const (
	header4, header6 = 20 + icmpHeader, 40 + icmpHeader
	icmpHeader       = 8
	usualPayload     = 32 // as Windows' own ping sends
)

// sizesFor lists the payloads that make packets of those sizes.
func sizesFor(a netip.Addr) []int {
	header := header4
	if a.Is6() {
		header = header6
	}
	var list []int
	for _, size := range packetSizes {
		list = append(list, size-header)
	}
	return list
}

// An echoRequest is one ping.
type echoRequest struct {
	to      netip.Addr
	id, seq uint16
	payload []byte // begins with a number that nobody else sends
	whole   bool   // it must not be fragmented
}

func newEcho(to netip.Addr, size int, whole bool) echoRequest {
	e := echoRequest{to: to, payload: make([]byte, size), whole: whole}
	var ids [4]byte
	rand.Read(ids[:])
	rand.Read(e.payload[:min(size, 16)])
	e.id, e.seq = binary.BigEndian.Uint16(ids[:]), binary.BigEndian.Uint16(ids[2:])
	return e
}

// zoneIndex is the number of the interface that the zone of an address names; 0 without one.
func zoneIndex(zone string) (uint32, error) {
	if zone == "" {
		return 0, nil
	}
	if n, err := strconv.ParseUint(zone, 10, 32); err == nil {
		return uint32(n), nil
	}
	i, err := net.InterfaceByName(zone)
	if err != nil {
		return 0, fmt.Errorf("the zone %s: %w", zone, err)
	}
	return uint32(i.Index), nil
}

// A pong is what came of a ping.
type pong struct {
	outcome string
	why     string
	says    string // who answered instead of the target, and what
	mtu     int
}

// echo pings once, and once more where nothing came back: a single packet may get lost.
func (r reach) echo(ctx context.Context, size int) evidence.ReachProbe {
	row := r.row("icmp")
	row.Bytes = size
	var got pong
	for try := range 2 {
		began := time.Now()
		got = r.tryEcho(ctx, size, try)
		row.LatencyMS = since(began)
		if got.outcome != timedOut || ctx.Err() != nil {
			break
		}
	}
	row.Outcome, row.Why, row.Answer, row.MTU = got.outcome, evidence.Clean(got.why),
		evidence.Clean(got.says), got.mtu
	return row
}

// tryEcho gives the first of two tries half of the time.
func (r reach) tryEcho(ctx context.Context, size, try int) pong {
	if deadline, ok := ctx.Deadline(); ok && try == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, time.Now().Add(time.Until(deadline)/2))
		defer cancel()
	}
	payload := size
	if size == 0 {
		payload = usualPayload
	}
	got := sendEcho(ctx, newEcho(r.address, payload, size > 0))
	if got.outcome == timedOut && ctx.Err() == context.Canceled {
		got = pong{outcome: outcomeError, why: "interrupted"}
	}
	return got
}

// tooBig is the answer of whoever could not pass the packet on whole.
func tooBig(who string, mtu int) pong {
	p := pong{outcome: unreachable, mtu: mtu, says: "the packet is too big for " + who}
	if mtu > 0 {
		p.says += fmt.Sprintf(", which takes %d bytes", mtu)
	}
	return p
}

func unreachableBy(what, who string) pong {
	return pong{outcome: unreachable, says: what + ", says " + who}
}

const thisMachine = "this machine"
