package cluster_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"doctor/collectors"
	"doctor/collectors/cluster"
	"doctor/fixtures/apibed"
	"doctor/fixtures/wait"
)

// stagePod fills the cluster with a node and pods of it.
func stagePod(t testing.TB, bed *apibed.Bed, pods ...apibed.Object) {
	t.Helper()
	bed.Namespace(t, "shop")
	bed.Create(t, "/api/v1/nodes", apibed.Node(apibed.WindowsNode, "windows", "10.240.0.4", "True"))
	bed.Create(t, "/api/v1/nodes", apibed.Node(apibed.LinuxNode, "linux", "10.240.0.3", "True"))
	for _, p := range pods {
		bed.Create(t, "/api/v1/namespaces/shop/pods", p)
	}
}

func open(t testing.TB, kubeconfig, pod string) *cluster.Pod {
	t.Helper()
	client, err := cluster.Connect(cluster.Options{Kubeconfig: kubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	p, err := client.OpenPod(t.Context(), pod, apibed.WindowsNode)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const image = "registry.example/shop/web:1.4-ltsc2022"

func TestCommandsRunInAPod(t *testing.T) {
	bed := apibed.Require(t)
	stagePod(t, bed, apibed.Pod("web-1", apibed.WindowsNode, image, "", 0))
	var mu sync.Mutex
	var seen []apibed.Command
	var hangs atomic.Pointer[func()] // ends the time of the command that hangs
	bed.Exec(t, apibed.KubeletAddress, func(ctx context.Context, c apibed.Command) apibed.Ran {
		mu.Lock()
		seen = append(seen, c)
		mu.Unlock()
		switch c.Argv[0] {
		case "ok.exe":
			return apibed.Ran{Stdout: []byte("out\r\n"), Stderr: []byte("err \x81\r\n")}
		case "seven.exe":
			return apibed.Ran{Stdout: []byte("out"), Code: 7}
		case "crash.exe":
			return apibed.Ran{Code: 0xC0000135}
		case "long.exe":
			return apibed.Ran{Stdout: []byte(strings.Repeat("x", 1<<20))}
		case "hangs.exe":
			(*hangs.Load())()
			<-ctx.Done()
		}
		return apibed.Ran{
			Error: `failed to exec in container: failed to start exec "0f5c": hcs::System::CreateProcess app: The system cannot find the file specified.: unknown`}
	})
	front := bed.Front(t, apibed.Faults{HTTP1: true})
	noWebSocket := spdyFront(t, bed)
	for name, kubeconfig := range map[string]string{
		"through WebSocket": bed.Kubeconfig(t,
			apibed.Login{Server: front.URL, CA: front.CA}),
		"through SPDY where WebSocket is not known": bed.Kubeconfig(t,
			apibed.Login{Server: noWebSocket.URL, CA: noWebSocket.CA}),
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, kubeconfig, "shop/web-1")
			for _, c := range []struct {
				name           string
				argv           []string
				stdout, stderr string
				code           int
				err            string
				notStarted     bool
			}{
				{name: "both outputs come back as they are", argv: []string{"ok.exe", `a "b" c`,
					"%{x}|"}, stdout: "out\r\n", stderr: "err \x81\r\n"},
				{name: "an exit code comes with the output", argv: []string{"seven.exe"},
					stdout: "out", code: 7},
				{name: "an exit code has 32 bits", argv: []string{"crash.exe"}, code: 0xC0000135},
				{name: "of a long output the beginning is kept", argv: []string{"long.exe"},
					stdout: strings.Repeat("x", 256<<10)},
				{name: "a program that is not there is told", argv: []string{"none.exe"},
					notStarted: true,
					err:        `not-collected: none.exe does not start in the container app of shop/web-1: failed to exec in container: failed to start exec "0f5c": hcs::System::CreateProcess app: The system cannot find the file specified.: unknown`},
				{name: "one that hangs ends with its time", argv: []string{"hangs.exe"},
					err: "timeout: the API server {server} did not answer create pods/exec of shop/web-1 in time"},
			} {
				t.Run(c.name, func(t *testing.T) {
					ctx, expire := wait.Deadline(t)
					hangs.Store(&expire)
					stdout, stderr, code, err := p.Exec(ctx, c.argv)
					if stdout != c.stdout || stderr != c.stderr || code != c.code {
						t.Errorf("it said %q and %q and ended with %d",
							stdout[:min(100, len(stdout))], stderr, code)
					}
					said := ""
					if err != nil {
						said = gapText(err)
					}
					if host := hostOf(kubeconfig, t); said != strings.ReplaceAll(c.err, "{server}",
						host) {
						t.Errorf("the error is\n%s, not\n%s", said, c.err)
					}
					var n interface{ NotStarted() bool }
					if errors.As(err, &n) != c.notStarted {
						t.Errorf("that it did not start is %v", !c.notStarted)
					}
				})
			}
		})
	}
	mu.Lock()
	defer mu.Unlock()
	if first := slices.IndexFunc(seen, func(c apibed.Command) bool {
		return c.Argv[0] == "ok.exe"
	}); first < 0 ||
		seen[first].Pod != "shop/web-1" || seen[first].Container != "app" ||
		!slices.Equal(seen[first].Argv, []string{"ok.exe", `a "b" c`, "%{x}|"}) {
		t.Errorf("the kubelet was asked %+v", seen)
	}
	exec := func(requests []string) (methods []string) {
		for _, r := range requests {
			if strings.Contains(r, "/exec?") {
				methods = append(methods, r[:4])
			}
		}
		return methods
	}
	if got := exec(front.Requests()); slices.Contains(got, "POST") {
		t.Errorf("where WebSocket works, SPDY is not tried: %v", got)
	}
	if got := exec(noWebSocket.Requests()); len(got) == 0 || got[0] != "GET " ||
		!slices.Contains(got, "POST") {
		t.Errorf("WebSocket is tried first, and SPDY then: %v", got)
	}
}

// spdyFront knows no WebSocket, as older servers and some load balancers do.
func spdyFront(t *testing.T, bed *apibed.Bed) *apibed.Front {
	ca, err := os.ReadFile(bed.CA)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	to, err := url.Parse(bed.Server)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
	}, ErrorLog: log.New(io.Discard, "", 0),
		// a SPDY upgrade passes HTTP/1.1 alone
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	return bed.Front(t, apibed.Faults{HTTP1: true, Spoil: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
				http.Error(w, "no such protocol", http.StatusBadRequest)
				return
			}
			proxy.ServeHTTP(w, r)
		})
	}})
}

// gapText is an error as its gap.
func gapText(err error) string { return collectors.GapOf(err).String() }

func hostOf(kubeconfig string, t *testing.T) string {
	t.Helper()
	c, err := cluster.Connect(cluster.Options{Kubeconfig: kubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(c.Host(), "https://")
}

func TestAServerBeforeWebSocketIsAskedWithSPDY(t *testing.T) {
	apibed.Require(t)
	bed, err := apibed.Start(
		"--feature-gates=TranslateStreamCloseWebsocketRequests=false,ExtendWebSocketsToKubelet=false,AuthorizePodWebsocketUpgradeCreatePermission=false")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bed.Stop)
	stagePod(t, bed, apibed.Pod("web-1", apibed.WindowsNode, image, "", 0))
	bed.Exec(t, apibed.KubeletAddress, func(context.Context, apibed.Command) apibed.Ran {
		return apibed.Ran{Stdout: []byte("out"), Code: 3}
	})
	stdout, _, code, err := open(t, bed.Kubeconfigs["admin"], "shop/web-1").Exec(t.Context(),
		[]string{"x"})
	if stdout != "out" || code != 3 || err != nil {
		t.Errorf("%q %d %v", stdout, code, err)
	}
}

func TestWhyNoCommandRuns(t *testing.T) {
	bed := apibed.Require(t)
	of := func(name, waits string,
		change func(metadata, spec, status apibed.Object)) apibed.Object {
		p := apibed.Pod(name, apibed.WindowsNode, image, waits, 0)
		if change != nil {
			change(p["metadata"].(apibed.Object), p["spec"].(apibed.Object),
				p["status"].(apibed.Object))
		}
		return p
	}
	stagePod(t, bed, of("web-1", "", nil), of("stuck-1", "ContainerCreating", nil),
		apibed.Pod("elsewhere-1", apibed.LinuxNode, image, "", 0),
		of("done-1", "", func(_, _, status apibed.Object) {
			status["phase"], status["containerStatuses"] = "Succeeded", nil
		}),
		of("host-1", "", func(_, spec, _ apibed.Object) { spec["hostNetwork"] = true }),
		of("two-1", "", func(metadata, spec, status apibed.Object) {
			metadata["annotations"] = apibed.Object{
				"kubectl.kubernetes.io/default-container": "main"}
			spec["containers"] = []apibed.Object{{"name": "side", "image": image},
				{"name": "main", "image": image}}
			run := apibed.Object{"running": apibed.Object{"startedAt": time.Now().UTC().Format(
				time.RFC3339)}}
			status["containerStatuses"] = []apibed.Object{{"name": "main", "image": image,
				"imageID": "", "ready": true, "restartCount": 0, "state": run},
				{"name": "side", "image": image, "imageID": "", "ready": true, "restartCount": 0,
					"state": run}}
		}))
	client, err := cluster.Connect(cluster.Options{Kubeconfig: bed.Kubeconfigs["admin"]})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, pod, node, gap string }{
		{"one that runs is opened", "shop/web-1", "win-1", ""},
		{"of any node where none is named", "shop/web-1", "", ""},
		{"one that is not there", "shop/web-9", "", "absent: pod shop/web-9 was not found"},
		{"one without a namespace", "web-1", "",
			`not-collected: the pod is named as NAMESPACE/NAME, not "web-1"`},
		{"one that does not run yet", "shop/stuck-1", "",
			"not-collected: no command can be run in shop/stuck-1: its container app waits (ContainerCreating)"},
		{"one that is done", "shop/done-1", "",
			"not-collected: no command can be run in shop/done-1: it has no running container (Succeeded)"},
		{"one of Linux", "shop/elsewhere-1", "",
			"not-collected: shop/elsewhere-1 is a linux pod; name one that runs Windows"},
		{"one of another node", "shop/web-1", "win-2",
			"not-collected: shop/web-1 runs on the node win-1, not on win-2"},
		{"one in the network of its node", "shop/host-1", "",
			"not-collected: shop/host-1 is in the network of its node, so it sees what the node sees; name one that has a network of its own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := client.OpenPod(t.Context(), c.pod, c.node)
			if err == nil && c.gap == "" {
				return
			}
			if err == nil || gapText(err) != c.gap {
				t.Errorf("the gap is %v, not %s", err, c.gap)
			}
		})
	}
	if p, err := client.OpenPod(t.Context(), "shop/two-1", ""); err != nil ||
		p.Container != "main" {
		t.Errorf("the container that the pod names is main: %+v %v", p, err)
	}
}

func TestTheRightToRunCommands(t *testing.T) {
	bed := apibed.Require(t)
	stagePod(t, bed, apibed.Pod("web-1", apibed.WindowsNode, image, "", 0))
	bed.Exec(t, apibed.KubeletAddress, func(context.Context, apibed.Command) apibed.Ran {
		return apibed.Ran{Stdout: []byte("out")}
	})
	withoutDefaults(t, bed)
	without := rules(t)
	grant(t, bed, "only-reads", without)
	optional := rule{APIGroups: []string{""}, Resources: []string{"pods/exec"},
		Verbs: []string{"create"}}
	if text := "#- apiGroups: [\"\"]\n#  resources: [pods/exec]\n#  verbs: [create]\n"; !strings.Contains(cluster.ClusterRole, text) {
		t.Error("the role does not tell the rule")
	}
	grant(t, bed, "may-run", append(slices.Clone(without), optional))
	// The rights reach those who decide some time after they are granted.
	try := func(user string, known func(error) bool) (out string, err error) {
		client, err := cluster.Connect(cluster.Options{Kubeconfig: bed.Kubeconfig(t,
			apibed.Login{User: apibed.Object{"token": bed.Tokens["admin"], "as": user}})})
		if err != nil {
			t.Fatal(err)
		}
		wait.Holds(func() bool {
			var p *cluster.Pod
			if p, err = client.OpenPod(t.Context(), "shop/web-1", apibed.WindowsNode); err == nil {
				out, _, _, err = p.Exec(t.Context(), []string{"x"})
			}
			return known(err)
		})
		return out, err
	}
	if out, err := try("may-run", func(err error) bool {
		return err == nil
	}); out != "out" || err != nil {
		t.Errorf("with the optional rule: %q %v", out, err)
	}
	_, err := try("only-reads", func(err error) bool {
		return err == nil || strings.Contains(err.Error(), "pods/exec")
	})
	want := "denied: may not create pods/exec of shop/web-1: pods \"web-1\" is forbidden: User \"only-reads\" cannot create resource \"pods/exec\" in API group \"\" in the namespace \"shop\"; `doctor explain rbac` prints the required role"
	if err == nil || gapText(err) != want {
		t.Errorf("the gap is\n%v, not\n%s", err, want)
	}
	bad := open(t, bed.Kubeconfigs["admin"], "shop/web-1")
	bed.Do(http.MethodDelete, "/api/v1/namespaces/shop/pods/web-1",
		apibed.Object{"gracePeriodSeconds": 0})
	_, _, _, err = bad.Exec(t.Context(), []string{"x"})
	if err == nil || !strings.HasPrefix(gapText(err), "absent: ") {
		t.Errorf("a pod that went away meanwhile: %v", err)
	}
}
