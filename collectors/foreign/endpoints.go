package foreign

import (
	"encoding/json"
	"strconv"
	"strings"
)

type endpointState struct {
	remote, state string
	clash         bool // two rows for one endpoint disagree
}

// endpointStates reads the table or list of endpoint.txt, by address and MAC. Mark and state come
// from a second question to HNS and are blank where that failed.
func endpointStates(tables string) map[string]endpointState {
	states := map[string]endpointState{}
	if len(tables) > maxText {
		return states
	}
	for _, o := range printed(tables) {
		ip, _, _ := strings.Cut(first(o, "IpAddress", "IPAddress"), ",")
		key := endpointKey(strings.Trim(ip, "{} "), o["MacAddress"])
		s := endpointState{remote: o["IsRemoteEndpoint"], state: o["State"]}
		if old, ok := states[key]; ok && old != s {
			s.clash = true
		}
		states[key] = s
	}
	return states
}

func endpointKey(ip, mac string) string {
	return strings.ToLower(ip) + " " + strings.ToLower(strings.ReplaceAll(mac, ":", "-"))
}

// addStates gives endpoints the state and the remote mark that only the table
// has: HCN's own objects as hcsshim knows them carry neither.
func addStates(list []record, tables string) {
	states := endpointStates(tables)
	if len(states) == 0 {
		return
	}
	for _, r := range list {
		s, ok := states[endpointKey(endpointIP(r), r.text("MacAddress"))]
		if !ok || s.clash {
			continue
		}
		if n, err := strconv.Atoi(s.state); err == nil && n >= 0 && r.blank("State") {
			r.set("State", json.RawMessage(strconv.Itoa(n)))
		}
		remote := strings.EqualFold(s.remote, "True")
		switch {
		case s.remote == "":
		case !secondVersion(r) && r.blank("IsRemoteEndpoint"):
			r.set("IsRemoteEndpoint", json.RawMessage(strconv.FormatBool(remote)))
		case secondVersion(r) && remote && r.blank("Flags"):
			r.set("Flags", json.RawMessage("1")) // RemoteEndpoint in the words of the second schema
		}
	}
}

func endpointIP(r record) string {
	if ip := r.text("IPAddress"); ip != "" {
		return ip
	}
	var configs []struct{ IpAddress string }
	if v, ok := r.get("IpConfigurations"); ok && json.Unmarshal(v, &configs) == nil &&
		len(configs) > 0 {
		return configs[0].IpAddress
	}
	return ""
}
