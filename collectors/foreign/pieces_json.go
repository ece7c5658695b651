package foreign

import (
	"cmp"
	"strings"
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
		return
	}
	if names := inspected(whole); len(names) > 0 {
		p.inspected = append(p.inspected, names...)
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
	if !strings.Contains(found.text, `"kind"`) && (found.closed != "" || errorWords.MatchString(found.text)) {
		text := messageLines.Replace(found.text) // an answer of a cloud
		if len(list) == 1 && found.closed != "" {
			text = cmp.Or(recordOf(list[0])["Message"], text)
		}
		if found.about != "" {
			p.logLines("other", name, found.line-1, found.about+"\n")
		}
		p.logLines("other", name, found.line, text+"\n")
		return
	}
	p.objects.add(name, found.text)
}

// messageLines breaks a message in JSON where its author did.
var messageLines = strings.NewReplacer(`\\`, `\\`, `\r`, "", `\n`, "\n")
