package foreign

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"
)

// inspectedNetworks are the rows that docker network ls would show of what docker network inspect shows.
func inspectedNetworks(document string) (rows string) {
	var list []struct {
		ID, Name, Driver, Scope string
		IPAM                    struct{ Config []struct{ Subnet string } }
	}
	if json.Unmarshal([]byte(document), &list) != nil {
		return ""
	}
	for _, n := range list {
		if n.Scope != "" && n.Driver != "" && len(n.ID) > 12 {
			rows += strings.ToLower(n.ID[:12]) + " " + n.Name + " " + n.Driver + " " + n.Scope
			for _, c := range n.IPAM.Config {
				rows += " " + c.Subnet
			}
			rows += "\n"
		}
	}
	return rows
}

// inspected are the sandbox or container of `crictl inspectp` and `crictl inspect`.
func inspected(document string) []string {
	var answer struct {
		Status struct {
			State            string
			Metadata         struct{ Name, Namespace string }
			ImageFilesystems []struct{ FsID struct{ Mountpoint string } }
		}
	}
	if json.Unmarshal([]byte(document), &answer) != nil {
		return nil
	}
	s := answer.Status
	if len(s.ImageFilesystems) > 0 { // crictl imagefsinfo
		return []string{"images at " + s.ImageFilesystems[0].FsID.Mountpoint}
	}
	if !strings.HasPrefix(s.State, "SANDBOX_") && !strings.HasPrefix(s.State, "CONTAINER_") {
		return nil
	}
	return []string{strings.TrimSpace(s.Metadata.Namespace + " " + s.Metadata.Name + " " + s.State)}
}

// flatJSON are the objects of a document, or the one that it is, each with its values by their paths.
func flatJSON(document string) (list []map[string]string) {
	d := json.NewDecoder(strings.NewReader(document))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	all, ok := v.([]any)
	if !ok {
		all = []any{v}
	}
	for _, one := range all {
		if object, ok := one.(map[string]any); ok {
			list = append(list, map[string]string{})
			flatten(object, "", list[len(list)-1])
		}
	}
	return list
}

// describedOf writes the conditions of a node, or the states of containers, as kubectl describes them:
// jq cuts them out of an object.
func describedOf(list []map[string]string) (text string) {
	for _, c := range list {
		beat, err := time.Parse(time.RFC3339, c["lastHeartbeatTime"])
		since, _ := time.Parse(time.RFC3339, c["lastTransitionTime"])
		switch {
		case err == nil && c["type"] != "":
			text = cmp.Or(text, "Conditions:\n  Type  Status  LastHeartbeatTime  LastTransitionTime  Reason  Message\n") +
				strings.Join([]string{"", c["type"], c["status"], beat.Format(time.RFC1123Z), since.Format(time.RFC1123Z), c["reason"], c["message"]}, "  ") + "\n"
		case c["restartCount"] != "" && c["name"] != "":
			text = cmp.Or(text, "Containers:\n") + "  " + c["name"] + ":\n"
			for _, state := range []string{"Waiting", "Running", "Terminated"} {
				if inner := "state." + strings.ToLower(state) + "."; c[inner+"reason"]+c[inner+"startedAt"] != "" {
					text += "    State:          " + state + "\n      Reason:       " + c[inner+"reason"] + "\n"
				}
			}
			text += "    Restart Count:  " + c["restartCount"] + "\n"
		}
	}
	return text
}
