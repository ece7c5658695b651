package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/cluster"
	"doctor/collectors/redact"
	"doctor/collectors/tree"
)

// Options say which nodes are read.
type Options struct {
	Selector string                  // of labels, as kubectl takes it; empty for all Windows nodes
	Nodes    []string                // these alone, by name
	Gaps     map[string]evidence.Gap // what the API does not have of any node → why
	Doctor   string                  // its version
	Progress func(Progress)          // nil: it is not watched
}

// A Progress tells what is being read, and how much of it is there.
type Progress struct {
	What       string // nodes, pods, events, …
	Done, Left int    // objects; Left is what the server says
}

const (
	pageSize  = 500    // of lists that grow with the cluster, as client-go's own informers ask
	fewNodes  = 4      // whose pods are read node by node: fewer than all pods of the cluster
	maxEvents = 50_000 // warnings of pods that are looked through
)

// A reading is a fleet that is being read.
type reading struct {
	ctx    context.Context
	client *cluster.Client
	o      Options
	at     time.Time

	members   map[string]*member
	nodeOf    map[string]string // of NAMESPACE/NAME of a pod
	shared    *tree.Tree
	maps      map[string]json.RawMessage // config maps by NAMESPACE/NAME; nil: there is none
	mapsErr   error
	podsErr   error
	eventsErr error
	notes     []string
}

// member is what is the node's own.
type member struct {
	node                pile // one object
	pods, about, events pile
	maps                []string
}

// Read reads the Windows nodes of a cluster. It fails where the nodes cannot be listed; what else
// cannot be read is a gap in the evidence of each node.
func Read(ctx context.Context, client *cluster.Client, o Options) (*Fleet, error) {
	r := &reading{ctx: ctx, client: client, o: o, at: time.Now().UTC().Truncate(time.Second),
		members: map[string]*member{}, nodeOf: map[string]string{},
		maps: map[string]json.RawMessage{}}
	secrets := redact.New(redact.Options{})
	r.shared = tree.Cleaned(secrets.Content)
	if err := r.readNodes(); err != nil {
		return nil, err
	}
	f := &Fleet{At: r.at, secrets: secrets}
	for name := range r.members {
		f.names = append(f.names, name)
	}
	if err := client.NoNodes(o.Nodes, f.names); err != nil {
		return nil, err
	}
	if len(f.names) > 0 {
		r.readShared()
		r.readPods()
		r.readEvents()
	}
	if err := context.Cause(ctx); err != nil && ctx.Err() == context.Canceled {
		return nil, err
	}
	r.shared.JSON("meta.json", r.meta(evidence.UnknownNode))
	for path, why := range o.Gaps {
		r.shared.Gap(path, why)
	}
	f.Notes, f.shared = r.notes, r.shared.FS()
	f.own = func(node string) (fs.FS, error) { return r.own(node, secrets) }
	return f, f.prepare()
}

func (r *reading) meta(node string) evidence.Meta {
	return evidence.Meta{Layout: evidence.Layout, Node: node, CollectedAt: r.at, Source: "cluster",
		Doctor: r.o.Doctor}
}

func (r *reading) tell(what string, done, left int) {
	if r.o.Progress != nil {
		r.o.Progress(Progress{what, done, left})
	}
}

// pages reads a list in pages, and reports how far it is.
func (r *reading) pages(path string, query url.Values, what string,
	visit func(json.RawMessage) error) error {
	done := 0
	r.tell(what, 0, 0)
	if query == nil {
		query = url.Values{}
	}
	query.Set("limit", fmt.Sprint(pageSize))
	return r.client.EachObject(r.ctx, path, query, what, func(object json.RawMessage) error {
		done++
		return visit(object)
	}, func(left int) error {
		r.tell(what, done, left)
		return nil
	})
}

// readNodes reads all nodes of the cluster: checks compare a node with the others. Those that are
// selected become members.
func (r *reading) readNodes() error {
	selected, err := r.selectedNodes()
	if err != nil {
		return err
	}
	var all pile
	count := 0
	err = r.pages("/api/v1/nodes", nil, "nodes", func(object json.RawMessage) error {
		var n evidence.NodeObject
		if err := json.Unmarshal(object, &n); err != nil {
			return err
		}
		trimmed, err := cluster.Trim(object)
		if err != nil {
			return err
		}
		count++
		if err := all.add(trimmed); err != nil {
			return err
		}
		name := strings.Clone(n.Metadata.Name)
		if !isWindows(n) || selected != nil && !selected[name] || len(r.o.Nodes) > 0 &&
			!slices.Contains(r.o.Nodes, name) {
			return nil
		}
		m := &member{maps: cluster.ConfigMaps(n)}
		r.members[name] = m
		return m.node.add(trimmed)
	})
	if err != nil {
		return err
	}
	as := change(unchanged)
	if count > cluster.ManyNodes {
		as = cluster.ThinNode
	}
	list, err := listOf(as, &all)
	addFile(r.shared, "api/nodes.json", list, err)
	return nil
}

// selectedNodes are the names of the nodes that have the labels: what a selector means, the server
// knows best. It is nil without a selector.
func (r *reading) selectedNodes() (map[string]bool, error) {
	if r.o.Selector == "" {
		return nil, nil
	}
	names := map[string]bool{}
	return names, r.pages("/api/v1/nodes", url.Values{"labelSelector": {r.o.Selector}}, "nodes",
		func(object json.RawMessage) error {
			var n struct{ Metadata struct{ Name string } }
			err := json.Unmarshal(object, &n)
			names[strings.Clone(n.Metadata.Name)] = true
			return err
		})
}

func isWindows(n evidence.NodeObject) bool {
	return n.Metadata.Labels["kubernetes.io/os"] == "windows" ||
		n.Status.NodeInfo.OperatingSystem == "windows"
}

// addFile adds a file, or why it is not there.
func addFile(to *tree.Tree, path string, content []byte, err error) {
	if err != nil {
		to.Gap(path, collectors.GapOf(err))
		return
	}
	to.Add(path, tree.File{Content: content})
}

// readShared reads what is the same for all nodes.
func (r *reading) readShared() {
	version, err := r.client.Object(r.ctx, "/version", "the server's version")
	addFile(r.shared, "api/version.json", version, err)
	for _, l := range []struct{ path, url, what string }{
		{"api/services.json", "/api/v1/services", "services"},
		{"api/endpointslices.json", "/apis/discovery.k8s.io/v1/endpointslices", "endpointslices"},
		{"api/daemonsets.json", "/apis/apps/v1/daemonsets", "daemonsets"},
		{"api/servicecidrs.json", "/apis/networking.k8s.io/v1/servicecidrs", "servicecidrs"},
	} {
		r.tell(l.what, 0, 0)
		list, err := r.client.List(r.ctx, l.url, l.what)
		addFile(r.shared, l.path, list, err)
	}
	for _, kind := range []string{"ippools", "ipamconfigs"} {
		list, err := r.client.Calico(r.ctx, kind)
		addFile(r.shared, "api/"+kind+".json", list, err)
	}
	for _, m := range r.members {
		for _, full := range m.maps {
			if _, asked := r.maps[full]; asked || r.mapsErr != nil {
				continue
			}
			namespace, name, _ := strings.Cut(full, "/")
			object, err := r.client.Object(r.ctx, "/api/v1/namespaces/"+namespace+"/configmaps/"+
				name, "configmap "+full)
			switch {
			case err == nil:
				r.maps[full] = object
			case cluster.IsNotFound(err):
				r.maps[full] = nil
			default:
				r.mapsErr = err
			}
		}
	}
}

// readPods reads all pods of the cluster and keeps those of the members. A list that breaks off is
// none: what is missing would look absent.
func (r *reading) readPods() {
	keep := func(object json.RawMessage) error {
		var p struct {
			Metadata struct{ Namespace, Name string }
			Spec     struct{ NodeName string }
		}
		if err := json.Unmarshal(object, &p); err != nil {
			return err
		}
		m := r.members[p.Spec.NodeName]
		if m == nil {
			return nil
		}
		r.nodeOf[fullName(p.Metadata.Namespace, p.Metadata.Name)] = strings.Clone(p.Spec.NodeName)
		return m.pods.add(object)
	}
	if len(r.members) > fewNodes {
		r.podsErr = r.pages("/api/v1/pods", nil, "pods", keep)
		return
	}
	for name := range r.members {
		query := cluster.FromMemory()
		query.Set("fieldSelector", "spec.nodeName="+name)
		if err := r.client.EachObject(r.ctx, "/api/v1/pods", query, "pods", keep,
			func(int) error { return nil }); err != nil {
			r.podsErr = err
			return
		}
	}
}

// readEvents reads what happened to nodes, and of pods the warnings. There are as many of them as
// the cluster has trouble, so their number is bounded.
func (r *reading) readEvents() {
	type event struct {
		InvolvedObject struct{ Namespace, Name string }
	}
	for _, l := range []struct {
		selector string
		pile     func(e event) *pile
	}{
		{"involvedObject.kind=Node", func(e event) *pile {
			if m := r.members[e.InvolvedObject.Name]; m != nil {
				return &m.about
			}
			return nil
		}},
		{"involvedObject.kind=Pod,type=Warning", func(e event) *pile {
			if m := r.members[r.nodeOf[e.InvolvedObject.Namespace+"/"+
				e.InvolvedObject.Name]]; m != nil {
				return &m.events
			}
			return nil
		}},
	} {
		seen := 0
		err := r.pages("/api/v1/events", url.Values{"fieldSelector": {l.selector}}, "events",
			func(object json.RawMessage) error {
				if seen++; seen > maxEvents {
					return errEnough
				}
				var e event
				if err := json.Unmarshal(object, &e); err != nil {
					return err
				}
				if to := l.pile(e); to != nil {
					return to.add(object)
				}
				return nil
			})
		switch {
		case seen > maxEvents:
			r.notes = append(r.notes, fmt.Sprintf(
				"the cluster has more than %d events; those after them are not read", maxEvents))
		case err != nil:
			r.eventsErr = err
			return
		}
	}
}

var errEnough = fmt.Errorf("more than %d events", maxEvents)

// own is what belongs to one node, without its secrets.
func (r *reading) own(node string, secrets *redact.Redactor) (fs.FS, error) {
	m := r.members[node]
	if m == nil {
		return nil, fmt.Errorf("%w: node %s", fs.ErrNotExist, evidence.Clean(node))
	}
	t := tree.Cleaned(secrets.Content)
	t.JSON("meta.json", r.meta(node))
	var object json.RawMessage
	err := m.node.each(func(o json.RawMessage) error {
		object = o
		return nil
	})
	addFile(t, "api/node.json", object, err)
	pods, err := listOf(cluster.Trim, &m.pods)
	addFile(t, "api/pods.json", pods, cmp.Or(r.podsErr, err))
	events, err := listOf(cluster.Trim, &m.about, &m.events)
	addFile(t, "api/events.json", events, cmp.Or(r.eventsErr, err))
	var maps pile
	for _, name := range m.maps {
		if object := r.maps[name]; object != nil {
			maps.tail = append(append(maps.tail, object...), 0)
		}
	}
	list, err := listOf(unchanged, &maps)
	// some of them tell nothing of the others' absence
	addFile(t, "api/configmaps.json", list, cmp.Or(r.mapsErr, err))
	return t.FS(), nil
}
