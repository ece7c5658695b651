package cluster_test

import (
	"encoding/pem"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"doctor/collectors"
	"doctor/collectors/cluster"
	"doctor/fixtures/apibed"
	"doctor/fixtures/wait"
)

// asked tells whether a request is for the path.
func asked(r *http.Request, path string) bool { return strings.HasPrefix(r.URL.Path, path) }

// instead answers for the server where the request is for the path.
func instead(path string, answer http.HandlerFunc) func(http.Handler) http.Handler {
	return func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked(r, path) {
				answer(w, r)
				return
			}
			server.ServeHTTP(w, r)
		})
	}
}

// busy is what the API server says of itself when it has too many requests.
func busy(after string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", after)
		http.Error(w, "Too many requests, please try again later.", http.StatusTooManyRequests)
	}
}

// cut passes on half of the answer for the path, and then the connection breaks.
func cut(path string) func(http.Handler) http.Handler {
	return func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !asked(r, path) {
				server.ServeHTTP(w, r)
				return
			}
			whole := httptest.NewRecorder()
			r.Header.Set("Accept-Encoding", "identity")
			server.ServeHTTP(whole, r)
			w.Header().Set("Content-Type", "application/json")
			w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		})
	}
}

// as passes requests for the path on with another user's rights.
func as(path, token string) func(http.Handler) http.Handler {
	return func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked(r, path) {
				r.Header.Set("Authorization", "Bearer "+token)
			}
			server.ServeHTTP(w, r)
		})
	}
}

// everything is what there is a gap for when nothing can be read.
var everything = []string{"api/configmaps.json", "api/daemonsets.json",
	"api/endpointslices.json", "api/events.json", "api/ipamconfigs.json", "api/ippools.json",
	"api/lease.json", "api/node.json", "api/nodes.json", "api/pods.json", "api/servicecidrs.json", "api/services.json",
	"api/version.json", "logs/"}

func TestFaultsBecomeGaps(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	bed.Kubelet(t, apibed.KubeletAddress, queryKubelet)
	yesterday := time.Now().Add(-24 * time.Hour).UTC().Truncate(time.Second)
	rows := []struct {
		name   string
		faults apibed.Faults
		login  apibed.Login
		over   func([]collectors.Reading) bool // when the deadline comes; nil for never
		// the gaps; {server} is its address, and * is any end
		want  map[string]string
		every string // the gap of everything else
	}{
		{name: "nothing listens at the server's address",
			login: apibed.Login{Server: "https://" + deaf(t)},
			every: "error: the API server {server} cannot be reached: connect: connection refused"},
		{name: "the server's name does not resolve",
			login: apibed.Login{Server: "https://no-such-host.invalid:6443"},
			every: "error: the name of the API server no-such-host.invalid:6443 does not resolve"},
		{name: "a server that never answers costs no more than the time there is",
			faults: apibed.Faults{Spoil: silent("/")}, every: "timeout: ",
			over: func(r []collectors.Reading) bool { return r[0].State == collectors.ReadingNow }},
		{name: "one answer that does not come costs its own evidence alone",
			faults: apibed.Faults{Spoil: silent("/api/v1/services")},
			over:   allBut("api/services.json"),
			want:   map[string]string{"api/services.json": "timeout: *"}},
		{name: "a token that the server does not know",
			login: apibed.Login{User: apibed.Object{"token": "of-yesterday"}},
			every: "denied: the API server {server} does not accept the kubeconfig's credentials (401); renew them, or name another --context"},
		{name: "a client certificate that has expired",
			login: apibed.Login{User: bed.ClientCert(t, "somebody", nil, yesterday)},
			every: "denied: the client certificate of the kubeconfig expired at " +
				yesterday.Format(time.RFC3339) +
				", and the API server {server} does not accept it (401); renew it, or name another --context"},
		{name: "a server certificate that has expired",
			faults: apibed.Faults{Cert: apibed.ServerCert(t, yesterday)},
			every:  "error: the certificate of the API server {server} has expired, or this machine's clock is wrong: x509: certificate has expired or is not yet valid: current time "},
		{name: "a server certificate of an authority that the kubeconfig does not know",
			faults: apibed.Faults{Cert: apibed.ServerCert(t, time.Now().Add(time.Hour))},
			login: apibed.Login{CA: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
				Bytes: apibed.ServerCert(t, time.Now().Add(time.Hour)).Certificate[0]})},
			every: "error: the certificate of the API server {server} is not trusted: tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		{name: "a user who may not list one thing",
			faults: apibed.Faults{Spoil: as("/api/v1/services", bed.Tokens["nobody"])},
			want: map[string]string{
				"api/services.json": "denied: may not list services: services is forbidden: User \"nobody\" cannot list resource \"services\" in API group \"\" at the cluster scope; `doctor explain rbac` prints the required role"}},
		{name: "a user who may not read one config map knows none of them",
			faults: apibed.Faults{Spoil: as("/api/v1/namespaces/kube-system/configmaps/kubeadm-config",
				bed.Tokens["nobody"])},
			want: map[string]string{
				"api/configmaps.json": "denied: may not get configmap kube-system/kubeadm-config: configmaps \"kubeadm-config\" is forbidden: User \"nobody\" cannot get resource \"configmaps\" in API group \"\" in the namespace \"kube-system\"; `doctor explain rbac` prints the required role"}},
		{name: "a server that has too many requests for a moment is asked again",
			faults: apibed.Faults{Spoil: once("/api/v1/pods", busy("1"))}},
		{name: "a server that always has too many requests",
			faults: apibed.Faults{Spoil: instead("/api/v1/pods", busy("1"))},
			want: map[string]string{
				"api/pods.json": "error: the API server {server} has too many requests (429) and did not answer list pods; try again later"}},
		{name: "a server that wants more patience than there is time is not waited for",
			faults: apibed.Faults{Spoil: instead("/api/v1/pods", busy("3600"))},
			want: map[string]string{
				"api/pods.json": "error: the API server {server} has too many requests (429) and did not answer list pods; try again later"}},
		{name: "a list that is cut off in the middle is no list",
			faults: apibed.Faults{Spoil: cut("/api/v1/pods")},
			want: map[string]string{
				"api/pods.json": "error: the API server {server} closed the connection in the middle of the answer to list pods"}},
		{name: "the same without HTTP/2", faults: apibed.Faults{Spoil: cut("/api/v1/pods"),
			HTTP1: true},
			want: map[string]string{
				"api/pods.json": "error: the API server {server} closed the connection in the middle of the answer to list pods"}},
		{name: "an object that is cut off in the middle is no object",
			faults: apibed.Faults{Spoil: cut("/apis/coordination.k8s.io")},
			want: map[string]string{
				"api/lease.json": "error: the API server {server} closed the connection in the middle of the answer to get lease win-1"}},
		{name: "a server that is at fault is quoted",
			faults: apibed.Faults{Spoil: instead("/apis/apps",
				func(w http.ResponseWriter, _ *http.Request) {
					http.Error(w, "etcdserver: leader changed", http.StatusInternalServerError)
				})},
			want: map[string]string{
				"api/daemonsets.json": "error: the API server {server} answered list daemonsets with 500: etcdserver: leader changed"}},
		{name: "a kind that an older server does not know is absent",
			faults: apibed.Faults{Spoil: instead("/apis/networking.k8s.io/v1/servicecidrs",
				http.NotFound)},
			want: map[string]string{
				"api/servicecidrs.json": "absent: the API server {server} has no servicecidrs"}},
		{name: "a web page instead of a list",
			faults: apibed.Faults{Spoil: instead("/api/v1/services",
				func(w http.ResponseWriter, _ *http.Request) {
					fmt.Fprint(w, "<html>please log in</html>")
				})},
			want: map[string]string{
				"api/services.json": "error: what answers at the API server {server} to list services is not an API server (invalid character '<' looking for beginning of value); it may be a proxy that requires a login"}},
		{name: "a login program that fails", login: apibed.Login{User: login("sh", "-c", "exit 7")},
			every: "denied: the kubeconfig's login program returns no credentials: exec: executable sh failed with exit code 7; run it by hand to see why"},
		{name: "a login program that is not installed",
			login: apibed.Login{User: login("no-such-program")},
			every: "denied: the kubeconfig's login program returns no credentials: exec: executable no-such-program not found"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			login := row.login
			if row.faults.Spoil != nil || row.faults.Cert != nil {
				front := bed.Front(t, row.faults)
				login.Server = front.URL
				if login.CA == nil {
					login.CA = front.CA
				}
			}
			if row.over == nil {
				row.over = func([]collectors.Reading) bool { return false }
			}
			l := seeUntil(t, bed.Kubeconfig(t, login), apibed.WindowsNode, 1<<20, row.over)
			gaps := l.gaps(t)
			if row.every != "" {
				if got := slices.Sorted(maps.Keys(gaps)); !slices.Equal(got, everything) {
					t.Errorf("there are gaps of %v", got)
				}
			}
			host := strings.TrimPrefix(l.client.Host(), "https://")
			for path, want := range row.want {
				want, open := strings.CutSuffix(strings.ReplaceAll(want, "{server}", host), "*")
				if gaps[path] != want && !(open && strings.HasPrefix(gaps[path], want)) {
					t.Errorf("%s:\n%s, not\n%s", path, gaps[path], want)
				}
				delete(gaps, path)
			}
			for path, gap := range gaps {
				if want := strings.ReplaceAll(row.every, "{server}", host); row.every == "" ||
					!strings.HasPrefix(gap, want) {
					t.Errorf("%s:\n%s, not\n%s", path, gap, want)
				}
			}
		})
	}
}

// deaf is an address at which nobody listens.
func deaf(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// silent answers nothing where the request is for the path, until nobody waits any more.
func silent(path string) func(http.Handler) http.Handler {
	return instead(path, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// TestARequestWithoutAnAnswerIsNamed: a collector that ends in time says what it waited for.
func TestARequestWithoutAnAnswerIsNamed(t *testing.T) {
	bed := apibed.Require(t)
	ctx, expire := wait.Deadline(t)
	front := bed.Front(t,
		apibed.Faults{Spoil: instead("/", func(_ http.ResponseWriter, r *http.Request) {
			expire()
			<-r.Context().Done()
		})})
	client, err := cluster.Connect(cluster.Options{Kubeconfig: bed.Kubeconfig(t,
		apibed.Login{Server: front.URL, CA: front.CA})})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.OpenPod(ctx, "shop/web-1", "")
	if want := "timeout: the API server " + strings.TrimPrefix(client.Host(), "https://") +
		" did not answer list pods in time"; err == nil || gapText(err) != want {
		t.Errorf("the gap is\n%v, not\n%s", err, want)
	}
}

// once answers for the server the first time.
func once(path string, answer http.HandlerFunc) func(http.Handler) http.Handler {
	var done atomic.Bool
	return func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked(r, path) && done.CompareAndSwap(false, true) {
				answer(w, r)
				return
			}
			server.ServeHTTP(w, r)
		})
	}
}

// login is the user part of a kubeconfig that runs a program for its credentials.
func login(command string, args ...string) apibed.Object {
	return apibed.Object{"exec": apibed.Object{"apiVersion": "client.authentication.k8s.io/v1",
		"command": command, "args": args, "interactiveMode": "Never"}}
}

// One that has no credentials may take its time to say so.
func TestALoginProgramThatFailsIsNotRunForEachRequest(t *testing.T) {
	bed := apibed.Require(t)
	runs := t.TempDir() + "/runs"
	see(t, bed.Kubeconfig(t, apibed.Login{User: login("sh", "-c", "echo run >> "+runs+"; exit 1")}),
		apibed.WindowsNode, 1<<20)
	if text, err := os.ReadFile(runs); string(text) != "run\n" {
		t.Errorf("it ran otherwise than once: %q %v", text, err)
	}
}
