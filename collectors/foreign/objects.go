package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
)

const (
	maxObjectBytes = 64 << 20 // of the objects that are kept of all files together
	maxObjectFile  = 128 << 20
)

// A nodePart is what is known of a Node without its head: the fields of its status and of its spec.
type nodePart map[string]map[string]json.RawMessage

// An objects is what dumps of Kubernetes objects hold, whoever made them and in how many files.
type objects struct {
	lists    map[string][]kubeObject // by kind
	cut      map[string]string       // kind → why its list is not whole
	listed   map[string]bool         // kinds of which a list was read, with objects or without
	have     map[string]bool         // kind, namespace and name of each object
	version  json.RawMessage         // what the API server says of itself
	newest   time.Time               // the latest time that an object tells
	left     int                     // bytes of objects that may still be kept
	yamlLeft int                     // bytes of YAML that may still be taken apart
	node     string                  // whose pods are kept; "" for those of all
	pods     *regexp.Regexp          // that tells them before they are taken apart; nil for all
	only     string                  // the only kind that is kept; "" for all
	part     nodePart                // of the status and spec of a Node without its head
	twoParts bool                    // they are of two nodes
	podParts []kubeObject            // statuses of pods without their heads
}

func newObjects() *objects {
	return &objects{lists: map[string][]kubeObject{}, cut: map[string]string{},
		listed: map[string]bool{}, have: map[string]bool{}, left: maxObjectBytes,
		yamlLeft: maxKubeParsed}
}

// podsOf keeps only the pods of one node: those of a whole cluster are too many.
func (o *objects) podsOf(node string) {
	o.node = node
	o.pods = regexp.MustCompile(`(?m)nodeName"?:\s*["']?` + regexp.QuoteMeta(node) +
		`["']?\s*(?:,|\}|$)`)
}

// add reads one file, or one document of a paste. name is where it is, and says what its objects
// are where they do not.
func (o *objects) add(name, content string) {
	trimmed := strings.TrimSpace(content)
	if trimmed == "" {
		return
	}
	if trimmed[0] == '{' || trimmed[0] == '[' {
		o.addJSON(name, trimmed)
		return
	}
	for _, document := range yamlDocuments(trimmed) {
		o.addYAML(name, document)
	}
}

func (o *objects) addJSON(name, content string) {
	head, items, isList, broken := jsonItems(content)
	kind := cmp.Or(strings.TrimSuffix(stringOf(head["kind"]), "List"), kindOfName(name))
	if isVersion(head) {
		o.version, _ = json.Marshal(head)
		if inner, ok := head["info"]; ok { // troubleshoot wraps it
			o.version = inner
		}
		return
	}
	if !isList {
		o.keep(kind, head, len(content))
		if broken != "" && kind != "" {
			o.cut[kind] = name + " breaks off"
		}
		return
	}
	if listsOthers(content, head, items) {
		return
	}
	o.listed[kind] = true
	for _, item := range items {
		var object kubeObject
		if o.pods != nil && kind == "Pod" && !o.pods.Match(item) ||
			json.Unmarshal(item, &object) != nil {
			continue
		}
		own := cmp.Or(stringOf(object["kind"]), kind)
		o.listed[own] = true
		o.keep(own, object, len(item))
		if broken != "" {
			kind = own
		}
	}
	if broken != "" {
		o.cut[kind] = name + " breaks off"
	}
}

func isVersion(head kubeObject) bool {
	return head["gitVersion"] != nil ||
		head["info"] != nil && strings.Contains(string(head["info"]), `"gitVersion"`)
}

func (o *objects) addYAML(name, document string) {
	kind := ""
	if m := yamlKind.FindStringSubmatch(document); m != nil {
		kind = strings.TrimSuffix(m[1], "List")
	}
	kind = cmp.Or(kind, kindOfName(name))
	if strings.HasPrefix(document, "- ") { // a list without its head
		document = "items:\n" + document
	}
	items, whole := []string{document}, true
	isList := yamlItems.MatchString(document)
	if isList {
		items, whole = splitItems(document)
	}
	for i, item := range items {
		if o.pods != nil && strings.Contains(item, "\n    containers:") &&
			!o.pods.MatchString(item) {
			continue
		}
		if o.yamlLeft -= len(item); o.yamlLeft < 0 || len(item) > maxKubeObject {
			o.cut[kind] = name + " is larger than doctor reads"
			return
		}
		var object kubeObject
		if unmarshalItem(item, &object) != nil {
			whole = false
			item = item[:strings.LastIndexByte(strings.TrimRight(item, "\n"), '\n')+1] // it may end within its last line
			if i < len(items)-1 || unmarshalItem(item, &object) != nil {
				continue
			}
		}
		if isList && !object.isKubernetes() {
			return
		}
		own := stringOf(object["kind"])
		if own == "" || own == "List" {
			own = kind
		}
		kind = cmp.Or(kind, own)
		o.listed[own] = o.listed[own] || isList
		o.keep(own, object, len(item))
		// a paste that ends within an object leaves a last one that is YAML all the same
		if i == len(items)-1 && own == "Pod" && object["status"] == nil {
			whole = false
		}
	}
	if isList {
		o.listed[kind] = true
	}
	if !whole && kind != "" {
		o.cut[kind] = name + " breaks off, or a part of it is no YAML"
	}
}

var (
	yamlKind  = regexp.MustCompile(`(?m)^kind:\s*["']?(\w+)`)
	yamlItems = regexp.MustCompile(`(?m)^items:`)
	yamlPart  = regexp.MustCompile(`(?m)^---[ \t]*(?:#.*)?$`)
)

func yamlDocuments(s string) []string {
	parts := yamlPart.Split(s, maxKubeObjects)
	return slices.DeleteFunc(parts, func(p string) bool { return strings.TrimSpace(p) == "" })
}

// nodeSettings are keys of ConfigMaps that configure nodes. What they say is as good in a manifest.
var nodeSettings = regexp.MustCompile(
	`"(?:net-conf\.json|cni-conf\.json|ClusterConfiguration|enable-windows-ipam|mapRoles)"\s*:`)

// openShiftNetwork is the kind of the settings of OpenShift's network operator.
const openShiftNetwork = "Network"

// assigned are the address and the port that the API server gives a Service.
var assigned = regexp.MustCompile(`"clusterIP":"[0-9].*"nodePort":[0-9]|"nodePort":[0-9].*"clusterIP":"[0-9]`)

// keep files one object. A manifest, which no API server answered with, is none.
func (o *objects) keep(kind string, object kubeObject, size int) {
	if kind == "" {
		if kind, object = headless(object); kind == "Pod" {
			o.podParts = append(o.podParts, object)
			return
		}
	}
	var m struct{ Name, Namespace, UID, ResourceVersion, CreationTimestamp string }
	if json.Unmarshal(object["metadata"], &m) != nil || m.Name == "" {
		if kind == "Node" {
			o.addPart(object)
		}
		if kind != "Pod" || object["metadata"] != nil || object["status"] == nil {
			return
		}
		// Who asks in public often cuts the metadata: what the kubelet says is in the status.
		m.Name, m.Namespace = notShown, "default"
		object["metadata"] = jsonOf(map[string]string{"name": m.Name, "namespace": m.Namespace})
	}
	if kind == openShiftNetwork && !bytes.Contains(object["spec"], []byte(`"defaultNetwork"`)) {
		return // of config.openshift.io, with the same name
	}
	known := kind == calicoInstallation || kind == openShiftNetwork ||
		slices.ContainsFunc(apiLists, func(l apiList) bool { return l.kind == kind })
	key := kind + "/" + m.Namespace + "/" + m.Name
	manifest := m.UID == "" && m.ResourceVersion == "" && m.CreationTimestamp == "" &&
		object["status"] == nil && kind != "Event" && !(kind == "Service" && assigned.Match(object["spec"])) &&
		!(kind == "ConfigMap" && nodeSettings.Match(object["data"]))
	var spec podHead
	elsewhere := kind == "Pod" && o.node != "" && json.Unmarshal(object["spec"], &spec) == nil &&
		!strings.EqualFold(spec.NodeName, o.node)
	if !known || elsewhere || o.only != "" && kind != o.only || manifest || o.have[key] {
		return
	}
	if o.left -= size; o.left < 0 {
		o.cut[kind] = "there are more objects than doctor reads"
		return
	}
	o.have[key] = true
	o.lists[kind] = append(o.lists[kind], object)
	for _, part := range []string{"status", "lastTimestamp", "eventTime"} {
		for _, at := range objectTime.FindAllString(string(object[part]), maxFields) {
			if t, err := time.Parse(time.RFC3339Nano, at); err == nil && plausible(t) {
				o.newest = later(o.newest, t)
			}
		}
	}
}

var objectTime = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`)

func stringOf(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// windowsNodes are the names of the nodes that run Windows, as the Node objects tell.
func (o *objects) windowsNodes() (windows []string, others int) {
	for _, object := range o.lists["Node"] {
		var status struct {
			NodeInfo struct{ OperatingSystem, OSImage string }
		}
		var meta struct{ Labels map[string]string }
		json.Unmarshal(object["status"], &status)
		json.Unmarshal(object["metadata"], &meta)
		if strings.EqualFold(status.NodeInfo.OperatingSystem, "windows") ||
			cmp.Or(meta.Labels["kubernetes.io/os"], meta.Labels["beta.kubernetes.io/os"]) == "windows" ||
			strings.HasPrefix(status.NodeInfo.OSImage, "Windows") {
			windows = append(windows, object.name())
		} else {
			others++
		}
	}
	slices.Sort(windows)
	return slices.Compact(windows), others
}

// A podHead is what tells where a pod runs, and on which system.
type podHead struct {
	NodeName     string
	OS           struct{ Name string }
	NodeSelector map[string]string
}

// podNodes are the nodes of the pods, those of pods that ask for Windows apart: without a Node
// object nothing else tells.
func (o *objects) podNodes() (windows, all []string) {
	for _, object := range o.lists["Pod"] {
		var spec podHead
		if json.Unmarshal(object["spec"], &spec) != nil || spec.NodeName == "" {
			continue
		}
		all = append(all, spec.NodeName)
		if spec.OS.Name == "windows" || spec.NodeSelector["kubernetes.io/os"] == "windows" {
			windows = append(windows, spec.NodeName)
		}
	}
	slices.Sort(windows)
	slices.Sort(all)
	return slices.Compact(windows), slices.Compact(all)
}

// convert writes what there is about the node. Of a list that is not whole its objects are
// evidence where one of them says something, and the gap that belongs to it is a second file.
func (o *objects) convert(out *output, node string) {
	for _, installation := range o.lists[calicoInstallation] {
		if !o.listed["IPPool"] {
			o.lists["IPPool"] = append(o.lists["IPPool"], poolsOf(installation)...)
		}
	}
	for _, l := range apiLists {
		list := o.lists[l.kind]
		switch {
		case out.Has(l.path):
		case l.kind == "Event":
			list = eventsOf(list, o.lists["Pod"], node)
			if len(list) > 0 || o.listed[l.kind] && o.cut[l.kind] == "" {
				out.JSON(l.path, kubeList("EventList", list))
			}
		case o.cut[l.kind] != "" && (len(list) == 0 || !judgedOneByOne[l.kind]):
			out.Gap(l.path, brokenf("%s, and holds %d whole %s; collect `%s`",
				o.cut[l.kind], len(list), l.plural, l.ask))
		case len(list) > 0 || o.listed[l.kind]:
			out.JSON(l.path, kubeList(l.kind+"List", list))
		}
	}
	if list := o.lists[openShiftNetwork]; len(list) > 0 && !out.Has("api/networks.json") {
		out.JSON("api/networks.json", kubeList("NetworkList", list))
	}
	for _, object := range o.lists["Node"] {
		if !out.Has("api/node.json") && node != "" && strings.EqualFold(object.name(), node) {
			out.JSON("api/node.json", object.withKind("v1", "Node"))
		}
	}
	if o.version != nil {
		out.JSON("api/version.json", o.version)
	}
}

// cutLists tells of the lists that are evidence though they break off: what is not found in them
// may be in the rest.
func (o *objects) cutLists() (records []evidence.LogRecord) {
	for _, l := range apiLists {
		if why := o.cut[l.kind]; why != "" && judgedOneByOne[l.kind] && len(o.lists[l.kind]) > 0 {
			records = append(records, evidence.LogRecord{Path: l.path, Unsearched: evidence.Clean(why)})
		}
	}
	return records
}

// judgedOneByOne are the kinds whose objects say something each by itself. Checks conclude from
// Services and their like what should be in HNS, and from what is missing among them.
var judgedOneByOne = map[string]bool{"Node": true, "Pod": true}

// eventsOf are the events about the node and its pods. Where no pods were recorded, all are kept.
func eventsOf(events, pods []kubeObject, node string) []kubeObject {
	here := map[string]bool{}
	for _, p := range pods {
		here[p.name()] = true
	}
	var list []kubeObject
	for _, e := range events {
		var about struct{ Kind, Name string }
		for _, key := range []string{"involvedObject", "regarding"} {
			json.Unmarshal(e[key], &about)
		}
		other := about.Kind == "Node" && node != "" && !strings.EqualFold(about.Name, node) ||
			about.Kind == "Pod" && len(here) > 0 && !here[about.Name]
		if !other {
			list = append(list, e)
		}
	}
	return list
}
