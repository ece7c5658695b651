package browser

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"doctor/fixtures/program"
)

// measure has the report in a frame of a given width, and writes what it finds there into itself.
//
//go:embed testdata/measure.html
var measure string

// Of the page that is measured.
type measured struct {
	Width, Causes, Fixes, Evidence, Moments, Loaded int
	Cause                                           string
	Adapters, Missing                               int // of the network map
	Overflow                                        int // pixels that the page is wider than its frame
	Clipped                                         []string
	PrintOverflow                                   int
	PrintFolded                                     string // how the folded list of all checks is set in print
	PrintPaper                                      string // the color of the page
	Error                                           string
}

// TestTheReportInABrowser: on a screen and on a phone, from the program to the page that Chromium sets.
func TestTheReportInABrowser(t *testing.T) {
	chromium := require(t)
	file := filepath.Join(t.TempDir(), "r.html")
	if r := program.Run(t, program.Build(t), "--demo", "hns-lb-missing-or-stale", "-o", "html",
		"--output-file", file); r.Status != program.Fail {
		t.Fatalf("exit status %d: %s", r.Status, r.Stderr)
	}
	report, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{1200, 400} {
		t.Run(fmt.Sprintf("%d pixels", width), func(t *testing.T) {
			got, requests := open(t, chromium, width, report)
			if got.Error != "" || got.Width != width {
				t.Fatalf("%d pixels: %s", got.Width, got.Error)
			}
			if d := cmp.Diff([]string{"/", "/report.html"}, requests); d != "" || got.Loaded > 0 {
				t.Errorf("the page loads %d things; the server is asked for %s", got.Loaded, d)
			}
			if got.Causes != 1 || got.Cause != "hns-lb-missing-or-stale" || got.Fixes == 0 || got.Evidence == 0 {
				t.Errorf("the cause is not shown with its fix and evidence: %+v", got)
			}
			if got.Adapters == 0 || got.Missing == 0 || got.Moments == 0 {
				t.Errorf("no adapter, missing load balancer or timeline: %+v", got)
			}
			if got.Overflow > 0 || len(got.Clipped) > 0 {
				t.Errorf("%d pixels are beside the page; clipped: %q", got.Overflow, got.Clipped)
			}
			if got.PrintOverflow > 0 || got.PrintFolded != "none" || got.PrintPaper != "rgb(255, 255, 255)" {
				t.Errorf("in print: %+v", got)
			}
		})
	}
}

// open has Chromium show the report, and returns what the page is like and what was asked for.
func open(t *testing.T, chromium string, width int, report []byte) (got measured, requests []string) {
	t.Helper()
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/favicon.ico" { // which a browser looks for beside any page
			http.NotFound(w, r)
			return
		}
		mu.Lock()
		requests = append(requests, r.URL.Path)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			fmt.Fprintf(w, measure, width)
			return
		}
		w.Write(report)
	}))
	defer s.Close()
	cmd := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu",
		"--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-dev-shm-usage", "--user-data-dir="+t.TempDir(),
		fmt.Sprintf("--window-size=%d,900", width+100), "--virtual-time-budget=60000", "--dump-dom", s.URL)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	_, text, _ := strings.Cut(string(dom), `<pre id="measured">`)
	text, _, found := strings.Cut(text, "</pre>")
	if err := json.Unmarshal([]byte(html.UnescapeString(text)), &got); err != nil || !found {
		t.Fatalf("%v: Chromium shows\n%s\n%s", err, dom, errs.String())
	}
	return got, requests
}

// require skips the test where there is no Chromium, and fails it where every part has to be there.
func require(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts Chromium; run `make test`")
	}
	chromium, err := exec.LookPath("chromium")
	if err == nil {
		return chromium
	}
	const why = "chromium is not installed; run `apt-get install -y --no-install-recommends chromium`"
	if os.Getenv("DOCTOR_REQUIRE_ALL") == "1" {
		t.Fatal(why)
	}
	t.Skip(why)
	return ""
}
