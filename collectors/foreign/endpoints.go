package foreign

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// The table of endpoint.txt has the columns IpAddress, MacAddress,
// IsRemoteEndpoint and State. The last two come from a second question to HNS and
// are blank where that failed.
var endpointRow = regexp.MustCompile(
	`^\{?([0-9A-Fa-f.:]+)[^-]*?\s((?:[0-9A-Fa-f]{2}[-:]){5}[0-9A-Fa-f]{2})(?:\s+(True|False))?(?:\s+(\d{1,2}))?\s*$`)

// The same as a list, which PowerShell writes when it is told to or when there
// are more columns: a line "Name : value" for each.
var endpointLine = regexp.MustCompile(`^(\w+)\s*:\s*(.*?)\s*$`)

type endpointState struct {
	remote, state string
	clash         bool // two rows for one endpoint disagree
}

// endpointStates reads the table or list, by address and MAC.
func endpointStates(tables string) map[string]endpointState {
	states := map[string]endpointState{}
	if len(tables) > maxText {
		return states
	}
	add := func(ip, mac string, s endpointState) {
		key := endpointKey(ip, mac)
		if old, ok := states[key]; ok && old != s {
			s.clash = true
		}
		states[key] = s
	}
	var ip, mac string
	for line := range strings.Lines(tables) {
		line = strings.TrimRight(line, "\n")
		if m := endpointRow.FindStringSubmatch(strings.TrimLeft(line, " ")); m != nil {
			add(m[1], m[2], endpointState{remote: m[3], state: m[4]})
			continue
		}
		m := endpointLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		switch strings.ToLower(m[1]) {
		case "ipaddress":
			ip, mac = strings.Trim(strings.SplitN(m[2], ",", 2)[0], "{} "), ""
		case "macaddress":
			mac = m[2]
			add(ip, mac, endpointState{})
		case "isremoteendpoint", "state":
			if mac == "" {
				continue
			}
			s := states[endpointKey(ip, mac)]
			if strings.EqualFold(m[1], "state") {
				s.state = m[2]
			} else {
				s.remote = m[2]
			}
			states[endpointKey(ip, mac)] = s
		}
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
