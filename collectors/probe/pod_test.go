package probe_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/cluster"
	"doctor/collectors/probe"
	"doctor/collectors/tree"
	"doctor/fixtures/apibed"
	"doctor/fixtures/wait"
)

const podName = "shop/web-1"

// seen is what evidence says of probes, a line each.
func seen(reach []evidence.ReachProbe, names []evidence.DNSProbe) []string {
	var lines []string
	for _, p := range reach {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s from %s %s", p.Protocol,
			p.Target, p.Outcome, p.From, p.Why)))
	}
	for _, p := range names {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s as %s of %s %s from %s %s%s",
			p.Name, p.Form, p.Server, p.Outcome, p.From, strings.Join(p.Answers, ","), p.Why)))
	}
	return lines
}

func compare(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("there is\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// An image is what programs say in a container, by the first word of a command
// and one that stands in it.
type image map[string]apibed.Ran

var missing = apibed.Ran{
	Error: `failed to exec in container: failed to start exec "9c1d": hcs::System::CreateProcess app: The system cannot find the file specified.: unknown`}

func (i image) run(argv []string) apibed.Ran {
	ran, most := missing, -1
	for key, r := range i {
		program, word, _ := strings.Cut(key, " ")
		if program == argv[0] && strings.Contains(strings.Join(argv, " "), word) &&
			len(word) > most {
			ran, most = r, len(word)
		}
	}
	return ran
}

// nano has neither ping nor nslookup nor PowerShell; core has all.
var nano = image{
	"curl.exe https://10.96.0.1:443/": {Stdout: []byte("|403|10.96.0.1|0.0|0.004|0.020|0.030|"),
		Stderr: []byte(
			"* Connected to 10.96.0.1 (10.96.0.1) port 443\n< HTTP/1.1 403 Forbidden\n")},
	"curl.exe ftp://10.0.0.9:5432/": {Stdout: []byte("|000||0.0|0.0|0.0|3.001|"),
		Stderr: []byte("curl: (28) Connection timed out\n"), Code: 28},
	"curl.exe host!127.0.0.1": {Code: 6,
		Stdout: []byte(
			"*   Trying 10.96.0.1:80...\r\n|name|0.004|0.006|* Could not resolve host: kubernetes.default\r\n|name|0.000|0.012|" +
				"*   Trying 10.96.0.1:80...\r\n|name|0.004|0.006|")},
}

func with(more, less image) image {
	all := image{}
	for _, i := range []image{less, more} {
		for k, v := range i {
			all[k] = v
		}
	}
	return all
}

var core = with(image{
	"ping.exe 8.8.8.8": {
		Stdout: []byte(
			"Pinging 8.8.8.8 with 32 bytes of data:\r\nRequest timed out.\r\nRequest timed out.\r\n"), Code: 1},
	"nslookup.exe kubernetes.": {
		Stdout: []byte("Server:  UnKnown\r\nAddress:  10.96.0.10\r\n\r\n"),
		Stderr: []byte("*** UnKnown can't find kubernetes.: Non-existent domain\r\n")},
	"nslookup.exe kubernetes.default.": {
		Stdout: []byte("Server:  UnKnown\r\nAddress:  10.96.0.10\r\n\r\n"),
		Stderr: []byte("*** UnKnown can't find it: Non-existent domain\r\n")},
	"nslookup.exe kubernetes.default.svc": {
		Stdout: []byte(
			"Server:  UnKnown\r\nAddress:  10.96.0.10\r\n\r\nName:    kubernetes.default.svc.cluster.local\r\nAddress:  10.96.0.1\r\n")},
}, nano)

func TestAPodIsAskedThroughTheAPIServer(t *testing.T) {
	bed := apibed.Require(t)
	bed.Namespace(t, "shop")
	bed.Create(t, "/api/v1/nodes", apibed.Node(apibed.WindowsNode, "windows", "10.240.0.4", "True"))
	bed.Create(t, "/api/v1/namespaces/shop/pods", apibed.Pod("web-1", apibed.WindowsNode,
		"registry.example/shop/web:1", "", 0))
	targets := []string{"10.96.0.1:443", "10.0.0.9:5432", "8.8.8.8"}
	names := []string{"kubernetes", "kubernetes.default", "kubernetes.default.svc.cluster.local"}
	const gone = "exe does not start in the container app of shop/web-1: failed to exec in container: failed to start exec \"9c1d\": hcs::System::CreateProcess app: The system cannot find the file specified.: unknown"
	tcp := []string{"tcp 10.96.0.1:443 ok from shop/web-1", "tls 10.96.0.1:443 ok from shop/web-1",
		"http 10.96.0.1:443 ok from shop/web-1", "tcp 10.0.0.9:5432 timeout from shop/web-1"}
	byCurl := []string{"kubernetes as windows of system ok from shop/web-1 10.96.0.1",
		"kubernetes.default as windows of system nxdomain from shop/web-1",
		"kubernetes.default.svc.cluster.local as windows of system ok from shop/web-1 10.96.0.1"}
	cases := []struct {
		name  string
		image image
		want  []string
		gap   string
	}{
		{"Server Core has all programs", core,
			slices.Concat(tcp, []string{"icmp 8.8.8.8 timeout from shop/web-1",
				"kubernetes as plain of 10.96.0.10:53 nxdomain from shop/web-1",
				"kubernetes.default as plain of 10.96.0.10:53 nxdomain from shop/web-1",
				"kubernetes.default.svc.cluster.local as plain of 10.96.0.10:53 ok from shop/web-1 10.96.0.1"}, byCurl), ""},
		{"Nano Server has curl", nano,
			slices.Concat(tcp, []string{"icmp 8.8.8.8 error from shop/web-1 ping." + gone}, byCurl),
			""},
		{"PowerShell without nslookup",
			with(image{"powershell.exe 'kubernetes','kubernetes.default','kubernetes.default.svc.cluster.local'": {Stdout: []byte(
				`[{"name":"kubernetes","code":0,"ms":3,"ips":["10.96.0.1"]},{"name":"kubernetes.default","code":9003,"ms":3,"ips":[]},{"name":"kubernetes.default.svc.cluster.local","code":9002,"ms":3,"ips":[]}]`)}}, nano),
			slices.Concat(tcp, []string{"icmp 8.8.8.8 error from shop/web-1 ping." + gone,
				byCurl[0], byCurl[1],
				"kubernetes.default.svc.cluster.local as windows of system servfail from shop/web-1"}), ""},
		{"an image without any of them is a gap", image{}, nil, "not-collected: curl." + gone},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var mu sync.Mutex
			calls := 0
			bed.Exec(t, apibed.KubeletAddress,
				func(_ context.Context, command apibed.Command) apibed.Ran {
					mu.Lock()
					calls++
					mu.Unlock()
					return c.image.run(command.Argv)
				})
			client, err := cluster.Connect(cluster.Options{Kubeconfig: bed.Kubeconfigs["admin"]})
			if err != nil {
				t.Fatal(err)
			}
			s, readings := collect(t, func(ctx context.Context, _ evidence.Snapshot) (probe.PodPlan,
				error) {
				plan := probe.PodPlan{Pod: podName, Targets: targets, Names: names}
				pod, err := client.OpenPod(ctx, podName, apibed.WindowsNode)
				if err == nil {
					plan.Exec = pod.Exec
				}
				return plan, err
			}, nil)
			if c.gap != "" {
				for _, path := range []string{evidence.ReachProbes.Path(),
					evidence.DNSProbes.Path()} {
					if gap := s.GapAt(path); gap.String() != c.gap {
						t.Errorf("%s: %s, not %s", path, gap, c.gap)
					}
				}
			}
			compare(t, seen(evidence.ReachProbes.In(s), evidence.DNSProbes.In(s)), c.want)
			if mu.Lock(); calls > 8 {
				t.Errorf("%d commands were run", calls)
			}
			mu.Unlock()
			t.Log(calls, "commands,", readings[0].Took)
		})
	}
}

// nodeProbes is what stands in for the node's own probes.
func nodeProbes(reach []evidence.ReachProbe, after time.Duration) []collectors.Collector {
	return []collectors.Collector{{Name: "reachability", Answers: []string{"probes/reach.json"},
		Read: func(_ context.Context, r *collectors.Record) error {
			time.Sleep(after)
			r.JSON("probes/reach.json", reach)
			return nil
		}}}
}

func collect(t *testing.T, plan func(context.Context, evidence.Snapshot) (probe.PodPlan, error),
	node []collectors.Collector) (evidence.Snapshot, []collectors.Reading) {
	t.Helper()
	recorded := tree.New()
	recorded.JSON("meta.json", evidence.Meta{Layout: evidence.Layout, Node: "win-1",
		CollectedAt: time.Now()})
	var names []string
	for _, c := range node {
		names = append(names, c.Name)
	}
	list := append(probe.PodCollectors(plan, nil, names, wait.Limit), node...)
	var readings []collectors.Reading
	collectors.Run(t.Context(), recorded, list, func(r []collectors.Reading) { readings = r })
	s, err := evidence.Load(recorded.FS())
	if err != nil {
		t.Fatal(err)
	}
	return s, readings
}

func TestAPodsRowsStandAfterTheNodes(t *testing.T) {
	node := []evidence.ReachProbe{{Target: "10.96.0.1:443", From: "node", Protocol: "tcp",
		Outcome: "ok"}}
	exec := func(_ context.Context, argv []string) (string, string, int, error) {
		time.Sleep(200 * time.Millisecond)
		return "|200|10.96.0.1|0.0|0.004|0.0|0.030|", "", 0, nil
	}
	denied := collectors.GapError(evidence.Reported.OfKind(evidence.Denied,
		"may not create pods/exec"))
	for _, c := range []struct {
		name string
		node []evidence.ReachProbe
		exec probe.Exec
		err  error
		want []string
		gap  string // of reach.json
	}{
		{"both were asked", node, exec, nil, []string{"tcp 10.96.0.1:443 ok from node",
			"tcp 10.96.0.1:80 ok from shop/web-1", "http 10.96.0.1:80 ok from shop/web-1"}, ""},
		{"the pod could not be asked", node, nil, denied, []string{"tcp 10.96.0.1:443 ok from node",
			"tcp 10.96.0.1:80 denied from shop/web-1 may not create pods/exec"}, ""},
		{"no command may be run", node, func(context.Context, []string) (string, string, int,
			error) {
			return "", "", 0, denied
		}, nil,
			[]string{"tcp 10.96.0.1:443 ok from node",
				"tcp 10.96.0.1:80 denied from shop/web-1 may not create pods/exec"}, ""},
		{"only the pod is asked", nil, exec, nil, []string{"tcp 10.96.0.1:80 ok from shop/web-1",
			"http 10.96.0.1:80 ok from shop/web-1"}, ""},
		{"nobody could be asked", nil, nil, denied, nil, "denied: may not create pods/exec"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var others []collectors.Collector
				if c.node != nil {
					others = nodeProbes(c.node, 200*time.Millisecond)
				}
				began := time.Now()
				s, _ := collect(t, func(context.Context, evidence.Snapshot) (probe.PodPlan, error) {
					return probe.PodPlan{Pod: podName, Exec: c.exec,
						Targets: []string{"10.96.0.1:80"}}, c.err
				}, others)
				if took := time.Since(began); took > 200*time.Millisecond {
					t.Errorf("the pod waits for the node: %s", took)
				}
				compare(t, seen(evidence.ReachProbes.In(s), nil), c.want)
				if gap := s.GapAt("probes/reach.json"); gap.String() != c.gap {
					t.Errorf("the gap is %q, not %q", gap, c.gap)
				}
				if gap := s.GapAt("probes/dns.json"); gap.Kind == "" {
					t.Error("no name was asked for, and there is no gap")
				}
			})
		})
	}
}

func TestAPodHasItsBounds(t *testing.T) {
	var mu sync.Mutex
	var ran [][]string
	run := func(_ context.Context, argv []string) (string, string, int, error) {
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, argv)
		return "", "", 0, nil
	}
	plan := probe.PodPlan{Pod: podName, Exec: run}
	for i := range 20 {
		plan.Targets = append(plan.Targets, fmt.Sprintf("10.0.0.%d:80", i+1))
		plan.Names = append(plan.Names, fmt.Sprintf("n%d", i))
	}
	plan.Names = append(plan.Names, "a'; calc.exe", "-x")
	reach, names, err := probe.Pod(t.Context(), plan)
	if len(ran) != 8+4+1 || len(reach) != 20 || err != nil {
		t.Errorf("%d commands, %d rows, %v", len(ran), len(reach), err)
	}
	if last := reach[19]; last.Outcome != "error" ||
		!strings.Contains(last.Why, "no more than 8 targets") {
		t.Errorf("%+v", last)
	}
	if last := names[len(names)-1]; last.Outcome != "error" ||
		last.Why != "it is not the name of a host" {
		t.Errorf("%+v", last)
	}
	for _, argv := range ran {
		if strings.Contains(strings.Join(argv, " "), "calc") {
			t.Errorf("%q", argv)
		}
	}
	if _, _, err := probe.Pod(t.Context(), probe.PodPlan{Pod: podName, Exec: run}); err == nil {
		t.Error("nothing to ask is a gap")
	}
}

func TestAPodThatHangsCostsNoMoreThanItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, _, err := probe.Pod(t.Context(),
			probe.PodPlan{Pod: podName, Targets: []string{"10.0.0.1:80", "8.8.8.8"},
				Names: []string{"a"}, Timeout: 200 * time.Millisecond,
				Exec: func(ctx context.Context, _ []string) (string, string, int, error) {
					<-ctx.Done()
					return "", "", 0, ctx.Err()
				}})
		if took := time.Since(began); took != 200*time.Millisecond ||
			!errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s, %v", took, err)
		}
	})
}

// TestTheRealCurl runs this machine's curl with the very arguments, so that what
// the tables hold is what curl says.
func TestTheRealCurl(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a server that says nothing; run `make test`")
	}
	t.Parallel()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("there is no curl")
	}
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	secure.StartTLS()
	defer secure.Close()
	listen := func(accept func(net.Conn)) string {
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
				go accept(c)
			}
		}()
		return l.Addr().String()
	}
	heard := make(chan string, 1)
	silent := listen(func(c net.Conn) {
		text, _ := io.ReadAll(c)
		heard <- string(text)
	})
	mute := listen(func(c net.Conn) { io.Copy(io.Discard, c) })
	resets := listen(func(c net.Conn) {
		c.Read(make([]byte, 1))
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	})
	closed := listen(func(net.Conn) {})
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		closed = l.Addr().String()
		l.Close()
	}
	folder := t.TempDir() // for the NUL, which is a file here
	plan := probe.PodPlan{Pod: podName, Names: []string{"localhost", "nosuch.invalid"},
		Timeout: 15 * time.Second,
		Targets: []string{web.URL, secure.URL, silent, closed, "https://" + resets,
			"https://" + mute},
		Exec: func(ctx context.Context, argv []string) (string, string, int, error) {
			if argv[0] != "curl.exe" {
				return "", "", 0, collectors.GapError(evidence.PodUnusable.Gap("%s is not there",
					argv[0]))
			}
			cmd := exec.CommandContext(ctx, curl, argv[1:]...)
			cmd.Dir = folder
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			var code *exec.ExitError
			if errors.As(err, &code) {
				err = nil
			}
			return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), err
		}}
	reach, names, err := probe.Pod(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	host := func(url string) string { _, h, _ := strings.Cut(url, "//"); return h }
	compare(t, seen(reach, names[2:]), []string{
		"tcp " + host(web.URL) + " ok from shop/web-1",
		"http " + host(web.URL) + " ok from shop/web-1",
		"tcp " + host(secure.URL) + " ok from shop/web-1",
		"tls " + host(secure.URL) + " ok from shop/web-1",
		"http " + host(secure.URL) + " ok from shop/web-1",
		"tcp " + silent + " ok from shop/web-1", "tcp " + closed + " refused from shop/web-1",
		"tcp " + resets + " ok from shop/web-1", "tls " + resets + " reset from shop/web-1",
		"tcp " + mute + " ok from shop/web-1", "tls " + mute + " timeout from shop/web-1",
		"localhost as windows of system ok from shop/web-1 127.0.0.1",
		"nosuch.invalid as windows of system nxdomain from shop/web-1",
	})
	if text := <-heard; text != "" {
		t.Errorf("a port on which nothing is to be said was told %q", text)
	}
}
