package cluster

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// LogIn runs the login program that the kubeconfig names, such as aws or gke-gcloud-auth-plugin, and
// returns when it has: it may ask somebody, or open a browser, so its time is not the node's. waiting
// is called with its name where it does not end at once. Without a login program nothing happens.
//
// The program has no context in client-go; the one that ctx interrupts is left behind.
func (c *Client) LogIn(ctx context.Context, waiting func(program string)) error {
	if c.config.ExecProvider == nil {
		return nil
	}
	transport, err := c.config.TransportConfig()
	if err != nil {
		return collectors.GapError(evidence.LoginProgramFailed.Gap(err))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.config.Host, nil)
	if err != nil {
		return collectors.GapError(evidence.LoginProgramFailed.Gap(err))
	}
	// the credentials are kept for all requests of this process
	transportOf := transport.WrapTransport(answersAll{})
	done := make(chan error, 1)
	go func() {
		response, err := transportOf.RoundTrip(request)
		if err == nil {
			response.Body.Close()
		}
		done <- err
	}()
	slow := time.After(patienceWithLogin)
	for {
		select {
		case err := <-done:
			if err == nil {
				return nil
			}
			err = collectors.GapError(evidence.LoginProgramFailed.Gap(strings.TrimPrefix(
				innermost(err), "getting credentials: ")))
			c.noLogin.Store(&err)
			return nil // each question tells it
		case <-slow:
			name := strings.ReplaceAll(c.config.ExecProvider.Command, `\`, "/")
			waiting(evidence.Clean(filepath.Base(name)))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// patienceWithLogin is how long a login program may take before somebody is told of it.
const patienceWithLogin = time.Second

// answersAll stands in for the API server: a login program is run for a request, and none is sent.
type answersAll struct{}

func (answersAll) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Request: r,
		Body: io.NopCloser(strings.NewReader(""))}, nil
}
