package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"doctor/checks/evidence"
)

// What follows is for who reads many nodes at once, and splits the lists by node.

// List reads all objects of a kind as one List, trimmed.
func (c *Client) List(ctx context.Context, path, what string) ([]byte, error) {
	return written(c.list(ctx, path, FromMemory(), what))
}

// Calico reads all objects of one of Calico's kinds as one List, trimmed.
func (c *Client) Calico(ctx context.Context, kind string) ([]byte, error) {
	return written(c.calico(ctx, kind))
}

func written(l *list, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return l.MarshalJSON()
}

// EachObject visits what a list holds, one object after the other, as the server wrote them. The
// list is read in pages, so that no answer grows with the cluster. turned is called after each page
// with how many objects the server says are left, or 0.
func (c *Client) EachObject(ctx context.Context, path string, query url.Values, what string,
	visit func(json.RawMessage) error, turned func(left int) error) error {
	query = maps.Clone(query)
	for {
		l := &list{visit: visit}
		err := c.listInto(ctx, l, path, query, what)
		var expired *expiredPageError
		switch {
		case errors.As(err, &expired):
			// The rest comes as it is now: what was created or deleted since may be missed.
			query.Set("continue", expired.rest)
			continue
		case err != nil:
			return err
		}
		if err := turned(l.left); err != nil {
			return err
		}
		if l.next == "" {
			return nil
		}
		query.Set("continue", l.next)
	}
}

// expiredPageError is the server's where it no longer has the state in which the list began. It
// says where the rest begins all the same.
type expiredPageError struct {
	error
	rest string
}

func (e *expiredPageError) Unwrap() error { return e.error }

// expiredPage makes one of what the server answered to a request for a page.
func expiredPage(answer, explained error, query url.Values) error {
	var status apierrors.APIStatus
	if query.Get("continue") == "" || !errors.As(answer, &status) ||
		!apierrors.IsResourceExpired(answer) {
		return explained
	}
	rest := status.Status().Continue
	if rest == "" || rest == query.Get("continue") {
		return explained
	}
	return &expiredPageError{explained, rest}
}

// A NoNodesError says which of the nodes that were named the cluster does not have.
type NoNodesError struct {
	Missing, Windows []string
	server           string
}

// Error names the cluster and the first of the nodes.
func (e *NoNodesError) Error() string {
	more := ""
	if len(e.Missing) > 1 {
		more = fmt.Sprintf(" (and %d more)", len(e.Missing)-1)
	}
	return fmt.Sprintf(
		"the cluster at %s has no Windows node %q%s; `doctor --node` lists its Windows nodes",
		e.server, evidence.Clean(e.Missing[0]), more)
}

// NoNodes is nil where the cluster has all of the nodes that were named.
func (c *Client) NoNodes(named, windows []string) error {
	e := &NoNodesError{Windows: windows, server: server(c.config.Host)}
	for _, name := range named {
		if !slices.Contains(windows, name) {
			e.Missing = append(e.Missing, name)
		}
	}
	if e.Missing == nil {
		return nil
	}
	return e
}
