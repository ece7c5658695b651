package probe

import (
	"bufio"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/tree"
	"doctor/fixtures/wait"
)

func TestParseReachTarget(t *testing.T) {
	cases := []struct{ given, want string }{ // want: scheme, target and path, or an error's words
		{"10.99.0.2:80", "http 10.99.0.2:80 "},
		{"10.96.0.1:443", "https 10.96.0.1:443 "},
		{"10.96.0.10:53", " 10.96.0.10:53 "},
		{"mcr.microsoft.com", " mcr.microsoft.com "},
		{"[fd00::10]:10250", "https [fd00::10]:10250 "},
		{"fd00::10", " fd00::10 "},
		{"[fd00::10]", " fd00::10 "},
		{"fe80::1%eth0", " fe80::1%eth0 "},
		{"https://a.example/healthz?x=1", "https a.example:443 /healthz?x=1"},
		{"http://[::1]:8081", "http [::1]:8081 /"},
		{" 10.0.0.1:22 ", " 10.0.0.1:22 "},
		{"", "is no HOST"},
		{":443", "is no HOST"},
		{"a:b:c", "is no HOST"},
		{"a b:1", "is no HOST"},
		{"-x:1", "is no HOST"},
		{"a:0", "is no port"},
		{"a:70000", "is no port"},
		{"a:", "is no port"},
		{"ftp://a", "only http and https"},
		{"https://u:secret@a", "leave user and password out"},
		{"https://", "is no HOST"},
		{"a\x1b[2J:1", "is no HOST"},
	}
	for _, c := range cases {
		got, err := ParseReachTarget(c.given)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") ||
				strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%q: %v", c.given, err)
			}
			continue
		}
		if s := got.Scheme + " " + got.Name() + " " + got.Path; s != c.want {
			t.Errorf("%q is read as %q, want %q", c.given, s, c.want)
		}
	}
}

// rowText is what a probe came to, in one line.
func rowText(p evidence.ReachProbe) string {
	return strings.TrimSpace(p.Protocol + " " + p.Outcome + " " + p.Answer + p.Why)
}

// connections are the rows that are no pings.
func connections(rows []evidence.ReachProbe) string {
	var list []string
	for _, p := range rows {
		if p.Protocol != "icmp" {
			list = append(list, rowText(p))
		}
	}
	return strings.Join(list, ", ")
}

func TestConnections(t *testing.T) {
	forbidden := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead || r.URL.Path != "/healthz" ||
			r.Header.Get("Authorization") != "" {
			t.Errorf("asked %s %s with %v", r.Method, r.URL, r.Header)
		}
		w.WriteHeader(http.StatusForbidden)
	})
	plain, secured := httptest.NewServer(forbidden), httptest.NewUnstartedServer(forbidden)
	secured.Config.ErrorLog = log.New(io.Discard, "", 0)
	secured.StartTLS()
	t.Cleanup(plain.Close)
	t.Cleanup(secured.Close)
	silent, expire := wait.Deadline(t)
	cases := []struct {
		name, scheme, address, want string
		until                       context.Context // nil for as long as it takes
	}{
		{"HTTP", "http", plain.Listener.Addr().String(), "tcp ok, http ok HTTP/1.1 403 Forbidden",
			nil},
		{"TLS that nobody vouches for", "https", secured.Listener.Addr().String(),
			"tcp ok, tls ok " + subjectOf(secured.Certificate()) +
				", http ok HTTP/1.1 403 Forbidden", nil},
		{"HTTP where TLS is expected", "https", plain.Listener.Addr().String(),
			"tcp ok, tls error tls: first record does not look like a TLS handshake", nil},
		{"a port where nobody listens", "http", closedPort(t), "tcp refused", nil},
		{"a connection that is closed at once", "http", listen(t, func(c net.Conn) {
			c.Close()
		}), "tcp ok, http *", nil},
		{"a connection that is reset", "http", listen(t, func(c net.Conn) {
			bufio.NewReader(c).ReadByte()
			c.(*net.TCPConn).SetLinger(0)
			c.Close()
		}), "tcp ok, http reset", nil},
		{"a server that says nothing", "https", listen(t, func(c net.Conn) {
			c.Read(make([]byte, 1)) // of the handshake, which is under way then
			expire()
			io.Copy(io.Discard, c)
		}), "tcp ok, tls timeout", silent},
		{"a server that never comes to an end", "http", listen(t, func(c net.Conn) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nX: ")
			for {
				if _, err := fmt.Fprint(c, strings.Repeat("x", 1<<10)); err != nil {
					return
				}
			}
		}), "tcp ok, http *", nil},
		{"something that is no HTTP", "http", listen(t, func(c net.Conn) {
			fmt.Fprint(c, "220 \x1b[2Jsmtp\r\n")
			io.Copy(io.Discard, c)
		}), "tcp ok, http *", nil},
		{"only TCP", "", plain.Listener.Addr().String(), "tcp ok", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			at := netip.MustParseAddrPort(c.address)
			ctx := t.Context()
			if c.until != nil {
				ctx = c.until
			}
			rows := Reach(ctx, ReachPlan{Timeout: wait.Limit,
				Targets: []ReachTarget{{Host: at.Addr().String(), Port: int(at.Port()),
					Scheme: c.scheme, Path: "/healthz"}}})
			got := connections(rows)
			if want, any := strings.CutSuffix(c.want, "*"); any && !strings.HasPrefix(got, want) ||
				!any && got != c.want {
				t.Errorf("measured %q, want %q", got, c.want)
			}
			if strings.Contains(got, "\x1b") {
				t.Errorf("%q holds what drives a terminal", got)
			}
		})
	}
}

func subjectOf(c *x509.Certificate) string { return c.Subject.String() }

func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// listen hands each connection to a function.
func listen(t *testing.T, with func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go with(c)
		}
	}()
	return l.Addr().String()
}

func TestReachKeepsToItsTime(t *testing.T) {
	silent := netip.MustParseAddrPort(listen(t, func(c net.Conn) { io.Copy(io.Discard, c) }))
	var plan ReachPlan
	for range 40 {
		plan.Targets = append(plan.Targets, ReachTarget{Host: "127.0.0.1", Port: int(silent.Port()),
			Scheme: "https"})
	}
	plan.Timeout = 300 * time.Millisecond
	rows := Reach(t.Context(), plan) // which would never end by itself
	pings := 0
	for _, p := range rows {
		if p.Protocol == "icmp" {
			pings++
		}
	}
	if pings != 1 {
		t.Errorf("one host was pinged %d times", pings)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, p := range Reach(ctx, plan) {
		if gone := p.Outcome == timedOut || p.Outcome == unreachable; gone {
			t.Errorf("interrupted, and yet %s", rowText(p))
		}
	}
}

func TestANameThatDoesNotResolveIsNoVerdict(t *testing.T) {
	rows := Reach(t.Context(), ReachPlan{Timeout: wait.Limit,
		Targets: []ReachTarget{{Host: "nobody.invalid", Port: 443}}})
	if len(rows) != 2 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, p := range rows {
		if p.Outcome != outcomeError || !strings.HasPrefix(p.Why, "the name does not resolve") {
			t.Errorf("%s", rowText(p))
		}
	}
}

func TestOutcomeOf(t *testing.T) {
	cases := []struct {
		err     error
		outcome string
	}{
		{nil, answered},
		{fmt.Errorf("dial: %w", context.DeadlineExceeded), timedOut},
		{context.Canceled, outcomeError},
		{io.ErrUnexpectedEOF, outcomeError},
		{&net.OpError{Op: "dial", Err: syscall.EPERM}, ""},
		{errors.New("odd"), outcomeError},
	}
	for _, c := range cases {
		got, _ := outcomeOf(c.err)
		if want := c.outcome; want != "" && got != want {
			t.Errorf("%v is %s, want %s", c.err, got, want)
		}
	}
}

func TestReachCollector(t *testing.T) {
	at := netip.MustParseAddrPort(closedPort(t))
	read := func(plan ReachPlan, err error) *tree.Tree {
		all := tree.New()
		all.JSON("meta.json", evidence.Meta{Layout: evidence.Layout})
		c := ReachCollector(func(evidence.Snapshot) (ReachPlan, error) {
			return plan, err
		}, nil, wait.Limit)
		collectors.Run(t.Context(), all, []collectors.Collector{c}, func([]collectors.Reading) {})
		return all
	}
	s, err := evidence.Load(read(ReachPlan{Targets: []ReachTarget{{Host: at.Addr().String(),
		Port: int(at.Port()), Purpose: evidence.ForAPIServer}}}, nil).FS())
	if err != nil {
		t.Fatal(err)
	}
	rows := evidence.ReachProbes.In(s)
	if len(rows) != 2 || rows[0].Outcome != refused || rows[0].From != evidence.FromNode ||
		rows[0].Purpose != evidence.ForAPIServer || rows[0].Target != at.String() {
		t.Errorf("recorded %+v", rows)
	}
	for name, all := range map[string]*tree.Tree{"nobody to ask": read(ReachPlan{}, nil),
		"a plan that fails": read(ReachPlan{}, errors.New("no"))} {
		s, err := evidence.Load(all.FS())
		if err != nil {
			t.Fatal(err)
		}
		if evidence.ReachProbes.Gap(s).Kind == "" {
			t.Errorf("%s: no gap", name)
		}
	}
}
