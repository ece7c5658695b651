package faults_test

import (
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/evidence/jsontree"
	"doctor/fixtures"
)

// TestEveryFindingPointsAtItsEvidence follows each pointer into the recording's
// file. It must lead to a value, or to where one would be: a member that the
// type of the evidence has and the object has not.
func TestEveryFindingPointsAtItsEvidence(t *testing.T) {
	followed, quoted := 0, 0
	for _, name := range fixtures.Names() {
		l := load(t, name)
		s, r := l.snapshot, l.report
		docs := map[string]any{}
		follow := func(of string, b evidence.Because, quotes bool) {
			if b.Path == "" || b.Text == "" {
				t.Errorf("%s: %s rests on nothing: %+v", name, of, b)
			}
			doc, ok := docs[b.Path]
			if !ok {
				doc = jsonOf(s, b.Path)
				docs[b.Path] = doc
			}
			if doc == nil {
				if b.Field != "" {
					t.Errorf("%s: %s has a pointer into %s, which is no JSON here: %s", name, of,
						b.Path, b.Field)
				}
				return
			}
			followed++
			if !strings.HasPrefix(b.Path, "files/") && b.Line != 0 {
				t.Errorf("%s: %s names line %d of %s, which is JSON", name, of, b.Line, b.Path)
			}
			if why := pointsWell(of, doc, b); why != "" {
				t.Errorf("%s: %s: %s#%s (%s): %s", name, of, b.Path, b.Field, b.Text, why)
			}
			if value, _ := resolve(doc, b.Field).(string); quotes && quotable(b, value) {
				quoted++
				if !strings.Contains(strings.ToLower(b.Text), strings.ToLower(value)) {
					t.Errorf("%s: %s: %s#%s is %q, and the text is %q", name, of, b.Path, b.Field,
						value, b.Text)
				}
			}
		}
		for _, result := range r.Results {
			for _, f := range result.Findings {
				for _, b := range f.Because {
					follow(result.ID, b, true)
				}
			}
		}
		for _, l := range r.Node.Provenance {
			follow("the fact "+l.Fact, l.From, false) // it may be concluded from what is there
		}
	}
	if followed < 1000 || quoted < 500 {
		t.Errorf("only %d pointers were followed, and %d of them led to a text", followed, quoted)
	}
}

// jsonOf is a file of the tree, nil where it is not JSON or not there.
func jsonOf(s evidence.Snapshot, path string) (doc any) {
	f, err := s.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(evidence.Text(f))
	if err != nil || json.Unmarshal([]byte(strings.TrimPrefix(string(b), "\ufeff")), &doc) != nil {
		return nil
	}
	switch doc.(type) {
	case map[string]any, []any:
		return doc
	}
	return nil
}

// step is a member or an element, in any case as decoders read them.
func step(value any, name string) (any, bool) {
	switch v := value.(type) {
	case []any:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v) {
			return v[i], true
		}
	case map[string]any:
		if inner, ok := v[name]; ok {
			return inner, true
		}
		for key, inner := range v {
			if strings.EqualFold(key, name) {
				return inner, true
			}
		}
	}
	return nil, false
}

func resolve(doc any, pointer string) any {
	for _, name := range jsontree.Steps(pointer) {
		doc, _ = step(doc, name)
	}
	return doc
}

// ofWholeFiles are the checks that find fault with a file being there at all.
var ofWholeFiles = map[string]bool{"cni-config-uninitialized": true,
	"nat-cni-conf-shadows-cni": true, "source-vip-json-corrupt": true}

// pointsWell says why a pointer is wrong, or "".
func pointsWell(of string, doc any, b evidence.Because) string {
	steps, typ := jsontree.Steps(b.Field), typeOf(b.Path)
	ofNode := strings.HasPrefix(b.Path, "files/")
	if ofNode && len(steps) == 0 && b.Line == 0 && !ofWholeFiles[of] {
		return "it points at all of a configuration"
	}
	if object, is := doc.(map[string]any); is && !ofNode {
		isList := typ != nil && typ.Kind() == reflect.Slice
		switch items := object["items"]; {
		case len(steps) == 0 && (items != nil || !isList):
			return "it points at all of a document"
		case isList && items != nil && steps[0] != "items":
			return "it does not begin with /items"
		case isList && items != nil:
			doc, steps = items, steps[1:]
		case isList: // the one element alone
			typ = typ.Elem()
		}
	}
	for i, name := range steps {
		inner, ok := step(doc, name)
		if ok {
			doc = inner
			continue
		}
		if _, isObject := doc.(map[string]any); !isObject && doc != nil {
			return "there is no element " + name
		}
		if ofNode {
			return "" // of a program's configuration, whose type is not ours
		}
		if at := typeAt(typ, steps[:i]); at == nil || typeAt(at, steps[i:]) == nil {
			return "there is no " + name + ", and the evidence knows no such field"
		}
		return ""
	}
	return ""
}

// quotable tells a text that whoever cites it has to quote.
func quotable(b evidence.Because, value string) bool {
	if value == "" || len(value) > 60 || strings.Contains(value, "\n") ||
		strings.HasSuffix(b.Field, "/phase") {
		return false // a phase is told in words of its own: "HostProcess pod … runs"
	}
	_, err := time.Parse(time.RFC3339, value)
	return err != nil && !strings.HasSuffix(b.Text, "…")
}

// typeOf is the Go type of a file of the tree, nil for what HNS lists in shapes of its own.
func typeOf(path string) reflect.Type {
	return map[string]reflect.Type{
		"meta.json":     reflect.TypeFor[evidence.Meta](),
		"api/node.json": of(evidence.Node), "api/nodes.json": of(evidence.Nodes),
		"api/pods.json":   of(evidence.Pods),
		"api/events.json": of(evidence.PodEvents), "api/services.json": of(evidence.KubeServices),
		"api/endpointslices.json":    of(evidence.EndpointSlices),
		"api/configmaps.json":        of(evidence.ConfigMaps),
		"api/daemonsets.json":        of(evidence.DaemonSets),
		"api/servicecidrs.json":      of(evidence.ServiceCIDRs),
		"api/ippools.json":           of(evidence.IPPools),
		"api/ipamconfigs.json":       of(evidence.IPAMConfigs),
		"api/networks.json":          of(evidence.NetworkSettings),
		"api/persistentvolumes.json": of(evidence.PersistentVolumes),
		"os.json":                    of(evidence.OSInfo), "services.json": of(evidence.Services),
		"processes.json": of(evidence.Processes),
		"features.json":  of(evidence.Features), "memory.json": of(evidence.MemoryInfo),
		"disks.json":    of(evidence.Disks),
		"firewall.json": of(evidence.FirewallInfo), "certificates.json": of(evidence.Certificates),
		"security.json": of(evidence.SecurityInfo), "time.json": of(evidence.TimeService),
		"pending-reboot.json": of(evidence.PendingReboot), "env.json": of(evidence.Env),
		"files.json":  of(evidence.FileIndex),
		"events.json": of(evidence.WindowsEvents), "cri.json": of(evidence.CRI),
		"adapters.json": of(evidence.Adapters),
		"routes.json":   of(evidence.Routes), "ports.json": of(evidence.Ports),
		"probes/reach.json": of(evidence.ReachProbes),
		"probes/dns.json":   of(evidence.DNSProbes),
	}[path]
}

func of[T any](*evidence.Kind[T]) reflect.Type { return reflect.TypeFor[T]() }

// typeAt follows steps through the names of JSON, nil where they lead nowhere.
func typeAt(typ reflect.Type, steps []string) reflect.Type {
	for _, name := range steps {
		for typ != nil && typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		switch {
		case typ == nil:
			return nil
		case typ.Kind() == reflect.Slice:
			if _, err := strconv.Atoi(name); err != nil {
				return nil
			}
			typ = typ.Elem()
		case typ.Kind() == reflect.Map:
			typ = typ.Elem()
		case typ.Kind() == reflect.Struct:
			at := slices.IndexFunc(reflect.VisibleFields(typ), func(f reflect.StructField) bool {
				tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				return tag == name
			})
			if at < 0 {
				return nil
			}
			typ = reflect.VisibleFields(typ)[at].Type
		default:
			return nil
		}
	}
	return typ
}

// TestAPlaceThatIsNoneIsFound guards the test above: it must see a pointer that is wrong.
func TestAPlaceThatIsNoneIsFound(t *testing.T) {
	doc := map[string]any{"items": []any{map[string]any{"spec": map[string]any{}}}}
	for _, row := range []struct {
		field string
		well  bool
	}{
		{"/items/0/spec/nodeName", true}, {"/items/0/status/phase", true}, {"/items/0", true},
		{"/items", true},
		{"", false}, {"/items/1", false}, {"/0/spec", false}, {"/items/0/spec/nodename2", false},
		{"/items/0/state", false},
	} {
		b := evidence.Because{Path: evidence.Pods.Path(), Field: row.field}
		if why := pointsWell("it", doc, b); (why == "") != row.well {
			t.Errorf("%q: %q", row.field, why)
		}
	}
}
