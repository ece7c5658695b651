package foreign

import (
	"encoding/json"
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

type criCondition struct {
	Type    string `json:"type"`
	Status  bool   `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

var (
	serverVersion = regexp.MustCompile(`(?s)Server:.{0,200}?Version:\s+(v?\d[^\s]*)`)
	fatalLine     = regexp.MustCompile(`(?m)^.*level=fatal.*$`)
)

// convertRuntime makes cri.json of what crictl and ctr answered.
func (r rancher) convertRuntime(out *output) {
	state := map[string]any{}
	info := r.text("containerd/crictl-info.txt")
	if answer, ok := readCRIInfo(info.content); ok {
		state["status"] = answer.status()
		if len(answer.Config) > 0 {
			state["config"] = answer.Config
		}
	}
	for name, list := range map[string][]map[string]any{
		"images":     readCrictlImages(r.text("containerd/crictl-images.txt").content),
		"sandboxes":  readCrictlPods(r.text("containerd/crictl-pods.txt").content),
		"containers": readCrictlContainers(r.text("containerd/crictl-ps.txt").content),
	} {
		if len(list) > 0 {
			state[name] = list
		}
	}
	if m := serverVersion.FindStringSubmatch(r.text("containerd/ctr-version.txt").content); m != nil {
		state["version"] = map[string]string{"runtimeName": "containerd", "runtimeVersion": m[1]}
	}
	switch {
	case len(state) > 0:
		out.JSON("cri.json", state)
	case r.rke1():
		out.Gap("cri.json", rancherMisses("the state of docker in a form that can be read", "see original/docker"))
	case info.gap != "":
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
		if p.document != nil && json.Unmarshal(p.document, &info) == nil && (len(info.Status) > 0 || len(info.Config) > 0) {
			return info, true
		}
	}
	return criInfo{}, false
}

// status is the runtime's own. Where it does not speak of the network, what
// came of loading the CNI configuration tells.
func (i criInfo) status() any {
	var status struct {
		Conditions []criCondition `json:"conditions"`
	}
	if json.Unmarshal(i.Status, &status) != nil {
		status.Conditions = nil
	}
	known := false
	for _, c := range status.Conditions {
		known = known || c.Type == "NetworkReady"
	}
	if !known && i.LastCNILoadStatus != "" {
		loaded := strings.EqualFold(i.LastCNILoadStatus, "OK")
		c := criCondition{Type: "NetworkReady", Status: loaded}
		if !loaded {
			c.Reason, c.Message = "lastCNILoadStatus", evidence.Clean(i.LastCNILoadStatus)
		}
		status.Conditions = append(status.Conditions, c)
	}
	return status
}
