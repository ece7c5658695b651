package foreign

import (
	"regexp"
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
