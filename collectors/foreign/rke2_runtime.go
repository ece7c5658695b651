package foreign

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"

	"doctor/checks/evidence"
)

// criInfo is what `crictl info` prints: the runtime's status, and what it says
// of its configuration.
type criInfo struct {
	Status            json.RawMessage `json:"status"`
	Config            json.RawMessage `json:"config"`
	LastCNILoadStatus string          `json:"lastCNILoadStatus"`
}

var fatalLine = regexp.MustCompile(`(?m)^.*level=fatal.*$`)

// convertRuntime makes cri.json of what crictl and ctr answered.
func (r rancher) convertRuntime(out *output) {
	var state evidence.CRIState
	info := r.text("containerd/crictl-info.txt")
	if answer, ok := readCRIInfo(info.content); ok {
		state.Status, state.Config = answer.status(), answer.Config
	}
	takeRows(&state.Images, readCrictlImages(r.text("containerd/crictl-images.txt").content))
	takeRows(&state.Sandboxes, readCrictlPods(r.text("containerd/crictl-pods.txt").content))
	takeRows(&state.Containers, readCrictlContainers(r.text("containerd/crictl-ps.txt").content))
	state.Version = ctrVersion(r.text("containerd/ctr-version.txt").content)
	switch {
	case !reflect.ValueOf(state).IsZero():
		out.JSON("cri.json", state)
	case r.rke1():
		out.Gap("cri.json", rancherMisses("the state of docker in a form that can be read",
			"see original/docker"))
	case info.gap.Kind != "":
		out.Gap("cri.json", info.gap)
	default:
		said := firstLine(info.content)
		if fatal := fatalLine.FindString(info.content); fatal != "" {
			said = fatal
		}
		out.Gap("cri.json", failureGap(info.name, said))
	}
}

// readCRIInfo finds the JSON behind what crictl complains of first.
func readCRIInfo(s string) (criInfo, bool) {
	pieces, broken := splitDump(s)
	if broken != "" {
		return criInfo{}, false
	}
	for _, p := range pieces {
		var info criInfo
		if p.document != nil && json.Unmarshal(p.document, &info) == nil &&
			(len(info.Status) > 0 || len(info.Config) > 0) {
			return info, true
		}
	}
	return criInfo{}, false
}

// status is the runtime's own. Where it does not speak of the network, what
// came of loading the CNI configuration tells.
func (i criInfo) status() (status evidence.CRIStatus) {
	if json.Unmarshal(i.Status, &status) != nil || status.Conditions == nil {
		status.Conditions = []evidence.CRICondition{}
	}
	known := false
	for _, c := range status.Conditions {
		known = known || c.Type == "NetworkReady"
	}
	if !known && i.LastCNILoadStatus != "" {
		loaded := strings.EqualFold(i.LastCNILoadStatus, "OK")
		c := evidence.CRICondition{Type: "NetworkReady", Status: loaded}
		if !loaded {
			c.Reason, c.Message = "lastCNILoadStatus", evidence.Clean(i.LastCNILoadStatus)
		}
		status.Conditions = append(status.Conditions, c)
	}
	return status
}
