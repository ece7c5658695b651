package foreign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"doctor/checks/evidence"
)

func (p *pieces) takeJSON(name string, found part) {
	whole := cmp.Or(found.closed, found.text)
	if kind, ok := hnsDocument(whole); ok {
		p.hns[kind] += whole + "\n"
		p.hnsCut[kind] = p.hnsCut[kind] || found.closed != ""
		return
	}
	if state, ok := criDocument(whole); ok {
		p.takeCRI(state)
		p.criFacts = criFactsOf(whole)
		return
	}
	if names := inspected(whole); len(names) > 0 {
		p.inspected = append(p.inspected, names...)
		if exited := strings.Join(names, "\n"); exitedContainer.MatchString(exited) { // the code may be known
			p.logLines("other", name, found.line, exited+"\n")
		}
		return
	}
	list := flatJSON(whole)
	if described := describedOf(list); described != "" {
		p.takeInner(name, found.line, described)
		return
	}
	if strings.Contains(found.text, `"ExternalInterfaces"`) {
		p.texts[partVnet] += found.text + "\n"
		return
	}
	if len(list) == 1 && list[0]["node.memory.availableBytes"] != "" { // the kubelet's /stats/summary
		p.nodes = append(p.nodes, strings.ToLower(list[0]["node.nodeName"]))
		p.texts[partMetrics] += "node_memory_available_bytes " + list[0]["node.memory.availableBytes"] +
			"\nnode_fs_available_bytes " + list[0]["node.fs.availableBytes"] + "\n"
		return
	}
	if rows := inspectedNetworks(whole); rows != "" {
		p.texts[partNetworks] += rows
		return
	}
	if p.takeRecords(name, found) {
		return
	}
	var object kubeObject
	json.Unmarshal([]byte(whole), &object)
	if kind, _ := headless(object); kind != "" && object["kind"] == nil {
		p.objects.add(name, whole)
		return
	}
	if !strings.Contains(found.text, `"kind"`) && (found.closed != "" || errorWords.MatchString(found.text)) {
		text := strings.Join(manyLines.FindAllString(whole, maxFields), "\n") // an answer of a cloud
		text = messageLines.Replace(cmp.Or(text, found.text))
		if len(list) == 1 && found.closed != "" {
			text = cmp.Or(recordOf(list[0])["Message"], text)
		}
		if found.about != "" {
			p.logLines("other", name, found.line-1, found.about+"\n")
		}
		p.logLines("other", name, found.line, text+"\n")
		p.showPlain("JSON", valueRows(found.text))
		return
	}
	if !p.addObjects(name, found.text) && !strings.Contains(found.text, `"kind"`) {
		p.showPlain("JSON", valueRows(found.text))
	}
}

// manyLines are values of several lines.
var manyLines = regexp.MustCompile(`"(?:[^"\\]|\\[^n])*\\n(?:[^"\\]|\\.)*"`)

// messageLines breaks a message in JSON where its author did.
var messageLines = strings.NewReplacer(`\\`, `\\`, `\r`, "", `\n`, "\n")

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

var exitedContainer = regexp.MustCompile(` Exited \([1-9]`)

// inspected are the sandbox or container of `crictl inspectp` and `crictl inspect`, and the containers
// of `docker inspect`.
func inspected(document string) (names []string) {
	var containers []struct {
		Name  string
		State struct {
			Status, Error, StartedAt, FinishedAt string
			ExitCode                             int64
		}
	}
	if json.Unmarshal([]byte(document), &containers) == nil {
		for _, c := range containers {
			switch name := strings.TrimPrefix(c.Name, "/"); c.State.Status {
			case "":
			case "exited":
				names = append(names, fmt.Sprintf("%s Exited (%d) %s", name, c.State.ExitCode, cmp.Or(c.State.Error, c.State.StartedAt+" to "+c.State.FinishedAt)))
			default:
				names = append(names, name+" "+c.State.Status)
			}
		}
		return names
	}
	var answer struct {
		Status struct {
			State            string
			Metadata         struct{ Name, Namespace string }
			ImageFilesystems []struct{ FsID struct{ Mountpoint string } }
		}
		Stats []struct { // of crictl stats
			Attributes struct{ Metadata struct{ Name string } }
			Memory     struct{ WorkingSetBytes struct{ Value string } }
		}
	}
	if json.Unmarshal([]byte(document), &answer) != nil {
		return nil
	}
	for _, c := range answer.Stats {
		if bytes, err := strconv.ParseInt(c.Memory.WorkingSetBytes.Value, 10, 64); err == nil && c.Attributes.Metadata.Name != "" {
			names = append(names, c.Attributes.Metadata.Name+" with "+evidence.SizeText(bytes)+" of memory")
		}
	}
	if names != nil {
		return names
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
