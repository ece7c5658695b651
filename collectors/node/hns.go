package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// An hnsList is one listing of the Host Networking Service.
type hnsList struct {
	path string // of the evidence
	old  string // of the first interface
}

var (
	hnsNetworks      = hnsList{evidence.HNSNetworks.Path(), "/networks/"}
	hnsEndpoints     = hnsList{evidence.HNSEndpoints.Path(), "/endpoints/"}
	hnsLoadBalancers = hnsList{evidence.HNSLoadBalancers.Path(), "/policylists/"}
	hnsNamespaces    = hnsList{evidence.HNSNamespaces.Path(), "/namespaces/"}
)

// hnsCalls are what is asked of HNS. None of them can be interrupted: one that
// hangs is abandoned with its collector. So they share nothing, and each
// listing finds out for itself what this HNS can do, which is one short call.
type hnsCalls struct {
	version func() (evidence.HNSRelease, error)
	hcn     func() bool                // is the library of the second interface here?
	list    func(hnsList) (any, error) // through the second interface
	call    func(path string) ([]byte, error)
}

// stateOfHNS asks the service manager about one service, which takes fewer rights and less time
// than the list of all.
var stateOfHNS = func() (string, error) { return serviceState("hns") }

// asleep is the gap of an HNS that is stopped, or may be. It is one of the
// services that Windows starts for whoever calls them: the doctor would change
// the node, and cure what it was asked about.
func asleep() error {
	state, err := stateOfHNS()
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil // no Windows: what is asked next says so
	case err != nil && hnsCode(err) == noSuchService:
		return hnsGap(err)
	case err != nil:
		return collectors.GapError(evidence.HNSStateUnknown.Gap(err))
	case state == "stopped" || state == "stop-pending":
		return hnsGap(serviceNotActive)
	}
	return nil
}

func readHNSVersion(context.Context) (any, error) {
	if err := asleep(); err != nil {
		return nil, err
	}
	v, err := guard(windowsHNS.version)
	if err != nil {
		return nil, hnsGap(err)
	}
	return evidence.HNSGlobals{Version: v}, nil
}

func hnsReader(l hnsList) func(context.Context, *collectors.Record) error {
	return func(_ context.Context, r *collectors.Record) error {
		if err := asleep(); err != nil {
			return err
		}
		list, err := windowsHNS.readList(l)
		r.Either(l.path, list, err)
		if err != nil || l != hnsEndpoints && l != hnsLoadBalancers {
			return nil
		}
		// The list is written by now: a call that hangs costs the states alone.
		if list, ok := windowsHNS.withStates(l, list); ok {
			r.JSON(l.path, list)
		}
		return nil
	}
}

// withStates adds what the library of the second interface leaves out and the first interface
// tells: the state of each object. false where there is nothing to add.
func (h hnsCalls) withStates(l hnsList, objects any) (any, bool) {
	content, err := json.Marshal(objects)
	var list []map[string]json.RawMessage
	if err != nil || json.Unmarshal(content, &list) != nil || len(list) == 0 {
		return nil, false
	}
	old, err := h.readOld(l)
	if err != nil {
		return nil, false
	}
	var told []struct {
		ID    string
		State json.RawMessage
	}
	if raw, ok := old.(json.RawMessage); !ok || json.Unmarshal(raw, &told) != nil {
		return nil, false
	}
	states := map[string]json.RawMessage{}
	for _, t := range told {
		if t.State != nil {
			states[strings.ToLower(t.ID)] = t.State
		}
	}
	added := false
	for _, o := range list {
		var id string
		if o["State"] != nil || json.Unmarshal(o["ID"], &id) != nil {
			continue
		}
		if state := states[strings.ToLower(id)]; state != nil {
			o["State"], added = state, true
		}
	}
	return list, added
}

// readList lists through the second interface where there is one, which came with
// version 9.2, and through the first one elsewhere.
func (h hnsCalls) readList(l hnsList) (any, error) {
	// The version comes first: it answers an HNS that is not there with an
	// error, where the listings of the library would stumble.
	v, err := guard(h.version)
	if err != nil {
		return nil, hnsGap(err)
	}
	if !v.AtLeast(9, 2) || !h.hcn() {
		return h.readOld(l)
	}
	list := func() (any, error) { return h.list(l) }
	objects, err := guard(list)
	if err != nil && hnsCode(err) != accessDenied {
		// An object that went away between its listing and its reading fails
		// the whole; pods come and go.
		objects, err = guard(list)
	}
	if err != nil && hnsCode(err) == elementNotFound {
		return h.readOld(l) // one call, so that nothing can go away in between
	}
	if err != nil {
		return nil, hnsGap(err)
	}
	return objects, nil
}

func (h hnsCalls) readOld(l hnsList) (any, error) {
	answer, err := guard(func() ([]byte, error) { return h.call(l.old) })
	if err != nil {
		return nil, hnsGap(err)
	}
	var response struct {
		Success bool
		Error   string
		Output  json.RawMessage
	}
	if err := json.Unmarshal(answer, &response); err != nil {
		return nil, fmt.Errorf("HNS's answer to GET %s is no JSON: %w", l.old, err)
	}
	if !response.Success {
		return nil, fmt.Errorf("HNS refuses GET %s: %s", l.old, response.Error)
	}
	if text := string(response.Output); text == "" || text == "null" {
		return []any{}, nil
	}
	return response.Output, nil
}

// guard makes an error of a panic: the library panics where a DLL or one of its
// functions is missing.
func guard[T any](call func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the HNS library panicked: %v", p)
		}
	}()
	return call()
}

const (
	accessDenied     = 0x5
	noSuchService    = 0x424
	elementNotFound  = 0x490
	serviceNotActive = syscall.Errno(0x426)
)

// hnsStates are the codes that tell of HNS itself rather than of the question.
var hnsStates = map[uint32]string{
	0x7e:       evidence.Absent, // ERROR_MOD_NOT_FOUND: no vmcompute.dll
	0x7f:       evidence.Absent, // ERROR_PROC_NOT_FOUND
	0x424:      evidence.Absent, // ERROR_SERVICE_DOES_NOT_EXIST
	0x422:      evidence.Error,  // ERROR_SERVICE_DISABLED
	0x426:      evidence.Error,  // ERROR_SERVICE_NOT_ACTIVE
	0x6ba:      evidence.Error,  // RPC_S_SERVER_UNAVAILABLE
	0x6d9:      evidence.Error,  // EPT_S_NOT_REGISTERED
	0x803b0020: evidence.Error,  // HCN_E_MANAGER_STOPPED
}

// hnsGap says what an error means for the reader of the report.
func hnsGap(err error) error {
	code := hnsCode(err)
	switch kind := hnsStates[code]; {
	case code == accessDenied:
		return fmt.Errorf("HNS: %w", fs.ErrPermission)
	case kind == evidence.Absent:
		return collectors.GapError(evidence.HNSMissing.Gap(fmt.Sprintf("0x%x", code)))
	case kind != "":
		return collectors.GapError(evidence.HNSNotRunning.Gap(fmt.Sprintf("0x%x", code)))
	}
	return err
}

var codeInText = regexp.MustCompile(`\(0x([0-9a-fA-F]{1,8})\)`)

// hnsCode is the error's number. The library keeps it in a type of its own and
// shows it in the text only. An HRESULT of Windows' common errors counts as those.
func hnsCode(err error) uint32 {
	var code uint64
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		code = uint64(errno)
	} else if m := codeInText.FindStringSubmatch(err.Error()); m != nil {
		code, _ = strconv.ParseUint(m[1], 16, 32)
	}
	if code&0xffff0000 == 0x80070000 {
		code &= 0xffff
	}
	return uint32(code)
}

// readCompute lists the compute systems. vmcompute is one of the services that Windows starts for
// whoever calls them, so it is asked only where it runs.
func readCompute(context.Context) (any, error) {
	state, err := serviceState("vmcompute")
	if err != nil {
		return nil, err
	}
	if state != "running" {
		return nil, fmt.Errorf("the service vmcompute is %s: start it to list compute systems", state)
	}
	answer, err := guard(enumerateComputeSystems)
	if err != nil {
		return nil, fmt.Errorf("the list of compute systems: %w", err)
	}
	systems, err := parseComputeSystems(answer)
	return evidence.Compute{Systems: systems}, err
}

// parseComputeSystems reads the answer of HcsEnumerateComputeSystems; no systems are an empty text.
func parseComputeSystems(answer string) ([]evidence.ComputeSystem, error) {
	var found []struct {
		ID         string `json:"Id"`
		SystemType string
		State      string
		Owner      string
	}
	if strings.TrimSpace(answer) != "" {
		if err := json.Unmarshal([]byte(answer), &found); err != nil {
			return nil, fmt.Errorf("the list of compute systems is no JSON: %w", err)
		}
	}
	list := make([]evidence.ComputeSystem, 0, len(found))
	for _, f := range found {
		list = append(list, evidence.ComputeSystem{ID: f.ID, Type: f.SystemType, State: f.State,
			Owner: f.Owner})
	}
	return bounded(list, "compute systems")
}
