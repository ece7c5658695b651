package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"

	"golang.org/x/sync/errgroup"

	"doctor/checks/evidence"
)

// lastApplied holds the whole manifest, with whatever its author put into it.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Object reads one object as the server wrote it, trimmed.
func (c *Client) Object(ctx context.Context, path, what string) (json.RawMessage, error) {
	content, err := c.whole(ctx, path, what)
	if err != nil {
		return nil, err
	}
	return Trim(content)
}

// whole reads one object with who wrote what of it.
func (c *Client) whole(ctx context.Context, path, what string) (json.RawMessage, error) {
	body, err := c.open(ctx, path, nil, "get", what)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	content, err := io.ReadAll(&bounded{body, maxAnswer})
	if err == nil {
		err = json.Unmarshal(content, &map[string]json.RawMessage{})
	}
	if err != nil {
		return nil, c.explain(ctx, err, "get", what)
	}
	return content, nil
}

// A list is what the server answers to a list request.
type list struct {
	items bytes.Buffer // the objects, with commas between
	next  string       // where the rest begins; empty where this is all
	left  int          // how many objects the rest has, as far as the server says

	// nothing is read where this is not all; the server says so before the first object
	whole bool
	visit func(json.RawMessage) error // takes each object in the place of items
	most  int64                       // bytes of the answer; 0: maxAnswer
}

// list reads all objects, one at a time, so that memory holds the answer once.
// A list that breaks off is an error: what is missing would look absent.
func (c *Client) list(ctx context.Context, path string, query url.Values, what string) (*list,
	error) {
	l := &list{}
	if err := c.listInto(ctx, l, path, query, what); err != nil {
		return nil, err
	}
	return l, nil
}

// calicoAPI is where Calico keeps its objects without an API server of its own.
const calicoAPI = "/apis/crd.projectcalico.org/v1/"

// calico reads all objects of one of Calico's kinds. A cluster without Calico has none.
func (c *Client) calico(ctx context.Context, kind string) (*list, error) {
	l, err := c.list(ctx, calicoAPI+kind, FromMemory(), kind)
	if IsNotFound(err) {
		return &list{}, nil
	}
	return l, err
}

func (c *Client) listInto(ctx context.Context, l *list, path string, query url.Values,
	what string) error {
	body, err := c.open(ctx, path, query, "list", what)
	if err != nil {
		return err
	}
	defer body.Close()
	err = l.read(json.NewDecoder(&bounded{body, cmp.Or(l.most, maxAnswer)}))
	if err != nil && !errors.Is(err, errNotAll) {
		return c.explain(ctx, err, "list", what)
	}
	return err
}

// join adds the objects of another list.
func (l *list) join(other *list) {
	if l.items.Len() > 0 && other.items.Len() > 0 {
		l.items.WriteByte(',')
	}
	l.items.Write(other.items.Bytes())
}

// errNotAll means that the server has more objects than were asked for.
var errNotAll = errors.New("the list goes on")

func (l *list) read(d *json.Decoder) error {
	if err := expect(d, json.Delim('{')); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		switch key {
		case "items":
			err = l.readItems(d)
		case "metadata":
			var m struct {
				Continue           string
				RemainingItemCount int
			}
			err = d.Decode(&m)
			if l.next, l.left = m.Continue, m.RemainingItemCount; err == nil && l.whole && l.next != "" {
				return errNotAll
			}
		default:
			var skipped json.RawMessage
			err = d.Decode(&skipped)
		}
		if err != nil {
			return err
		}
	}
	return expect(d, json.Delim('}'))
}

func (l *list) readItems(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil || token == nil { // items: null
		return err
	}
	if token != json.Delim('[') {
		return fmt.Errorf("items is %v, not a list", token)
	}
	for d.More() {
		var item json.RawMessage
		if err := d.Decode(&item); err != nil {
			return err
		}
		take := l.add
		if l.visit != nil {
			take = l.visit
		}
		if err := take(item); err != nil {
			return err
		}
	}
	return expect(d, json.Delim(']'))
}

func (l *list) add(item json.RawMessage) error {
	trimmed, err := Trim(item)
	if err != nil {
		return err
	}
	if l.items.Len() > 0 {
		l.items.WriteString(",\n")
	}
	l.items.Write(trimmed)
	return nil
}

// MarshalJSON writes what kubectl writes of several objects.
func (l *list) MarshalJSON() ([]byte, error) {
	b := append([]byte(`{"apiVersion":"v1","kind":"List","items":[`), l.items.Bytes()...)
	return append(b, "]}"...), nil
}

func expect(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("%v stands where %v should", token, want)
	}
	return nil
}

// Trim takes out of an object what no check reads: who manages which field, and
// the manifest that was last applied.
func Trim(object json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(object, []byte(`"managedFields"`)) &&
		!bytes.Contains(object, []byte(lastApplied)) && json.Valid(object) {
		return object, nil
	}
	var fields, metadata map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, err
	}
	if err := unmarshalField(fields["metadata"], &metadata); err != nil || metadata == nil {
		return object, err
	}
	delete(metadata, "managedFields")
	var annotations map[string]string
	if err := unmarshalField(metadata["annotations"], &annotations); err != nil {
		return nil, err
	}
	if _, ok := annotations[lastApplied]; ok {
		annotations[lastApplied] = "<left out: it may hold secrets>"
		metadata["annotations"], _ = json.Marshal(annotations)
	}
	fields["metadata"], _ = json.Marshal(metadata)
	return json.Marshal(fields)
}

func unmarshalField(raw json.RawMessage, v any) error {
	if raw == nil {
		return nil
	}
	return json.Unmarshal(raw, v)
}

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
