package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// A Target is a node in a cluster, and what is asked of it.
type Target struct {
	Client   *Client
	Node     string
	Since    time.Duration // how far back node logs are read
	LogBytes int64         // of each log; 0 reads none
}

// Find tells the target once other collectors have recorded where it is: on the
// node itself, the kubelet's arguments name the kubeconfig.
type Find func(evidence.Snapshot) (Target, error)

// ManyNodes is from when on Node objects are kept thin: with some thousands of them, the images and
// volumes that the status lists would be most of the memory.
const ManyNodes = 500

// The names of the collectors that say what the node is: all others come after the first.
const (
	NodeReading = "API: node"
	PodsReading = "API: pods"
)

// Collectors read the cluster's view of one node, in at most 22 requests.
// after names the collectors that find needs; deadline is for each, 0 for none.
func Collectors(find Find, after []string, deadline time.Duration) []collectors.Collector {
	var once sync.Once // for whichever collector comes first
	var target Target
	var missing error
	at := func(r *collectors.Record) (Target, error) {
		once.Do(func() {
			s, err := r.Snapshot()
			if err != nil {
				missing = err
				return
			}
			target, err = find(s)
			missing = unconnected(err)
		})
		return target, missing
	}
	type reading func(context.Context, Target, *collectors.Record) (any, error)
	one := func(name, path string, read reading) collectors.Collector {
		return collectors.Collector{Name: name, Answers: []string{path},
			After: append([]string{NodeReading}, after...), Deadline: deadline,
			Read: func(ctx context.Context, r *collectors.Record) error {
				found, err := at(r)
				if err != nil {
					return err
				}
				ctx, cancel := collectors.BeforeDeadline(ctx, margin)
				defer cancel()
				v, err := read(ctx, found, r)
				r.Either(path, v, err)
				return nil
			}}
	}
	all := func(name, path, url, what string) collectors.Collector {
		return one(name, path, func(ctx context.Context, t Target, _ *collectors.Record) (any,
			error) {
			return t.Client.list(ctx, url, FromMemory(), what)
		})
	}
	// a cluster without Calico does not have the kind, and so no object of it
	ofCalico := func(name, path, kind string) collectors.Collector {
		return one(name, path, func(ctx context.Context, t Target, _ *collectors.Record) (any,
			error) {
			return t.Client.calico(ctx, kind)
		})
	}

	node := one(NodeReading, "api/node.json", func(ctx context.Context, t Target,
		_ *collectors.Record) (any, error) {
		return t.Client.nextNode(ctx, t.Node)
	})
	node.After = after
	pods := one(PodsReading, "api/pods.json", readPods)
	events := one("API: events", "api/events.json", readEvents)
	events.After = append(events.After, pods.Name)
	volumes := one("API: persistent volumes", "api/persistentvolumes.json", readVolumes)
	volumes.After = append(volumes.After, pods.Name)
	list := []collectors.Collector{
		node, pods, events, volumes,
		one("API: version", "api/version.json", func(ctx context.Context, t Target,
			_ *collectors.Record) (any, error) {
			return t.Client.Object(ctx, "/version", "the server's version")
		}),
		one("API: nodes", "api/nodes.json", readNodes),
		one("API: config maps", "api/configmaps.json", readConfigMaps),
		one("API: lease", "api/lease.json", func(ctx context.Context, t Target,
			_ *collectors.Record) (any, error) {
			return t.Client.whole(ctx, "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/"+
				url.PathEscape(t.Node), "lease "+t.Node)
		}),
		all("API: services", "api/services.json", "/api/v1/services", "services"),
		all("API: endpoint slices", "api/endpointslices.json",
			"/apis/discovery.k8s.io/v1/endpointslices", "endpointslices"),
		all("API: daemon sets", "api/daemonsets.json", "/apis/apps/v1/daemonsets", "daemonsets"),
		all("API: service CIDRs", "api/servicecidrs.json",
			"/apis/networking.k8s.io/v1/servicecidrs", "servicecidrs"),
		ofCalico("API: Calico IP pools", "api/ippools.json", "ippools"),
		ofCalico("API: Calico IPAM", "api/ipamconfigs.json", "ipamconfigs"),
	}
	return append(list, collectors.Collector{Name: "API: node logs", Answers: []string{"logs/"},
		After: pods.After, Deadline: deadline,
		Read: func(ctx context.Context, r *collectors.Record) error {
			found, err := at(r)
			if err != nil || found.LogBytes == 0 {
				return nil // whoever asks for no logs reads them where they lie
			}
			ctx, cancel := collectors.BeforeDeadline(ctx, margin)
			defer cancel()
			err = found.readLogs(ctx, r)
			for _, component := range LogComponents {
				if err != nil { // where a log of it was brought, that one counts
					r.Gap("logs/"+component, err)
				}
			}
			return err
		}})
}

// FromMemory asks for what the server has in its memory: a moment's delay costs nothing there, a
// read of all of etcd would.
func FromMemory() url.Values { return url.Values{"resourceVersion": {"0"}} }

// margin is what is left of a collector's time to tell which request had no answer.
const margin = 100 * time.Millisecond

// unconnected is the gap of everything that the API would tell. A file that the
// kubeconfig names and that is not there is no absence of any of that.
func unconnected(err error) error {
	var gap collectors.GapError
	switch {
	case err == nil, errors.As(err, &gap):
		return err
	case errors.Is(err, ErrNoKubeconfig):
		return collectors.GapError(evidence.Reported.OfKind(evidence.NotCollected, err))
	case errors.Is(err, fs.ErrPermission):
		return collectors.GapError(evidence.KubeconfigProtected.Gap())
	}
	return collectors.GapError(evidence.Reported.OfKind(evidence.Error, err))
}

func readPods(ctx context.Context, t Target, r *collectors.Record) (any, error) {
	query := url.Values{"fieldSelector": {"spec.nodeName=" + t.Node}, "resourceVersion": {"0"}}
	l, err := t.Client.list(ctx, "/api/v1/pods", query, "pods")
	if !isForbidden(err) {
		return l, err
	}
	l, namespaces := t.Client.listWhereAllowed(ctx, t.Client.namespaces(ctx), "pods", query)
	if len(namespaces) == 0 {
		return nil, err
	}
	r.Gap(evidence.RestOf(evidence.Pods.Path()),
		collectors.GapError(evidence.SomeNamespaces.Gap("pods", strings.Join(namespaces, ", "))))
	return l, nil
}

func readNodes(ctx context.Context, t Target, _ *collectors.Record) (any, error) {
	l := &list{whole: true}
	err := t.Client.listInto(ctx, l, "/api/v1/nodes", url.Values{"limit": {fmt.Sprint(ManyNodes)}},
		"nodes")
	if !errors.Is(err, errNotAll) {
		return l, err
	}
	l = &list{most: maxNodeList}
	l.visit = func(node json.RawMessage) error {
		thin, err := ThinNode(node)
		if err != nil {
			return err
		}
		return l.add(thin)
	}
	return l, t.Client.listInto(ctx, l, "/api/v1/nodes", FromMemory(), "nodes")
}

// maxNodeList bounds the answer with all Node objects, of which one is held at a time.
const maxNodeList = 1 << 30

// ThinNode takes out of a Node what no check compares with that of other nodes.
func ThinNode(object json.RawMessage) (json.RawMessage, error) {
	var fields, status map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, err
	}
	if err := unmarshalField(fields["status"], &status); err != nil || status == nil {
		return object, err
	}
	for _, name := range []string{"images", "volumesInUse", "volumesAttached", "capacity",
		"runtimeHandlers", "features", "config"} {
		delete(status, name)
	}
	fields["status"], _ = json.Marshal(status)
	return json.Marshal(fields)
}

// ConfigMaps are the NAMESPACE/NAME of those that tell how the cluster is set up, by what a node shows
// of it.
func ConfigMaps(node evidence.NodeObject) []string {
	names := []string{"kube-system/kube-proxy"}
	if strings.HasPrefix(node.Spec.ProviderID, "aws:") {
		return append(names, "kube-system/amazon-vpc-cni", "kube-system/aws-auth")
	}
	annotations := slices.Collect(maps.Keys(node.Metadata.Annotations))
	for _, of := range []struct{ annotations, name string }{
		{"kubeadm.alpha.kubernetes.io/", "kube-system/kubeadm-config"},
		{"flannel.alpha.coreos.com/", "kube-flannel/kube-flannel-cfg"},
	} {
		if slices.ContainsFunc(annotations, func(name string) bool {
			return strings.HasPrefix(name, of.annotations)
		}) {
			names = append(names, of.name)
		}
	}
	return names
}

func readConfigMaps(ctx context.Context, t Target, r *collectors.Record) (any, error) {
	s, err := r.Snapshot()
	if err != nil {
		return nil, err
	}
	l := &list{}
	var refused error
	for _, name := range ConfigMaps(evidence.Node.In(s)) {
		namespace, name, _ := strings.Cut(name, "/")
		object, err := t.Client.Object(ctx, "/api/v1/namespaces/"+namespace+"/configmaps/"+name,
			"configmap "+namespace+"/"+name)
		switch {
		case IsNotFound(err):
			continue
		case err != nil:
			refused = cmp.Or(refused, err)
		default:
			if err := l.add(object); err != nil {
				return nil, err
			}
		}
	}
	// Some of them tell nothing of the others' absence, so half of them are none.
	return l, refused
}
