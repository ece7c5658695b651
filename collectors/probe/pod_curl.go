package probe

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// curlOut is what curl.exe is made to write at the end: the status, the address
// that answered, and when the name was resolved, TCP connected, TLS agreed, and
// all was over.
const curlOut = "|%{http_code}|%{remote_ip}|%{time_namelookup}|%{time_connect}|%{time_appconnect}|%{time_total}|"

// curl is the command that asks a target. The oldest curl.exe of Windows is
// 7.55, of Server 2019: what it does not know, is not asked for. -q and
// --noproxy keep the container's own settings out: the way to the target is
// measured, not that to a proxy. -v tells why a connection failed, which the
// error message of newer ones does not.
//
// Where nothing is to be said, curl believes that the port speaks FTP: there
// the server speaks first, so curl connects, waits, and sends nothing.
func (p PodPlan) curl(t podTarget) []string {
	scheme, part := t.Scheme, 0.8
	if scheme == "" {
		scheme, part = "ftp", 0.6
	}
	address := scheme + "://" + net.JoinHostPort(t.Host, strconv.Itoa(t.Port)) + "/" +
		strings.TrimPrefix(t.Path, "/")
	return []string{"curl.exe", "-q", "-sSv", "-g", "-k", "-I", "-o", "NUL", "-A", "doctor",
		"--noproxy", "*", "-m", p.patience(part), "-w", curlOut, address}
}

var curlEnd = regexp.MustCompile(
	`\|([0-9]{3})\|([0-9A-Fa-f:.]*)\|([0-9.,]+)\|([0-9.,]+)\|([0-9.,]+)\|([0-9.,]+)\|`)

// A curlRun is what one run of curl.exe said.
type curlRun struct {
	code                        int
	status                      int
	remote                      string
	name, connected, tls, total float64 // milliseconds
	text                        string  // of stderr
}

func readCurlRun(stdout, stderr string, code int) curlRun {
	r := curlRun{code: code, text: stderr}
	if m := curlEnd.FindStringSubmatch(stdout); m != nil {
		r.status, _ = strconv.Atoi(m[1])
		if a, err := netip.ParseAddr(m[2]); err == nil {
			r.remote = a.String()
		}
		r.name, r.connected, r.tls, r.total = curlTime(m[3]), curlTime(m[4]), curlTime(m[5]),
			curlTime(m[6])
	}
	return r
}

// curlTime reads seconds, which a localised curl may write with a comma.
func curlTime(s string) float64 {
	f, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if err != nil || f < 0 || f > 3600 {
		return 0
	}
	return float64(int64(f*1e6)) / 1e3
}

// The exit codes of curl that mean something here.
const (
	curlNoName     = 6
	curlNoConnect  = 7
	curlTimeout    = 28
	curlTLS        = 35
	curlEmpty      = 52
	curlNotWritten = 55
	curlNotRead    = 56
)

// isConnected does not trust the time alone: an old curl.exe measures it in
// ticks of 16 ms, and a near host answers within the first.
func (r curlRun) isConnected() bool {
	return r.status >= 100 || r.connected > 0 || r.sinceConnected() >= 0 ||
		slices.Contains([]int{curlTLS, curlEmpty, curlNotWritten, curlNotRead}, r.code)
}

// sinceConnected is where in the text the connection stands, -1 without one.
func (r curlRun) sinceConnected() int {
	return max(strings.LastIndex(r.text, "* Connected to "),
		strings.LastIndex(r.text, "* Established connection to "))
}

// podBadAccess is a firewall's or an excluded port's refusal on the node itself.
const podBadAccess = "Windows forbids the connection (WSAEACCES)"

// curlReasons are curl's own words for the errors of sockets: they are English
// whatever Windows speaks.
var curlReasons = []struct{ text, outcome string }{
	{"connection refused", refused}, {"bad access", denied}, {"permission denied", denied},
	{"connection was reset", reset}, {"connection reset", reset},
	{"connection was aborted", reset},
	{"host unreachable", unreachable}, {"network unreachable", unreachable},
	{"network is unreachable", unreachable},
	{"no route to host", unreachable}, {"network down", unreachable},
	{"timed out", timedOut},
}

// reason is how the last thing that curl tried went wrong.
func (r curlRun) reason() (outcome, why string) {
	// before that, other addresses may have failed
	lines := podLines(r.text[max(0, r.sinceConnected()):])
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.ToLower(lines[i])
		if strings.HasPrefix(line, "<") || strings.HasPrefix(line, ">") {
			continue // of the server, or to it
		}
		for _, known := range curlReasons {
			if !strings.Contains(line, known.text) {
				continue
			}
			if known.outcome == denied {
				return denied, podBadAccess
			}
			return known.outcome, ""
		}
	}
	if r.code == curlTimeout {
		return timedOut, ""
	}
	return outcomeError, r.message()
}

var curlMessage = regexp.MustCompile(`(?m)^curl: \([0-9]+\) ([^\r\n]+)`)

// message is curl's own, where it has one.
func (r curlRun) message() string {
	why := fmt.Sprintf("curl.exe ended with %d", r.code)
	if m := curlMessage.FindStringSubmatch(r.text); m != nil {
		why += ": " + evidence.Clean(strings.ToValidUTF8(m[1], "?"))
	}
	return why
}

// readCurl makes rows of a run, a step each, and the first that failed the last.
func (t podTarget) readCurl(from, stdout, stderr string, code int) []evidence.ReachProbe {
	r := readCurlRun(stdout, stderr, code)
	tcp := t.row(from, "tcp")
	if t.isName() {
		tcp.Address = r.remote
	}
	if !r.isConnected() {
		tcp.Outcome, tcp.Why = r.notConnected(t)
		return []evidence.ReachProbe{tcp}
	}
	tcp.Outcome, tcp.LatencyMS = answered, max(0, r.connected-r.name)
	rows := []evidence.ReachProbe{tcp}
	began := r.connected
	if t.Scheme == "https" {
		tls := t.row(from, "tls")
		if tls.Address = tcp.Address; r.tls <= 0 && r.status < 100 {
			tls.Outcome, tls.Why = r.broken(began)
			return append(rows, tls)
		}
		tls.Outcome, tls.LatencyMS = answered, max(0, r.tls-began)
		rows, began = append(rows, tls), r.tls
	}
	if t.Scheme == "" {
		return rows
	}
	http := t.row(from, "http")
	http.Address = tcp.Address
	if r.status >= 100 {
		http.Outcome, http.LatencyMS, http.Answer = answered, max(0, r.total-began), r.statusLine()
	} else {
		http.Outcome, http.Why = r.broken(began)
	}
	return append(rows, http)
}

// notConnected is how TCP went where it did not connect.
func (r curlRun) notConnected(t podTarget) (outcome, why string) {
	switch {
	case r.code == curlNoName:
		return outcomeError, "the name does not resolve"
	case r.code == curlTimeout && t.isName() && !strings.Contains(r.text, "Trying "):
		return outcomeError, "the name did not resolve in time"
	case r.code == curlTimeout:
		return timedOut, ""
	case r.code == curlNoConnect:
		return r.reason()
	}
	return outcomeError, r.message()
}

// leastWait is what an answer needs before its want means anything, in milliseconds.
const leastWait = 1000

// broken is how a step over an open connection went wrong.
func (r curlRun) broken(began float64) (outcome, why string) {
	switch {
	case r.code == curlTimeout && began > 0 && r.total-began < leastWait:
		return outcomeError, "no time was left for it"
	case r.code == curlTimeout:
		return timedOut, ""
	case r.code == curlEmpty:
		return outcomeError, "the other side closed the connection without an answer"
	}
	return r.reason()
}

var curlStatus = regexp.MustCompile(`(?m)^< (HTTP/[0-9.]+ [^\r\n]+)`)

func (r curlRun) statusLine() string {
	if all := curlStatus.FindAllStringSubmatch(r.text, -1); len(all) > 0 {
		return strings.TrimSpace(evidence.Clean(all[len(all)-1][1]))
	}
	return fmt.Sprintf("HTTP %03d", r.status)
}
