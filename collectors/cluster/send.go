package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// A Request is one to the API server, as a path and JSON.
type Request struct {
	Method     string // GET where it is empty
	Path       string
	Query      url.Values
	Object     any    // the body
	Patch      string // the kind of patch that Object is, for PATCH
	Verb, What string // for the error: "create", "pods"
	Limit      int64  // bytes of the answer; 0: as much as any answer may have
}

// A Refusal is an answer of the API server that is no success.
type Refusal struct {
	Code    int
	Message string // the server's own
	error
}

// Unwrap is the gap that the refusal is for who only reads.
func (r *Refusal) Unwrap() error { return r.error }

// patience is how often a request that creates or removes something is sent again while the server
// has too many: until the time of the run is over, in practice.
const patience = 12

// Do sends one request and returns the answer. Where the server has too many requests it waits as
// long as that says, and some more, so that many clients do not come back at once.
func (c *Client) Do(ctx context.Context, r Request) ([]byte, error) {
	body, err := c.send(ctx, r, patience)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	content, err := io.ReadAll(&bounded{body, cmp.Or(r.Limit, maxAnswer)})
	if err != nil && !errors.Is(err, errTooLarge) {
		err = c.explain(ctx, err, r.Verb, r.What)
	}
	return content, err
}

// send sends the request, and tries again where it is put off.
func (c *Client) send(ctx context.Context, r Request, tries int) (io.ReadCloser, error) {
	if err := c.noLogin.Load(); err != nil {
		return nil, *err // a login program that has no credentials now is not run for each request
	}
	var content []byte
	if r.Object != nil {
		var err error
		if content, err = json.Marshal(r.Object); err != nil {
			return nil, err
		}
	}
	for try := 0; ; try++ {
		q := c.rest.Verb(cmp.Or(r.Method, http.MethodGet)).AbsPath(r.Path).
			SetHeader("Accept", "application/json, */*").MaxRetries(0)
		if content != nil {
			q.SetHeader("Content-Type", cmp.Or(r.Patch, "application/json")).Body(content)
		}
		for key, values := range r.Query {
			for _, v := range values {
				q.Param(key, v)
			}
		}
		body, err := q.Stream(ctx)
		if err == nil {
			return body, nil
		}
		pause, ok := worthAnother(ctx, err)
		if !ok || try == tries {
			explained := expiredPage(err, c.explain(ctx, err, r.Verb, r.What), r.Query)
			if isNoLogin(explained) {
				c.noLogin.Store(&explained)
			}
			var status apierrors.APIStatus
			if errors.As(err, &status) {
				return nil, &Refusal{int(status.Status().Code), serverMessage(status.Status()),
					explained}
			}
			return nil, explained
		}
		if tries == patience {
			pause += rand.N(pause/2 + time.Millisecond)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}
