package network_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"doctor/checks/probed"
	"doctor/fixtures/program"
)

// A network is the test's own: two clients and a server, each in a namespace,
// with a router between them that loses packets as it is told. In one of the
// clients anybody may ping, in the other it takes root.
type network struct{ anybody, root, router, server string }

// needsNamespaces skips a test where its packets would have nowhere to go.
func needsNamespaces(t *testing.T) {
	t.Helper()
	miss := func(format string, args ...any) {
		t.Helper()
		if os.Getenv("DOCTOR_REQUIRE_ALL") == "1" {
			t.Fatalf(format, args...)
		}
		t.Skipf(format, args...)
	}
	for _, tool := range []string{"ip", "nft"} {
		if _, err := exec.LookPath(tool); err != nil {
			miss("network namespaces need `apt-get install -y --no-install-recommends iproute2 nftables`")
		}
	}
	if os.Getuid() != 0 {
		miss("network namespaces need root: run `sudo -E make test`")
	}
	probe := fmt.Sprintf("doctor%d-try", os.Getpid())
	defer exec.Command("ip", "netns", "del", probe).Run()
	for _, args := range [][]string{{"ip", "netns", "add", probe}, {"ip", "netns", "exec", probe,
		"nft", "list", "ruleset"}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			miss("%s: %v: %s; a container needs --privileged for it", strings.Join(args, " "), err,
				out)
		}
	}
}

func newNetwork(t *testing.T) network {
	t.Helper()
	needsNamespaces(t)
	name := func(s string) string { return fmt.Sprintf("doctor%d-%s", os.Getpid(), s) }
	n := network{anybody: name("anybody"), root: name("root"), router: name("router"),
		server: name("server")}
	all := []string{n.anybody, n.root, n.router, n.server}
	removeAtTheEnd(t, all)
	for _, ns := range all {
		shell(t, "", "ip", "netns", "add", ns)
		shell(t, "", "ip", "-n", ns, "link", "set", "lo", "up")
	}
	for i, ns := range []string{n.anybody, n.root, n.server} {
		shell(t, "", "ip", "-n", n.router, "link", "add", fmt.Sprint("to", i), "type", "veth",
			"peer", "name", "eth0", "netns", ns)
		net4, net6 := fmt.Sprintf("10.99.%d.", i), fmt.Sprintf("fd00:99:%d::", i)
		for _, end := range []struct{ ns, link, host string }{{n.router, fmt.Sprint("to", i), "1"},
			{ns, "eth0", "2"}} {
			shell(t, "", "ip", "-n", end.ns, "address", "add", net4+end.host+"/24", "dev", end.link)
			shell(t, "", "ip", "-n", end.ns, "address", "add", net6+end.host+"/64", "dev", end.link,
				"nodad")
			shell(t, "", "ip", "-n", end.ns, "link", "set", end.link, "up")
		}
		shell(t, "", "ip", "-n", ns, "route", "add", "default", "via", net4+"1")
		shell(t, "", "ip", "-n", ns, "route", "add", "default", "via", net6+"1")
	}
	n.set(t, n.router, "/proc/sys/net/ipv4/ip_forward", "1")
	n.set(t, n.router, "/proc/sys/net/ipv6/conf/all/forwarding", "1")
	n.set(t, n.router, "/proc/sys/net/ipv4/icmp_ratelimit", "0")
	n.set(t, n.anybody, "/proc/sys/net/ipv4/ping_group_range", "0 2147483647")
	n.set(t, n.root, "/proc/sys/net/ipv4/ping_group_range", "1 0")
	return n
}

// removeAtTheEnd leaves the namespaces to a process that outlives this one, so
// that a test that is killed leaves nothing behind either.
func removeAtTheEnd(t *testing.T, namespaces []string) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", `cat; for ns; do ip netns del "$ns"; done`,
		"sh"}, namespaces...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	alive, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		alive.Close()
		cmd.Wait()
	})
}

func (n network) set(t *testing.T, ns, file, value string) {
	t.Helper()
	n.in(t, ns, func() error { return os.WriteFile(file, []byte(value), 0o644) })
}

// in does something with the network of a namespace. A thread that does not
// find its way back is not used again.
func (n network) in(t *testing.T, ns string, do func() error) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		there, err := os.Open("/run/netns/" + ns)
		if err == nil {
			defer there.Close()
			err = unix.Setns(int(there.Fd()), unix.CLONE_NEWNET)
		}
		if err == nil {
			err = do()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatalf("in %s: %v", ns, err)
	}
}

// serve answers HTTP, or HTTPS, on a port of every address of the server.
func (n network) serve(t *testing.T, port int, secured bool) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
	}))
	s.Listener.Close()
	n.in(t, n.server, func() (err error) {
		s.Listener, err = net.Listen("tcp", fmt.Sprintf(":%d", port))
		return err
	})
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	if secured {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
}

func shell(t *testing.T, stdin string, args ...string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin = strings.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// lossy are the router's rules for one target each, with DST in its place, and
// what the program measures and says of it.
var lossy = []struct {
	name, target string // of the target: DST in the place of its address
	rules        []string
	measured     string // the outcome of each protocol
	status       int
	says         string
}{
	{"all gets through", "DST:80", nil, "tcp ok, http ok, icmp ok, up to 1472", program.Fine,
		"TCP ok, ICMP ok"},
	{"TLS with a certificate of nobody's", "DST:443", nil,
		"tcp ok, tls ok, http ok, icmp ok, up to 1472", program.Fine, "TCP ok, ICMP ok"},
	{"a server without TLS", "https://DST:80", nil, "tcp ok, tls error, icmp ok, up to 1472",
		program.Fine, "TCP ok, no TLS: tls: first record does not look like a TLS handshake"},
	{"a port where nobody listens", "DST:81", nil, "tcp refused, icmp ok, up to 1472", program.Fail,
		"TCP refused: the host answers"},
	{"ICMP is dropped", "DST:80", []string{"ip daddr DST icmp type echo-request drop"},
		"tcp ok, http ok, icmp timeout", program.Fine,
		"TCP ok, ICMP lost: from a Windows node that is as documented"},
	{"TCP is dropped", "DST:80", []string{"ip daddr DST meta l4proto tcp drop"},
		"tcp timeout, icmp ok, up to 1472", program.Fail,
		"ICMP ok, TCP timeout: a firewall stands between"},
	{"both are dropped", "DST:80", []string{"ip daddr DST drop"}, "tcp timeout, icmp timeout",
		program.Fail, "TCP timeout, ICMP lost: this is not about ICMP"},
	{"a firewall refuses for the host", "DST:80",
		[]string{"ip daddr DST meta l4proto tcp reject with tcp reset"},
		"tcp refused, icmp ok, up to 1472", program.Fail, "TCP refused"},
	{"connections are reset once they are used", "DST:443",
		[]string{"ip daddr DST tcp flags & psh == psh reject with tcp reset"},
		"tcp ok, tls reset, icmp ok, up to 1472", program.Fail, "TCP ok, TLS reset"},
	{"connections stay silent once they are used", "DST:443",
		[]string{"ip saddr DST tcp flags & psh == psh drop"},
		"tcp ok, tls timeout, icmp ok, up to 1472", program.Fail, "TCP ok, TLS timeout"},
	{"a router knows no way to the host", "DST:80",
		[]string{"ip daddr DST reject with icmp type host-unreachable"},
		"tcp unreachable, icmp unreachable (host unreachable, says ROUTER)", program.Fail,
		"TCP unreachable (no route to the host), ICMP unreachable (host unreachable, says ROUTER): this is not about ICMP"},
	{"large packets are dropped without a word", "DST:80",
		[]string{"ip daddr DST meta length > 1400 drop"}, "tcp ok, http ok, icmp ok, up to 1372",
		program.Fine,
		"TCP ok, ICMP ok; pings of 1372 bytes come back and those of 1422 get lost without a word"},
	{"a router that says how much fits", "DST:80", nil,
		"tcp ok, http ok, icmp ok, up to 1372, MTU 1400", program.Fine, "TCP ok, ICMP ok"},
	{"a ping alone", "DST", nil, "icmp ok, up to 1472", program.Fine, "ICMP ok"},
	{"a ping alone that is lost", "DST", []string{"ip daddr DST drop"}, "icmp timeout",
		program.Fine, "ICMP lost, which alone proves nothing"},
}

// patience is what the program has for each target. What never comes costs all of it, and what
// comes must come within it on a busy machine too.
const patience = "15s"

// TestMain lets all cases wait at the same time: none of them has anything to compute.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", fmt.Sprint(2*len(lossy)+2)); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// toldMTU is the case whose MTU the router knows.
const toldMTU = "a router that says how much fits"

// TestReachThroughAFirewall sends real packets through a router that loses them.
func TestReachThroughAFirewall(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for packets that never come; run `make test`")
	}
	n := newNetwork(t)
	exe := program.Build(t)
	n.serve(t, 80, false)
	n.serve(t, 443, true)
	rules := "table inet doctor { chain forward { type filter hook forward priority 0;\n"
	address := func(i int) string { return fmt.Sprintf("10.99.2.%d", 10+i) }
	for i, c := range lossy {
		shell(t, "", "ip", "-n", n.server, "address", "add", address(i)+"/32", "dev", "eth0")
		for _, r := range c.rules {
			rules += strings.ReplaceAll(r, "DST", address(i)) + "\n"
		}
		if c.name == toldMTU {
			shell(t, "", "ip", "-n", n.router, "route", "add", address(i), "dev", "to2", "mtu",
				"lock", "1400")
		}
	}
	shell(t, rules+"}\n}\n", "ip", "netns", "exec", n.router, "nft", "-f", "-")
	t.Run("cases", func(t *testing.T) { // the network goes when all of them are done
		for k, client := range []string{n.anybody, n.root} {
			for i, c := range lossy {
				t.Run(c.name+" from "+client[strings.LastIndex(client, "-")+1:],
					func(t *testing.T) {
						t.Parallel()
						router := fmt.Sprintf("10.99.%d.1", k)
						results, status := n.reach(t, client, exe,
							strings.ReplaceAll(c.target, "DST",
								address(i)))
						want := strings.ReplaceAll(c.measured, "ROUTER", router)
						if got := summary(results[0]); got != want {
							t.Errorf("measured %s\nwant     %s", got, want)
						}
						if says := strings.ReplaceAll(c.says, "ROUTER",
							router); !strings.HasPrefix(results[0].Says, says) {
							t.Errorf("says %q, which does not begin with %q", results[0].Says, says)
						}
						if status != c.status {
							t.Errorf("exit status %d, want %d", status, c.status)
						}
					})
			}
			t.Run("IPv6 from "+client[strings.LastIndex(client, "-")+1:], func(t *testing.T) {
				t.Parallel()
				results, status := n.reach(t, client, exe, "[fd00:99:2::2]:443")
				if got, want := summary(results[0]),
					"tcp ok, tls ok, http ok, icmp ok, up to 1452"; got != want ||
					status != program.Fine {
					t.Errorf("measured %s, exit status %d; want %s", got, status, want)
				}
			})
		}
	})
	t.Run("this machine's own firewall", func(t *testing.T) {
		for _, client := range []string{n.anybody, n.root} {
			shell(t, "table inet doctor { chain output { type filter hook output priority 0;\nicmp type echo-request drop\n}\n}\n", "ip", "netns", "exec", client, "nft", "-f", "-")
			results, status := n.reach(t, client, exe, address(0)+":80")
			if got := summary(results[0]); got != "tcp ok, http ok, icmp denied" ||
				status != program.Fine || !strings.Contains(results[0].Says,
				"ICMP may not be sent") {
				t.Errorf("measured %s, exit status %d, %q: what could not be sent is no fault", got,
					status, results[0].Says)
			}
		}
	})
}

// reach runs the program in a client's namespace.
func (n network) reach(t *testing.T, client, exe, target string) ([]probed.ReachResult, int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command("ip", "netns", "exec", client, exe, "probe", "reach", "--target", target,
		"--timeout", patience, "-o", "json")
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	}
	var doc struct{ Targets []probed.ReachResult }
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil || len(doc.Targets) == 0 {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	return doc.Targets, cmd.ProcessState.ExitCode()
}

// summary is what was measured in one line.
func summary(r probed.ReachResult) string {
	var parts []string
	whole, mtu := 0, 0
	for _, p := range r.Probes {
		mtu = max(mtu, p.MTU)
		switch {
		case p.Bytes == 0 && p.Outcome == "unreachable" && p.Answer != "":
			parts = append(parts, p.Protocol+" "+p.Outcome+" ("+p.Answer+")")
		case p.Bytes == 0:
			parts = append(parts, p.Protocol+" "+p.Outcome)
		case p.Outcome == "ok":
			whole = max(whole, p.Bytes)
		}
	}
	if whole > 0 {
		parts = append(parts, fmt.Sprintf("up to %d", whole))
	}
	if mtu > 0 {
		parts = append(parts, fmt.Sprintf("MTU %d", mtu))
	}
	return strings.Join(parts, ", ")
}
