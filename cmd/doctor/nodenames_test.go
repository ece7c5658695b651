package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheNearestNodeIsNamed: a mistyped name of a node is answered with those that are meant.
func TestTheNearestNodeIsNamed(t *testing.T) {
	answers := http.NewServeMux()
	answer := func(path string, status int, body string) {
		answers.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		})
	}
	const notFound = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`
	answer("/api/v1/nodes/", http.StatusNotFound, notFound)
	answer("/api/v1/nodes", http.StatusOK, `{"items":[{"metadata":{"name":"aksnpwin000001"}},
		{"metadata":{"name":"gke-win-7"}}]}`)
	answer("/api/v1/pods", http.StatusOK, `{"items":[]}`)
	answer("/", http.StatusOK, `{}`)
	server := httptest.NewServer(answers)
	defer server.Close()
	kubeconfig := filepath.Join(t.TempDir(), "config")
	content := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"a",
"clusters":[{"name":"a","cluster":{"server":%q}}],"users":[{"name":"a","user":{"token":"t"}}],
"contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}]}`, server.URL)
	if err := os.WriteFile(kubeconfig, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, node, says, not string }{
		{"a letter is wrong", "aksnpwin00000l", "; did you mean aksnpwin000001?", "gke-win-7"},
		{"nothing is near", "zebra", "`doctor --node` lists its Windows nodes", "did you mean"},
	} {
		for _, command := range [][]string{{"-o", "text"}, {"bundle", "-"}} {
			_, errs, status := doctor(t, append(command, "--node", row.node, "--kubeconfig",
				kubeconfig)...)
			if status != 2 || !strings.Contains(errs, row.says) || strings.Contains(errs, row.not) {
				t.Errorf("%s, %s: status %d: %s", row.name, command[0], status, errs)
			}
		}
	}
}
