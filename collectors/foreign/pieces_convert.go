package foreign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode"

	"doctor/checks/evidence"
	"doctor/collectors/tree"
)

// convertPieces writes the evidence of one node.
func convertPieces(fsys fs.FS, node Node, files []looseFile, out *output) error {
	src, err := openSource(fsys, ".")
	if err != nil {
		return err
	}
	p := readPieces(fsys, files, readAll, node.Name)
	ran := later(later(p.newest, out.addEventLogs(src.fsys, src.root)), p.objects.newest)
	name := node.Name
	if name == evidence.UnknownNode {
		name = ""
	}
	ran = later(ran, p.convertEvents(out, ran))
	p.convertConfigs(src, out)
	p.showFacts(node)
	p.convertOutputs(src, out, ran, name)
	p.convertStated(out)
	p.objects.convert(out, name)
	p.convertLogs(src, out, name)
	if of := p.formatOf(node); strings.HasPrefix(of, ofLog) && !strings.Contains(of, ", ") && len(p.plain) == 0 {
		p.showText(out, of == ofLog+"other")
	}
	out.meta(src, p.formatOf(node), node.Name, ran, len(p.texts[partHNSDiag])+len(p.hns[0]) > 0)
	for lacking, l := range pieceLacks {
		if !out.Has(lacking) {
			out.Gap(lacking, evidence.NotAmongFiles.Gap(l.what, l.command))
		}
	}
	return out.addOriginals(src)
}

// mostShown is how many kinds of outputs the head of a report names.
const mostShown = 6

// formatOf is the format, and for single outputs what they are, so that a reader sees what was read.
func (p *pieces) formatOf(node Node) string {
	shown := map[string]bool{}
	for kind, text := range p.texts {
		shown[string(kind)] = text != ""
	}
	for class := range p.shown {
		shown[class] = class != ""
	}
	for i, k := range hnsKinds {
		shown[k.what] = shown[k.what] || p.hns[i] != ""
	}
	shown["crictl info"], shown["inspect"] = p.cri.Status.Conditions != nil, len(p.inspected) > 0
	shown["a part of a Node"], shown["a part of a Pod"] = p.objects.part != nil, p.objects.podParts != nil
	for _, what := range p.plainOf {
		shown[what] = true
	}
	for _, c := range p.configs {
		shown[c.path] = true
	}
	for kind, n := range map[partKind]int{partCrictlPods: len(p.cri.Sandboxes), partCrictlPS: len(p.cri.Containers),
		partImages: len(p.cri.Images)} {
		shown[string(kind)] = shown[string(kind)] || n > 0 && p.texts[partContainers]+p.texts[partPulled]+p.texts[partCtrImages] == ""
	}
	for _, l := range p.logs {
		shown[nameOfLog(l.component)] = true
	}
	for _, f := range p.files {
		shown["log of "+f.component] = shown["log of "+f.component] || f.role == pieceLog
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		if shown[name] {
			list = append(list, name)
		}
	}
	tool := layoutOf(p.files)
	if tool != "" && (node.Format == formatPieces || node.Format == formatObjects) {
		return node.Format + ": " + tool
	}
	if node.Format != formatPieces || len(list) == 0 {
		return node.Format
	}
	if len(list) > mostShown {
		list = append(list[:mostShown], "and more")
	}
	return node.Format + ": " + evidence.Clean(strings.Join(list, ", "))
}

func nameOfLog(component string) string {
	if component == podIPConfig {
		return "ipconfig in a container"
	}
	return "log of " + component
}

// convertLogs places the logs of the node, and those of its pods.
func (p *pieces) convertLogs(src *source, out *output, node string) {
	pods := map[string]bool{}
	for _, o := range p.objects.lists["Pod"] {
		pods[o.name()] = true
	}
	var shown struct{ Items []kubeObject } // by kubectl describe, or in a table
	for _, name := range []string{"api/pods.json", evidence.PartOf("api/pods.json")} {
		content, _ := fs.ReadFile(out.FS(), name)
		json.Unmarshal(content, &shown)
		for _, o := range shown.Items {
			pods[o.name()] = true
		}
	}
	excerpts := append(p.excerpts, p.objects.cutLists()...)
	for _, f := range p.files {
		switch f.role {
		case pieceLog:
			name := pieceName(out, f.component, f.path)
			out.placePath(name, src, f.path)
			if f.size < mostOfExcerpt || pageFile.MatchString(f.path) {
				out.Add(name, tree.File{Content: []byte(wholeEntries(peel(p.read(f.path, maxText, false))))})
				excerpts = append(excerpts, evidence.LogRecord{Path: name, Excerpt: true})
			}
		case piecePod:
			if pods[f.pod] {
				out.placePath(pieceName(out, f.component, f.path), src, f.path)
			}
		case pieceNodes:
			placeNodeLog(out, src, f, node)
		}
	}
	for _, l := range p.logs {
		name := pieceName(out, l.component, l.file)
		out.Add(name, tree.File{Content: []byte(wholeEntries(l.text.String()))})
		excerpts = append(excerpts, evidence.LogRecord{Path: name, Unsearched: l.note(), Excerpt: true})
	}
	if len(excerpts) > 0 {
		out.JSON(evidence.LogRecords.Path(), evidence.LogIndex{Logs: excerpts})
	}
}

// showText shows how texts begin of which nothing else is known than that they can be searched, and of a
// log its entries, or the first and the last. The environment is what fewest checks need: what else to collect stays as
// it was.
func (p *pieces) showText(out *output, whole bool) {
	text, what, most := "", "the text", maxPieceHead
	if !whole {
		what, most = "the log", maxText
	}
	for _, l := range p.logs {
		text += l.text.String()
	}
	for _, f := range p.files {
		if f.role == pieceLog {
			text += p.read(f.path, int64(most), false)
		}
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.ContainsFunc(line, unicode.IsLetter) && (whole || isLogLine(line)) {
			lines = append(lines, clip(line))
		}
	}
	const fewEntries, room = 8, 400
	switch {
	case len(lines) == 0:
		return
	case !whole && len(lines) > fewEntries:
		lines = []string{lines[0], lines[len(lines)-1]}
	case !whole:
		for i, line := range lines[:len(lines)-1] {
			lines[i] = evidence.Clip(line, max(maxQuote/2, room/len(lines)))
		}
	case len(lines) > maxShown: // the beginning tells what it is
		lines = lines[:3]
	}
	out.partial("env.json", what, []string{strings.Join(lines, " / ")}, nil)
}

// note says what was read of a log that is in a text with other things, and what to collect.
func (l pieceLines) note() string {
	if l.all || slices.Contains([]string{"other", podIPConfig, "rancher-log-collector"}, l.component) { // no log of anything, which could be collected
		return ""
	}
	command := cmp.Or(pieceLacks["logs/"+l.component].command, "doctor bundle")
	return fmt.Sprintf("read from a text with other outputs (lines: %d); collect the log itself with `%s`",
		len(strings.FieldsFunc(l.text.String(), func(r rune) bool { return r == '\n' })), command)
}
