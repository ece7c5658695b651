package probe

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"doctor/checks/evidence"
)

// connect opens one connection, and says on it whatever the target is expected
// to understand: each step is a row of its own, and the first that fails the last.
func (r reach) connect(ctx context.Context) []evidence.ReachProbe {
	tcp := r.row("tcp")
	began := time.Now()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp",
		netip.AddrPortFrom(r.address, uint16(r.target.Port)).String())
	rows := []evidence.ReachProbe{closing(tcp, began, "", err)}
	if err != nil {
		return rows
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })()
	if r.target.Scheme == "https" {
		row, ok := r.timely(ctx, "tls")
		if !ok {
			return append(rows, row)
		}
		began := time.Now()
		secured, answer, err := r.handshake(ctx, conn)
		if rows = append(rows, closing(row, began, answer, cause(ctx, err))); err != nil {
			return rows
		}
		conn = secured
	}
	if r.target.Scheme == "" {
		return rows
	}
	row, ok := r.timely(ctx, "http")
	if !ok {
		return append(rows, row)
	}
	began = time.Now()
	answer, err := r.request(ctx, conn)
	return append(rows, closing(row, began, answer, cause(ctx, err)))
}

// cause names the context's end as the reason of an error that it brought about.
func cause(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return cmp.Or(ctx.Err(), err)
}

// timely tells whether there is time enough left for silence to mean anything:
// a connection that took five seconds to open says nothing of the handshake.
func (r reach) timely(ctx context.Context, protocol string) (evidence.ReachProbe, bool) {
	row := r.row(protocol)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < r.least {
		row.Outcome, row.Why = outcomeError, "no time was left for it"
		return row, false
	}
	return row, true
}

// handshake takes any certificate: who signed it is not the question here, and
// no secret is sent over the connection.
func (r reach) handshake(ctx context.Context, conn net.Conn) (secured net.Conn, subject string,
	err error) {
	config := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10}
	if r.target.isName() {
		config.ServerName = r.target.Host
	}
	client := tls.Client(conn, config)
	if err := client.HandshakeContext(ctx); err != nil {
		return nil, "", err
	}
	if certs := client.ConnectionState().PeerCertificates; len(certs) > 0 {
		if subject = certs[0].Subject.String(); subject == "" && len(certs[0].DNSNames) > 0 {
			subject = certs[0].DNSNames[0]
		}
	}
	return client, subject, nil
}

// maxHead is more than any server says before the body, which a HEAD has not.
const maxHead = 64 << 10

// request asks for the head of a page, and returns the line with the status.
func (r reach) request(ctx context.Context, conn net.Conn) (string, error) {
	path, err := url.ParseRequestURI(cmp.Or(r.target.Path, "/"))
	if err != nil {
		return "", err
	}
	path.Scheme, path.Host = r.target.Scheme, r.target.Name()
	q, err := http.NewRequestWithContext(ctx, http.MethodHead, path.String(), nil)
	if err != nil {
		return "", err
	}
	q.Close = true
	q.Header.Set("User-Agent", "doctor")
	if err := q.Write(conn); err != nil {
		return "", err
	}
	answer, err := http.ReadResponse(bufio.NewReader(io.LimitReader(conn, maxHead)), q)
	if err != nil {
		return "", err
	}
	answer.Body.Close()
	return answer.Proto + " " + answer.Status, nil
}

// closing fills in how a step ended.
func closing(row evidence.ReachProbe, began time.Time, answer string,
	err error) evidence.ReachProbe {
	row.LatencyMS = since(began)
	row.Answer = evidence.Clean(answer)
	row.Outcome, row.Why = outcomeOf(err)
	return row
}
