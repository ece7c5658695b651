package evidence_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"doctor/checks/evidence"
	"doctor/fixtures"
	"doctor/fixtures/schema"
)

var update = flag.Bool("update", false, "write evidence.schema.json")

// Tree is evidence/v1: the JSON files of a recorded node, by their path. A file that could not be
// recorded has a neighbor PATH.gap with the reason. Beside them are copies of the node's own files
// (files/C/...) and logs (logs/COMPONENT/...).
type Tree struct {
	Meta  evidence.Meta         `json:"meta.json"` // The only file that is required.
	Files []evidence.FileRecord `json:"files.json,omitempty"`
	Logs  evidence.LogIndex     `json:"logs.json,omitempty"`  // Only in a bundle.
	Signs []evidence.SignMatch  `json:"signs.json,omitempty"` // Only in a bundle.
	// Only in a bundle.
	ErrorLines []evidence.ErrorLine `json:"errorlines.json,omitempty"`
	// What the .gap files mean, by the path that is missing. May be left out.
	Gaps  map[string]evidence.GapRecord `json:"gaps.json,omitempty"`
	Event []evidence.WindowsEvent       `json:"events.json,omitempty"`
	// Of earlier recordings of the same node, where there were several.
	Earlier []evidence.WindowsEvent `json:"earlier.json,omitempty"`

	OS        evidence.OS        `json:"os.json,omitempty"`
	Services  []evidence.Service `json:"services.json,omitempty"`
	Processes []evidence.Process `json:"processes.json,omitempty"`
	// The state of each Windows feature that was looked for, by its name.
	Features      map[string]string      `json:"features.json,omitempty"`
	Hotfixes      []evidence.Hotfix      `json:"hotfixes.json,omitempty"`
	Memory        evidence.Memory        `json:"memory.json,omitempty"`
	Disks         []evidence.Disk        `json:"disks.json,omitempty"`
	Firewall      evidence.Firewall      `json:"firewall.json,omitempty"`
	Certificates  []evidence.Certificate `json:"certificates.json,omitempty"`
	Security      evidence.Security      `json:"security.json,omitempty"`
	Time          evidence.TimeState     `json:"time.json,omitempty"`
	PendingReboot evidence.Reboot        `json:"pending-reboot.json,omitempty"`
	// The machine's environment. Credentials in URLs are removed.
	Env map[string]string `json:"env.json,omitempty"`

	Adapters  []evidence.Adapter         `json:"adapters.json,omitempty"`
	Routes    []evidence.Route           `json:"routes.json,omitempty"`
	DNSClient evidence.DNSClientSettings `json:"dns-client.json,omitempty"`
	Ports     evidence.PortTable         `json:"ports.json,omitempty"`
	// The ports of the virtual switches. Only in recordings of other tools.
	VFP     []evidence.VFPPort    `json:"vfp.json,omitempty"`
	WFP     evidence.WFP          `json:"wfp.json,omitempty"` // Likewise.
	Compute evidence.Compute      `json:"compute.json,omitempty"`
	Reach   []evidence.ReachProbe `json:"probes/reach.json,omitempty"`
	DNS     []evidence.DNSProbe   `json:"probes/dns.json,omitempty"`

	// The objects of the Host Networking Service, in HCN's own JSON; v1 objects are accepted too.
	HNSNetworks      json.RawMessage     `json:"hns-networks.json,omitempty"`
	HNSEndpoints     json.RawMessage     `json:"hns-endpoints.json,omitempty"`
	HNSLoadBalancers json.RawMessage     `json:"hns-loadbalancers.json,omitempty"`
	HNSNamespaces    json.RawMessage     `json:"hns-namespaces.json,omitempty"`
	HNSGlobals       evidence.HNSGlobals `json:"hns-globals.json,omitempty"`

	CRI evidence.CRIState `json:"cri.json,omitempty"`

	// What the author of a pasted text says about the node in words of their own.
	Stated []evidence.Statement `json:"stated.json,omitempty"`

	// Kubernetes objects, exactly as `kubectl get -o json` prints them.
	Node           json.RawMessage `json:"api/node.json,omitempty"`
	Nodes          json.RawMessage `json:"api/nodes.json,omitempty"`
	Pods           json.RawMessage `json:"api/pods.json,omitempty"`   // Those of this node.
	PodEvents      json.RawMessage `json:"api/events.json,omitempty"` // Those of this node.
	KubeServices   json.RawMessage `json:"api/services.json,omitempty"`
	EndpointSlices json.RawMessage `json:"api/endpointslices.json,omitempty"`
	ConfigMaps     json.RawMessage `json:"api/configmaps.json,omitempty"`
	DaemonSets     json.RawMessage `json:"api/daemonsets.json,omitempty"`
	ServiceCIDRs   json.RawMessage `json:"api/servicecidrs.json,omitempty"`
	IPPools        json.RawMessage `json:"api/ippools.json,omitempty"`           // Of Calico.
	IPAMConfigs    json.RawMessage `json:"api/ipamconfigs.json,omitempty"`       // Of Calico.
	Networks       json.RawMessage `json:"api/networks.json,omitempty"`          // Of OpenShift's network operator.
	Volumes        json.RawMessage `json:"api/persistentvolumes.json,omitempty"` // Of pods that do not run.
	NodeLease      json.RawMessage `json:"api/lease.json,omitempty"`             // With its managed fields.
	Version        json.RawMessage `json:"api/version.json,omitempty"`
}

// schemaFile is the public description of the format.
const schemaFile = "evidence.schema.json"

func TestSchemaIsThatOfTheTypes(t *testing.T) {
	serviceStates := schema.Enum("running stopped paused " +
		"start-pending stop-pending continue-pending pause-pending")
	transports := schema.Enum("tcp udp")
	featureStates := schema.Enum("installed available pending absent")
	open := func(s *jsonschema.Schema) { s.AdditionalProperties = nil }
	format := schema.Format{
		Root: Tree{}, ID: "urn:doctor:evidence:v1", Title: evidence.Layout,
		Packages: map[string]string{
			reflect.TypeFor[evidence.Meta]().PkgPath(): ".",
			reflect.TypeFor[Tree]().PkgPath():          ".",
		},
		Fields: map[string]func(*jsonschema.Schema){
			"Meta.layout":   schema.Enum(evidence.Layout),
			"Service.state": serviceStates,
			"Service.startType": schema.Enum(
				"boot system automatic delayed manual disabled"),
			"Service.wrapper":                 schema.Enum("nssm"),
			"RecoveryAction.action":           schema.Enum("restart reboot run-command none"),
			"TimeState.service":               serviceStates,
			"FirewallProfile.name":            schema.Enum("domain private public"),
			"FirewallProfile.defaultInbound":  schema.Enum("block allow"),
			"FirewallProfile.defaultOutbound": schema.Enum("block allow"),
			"FirewallRule.direction":          schema.Enum("in out"),
			"FirewallRule.action":             schema.Enum("block allow"),
			"FirewallRule.profiles[]":         schema.Enum("domain private public"),
			"BitLocker.protection":            schema.Enum("on off unknown"),
			"FileRecord.outcome":              schema.Enum("copied absent denied too-large error"),
			"Adapter.status": schema.Enum(
				"up down testing unknown dormant not-present lower-layer-down"),
			"ExcludedPorts.protocol": transports,
			"PortListener.protocol":  transports,
			"ReachProbe.protocol":    schema.Enum("tcp tls http icmp"),
			"ReachProbe.outcome": schema.Enum(
				"ok timeout refused reset unreachable denied error"),
			"DNSProbe.transport": transports,
			"DNSProbe.form":      schema.Enum("plain windows linux"),
			"DNSProbe.outcome": schema.Enum(
				"ok nxdomain nodata servfail refused truncated timeout error"),
			"Tree.features.json": func(s *jsonschema.Schema) {
				featureStates(s.AdditionalProperties)
			},
		},
		Types: map[string]func(*jsonschema.Schema){
			"Tree": open, // and with files and logs
			// A live node's answers are the runtime's own, with more fields.
			"CRIVersion": open, "CRIStatus": open, "CRICondition": open, "CRIImage": open,
			"CRISandbox":   open,
			"CRIContainer": open, "CRIMetadata": open, "CRIImageSpec": open,
		},
	}
	schema.Compare(t, schemaFile, format.Generate(t), *update)
}

func TestRecordingsKeepToTheSchema(t *testing.T) {
	document, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	validate := schema.Tree(t, document)
	for _, name := range fixtures.Names() {
		r, err := fixtures.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		validate(name, r.FS())
	}
}

// lost are the fields that a recording may have and the types do not write again.
var lost = map[string]string{
	"cri.json":                         "the runtime's own JSON is copied; the type holds what is read",
	"services.json[].pid: 0":           "of a service that does not run it is left out",
	"processes.json[].ppid: 0":         "process 0 is none: it is left out as one that is not known",
	"processes.json[].exe: \"\"":       "an unknown path is left out",
	"time.json.source: \"\"":           "an unknown source is left out",
	"probes/reach.json[].answer: \"\"": "what was not answered is left out",
}

func TestTypesLoseNothingOfARecording(t *testing.T) {
	used := map[string]bool{}
	for _, name := range fixtures.Names() {
		r, err := fixtures.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		tree := reflect.TypeFor[Tree]()
		for i := range tree.NumField() {
			field := tree.Field(i)
			path, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			content, err := fs.ReadFile(r.FS(), path)
			if err != nil || field.Type == reflect.TypeFor[json.RawMessage]() {
				continue
			}
			recorded, typed := evidence.DecodeText(content), reflect.New(field.Type).Interface()
			if err := json.Unmarshal(recorded, typed); err != nil {
				t.Errorf("%s: %s: %v", name, path, err)
				continue
			}
			written, err := json.Marshal(typed)
			if err != nil {
				t.Fatal(err)
			}
			before, after := parsed(t, recorded), parsed(t, written)
			compareJSON(path, before, after, func(at, difference string) {
				for _, known := range []string{at, path} {
					if lost[known] != "" {
						used[known] = true
						return
					}
				}
				t.Errorf("%s: %s: %s", name, at, difference)
			})
		}
	}
	for at := range lost {
		if !used[at] {
			t.Errorf("no recording has %s", at)
		}
	}
}

func parsed(t *testing.T, content []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(content, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// compareJSON reports what differs between a value as it was recorded and as it is written again.
func compareJSON(at string, recorded, written any, report func(at, difference string)) {
	switch r := recorded.(type) {
	case map[string]any:
		w, _ := written.(map[string]any)
		for name, value := range r {
			again, ok := w[name]
			if !ok {
				text, _ := json.Marshal(value)
				report(at+"."+name+": "+string(text), "lost")
				continue
			}
			compareJSON(at+"."+name, value, again, report)
		}
		for name := range w {
			if _, ok := r[name]; !ok {
				report(at+"."+name, "written, and not in the recording")
			}
		}
	case []any:
		w, _ := written.([]any)
		if len(w) != len(r) {
			report(at, "not the same elements")
			return
		}
		for i := range r {
			compareJSON(at+"[]", r[i], w[i], report)
		}
	default:
		if recorded != written && !sameTime(recorded, written) {
			report(at, fmt.Sprintf("%v becomes %v", recorded, written))
		}
	}
}

// sameTime tells two ways of writing one moment: a date alone is its midnight.
func sameTime(a, b any) bool {
	var times [2]evidence.Time
	for i, v := range []any{a, b} {
		text, _ := json.Marshal(v)
		if err := json.Unmarshal(text, &times[i]); err != nil {
			return false
		}
	}
	return !times[0].IsZero() && times[0].Equal(times[1].Time)
}
