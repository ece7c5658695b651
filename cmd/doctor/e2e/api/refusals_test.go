package api_test

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"doctor/checks"
	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
	"doctor/fixtures/term"
)

// TestWhenTheAPISaysNo: who cannot read the node says so in one line, with the reason, in the time that
// it takes to learn it, and does not call the node healthy.
func TestWhenTheAPISaysNo(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	instead := func(answer http.HandlerFunc, paths ...string) func(http.Handler) http.Handler {
		return func(server http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if slices.ContainsFunc(paths, func(p string) bool {
					return strings.HasPrefix(r.URL.Path, p)
				}) {
					answer(w, r)
					return
				}
				server.ServeHTTP(w, r)
			})
		}
	}
	refusing := func(code int, reason string, paths ...string) func(http.Handler) http.Handler {
		return instead(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure",
"message": "the server says %s", "reason": "%s", "code": %d}`, reason, reason, code)
		}, paths...)
	}
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	login := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!DOCTYPE html><title>Log in</title>")
	}
	node := []string{"--node", apibed.WindowsNode, "-o", "text", enough}
	nothing := "no result: "
	var quick time.Duration // of the first, which has nothing to wait for
	for _, c := range []struct {
		name   string
		spoil  func(http.Handler) http.Handler
		args   []string
		waits  time.Duration
		status int
		says   []string // the one line on standard error, in parts
		ends   string   // the last line of the report
	}{
		{"nothing may be read", refusing(http.StatusForbidden, "Forbidden", "/"), node, 0, program.Trouble,
			[]string{"node win-1 cannot be read through the Kubernetes API: denied: may not get node win-1",
				"Forbidden", "`doctor explain rbac`"}, nothing},
		{"neither the node nor its pods may be read, and the rest may",
			refusing(http.StatusForbidden, "Forbidden", "/api/v1/nodes", "/api/v1/pods",
				"/api/v1/namespaces/"), node, 0, program.Trouble,
			[]string{"node win-1 cannot be read", "denied", "`doctor explain rbac`"}, ""},
		{"nobody is logged in", refusing(http.StatusUnauthorized, "Unauthorized", "/"), node, 0,
			program.Trouble, []string{"node win-1 cannot be read", "denied", "renew them"}, nothing},
		{"the server is not available", refusing(http.StatusServiceUnavailable,
			"ServiceUnavailable", "/"), node, 0, program.Trouble,
			[]string{"node win-1 cannot be read", "503"}, nothing},
		{"the server has too many requests", refusing(http.StatusTooManyRequests,
			"TooManyRequests", "/"), node, 8 * time.Second, program.Trouble,
			[]string{"node win-1 cannot be read", "too many requests", "try again later"}, nothing},
		{"the server does not answer", instead(hang, "/"), append(node, "--timeout=2s"), 2 * time.Second,
			program.Trouble, []string{"node win-1 cannot be read", "timeout: "}, nothing},
		{"the server does not answer for the list", instead(hang, "/"),
			[]string{"--timeout=2s", "--node"}, 2 * time.Second, program.Trouble,
			[]string{"did not answer list nodes in time"}, ""},
		{"nobody is at the server's address", nil, append(node, "--server=https://127.0.0.1:1"), 0,
			program.Trouble, []string{"node win-1 cannot be read", "cannot be reached", "refused"}, nothing},
		{"the proxy is not there", nil, append(node, "--proxy-url=http://127.0.0.1:1"), 0,
			program.Trouble, []string{"node win-1 cannot be read", "the proxy http://127.0.0.1:1"}, nothing},
		{"a proxy wants a login", instead(login, "/"), node, 0, program.Trouble,
			[]string{"node win-1 cannot be read", "is not an API server", "a login"}, nothing},
		{"the pods may not be listed for the list of nodes", refusing(http.StatusForbidden, "Forbidden",
			"/api/v1/pods"), []string{"--node", "-o", "name"}, 0, program.Fine,
			[]string{"stuck pods are not counted", "Forbidden"}, "node/win-2"},
		{"the node is lost", instead(hang, "/api/v1/nodes/"+apibed.LostNode+"/proxy"),
			[]string{"--node", apibed.LostNode, "-o", "text", enough}, 2 * time.Second, program.Fail, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			front := bed.Front(t, apibed.Faults{Spoil: c.spoil})
			kubeconfig := bed.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA})
			began := time.Now()
			r := program.Run(t, program.Build(t), append([]string{"--kubeconfig", kubeconfig}, c.args...)...)
			took := time.Since(began)
			if quick == 0 {
				quick = took
			}
			if most := c.waits + 10*quick; took > most {
				t.Errorf("it took %v; with what there is to wait for it should take %v at most", took, most)
			}
			if r.Status != c.status || strings.Count(r.Stderr, "\n") != min(len(c.says), 1) {
				t.Errorf("exit status %d, and says\n%s", r.Status, r.Stderr)
			}
			for _, part := range c.says {
				if !strings.Contains(r.Stderr, part) {
					t.Errorf("%q is missing in\n%s", part, r.Stderr)
				}
			}
			lines := strings.Split(strings.TrimSpace(r.Stdout), "\n")
			if !strings.HasPrefix(lines[len(lines)-1], c.ends) {
				t.Errorf("the report ends with %q", lines[len(lines)-1])
			}
		})
	}
}

// TestTheScreenSaysWhyNothingCanBeRead: it calls no node faultless that could not be read, and names
// the reason and the next step.
func TestTheScreenSaysWhyNothingCanBeRead(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	term.Require(t)
	dir, err := os.MkdirTemp("", "term") // the name of a socket has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := term.Start(t, dir, 120, 40, term.Environ(), []string{program.Build(t), "--kubeconfig",
		bed.Kubeconfigs["admin"], "--as", "stranger", "--node", apibed.WindowsNode, enough})
	list := regexp.MustCompile(`(?m)^ *(.*?) *│.*$`) // the half of the screen on the left
	s.Wait("the reason", func(text string) bool {
		said := strings.Join(strings.Fields(list.ReplaceAllString(text, "$1")), " ")
		return strings.Contains(said, "node win-1 cannot be read through the Kubernetes API: may not get node win-1") &&
			strings.Contains(said, "forbidden") && strings.Contains(said, "`doctor explain rbac` prints the required role") &&
			!strings.Contains(text, "no fault found")
	})
	s.Press("q")
	s.Wait("its exit status", func(text string) bool { return strings.Contains(text, term.After+" 1") })
}

// TestNoVerdictRestsOnWhatIsNoLog: what answers in the kubelet's place acquits nobody.
func TestNoVerdictRestsOnWhatIsNoLog(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	const start = "I1121 10:00:00.000000    1 kubelet.go:1] started\n"
	for _, c := range []struct {
		name, log string
		cut       bool
		node, gap string
	}{
		{"a login page", "<!DOCTYPE html><title>Log in</title>", false, "win-1", "is a web page and no log"},
		{"an object", `{"error": "login required"}`, false, "win-1", "is a JSON object and no log"},
		{"nothing", "", false, "win-1", "was not found"},
		{"a log that breaks off", start, true, "win-1", "closed the connection in the middle of the answer"},
		{"the kubelet of another node", start, false, "win-9", "the answer is about node win-9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bed.Kubelet(t, apibed.KubeletAddress, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/metrics" {
					fmt.Fprintf(w, "kubelet_node_name{node=%q} 1\n", c.node)
					return
				}
				fmt.Fprint(w, c.log)
				if c.cut {
					w.(http.Flusher).Flush()
					panic(http.ErrAbortHandler)
				}
			}))
			r, _ := reportOf(t, "--node", apibed.WindowsNode, "--kubeconfig", bed.Kubeconfigs["admin"], enough,
				"--only", "kubelet-port-in-use")
			if one := result(t, r, "kubelet-port-in-use"); one.Status != checks.StatusUnknown ||
				!strings.Contains(one.Gap, c.gap) {
				t.Errorf("it is %s: %s", one.Status, one.Gap)
			}
		})
	}
}
