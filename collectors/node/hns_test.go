package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"doctor/checks/evidence"
	"doctor/collectors"
)

func TestHNSListings(t *testing.T) {
	at := func(major, minor int) func() (evidence.HNSRelease, error) {
		return func() (evidence.HNSRelease, error) {
			return evidence.HNSRelease{Major: major, Minor: minor}, nil
		}
	}
	fails := func(err error) func() (evidence.HNSRelease, error) {
		return func() (evidence.HNSRelease, error) { return evidence.HNSRelease{}, err }
	}
	yes, no := func() bool { return true }, func() bool { return false }
	lists := func(answers ...any) func(hnsList) (any, error) {
		return func(hnsList) (any, error) {
			a := answers[0]
			answers = answers[1:]
			if err, ok := a.(error); ok {
				return nil, err
			}
			if a == "panic" {
				panic("interface conversion: error is *windows.DLLError")
			}
			return a, nil
		}
	}
	calls := func(answer string) func(string) ([]byte, error) {
		return func(path string) ([]byte, error) { return []byte(answer), nil }
	}
	names := func(s ...string) any { return s }
	for _, row := range []struct {
		name string
		hns  hnsCalls
		want string
	}{
		{"through the second interface", hnsCalls{at(15, 2), yes, lists(names("a")), nil}, `["a"]`},
		{"an object that vanished meanwhile",
			hnsCalls{at(15, 2), yes,
				lists(errors.New("hcnOpenEndpoint failed in Win32: Element not found. (0x490)"),
					names("a")), nil}, `["a"]`},
		{"objects that vanish at each try: the first interface lists all in one call",
			hnsCalls{at(15, 2), yes, lists(errors.New("x (0x490)"), errors.New("y (0x490)")),
				calls(`{"Success":true,"Output":[{"ID":"1"}]}`)}, `[{"ID":"1"}]`},
		{"the library panics", hnsCalls{at(15, 2), yes, lists("panic", "panic"), nil},
			"error: the HNS library panicked: interface conversion: error is *windows.DLLError"},
		{"an HNS of before the second interface",
			hnsCalls{at(9, 1), yes, nil, calls(`{"Success":true,"Output":[{"ID":"1"}]}`)},
			`[{"ID":"1"}]`},
		{"Windows without its library",
			hnsCalls{at(9, 3), no, nil, calls(`{"Success":true,"Output":null}`)}, `[]`},
		{"nothing in the answer", hnsCalls{at(8, 0), no, nil, calls(`{"Success":true}`)}, `[]`},
		{"an answer that refuses",
			hnsCalls{at(8, 0), no, nil, calls(`{"Success":false,"Error":"Element not found."}`)},
			"error: HNS refuses GET /networks/: Element not found."},
		{"an answer that is none", hnsCalls{at(8, 0), no, nil, calls(``)},
			"error: HNS's answer to GET /networks/ is no JSON: unexpected end of JSON input"},
		{"no HNS", hnsCalls{version: fails(fmt.Errorf("load vmcompute.dll: %w",
			syscall.Errno(0x7e)))},
			"absent: this Windows has no Host Networking Service (0x7e): install the feature Containers"},
		{"the service is not installed",
			hnsCalls{version: fails(
				errors.New("hnsCall failed in Win32: The specified service does not exist as an installed service. (0x424)"))}, "absent: this Windows has no Host Networking Service (0x424): install the feature Containers"},
		{"the service is stopped",
			hnsCalls{version: fails(
				errors.New("hnsCall failed in Win32: The service has not been started. (0x426)"))},
			"error: the Host Networking Service is not running (0x426): find out why, and start the service hns"},
		{"it stops at this moment", hnsCalls{at(15, 2), yes, lists(errors.New("z (0x803b0020)"),
			errors.New("z (0x803b0020)")), nil},
			"error: the Host Networking Service is not running (0x803b0020): find out why, and start the service hns"},
		{"not elevated",
			hnsCalls{version: fails(
				errors.New("hnsCall failed in Win32: Access is denied. (0x5)"))},
			"denied: run as Administrator"},
		{"not elevated, as an HRESULT",
			hnsCalls{at(15, 2), yes,
				lists(errors.New(
					"hcnEnumerateNetworks failed in Win32: Access is denied. (0x80070005)"), nil),
				nil}, "denied: run as Administrator"},
		{"something else",
			hnsCalls{version: fails(
				errors.New("hnsCall failed in Win32: The wrong diskette is in the drive. (0x22)"))},
			"error: hnsCall failed in Win32: The wrong diskette is in the drive. (0x22)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			list, err := row.hns.readList(hnsNetworks)
			got := ""
			if err != nil {
				got = collectors.GapOf(err).String()
			} else {
				b, _ := json.Marshal(list)
				got = string(b)
			}
			if got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
	if err := hnsGap(syscall.Errno(5)); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a plain 5: %v", err)
	}
}

func TestStatesComeFromTheFirstInterface(t *testing.T) {
	type endpoint struct {
		ID   string
		Name string `json:",omitempty"`
	}
	listed := []endpoint{{ID: "AB-1", Name: "pod"}, {ID: "ab-2"}}
	for name, row := range map[string]struct {
		objects any
		answer  string
		want    string
	}{
		"an id in another case, and an object that has gone": {listed,
			`{"Success":true,"Output":[{"ID":"ab-1","State":3},{"ID":"ab-9","State":1}]}`,
			`[{"ID":"AB-1","Name":"pod","State":3},{"ID":"ab-2"}]`},
		"objects of the first interface": {json.RawMessage(`[{"ID":"ab-1","State":4}]`),
			`{"Success":true,"Output":[{"ID":"ab-1","State":3}]}`, ""},
		"a refusal":    {listed, `{"Success":false,"Error":"x"}`, ""},
		"no answer":    {listed, "", ""},
		"nothing here": {[]endpoint{}, `{"Success":true,"Output":[{"ID":"ab-1","State":3}]}`, ""},
	} {
		h := hnsCalls{call: func(string) ([]byte, error) { return []byte(row.answer), nil }}
		got := ""
		if list, ok := h.withStates(hnsEndpoints, row.objects); ok {
			content, _ := json.Marshal(list)
			got = string(content)
		}
		if got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
	if _, ok := (hnsCalls{}).withStates(hnsEndpoints, listed); ok {
		t.Error("states without the first interface")
	}
}

// HNS starts when it is called, so one that is stopped must not be.
func TestAStoppedHNSIsNotWoken(t *testing.T) {
	asked := evidence.Reported.OfKind(evidence.Error, "asked")
	for _, row := range []struct {
		name  string
		state string
		err   error
		want  evidence.Gap
	}{
		{"stopped", "stopped", nil, evidence.HNSNotRunning.Gap("0x426")},
		{"on its way down", "stop-pending", nil, evidence.HNSNotRunning.Gap("0x426")},
		{"running", "running", nil, asked},
		{"on its way up", "start-pending", nil, asked},
		{"not installed", "", fmt.Errorf("the service hns: %w", syscall.Errno(0x424)),
			evidence.HNSMissing.Gap("0x424")},
		{"who may not ask for its state does not ask for its networks", "",
			errors.New("the service hns: Access is denied."), evidence.HNSStateUnknown.Gap(
				"the service hns: Access is denied.")},
		{"a system without services", "", errNotHere, asked},
	} {
		t.Run(row.name, func(t *testing.T) {
			was := stateOfHNS
			defer func() { stateOfHNS = was }()
			stateOfHNS = func() (string, error) { return row.state, row.err }
			read := func(context.Context, *collectors.Record) error {
				if err := asleep(); err != nil {
					return err
				}
				return collectors.GapError(asked)
			}
			var got evidence.Gap
			collectors.Run(context.Background(), evidenceTree(nil),
				[]collectors.Collector{{Name: "x", Answers: []string{"hns-globals.json"},
					Read: read}}, func(r []collectors.Reading) { got = r[0].Gap })
			if got.String() != row.want.String() {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

var errNotHere = fmt.Errorf("here: %w", errors.ErrUnsupported)
