package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// ReachTimeout is for all targets together, where a plan names no other time.
const ReachTimeout = 5 * time.Second

// A ReachPlan is whom to ask.
type ReachPlan struct {
	Targets []ReachTarget
	Timeout time.Duration // for all together; 0 stands for ReachTimeout
}

// A ReachTarget is one host, and what is expected to listen there.
type ReachTarget struct {
	Host    string // a name or an address, an IPv6 one without brackets
	Port    int    // 0: it is only pinged
	Scheme  string // "https" and "http" are spoken once TCP connects; "" ends there
	Path    string // of the request; "" stands for /
	Purpose string // what the host is to the node: "API server"
	// it is pinged with packets of several sizes too, none of which may be fragmented
	Sizes bool
}

// Name is the target as evidence has it: HOST:PORT, or the host alone.
func (t ReachTarget) Name() string {
	if t.Port == 0 {
		return t.Host
	}
	return net.JoinHostPort(t.Host, strconv.Itoa(t.Port))
}

// row is one of the target's.
func (t ReachTarget) row(from, protocol string) evidence.ReachProbe {
	return evidence.ReachProbe{Target: t.Name(), From: from, Protocol: protocol, Purpose: t.Purpose}
}

func (t ReachTarget) isName() bool {
	_, err := netip.ParseAddr(t.Host)
	return err != nil
}

// Reach probes all targets side by side, and returns what it measured when all
// have answered or the time is over. What could not be sent is told as denied
// or error, which is no word about the target.
func Reach(ctx context.Context, plan ReachPlan) []evidence.ReachProbe {
	timeout := cmp.Or(plan.Timeout, ReachTimeout)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	rows := make([][]evidence.ReachProbe, len(plan.Targets))
	pinged, sized := map[string]bool{}, map[string]bool{}
	for _, t := range plan.Targets {
		sized[t.Host] = sized[t.Host] || t.Sizes
	}
	var all sync.WaitGroup
	for i, t := range plan.Targets {
		t.Sizes = sized[t.Host]
		// a host with several ports is pinged once
		r := reach{target: t, least: timeout / 4, ping: !pinged[t.Host]}
		pinged[t.Host] = true
		all.Go(func() { rows[i] = r.all(ctx) })
	}
	all.Wait()
	return slices.Concat(rows...)
}

// reach is the probing of one target.
type reach struct {
	target  ReachTarget
	address netip.Addr
	ping    bool          // no other target has the same host
	least   time.Duration // what a handshake needs before its silence means anything
}

func (r reach) all(ctx context.Context) []evidence.ReachProbe {
	address, why := resolve(ctx, r.target.Host)
	if why != "" {
		return r.unsent(why)
	}
	r.address = address
	sizes := []int{0}
	if r.target.Sizes {
		sizes = append(sizes, sizesFor(address)...)
	}
	if !r.ping {
		sizes = nil
	}
	var connections []evidence.ReachProbe
	pings := make([]evidence.ReachProbe, len(sizes))
	var side sync.WaitGroup
	if r.target.Port > 0 {
		side.Go(func() { connections = r.connect(ctx) })
	}
	for i, size := range sizes {
		side.Go(func() { pings[i] = r.echo(ctx, size) })
	}
	side.Wait()
	return append(connections, pings...)
}

// unsent is what is recorded of a target whose name leads nowhere.
func (r reach) unsent(why string) []evidence.ReachProbe {
	var rows []evidence.ReachProbe
	if r.target.Port > 0 {
		rows = append(rows, r.row("tcp"))
	}
	if r.ping {
		rows = append(rows, r.row("icmp"))
	}
	for i := range rows {
		rows[i].Outcome, rows[i].Why = outcomeError, why
	}
	return rows
}

func (r reach) row(protocol string) evidence.ReachProbe {
	p := r.target.row(evidence.FromNode, protocol)
	if protocol == "icmp" {
		p.Target = r.target.Host
	}
	if r.target.isName() && r.address.IsValid() {
		p.Address = r.address.String()
	}
	return p
}

// resolve asks the system, as every other program of the machine does, and takes its first answer.
func resolve(ctx context.Context, host string) (a netip.Addr, why string) {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap(), ""
	}
	list, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	switch {
	case err != nil:
		return a, "the name does not resolve: " + reasonOf(err)
	case len(list) == 0:
		return a, "the name has no address"
	}
	return list[0].Unmap(), ""
}

func since(began time.Time) float64 {
	return float64(time.Since(began).Round(10*time.Microsecond).Microseconds()) / 1000
}

// ReachCollector measures what the plan names, once the collectors that it
// follows have recorded whom there is to ask.
func ReachCollector(plan func(evidence.Snapshot) (ReachPlan, error), after []string,
	deadline time.Duration) collectors.Collector {
	path := evidence.ReachProbes.Path()
	return collectors.Collector{Name: "reachability", Answers: []string{path}, After: after,
		Deadline: deadline + grace,
		Read: planned(plan, func(ctx context.Context, r *collectors.Record, p ReachPlan) error {
			ctx, cancel := within(ctx, cmp.Or(p.Timeout, deadline))
			defer cancel()
			end, _ := ctx.Deadline()
			p.Timeout = time.Until(end)
			measured := Reach(ctx, p)
			if errors.Is(ctx.Err(), context.Canceled) {
				return fmt.Errorf("the probes were not done: %w", ctx.Err())
			}
			if len(measured) == 0 {
				return collectors.GapError(evidence.NoProbeTarget.Gap())
			}
			r.JSON(path, measured)
			return nil
		})}
}

// within ends when the probes' time is over, and in any case so long before the
// run does that what was measured can be written down.
func within(ctx context.Context, deadline time.Duration) (context.Context, context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok {
		deadline = min(deadline, time.Until(end)-grace)
	}
	return context.WithTimeout(ctx, max(deadline, time.Millisecond))
}
