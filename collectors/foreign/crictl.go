package foreign

import (
	"regexp"
	"strings"
)

// A crictlTable is a table of crictl: each column begins where its head does.
type crictlTable struct {
	heads []string
	rows  [][]string
}

var crictlHead = regexp.MustCompile(`(?m)^(?:IMAGE|CONTAINER|POD ID)\s{2,}.*$`)

// readCrictlTable cuts the rows at the columns of the head row. Warnings of
// crictl may stand in front of it.
func readCrictlTable(s string) (t crictlTable) {
	at := crictlHead.FindStringIndex(s)
	if at == nil {
		return t
	}
	head := s[at[0]:at[1]]
	starts := columnStarts(head)
	cells := func(line string) []string {
		var list []string
		for i, start := range starts {
			end := len(line)
			if i+1 < len(starts) {
				end = min(starts[i+1], len(line))
			}
			list = append(list, strings.TrimSpace(line[min(start, end):end]))
		}
		return list
	}
	t.heads = cells(strings.TrimRight(head, " \t"))
	for line := range strings.Lines(s[at[1]:]) {
		if line = strings.TrimRight(line, " \t\n"); line != "" && line[0] != ' ' && len(t.rows) < maxObjects {
			t.rows = append(t.rows, cells(line))
		}
	}
	return t
}

var columnHead = regexp.MustCompile(`\S+(?: \S+)*`)

func columnStarts(head string) []int {
	var starts []int
	for _, m := range columnHead.FindAllStringIndex(head, -1) {
		starts = append(starts, m[0])
	}
	return starts
}

func (t crictlTable) cell(row []string, head string) string {
	for i, h := range t.heads {
		if strings.EqualFold(h, head) && i < len(row) {
			return row[i]
		}
	}
	return ""
}

func readCrictlImages(s string) []map[string]any {
	t := readCrictlTable(s)
	var list []map[string]any
	for _, row := range t.rows {
		image := map[string]any{"id": t.cell(row, "IMAGE ID")}
		if name, tag := t.cell(row, "IMAGE"), t.cell(row, "TAG"); tag != "" && tag != "<none>" {
			image["repoTags"] = []string{name + ":" + tag}
		}
		list = append(list, image)
	}
	return list
}

func readCrictlPods(s string) []map[string]any {
	t := readCrictlTable(s)
	var list []map[string]any
	for _, row := range t.rows {
		state := "SANDBOX_NOTREADY"
		if strings.EqualFold(t.cell(row, "STATE"), "Ready") {
			state = "SANDBOX_READY"
		}
		list = append(list, map[string]any{"id": t.cell(row, "POD ID"), "state": state, "metadata": map[string]any{"name": t.cell(row, "NAME"), "namespace": t.cell(row, "NAMESPACE")}})
	}
	return list
}

func readCrictlContainers(s string) []map[string]any {
	t := readCrictlTable(s)
	var list []map[string]any
	for _, row := range t.rows {
		list = append(list, map[string]any{
			"id": t.cell(row, "CONTAINER"), "podSandboxId": t.cell(row, "POD ID"), "state": "CONTAINER_" + strings.ToUpper(t.cell(row, "STATE")),
			"metadata": map[string]any{"name": t.cell(row, "NAME")}, "image": map[string]any{"image": t.cell(row, "IMAGE")},
		})
	}
	return list
}
