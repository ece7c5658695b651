package cluster

import (
	"context"
	"net/url"
	"slices"

	"golang.org/x/sync/errgroup"

	"doctor/checks/evidence"
)

// maxNamespaces bounds the requests for an account that may read some namespaces.
const maxNamespaces = 100

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
	lists := make([]*list, len(namespaces))
	var asked errgroup.Group
	asked.SetLimit(8)
	for i, namespace := range namespaces {
		asked.Go(func() error {
			lists[i], _ = c.list(ctx, "/api/v1/namespaces/"+url.PathEscape(namespace)+"/"+resource,
				query, resource)
			return nil
		})
	}
	_ = asked.Wait()
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
