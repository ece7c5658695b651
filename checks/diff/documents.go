package diff

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"sigs.k8s.io/yaml"

	"doctor/checks/evidence"
	"doctor/checks/evidence/jsontree"
)

// A document is a kind of evidence file, and how its objects are matched.
type document struct {
	path  string // or where paths begin, if it ends with a slash
	group Group
	// label is what an element of the file's list is called; "" leaves it out. Without it the whole
	// file is one object.
	label func(f *flattened, fields map[string]any) string
	// drop are fields that differ between any two nodes, or that say nothing.
	drop []string
	// only are the fields that are compared, if not all.
	only []string
	// keep tells which elements of lists within an object are compared; nil: all.
	keep func(field string, fields map[string]any) bool
	// groups are fields that are of another group.
	groups map[string]Group
	// prepare replaces the fields of an object by what they mean.
	prepare func(f *flattened, fields map[string]any) map[string]any
	// pointers are where the fields that prepare made come from in the file.
	pointers map[string]string
}

// of names an element by a field.
func of(field string) func(*flattened, map[string]any) string {
	return func(f *flattened, fields map[string]any) string {
		return f.id.common(textOf(fields, field))
	}
}

// dropped everywhere: what is different each time something is made.
var dropped = map[string]bool{"uid": true, "resourceVersion": true, "creationTimestamp": true,
	"generation": true, "managedFields": true, "ID": true, "ActivityId": true, "AdditionalParams": true,
	"Health": true, "Resources": true, "Version": true, "selfLink": true, "SharedContainers": true,
	"pid": true, "ifIndex": true, "mac": true, "modifiedAt": true, "bytes": true, "latencyMs": true}

var documents = []*document{
	{path: "os.json", group: Versions, drop: []string{"bootedAt", "machine"}},
	{path: "hotfixes.json", group: Versions, label: of("id"), drop: []string{"installedAt"}},
	{path: "hns-globals.json", group: Versions, only: []string{"Version", "Major", "Minor"}},
	{path: "api/version.json", group: Versions},
	{path: "cri.json", group: Configuration, only: []string{"version", "config", "status"},
		groups: map[string]Group{"version": Versions, "status": State}, drop: []string{"lastCNILoadStatus.time"}},
	{path: "api/node.json", group: Configuration, prepare: nodeFields,
		groups: map[string]Group{"version": Versions, "condition": State, "zone": Rest},
		pointers: map[string]string{"condition": "/status/conditions", "label": "/metadata/labels",
			"version": "/status/nodeInfo", "podCIDRs": "/spec/podCIDR", "taints": "/spec/taints",
			"unschedulable": "/spec/unschedulable", "allocatable": "/status/allocatable"}},
	{path: "features.json", group: Configuration},
	{path: "services.json", group: Configuration, label: of("name"), drop: []string{"displayName"},
		groups: map[string]Group{"state": State, "exitCode": State}},
	{path: "files/", group: Configuration},
	{path: "env.json", group: Configuration},
	{path: "dns-client.json", group: Configuration},
	{path: "firewall.json", group: Configuration},
	{path: "security.json", group: Configuration},
	{path: "adapters.json", group: Configuration, label: adapterName,
		drop: []string{"description", "compartment", "dnsSuffix"}, groups: map[string]Group{"status": State}},
	{path: "hns-networks.json", group: State, label: networkName,
		drop: []string{"MacPools", "Extensions", "LayerResources", "CurrentEndpointCount", "TotalEndpoints",
			"NumberOfEndpoints", "MaxConcurrentEndpoints", "AutomaticDNS", "LayeredOn", "State"}},
	{path: "hns-endpoints.json", group: State, label: endpointClass, only: []string{"Policies"},
		keep: sharedPolicy, drop: []string{"VNetRoutes"}},
	{path: "hns-loadbalancers.json", group: State, label: frontend, prepare: balancer},
	{path: "routes.json", group: State, label: routeName, drop: []string{"destination", "nextHop", "metric"}},
	{path: "ports.json", group: State, drop: []string{"excluded"}, keep: fixedPort},
	{path: "files.json", group: State, label: fileName, only: []string{"outcome"}},
	{path: "time.json", group: State, drop: []string{"apiServerSkewMs"}},
	{path: "pending-reboot.json", group: State},
	{path: "probes/reach.json", group: State, label: probeName("from", "protocol", "target"), only: []string{"outcome"}},
	{path: "probes/dns.json", group: State, label: probeName("from", "transport", "server", "form", "name"),
		only: []string{"outcome"}},
	{path: "certificates.json", group: Rest, label: of("path"), drop: []string{"notBefore", "notAfter", "serial"}},
	{path: "memory.json", group: Rest, only: []string{"totalBytes", "commitLimitBytes", "pageFiles", "path", "automatic"}},
	{path: "disks.json", group: Rest, label: of("drive"), drop: []string{"freeBytes"}},
}

func (doc *document) paths(a, b Side) []string {
	if !strings.HasSuffix(doc.path, "/") {
		return []string{doc.path}
	}
	var list []string
	for _, p := range union(a.Paths, b.Paths) {
		if strings.HasPrefix(p, doc.path) && !strings.HasSuffix(p, ".gap") && !volatileFile(p) {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}

func (doc *document) drops(field string) bool {
	return dropped[field] || slices.Contains(doc.drop, field)
}

// topOf is the first name of a field.
func topOf(field string) string {
	top, _, _ := strings.Cut(field, ".")
	top, _, _ = strings.Cut(top, "[")
	return top
}

func (doc *document) groupOf(field string) Group {
	if g, ok := doc.groups[topOf(field)]; ok {
		return g
	}
	return doc.group
}

// unnamed are the fields of an element without the one that names it.
func (doc *document) unnamed(fields map[string]any) map[string]any {
	rest := maps.Clone(fields)
	delete(rest, namingField(fields))
	if len(rest) == 0 {
		return map[string]any{"": "is there"}
	}
	return rest
}

// flatten reads a file; nil means that it holds nothing that can be compared.
func (doc *document) flatten(file string, content []byte, id identity) *flattened {
	f := &flattened{leaves: map[key][]leaf{}, objects: map[string]int{}, holders: map[key]string{}, id: id,
		doc: doc, left: maxLeaves}
	object := ""
	if strings.HasSuffix(doc.path, "/") {
		object = path.Base(file)
	}
	v, ok := parse(file, content)
	if !ok {
		if object == "" {
			return nil
		}
		f.lines(object, content)
		return f
	}
	list, isList := v.([]any)
	if doc.label == nil || !isList {
		f.object(object)
		f.walk(doc.chosen(f, v), key{object, ""}, "", 0)
		return f
	}
	for i, item := range list {
		fields, _ := item.(map[string]any)
		name := doc.label(f, fields)
		if name == "" {
			continue
		}
		f.object(name)
		f.walk(doc.chosen(f, item), key{name, ""}, jsontree.Step(i), 0)
	}
	return f
}

// chosen are the fields of an object that are compared.
func (doc *document) chosen(f *flattened, v any) any {
	fields, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if doc.prepare != nil {
		return doc.prepare(f, fields)
	}
	if doc.only == nil {
		return v
	}
	some := map[string]any{}
	for _, name := range doc.only {
		if value, ok := fields[name]; ok {
			some[name] = value
		}
	}
	return some
}

// parse reads JSON, YAML and TOML by what the file is called and holds.
func parse(file string, content []byte) (v any, ok bool) {
	content = bytes.TrimSpace(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")))
	if len(content) == 0 || evidence.CheckNesting(content) != nil {
		return nil, false
	}
	if content[0] == '{' || content[0] == '[' {
		if json.Unmarshal(content, &v) == nil {
			return v, true
		}
	}
	defer func() {
		if recover() != nil { // of a parser that a hostile file broke
			v, ok = nil, false
		}
	}()
	switch ext := strings.ToLower(path.Ext(file)); ext {
	case ".toml":
		fields := map[string]any{}
		return fields, toml.Unmarshal(content, &fields) == nil
	case ".yaml", ".yml", "", ".conf", ".conflist", ".json":
		fields := map[string]any{}
		if yaml.Unmarshal(content, &fields) == nil && len(fields) > 0 {
			return fields, true
		}
	}
	return nil, false
}

// volatileFile recognizes copies that differ between any two nodes: leases of addresses, keys, logs.
func volatileFile(p string) bool {
	return slices.ContainsFunc([]string{"/cni/networks/", "/pki/", "/secrets/", ".log", ".crt", ".pem", ".key",
		"/token", "serviceaccount/", "sourcevip"}, func(part string) bool {
		return strings.Contains(strings.ToLower(p), part)
	})
}
