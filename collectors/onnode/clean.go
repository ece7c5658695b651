package onnode

import (
	"context"
	"encoding/json"
	"net/url"

	"doctor/collectors/cluster"
)

// Clean removes what interrupted runs left in the namespace: their anchors, and pods without one. It
// returns the names. What was about to expire is gone a little sooner.
func Clean(ctx context.Context, client *cluster.Client, namespace string) (removed []string,
	err error) {
	o := Options{Namespace: namespace}
	for _, kind := range []struct{ group, resource string }{{"batch", "jobs"}, {"", "pods"}} {
		path := o.path(kind.group, kind.resource)
		content, err := client.Do(ctx, cluster.Request{Path: path, Query: url.Values{
			"labelSelector": {nameLabel + "=doctor," + partLabel + "=" + part}}, Verb: "list",
			What: kind.resource})
		if err != nil {
			return removed, err
		}
		var list struct {
			Items []struct{ Metadata struct{ Name string } }
		}
		if err := json.Unmarshal(content, &list); err != nil {
			return removed, err
		}
		for _, item := range list.Items {
			name := item.Metadata.Name
			if err := remove(ctx, client, path+"/"+url.PathEscape(name),
				kind.resource+" "+name); err != nil {
				return removed, err
			}
			removed = append(removed, kind.resource+"/"+name)
		}
	}
	return removed, nil
}
