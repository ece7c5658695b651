package session

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"doctor/checks"
	"doctor/checks/faults"
	"doctor/collectors/hostprocess"
	"doctor/collectors/publish"
	"doctor/ui"
)

// An Agent reads its node again and again, and shows what it finds.
type Agent struct {
	Every     time.Duration
	Listen    string                                // the address of /metrics
	Read      func(context.Context) (Source, error) // the node
	Publisher *publish.Publisher                    // nil: metrics alone
	Reports   bool                                  // publish a ClusterReport too
	Program   checks.Program                        // that reads
	Tell      func(string)                          // says what goes wrong

	mu      sync.Mutex
	metrics ui.Metrics
}

// Run ends with its context.
func (a *Agent) Run(ctx context.Context) error {
	listener, err := net.Listen("tcp", a.Listen)
	if err != nil {
		return fmt.Errorf("%w; give --listen another address", err)
	}
	served := make(chan error, 1)
	go func() { served <- a.serve(listener) }()
	defer listener.Close()
	wait := rand.N(a.Every / 5) // the pods of a cluster may all start at once
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-served:
			return err
		case <-time.After(wait):
		}
		a.round(ctx)
		wait = a.Every*9/10 + rand.N(a.Every/5)
	}
}

// Bounds on who asks for the metrics.
const (
	scrapeTime  = 10 * time.Second
	scrapeBytes = 16 << 10
	scrapers    = 8 // at once
)

// serve answers one request on each connection. The server of net/http would make doctor.exe half a
// megabyte larger, for one page.
func (a *Agent) serve(l net.Listener) error {
	free := make(chan bool, scrapers)
	for {
		free <- true
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer func() { <-free }()
			defer conn.Close()
			_ = a.answer(conn) // who does not read it is gone
		}()
	}
}

func (a *Agent) answer(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(scrapeTime)); err != nil {
		return err
	}
	r, err := http.ReadRequest(bufio.NewReader(io.LimitReader(conn, scrapeBytes)))
	if err != nil {
		return err
	}
	status, body := "404 Not Found", bytes.NewBufferString("/metrics is here\n")
	if r.URL.Path == "/metrics" && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		status = "200 OK"
		body.Reset()
		a.mu.Lock()
		err := ui.WriteMetrics(body, a.metrics)
		a.mu.Unlock()
		if err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(conn, "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n",
		status, body.Len())
	if err == nil && r.Method != http.MethodHead {
		_, err = conn.Write(body.Bytes())
	}
	return err
}

// round reads, shows and publishes once.
func (a *Agent) round(ctx context.Context) {
	began := time.Now()
	report, err := a.report(ctx)
	a.mu.Lock()
	a.metrics.Runs++
	a.metrics.Took = time.Since(began)
	if err == nil {
		a.metrics.Report = report
	} else {
		a.metrics.Failed++
	}
	a.mu.Unlock()
	if err == nil && a.Publisher != nil {
		err = a.Publisher.Publish(ctx, time.Now(), StateOf(report, a.Publisher.Node, a.Reports))
		a.mu.Lock()
		a.metrics.Published = maps.Clone(a.Publisher.Writes)
		a.mu.Unlock()
	}
	if err != nil && ctx.Err() == nil {
		a.Tell(err.Error())
	}
}

func (a *Agent) report(ctx context.Context) (checks.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, max(a.Every, time.Minute))
	defer cancel()
	src, err := a.Read(ctx)
	if err != nil {
		return checks.Report{}, err
	}
	defer src.Close()
	_, report, _ := Judge(src, faults.Catalogue(), a.Program)
	return report, nil
}

// StateOf is what is published of a report.
func StateOf(r checks.Report, node string, reports bool) publish.State {
	var s publish.State
	first := ""
	for i, c := range r.Causes {
		if s.Causes = append(s.Causes, c.ID); i == 0 {
			first = c.Title
		}
	}
	s.Message = publish.MessageOf(s.Causes, first)
	if reports {
		r.Node.Name = node
		s.Report = ui.OpenReportOf(r)
		h := sha256.New()
		for _, result := range r.Results {
			if result.Status == checks.StatusFail || result.Status == checks.StatusWarn {
				fmt.Fprintln(h, result.ID, result.Status)
			}
		}
		s.ReportDigest = fmt.Sprintf("%x", h.Sum(nil))
	}
	return s
}

// InPod points the options at the account of the pod, where its files are below the container's mount:
// containerd 1.6 puts a HostProcess container's there, and not where client-go looks.
func (o *Options) InPod() {
	mount, host := hostprocess.Mount(), os.Getenv("KUBERNETES_SERVICE_HOST")
	account := filepath.Join(mount, "var", "run", "secrets", "kubernetes.io", "serviceaccount")
	token := filepath.Join(account, "token")
	if _, err := os.Stat(token); err != nil || mount == "" || host == "" || o.Cluster.Given() {
		return
	}
	o.Cluster.AuthInfo.TokenFile = token
	o.Cluster.ClusterInfo.CertificateAuthority = filepath.Join(account, "ca.crt")
	o.Cluster.ClusterInfo.Server = "https://" + net.JoinHostPort(strings.Trim(host, "[]"),
		os.Getenv("KUBERNETES_SERVICE_PORT"))
}
