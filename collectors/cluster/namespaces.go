package cluster

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// maxNamespaces bounds the requests for an account that may read some namespaces.
const maxNamespaces = 100

// isForbidden tells that the account may not do what it asked for.
func isForbidden(err error) bool {
	var gap collectors.GapError
	return errors.As(err, &gap) && gap.Code == evidence.NotAuthorized
}

// namespaces are those to try where not all may be read at once: the cluster's, or where these may
// not be listed either, the one of the kubeconfig's context.
func (c *Client) namespaces(ctx context.Context) []string {
	names := []string{c.context}
	type object struct{ Metadata evidence.Metadata }
	err := eachObject(ctx, c, "/api/v1/namespaces", url.Values{}, "namespaces", func(n object) {
		if n.Metadata.Name != c.context && len(names) < maxNamespaces {
			names = append(names, n.Metadata.Name)
		}
	})
	if err != nil {
		return names[:1]
	}
	return names
}

// listWhereAllowed lists the objects of several namespaces, and names those that could be read.
func (c *Client) listWhereAllowed(ctx context.Context, namespaces []string, resource string,
	query url.Values) (all *list, read []string) {
	const together = 8
	lists := make([]*list, len(namespaces))
	next := make(chan int)
	var wait sync.WaitGroup
	for range min(together, len(namespaces)) {
		wait.Go(func() {
			for i := range next {
				if l, err := c.list(ctx, "/api/v1/namespaces/"+url.PathEscape(namespaces[i])+"/"+resource,
					query, resource); err == nil {
					lists[i] = l
				}
			}
		})
	}
	for i := range namespaces {
		next <- i
	}
	close(next)
	wait.Wait()
	all = &list{}
	for i, l := range lists {
		if l != nil {
			all.join(l)
			read = append(read, namespaces[i])
		}
	}
	slices.Sort(read)
	return all, read
}
