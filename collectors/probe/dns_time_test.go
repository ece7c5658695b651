package probe

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"
)

// TestServersOfEverySpeed: when a datagram is sent again, what a late answer counts for, and that
// nothing takes longer than the time there is. The network is made of pipes, so that the time is
// that of the test alone.
func TestServersOfEverySpeed(t *testing.T) {
	late := func(d time.Duration) dns.HandlerFunc {
		return func(w dns.ResponseWriter, m *dns.Msg) {
			time.Sleep(d)
			answerZone(w, m)
		}
	}
	wrongID := func(w dns.ResponseWriter, m *dns.Msg) {
		m.Id++
		answerZone(w, m)
	}
	otherName := func(w dns.ResponseWriter, m *dns.Msg) {
		m.Question[0].Name = "mcr.microsoft.com."
		answerZone(w, m)
	}
	var calls atomic.Int32
	second := func(w dns.ResponseWriter, m *dns.Msg) {
		if calls.Add(1) > 1 {
			answerZone(w, m)
		}
	}
	const both = "udp ok NOERROR edns, tcp ok NOERROR edns"
	for _, c := range []struct {
		name     string
		udp, tcp dns.HandlerFunc
		patience time.Duration
		want     string
		retries  int
		took     time.Duration // of UDP
	}{
		{"answers at once", answerZone, answerZone, 3 * time.Second, both, 0, 0},
		{"drops datagrams", silence, answerZone, 5 * time.Second,
			"udp timeout, tcp ok NOERROR edns", 2, 5 * time.Second},
		{"loses the first datagram", second, answerZone, 3 * time.Second, both, 1, time.Second},
		{"is slow", late(150 * time.Millisecond), late(150 * time.Millisecond), 3 * time.Second,
			both, 0, 150 * time.Millisecond},
		{"is slower than a datagram's patience, and its late answer counts",
			late(1300 * time.Millisecond), answerZone, 3 * time.Second, both, 1,
			1300 * time.Millisecond},
		{"is too slow", late(500 * time.Millisecond), late(500 * time.Millisecond),
			200 * time.Millisecond, "udp timeout, tcp timeout", 0, 200 * time.Millisecond},
		{"answers with another id", wrongID, wrongID, 300 * time.Millisecond,
			"udp timeout, tcp timeout", 0, 300 * time.Millisecond},
		{"answers another question", otherName, otherName, 300 * time.Millisecond,
			"udp timeout, tcp timeout", 0, 300 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), c.patience)
				defer cancel()
				began := time.Now()
				list := DNS(ctx, DNSPlan{dial: wire(c.udp, c.tcp),
					Servers: []DNSServer{{Address: "10.96.0.10:53",
						Names: []string{"kubernetes.default.svc.cluster.local"}}}})
				if took := time.Since(began); took > c.patience {
					t.Errorf("%s under a deadline of %s", took, c.patience)
				}
				if got := outcomes(list); got != c.want {
					t.Errorf("%s, want %s", got, c.want)
				}
				if p := list[0]; p.Retries != c.retries || p.LatencyMS != ms(c.took) {
					t.Errorf("%d retries and %v ms, want %d and %v", p.Retries, p.LatencyMS,
						c.retries, ms(c.took))
				}
				time.Sleep(time.Minute) // until the last answer that nobody waits for
			})
		})
	}
}

// wire connects to a server that is nowhere.
func wire(udp, tcp dns.HandlerFunc) func(context.Context, string, string) (net.Conn, error) {
	return func(_ context.Context, network, _ string) (net.Conn, error) {
		near, far := net.Pipe()
		handler := tcp
		if network == "udp" {
			handler, near, far = udp, datagrams{near}, datagrams{far}
		}
		go func() {
			at := &dns.Conn{Conn: far, UDPSize: udpSize}
			for {
				m, err := at.ReadMsg()
				if err != nil {
					return // the other end is closed
				}
				go handler(writer{Conn: at}, m)
			}
		}()
		return near, nil
	}
}

// datagrams is an end of a pipe that takes a write for a datagram.
type datagrams struct{ net.Conn }

func (d datagrams) ReadFrom(b []byte) (int, net.Addr, error) {
	n, err := d.Read(b)
	return n, d.RemoteAddr(), err
}

func (d datagrams) WriteTo(b []byte, _ net.Addr) (int, error) { return d.Write(b) }

// writer is as much of a response writer as the handlers need.
type writer struct {
	dns.ResponseWriter
	*dns.Conn
}

func (w writer) WriteMsg(m *dns.Msg) error { return w.Conn.WriteMsg(m) }

func (w writer) Write(b []byte) (int, error) { return w.Conn.Write(b) }

func (w writer) Close() error { return w.Conn.Close() }

func (w writer) LocalAddr() net.Addr { return w.Conn.LocalAddr() }

func (w writer) RemoteAddr() net.Addr { return w.Conn.RemoteAddr() }
