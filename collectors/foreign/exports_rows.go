package foreign

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// takeCSV takes the rows of an export, or those of a table of kubectl that a program wrote as CSV.
func (p *pieces) takeCSV(file string, found part) {
	head, rows, _ := csvRows(found.text)
	if slices.Contains(head, "NAME") {
		p.take(looseFile{path: file}, part{kind: partPods, text: aligned(append([][]string{head}, rows...))})
		return
	}
	for n, row := range rows {
		values := map[string]string{}
		for i, v := range row {
			values[head[i]] = strings.TrimSpace(v)
		}
		p.takeRecord(file, found.line+n+1, values)
	}
}

// aligned writes rows as kubectl does.
func aligned(rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, len("   "), ' ', 0)
	for _, row := range rows {
		for _, v := range row {
			fmt.Fprint(w, cmp.Or(v, "-"), "\t")
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return b.String()
}

// kubectlRow is a row of pods or of nodes that was searched for, without its heads.
var kubectlRow = regexp.MustCompile(`^(?:[a-z0-9.-]+ {2,})?[a-z0-9.-]+ {2,}\d+/\d+ {2,}[A-Z]\S* {2,}\d|` +
	`^[a-z0-9.-]+ {2,}((?:Not)?Ready\S*) {2,}\S+ {2,}\S+ {2,}v1\.`)

var kubectlHeads = []string{"NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES"}
var nodeHeads = []string{"NAME", "STATUS", "ROLES", "AGE", "VERSION", "INTERNAL-IP", "EXTERNAL-IP", "OS-IMAGE", "KERNEL-VERSION", "CONTAINER-RUNTIME"}

// takeRows gives such rows the heads that kubectl writes.
func (p *pieces) takeRows(text string) {
	kind, heads := partPods, kubectlHeads
	var rows [][]string
	for line := range strings.Lines(text) {
		row := betweenCells.Split(strings.TrimSpace(line), -1)
		if m := kubectlRow.FindStringSubmatch(line); m == nil {
			continue
		} else if m[1] != "" {
			kind, heads = partNodes, nodeHeads
		} else if strings.Contains(row[1], "/") {
			heads = kubectlHeads[1:]
		}
		if len(row) <= len(heads) && (len(rows) == 0 || len(row) == len(rows[0])) {
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		p.take(looseFile{}, part{kind: kind, text: aligned(append([][]string{heads[:len(rows[0])]}, rows...))})
	}
}

// csvRows reads the rows of CSV below heads whose names are known; end is where they end.
// What the Event Viewer saves as CSV: five heads in its language, and the message as a sixth column.
var (
	viewerHead = regexp.MustCompile(`^[^",;\d]+(?:,[^",;\d]+){4}$`)
	viewerRow  = regexp.MustCompile(`^\n[^",]+,"?\d[^",]*\d[^,]*,[^",]+,\d{1,5},`)
)

func csvRows(s string) (head []string, rows [][]string, end int) {
	from := 0
	if strings.HasPrefix(s, "#TYPE ") {
		from = nextLine(s, 0)
	}
	first := firstLine(s[from:])
	if viewerHead.MatchString(first) && viewerRow.MatchString(s[from+len(first):]) {
		first = "Level,Date and Time,Source,Event ID,Task Category" // in the language of Windows
	}
	comma := ","
	if strings.Contains(first, `";"`) {
		comma = ";"
	}
	for _, name := range strings.Split(first, comma) {
		name = strings.Trim(name, `" `)
		if !columnName.MatchString(name) {
			return nil, nil, 0
		}
		head = append(head, name)
	}
	if len(head) < 2 || !knownColumns(head) {
		return nil, nil, 0
	}
	r := csv.NewReader(strings.NewReader(s[from:]))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = rune(comma[0]), -1, true
	r.Read()
	for len(rows) < maxExcerpt {
		row, err := r.Read()
		if err == nil && len(row) == len(head)+1 && len(rows) == 0 {
			head = append(head, "Message") // which the Event Viewer does not name
		}
		if err != nil || len(row) != len(head) {
			break
		}
		rows, end = append(rows, row), from+int(r.InputOffset())
	}
	return head, rows, end
}

// knownColumns tells the heads of an export: of objects of PowerShell, of records, or of pods.
func knownColumns(head []string) bool {
	values := map[string]string{}
	for _, name := range head {
		values[name] = "1"
	}
	r := recordOf(values)
	return slices.Contains(exportedClasses, classOf(values)) ||
		r["TimeCreated"] != "" && (r["Message"] != "" || r["Id"] != "" && r["ProviderName"] != "") ||
		values["NAME"] != "" && values["READY"] != "" && values["STATUS"] != ""
}
