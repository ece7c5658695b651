package foreign

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// A dump is a file that PowerShell filled with HNS objects.
type dump struct {
	name    string
	records []record
	tables  string // what is not JSON
	none    bool   // it shows the head of a table without a row: asked, and there is nothing
	// it is empty or not there: it neither shows an object nor speaks against there being none
	silent bool
	gap    evidence.Gap // why records is empty
}

const maxHead = 64 << 10

func readDump(src *source, name string) dump {
	t := src.readText(name, maxDump)
	d := dump{name: t.name, gap: t.gap, silent: t.missing || t.empty()}
	if t.gap.Kind != "" {
		return d
	}
	pieces, broken := splitDump(t.content)
	odd, documents := 0, 0
	var tables strings.Builder
	for _, p := range pieces {
		if p.document == nil {
			tables.WriteString(p.text)
			continue
		}
		documents++
		list, n := records(p.document)
		d.records, odd = append(d.records, list...), odd+n
	}
	d.tables = tables.String()
	failure := failed(d.records)
	head := d.tables[:min(len(d.tables), maxHead)] // an error or a table shows itself early
	switch {
	case broken != "":
		d.gap = brokenf("%s: %s, so what is missing from it is unknown", d.name, broken)
	case failure != "":
		d.gap = failureGap(d.name, failure)
	case odd > 0 || len(d.records) > maxRecords:
		d.gap = brokenf("%s: %d of its records are no objects, cut by ConvertTo-Json, or too many",
			d.name, odd)
	case len(d.records) > 0:
		return d
	case documents > 0:
		d.none = true // "[]" or "null": some tool said so in JSON
	case strings.TrimSpace(d.tables) == "":
		d.gap = brokenf(
			"%s is empty: the tool may have run without Administrator rights; PowerShell writes nothing both for no object and for no rights", d.name)
	case len(head) == len(d.tables) && headOnly(head):
		d.none = true
	case looksTabular(head):
		d.gap = brokenf("%s: the JSON that follows its table is missing", d.name)
	default:
		d.gap = failureGap(d.name, head)
	}
	d.records = nil
	return d
}

// failed returns the error that HNS answered with instead of objects.
func failed(list []record) string {
	for _, r := range list {
		if v, ok := r.get("Success"); ok && string(v) == "false" {
			if why := r.text("Error"); why != "" {
				return why
			}
			return "HNS answered with Success: false"
		}
	}
	return ""
}

// denials are how Windows says that rights are missing: its codes, and its words
// in the languages of the reports seen most.
var denials = regexp.MustCompile(
	`(?i)access (is |was )?denied|0x80070005|\(0x5\)|UnauthorizedAccess|PermissionDenied|requires elevation|as an? administrator|拒绝访问|存取被拒|zugriff verweigert|acc[eè]s refus[eé]|acceso denegado|アクセスが拒否`)

// failureGap is for a file that holds an error or a usage text.
func failureGap(name, said string) evidence.Gap {
	line := firstLine(said)
	if m := denials.FindStringIndex(said); m != nil {
		return gapf(evidence.Denied, "%s: %s; run the tool as Administrator", name,
			clip(lineAt(said, m[0])))
	}
	return brokenf("%s holds no objects; it begins with: %s", name, clip(line))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(line)
}

func lineAt(s string, at int) string {
	start := strings.LastIndexByte(s[:at], '\n') + 1
	return firstLine(s[start:])
}

const maxQuote = 160

func clip(s string) string { return evidence.Clip(s, maxQuote) }

var ruler = regexp.MustCompile(`(?m)^\s*-{2,}( +-+)*\s*$`)

// looksTabular tells PowerShell's tables and lists from its errors.
func looksTabular(s string) bool {
	return ruler.MatchString(s) || listRow.MatchString(s) && !strings.Contains(s, "CategoryInfo")
}

var listRow = regexp.MustCompile(`(?m)^\w+ +: `)

// headOnly tells a table that has its head and no row.
func headOnly(s string) bool {
	at := ruler.FindStringIndex(s)
	return at != nil && strings.Count(strings.TrimSpace(s[:at[0]]), "\n") == 0 &&
		strings.TrimSpace(s[at[1]:]) == ""
}

// hnsdiag is the output of `hnsdiag list all`: headings, and below each, with -d, the objects as
// JSON, and names and ids without it. Lists are in the order of hnsKinds.
type hnsdiag struct {
	records [][]record
	none    []bool   // the heading is there and nothing stands below it
	plain   []int    // how many objects there are of which only the names are told
	named   []record // endpoints of which only the names are told
}

// readHNSDiag believes a list only when all of the output could be read: usage
// texts and outputs that break off say nothing.
func readHNSDiag(src *source) hnsdiag {
	d := hnsdiag{make([][]record, len(hnsKinds)), make([]bool, len(hnsKinds)),
		make([]int, len(hnsKinds)), nil}
	content := src.readText("hnsdiag.txt", maxDump).content
	pieces, broken := splitDump(content)
	if broken != "" {
		return d
	}
	if len(pieces) == 1 && pieces[0].document == nil {
		d.readPlain(content)
		return d
	}
	headed := make([]bool, len(hnsKinds))
	filled := make([]bool, len(hnsKinds))
	section := -1
	for _, p := range pieces {
		if p.document == nil {
			section = readHeadings(p.text, section, headed, filled)
			continue
		}
		if section >= 0 {
			filled[section] = true
		}
		list, _ := records(p.document)
		for _, r := range list {
			if k := kindOf(r); k >= 0 {
				d.records[k] = append(d.records[k], r)
			}
		}
	}
	for k := range hnsKinds {
		d.none[k] = headed[k] && !filled[k] && len(d.records[k]) == 0
	}
	return d
}

var hnsdiagHeading = regexp.MustCompile(`^\s*(\w[\w ]*?)\s*:\s*$`)

// readHeadings goes through text between documents. Whatever stands below a
// heading and is no heading fills it: rows of the plain list, or an error.
func readHeadings(text string, section int, headed, filled []bool) int {
	for line := range strings.Lines(text) {
		if m := hnsdiagHeading.FindStringSubmatch(line); m != nil {
			if section = kindOfHeading(m[1]); section >= 0 {
				headed[section] = true
			}
		} else if section >= 0 && strings.Trim(line, " \t\r\n-=") != "" {
			filled[section] = true
		}
	}
	return section
}

func kindOf(r record) int {
	return slices.IndexFunc(hnsKinds, func(k hnsKind) bool { return k.is(r) })
}

// Of the plain list: the heads of a table's columns, a row of networks, endpoints or namespaces,
// and the line that begins an object in the form of newer builds, "Load Balancer : ID".
var (
	hnsdiagHeads = regexp.MustCompile(`^(Name|ID)\b.*\b(ID|IDs|Name)\s*$`)
	hnsdiagRow   = regexp.MustCompile(
		`^(\S.*?)?\s*\b([0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})\b(?:\s+(\S+))?`)
	hnsdiagObject = regexp.MustCompile(
		`^(\w[\w ]*?)\s*:\s*([0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})\s*$`)
	hnsdiagField = regexp.MustCompile(`^\s+(\w[\w ]*?)\s*:\s*(\S.*?)\s*$`)
)

// readPlain reads the list without -d. Networks it names; of endpoints and load balancers it
// tells too little to judge them, but how many there are, and that there are none.
func (d *hnsdiag) readPlain(content string) {
	headed, strange := make([]bool, len(hnsKinds)), make([]bool, len(hnsKinds))
	section, blocks := -1, false
	var last record
	for line := range strings.Lines(content) {
		line = strings.TrimRight(line, " \t\n")
		if m := hnsdiagHeading.FindStringSubmatch(line); m != nil {
			section = kindOfHeading(m[1])
			if last = nil; section >= 0 {
				headed[section] = true
			}
			continue
		}
		if m := hnsdiagObject.FindStringSubmatch(line); m != nil {
			if section, blocks = kindOfHeading(m[1]), true; section >= 0 {
				last = plainRecord(m[2], "")
				d.count(section, last)
			}
			continue
		}
		if m := hnsdiagField.FindStringSubmatch(line); m != nil && last != nil {
			if key := strings.ToLower(m[1]); key == "name" || key == "type" {
				last.set(strings.ToUpper(key[:1])+key[1:], quotedJSON(m[2]))
			}
			continue
		}
		if blocks || section < 0 || hnsdiagHeads.MatchString(line) ||
			strings.Trim(line, " -=") == "" {
			continue
		}
		if m := hnsdiagRow.FindStringSubmatch(line); m != nil {
			r := plainRecord(m[2], m[1])
			if m[3] != "" && hnsKinds[section].heading == "endpoint" {
				r["VirtualNetworkName"] = quotedJSON(m[3])
			}
			d.count(section, r)
		} else {
			strange[section] = true // an error, or the further ids of a row above
		}
	}
	for k := range hnsKinds {
		d.none[k] = headed[k] && d.plain[k] == 0 && !strange[k]
	}
}

// count keeps a network and an endpoint, and counts an object of any other kind.
func (d *hnsdiag) count(kind int, r record) {
	switch d.plain[kind]++; {
	case d.plain[kind] > maxRecords:
	case hnsKinds[kind].heading == "network":
		d.records[kind] = append(d.records[kind], r)
	case hnsKinds[kind].heading == "endpoint":
		d.named = append(d.named, r)
	}
}

// plainRecord is an object of which only id and name are known.
func plainRecord(id, name string) record {
	lost := quotedJSON(lostList)
	r := record{"ID": quotedJSON(id), "Subnets": lost, "Policies": lost, "Extensions": lost}
	if name != "" {
		r["Name"] = quotedJSON(name)
	}
	return r
}

func quotedJSON(s string) json.RawMessage {
	b, _ := json.Marshal(s)
	return b
}

func kindOfHeading(heading string) int {
	return slices.IndexFunc(hnsKinds, func(k hnsKind) bool {
		return strings.HasPrefix(strings.ToLower(heading), k.heading)
	})
}

// withoutOpenEnd leaves out a list at the end of a copied text below whose heading nothing is: it may
// go on where the copy ends.
func withoutOpenEnd(content string) string {
	at, open := -1, false
	for start := 0; start < len(content); {
		end := nextLine(content, start)
		line := strings.TrimRight(content[start:end], " \t\n")
		switch {
		case hnsdiagHeading.MatchString(line):
			at, open = start, true
		case !hnsdiagHeads.MatchString(line) && !strings.Contains(line, "IDs") &&
			strings.Trim(line, " -=|") != "":
			open = false
		}
		start = end
	}
	if open {
		return content[:at]
	}
	return content
}
