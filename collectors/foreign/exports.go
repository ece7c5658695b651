package foreign

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Platforms of logs export records as JSON, as lines of JSON and as CSV: Log Analytics, CloudWatch,
// Cloud Logging, Elasticsearch, Loki, Splunk, Datadog, fluent-bit and the journal. PowerShell's
// ConvertTo-Json, Export-Csv and Export-Clixml write objects in the same forms. The names of fields
// tell what they hold, whoever wrote them.

// recordFields are what a record holds, each with the names that it has: in lower case, letters only,
// the last of a path. The first that there is counts.
var recordFields = []struct {
	field string
	names []string
}{
	{"Message", []string{"message", "rendereddescription", "logmessage", "logentry", "textpayload", "raw", "rawstring", "log", "logs", "stringvalue", "content", "text", "eventdata", "userdata"}},
	{"Id", []string{"eventid", "eventcode", "id"}},
	{"ProviderName", []string{"providername", "provider", "sourcename", "source"}},
	{"LevelDisplayName", []string{"leveldisplayname", "leveltext", "eventlevelname", "entrytype", "type", "eventtype", "level"}},
	{"LogName", []string{"channel", "eventlog", "logname"}},
	{"TimeCreated", []string{"timecreated", "timegenerated", "timestamp", "time", "date", "dateandtime", "eventtime",
		"messagetime", "realtimetimestamp", "timeunixnano", "stagetimestamp", "ts"}},
	{"Computer", []string{"computer", "computername", "machinename"}},
	{"Reason", []string{"reason"}}, {"Kind", []string{"objectkind"}}, {"Name", []string{"name"}},
	{"Namespace", []string{"namespace"}}, {"Type", []string{"kubeeventtype", "type"}},
}

var (
	exportHead = regexp.MustCompile(
		`"(?i:@?message|LogMessage|LogEntry|RenderedDescription|textPayload|_raw|log|text|content|body|log_s|rows|values|StartType|DisplayName|PrefixLength|HotFixID|availableBytes|auditID|lastTransitionTime|restartCount|ExternalInterfaces|nodeInfo|imageBom)"\s*:|\\n[^"\n]*\\n`)
	columnName = regexp.MustCompile(`^[@_%A-Za-z][\w .@%#/()\[\]-]{0,60}$`)
	noLetters  = regexp.MustCompile(`[^a-z]+`)
	clixmlProp = regexp.MustCompile(`<\w+ N="(\w+)">([^<]*)</`)
	// an event of Windows within a line, as JSON or as fluent-bit prints it
	lineEvent = regexp.MustCompile(`\{"[^\n]*"(?:event_id|EventID|EventRecordID)"(?::|=>)[^\n]*`)
)

// exportedClasses are the objects of PowerShell that fields alone tell, and nothing else has.
var exportedClasses = []string{psServices, psEvents, psAddresses, psInterfaces, psAdapters, psHotfixes,
	psProcesses, psComputer, psConnections, psFirewall}

func normalName(name string) string {
	name, _, _ = strings.Cut(name[strings.LastIndexByte(name, '.')+1:], " [")
	return noLetters.ReplaceAllString(strings.ToLower(name), "")
}

// recordOf is what the values by their names hold.
func recordOf(values map[string]string) map[string]string {
	byName := map[string]string{}
	for name, v := range values {
		byName[normalName(name)] = v
	}
	r := map[string]string{}
	for _, f := range recordFields {
		if v := first(byName, f.names...); v != "" {
			r[f.field] = v
		}
	}
	return r
}

// takeRecord takes one record, and tells whether it is one: an object that PowerShell exported, an event
// of Windows or of Kubernetes, or a line of a log.
func (p *pieces) takeRecord(file string, line int, values map[string]string) bool {
	if class := classOf(values); slices.Contains(exportedClasses, class) && (class != psEvents || values["Id"] != "") {
		if at := strings.TrimSpace(values["TimeCreated"]); class == psEvents && at != "" {
			values["TimeCreated"] = stampOf(at)
		}
		if state := serviceNumbers[values["Status"]]; class == psServices && state != "" {
			values["Status"] = state
		}
		p.shown[class] = append(p.shown[class], psObject{fields: values})
		return true
	}
	r := recordOf(values)
	if strings.Contains(r["Message"], "\nEventCode=") {
		r = recordOf(keyed(r["Message"]))
	}
	at := stampOf(r["TimeCreated"])
	switch {
	case r["Message"] == "":
		return false
	case number(r["Id"]) > 0 && r["ProviderName"] != "":
		r["TimeCreated"] = at
		if n := number(r["LevelDisplayName"]); n > 0 {
			r["LevelDisplayName"] = levelName(n)
		}
		p.nodes = append(p.nodes, strings.ToLower(strings.SplitN(r["Computer"], ".", 2)[0]))
		p.shown[psEvents] = append(p.shown[psEvents], psObject{fields: r})
	case r["Reason"] != "" && r["Kind"] != "":
		p.eventRows.WriteString(strings.Join([]string{r["Namespace"], "<unknown>", cmp.Or(r["Type"], "Normal"), r["Reason"],
			strings.ToLower(r["Kind"]) + "/" + r["Name"], strings.Join(strings.Fields(r["Message"]), " ")}, " ") + "\n")
	case r["TimeCreated"] != "" && strings.Count(strings.TrimSpace(r["Message"]), "\n") > 1:
		p.takeInner(file, line, r["Message"])
	case r["TimeCreated"] != "":
		text := strings.TrimRight(r["Message"], " \r\n") + "\n"
		if !isLogLine(text) && at != "" {
			text = at + " " + text
		}
		p.sawTime(text)
		p.logLines(componentOfText(text), file, line, text)
	default:
		return false
	}
	return true
}

// serviceNumbers are the states of services where an enumeration is written as a number.
var serviceNumbers = map[string]string{"1": "Stopped", "2": "StartPending", "3": "StopPending", "4": "Running", "7": "Paused"}

// stampOf is a time as other readers take it; what cannot be read stays out.
func stampOf(s string) string {
	at := eventTime(quotedJSON(s))
	for _, layout := range []string{"2006-01-02 15:04:05 -0700", "Jan 2, 2006 @ 15:04:05.000", "2006-01-02T15:04:05Z0700"} {
		if t, err := time.Parse(layout, s); at.IsZero() && err == nil {
			at = onlyPlausible(t)
		}
	}
	if wholeNumber.MatchString(s) && len(s) >= len("1616097357547") { // since 1970, in ms or in shorter units
		at = onlyPlausible(time.UnixMilli(int64(number(s[:13]))))
	}
	if !at.IsZero() {
		return at.UTC().Format(time.RFC3339)
	}
	if _, ok := parseStamp(s, false); ok || func() bool { _, ok := parseStamp(s, true); return ok }() {
		return s
	}
	return ""
}

// keyed are the lines name=value of an event as Splunk writes it, whose time is in the line above them.
func keyed(s string) map[string]string {
	values, last := map[string]string{}, ""
	for line := range strings.Lines(s) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "=")
		switch {
		case ok && columnName.MatchString(name) && last != "Message":
			last, values[name] = name, value
		case last != "":
			values[last] += "\n" + strings.TrimRight(line, "\r\n")
		case values["TimeGenerated"] == "":
			values["TimeGenerated"] = strings.TrimSpace(line)
		}
	}
	return values
}

// takeRecords takes the records of a document, and tells whether it holds any. Of one that breaks off,
// those that are whole.
func (p *pieces) takeRecords(file string, found part) (taken bool) {
	rest, attempts := found.text, 0
	for at := strings.IndexAny(rest, "{["); at >= 0 && attempts < maxAttempts; at = strings.IndexAny(rest, "{[") {
		d := json.NewDecoder(strings.NewReader(rest[at:]))
		d.UseNumber()
		var v any
		if d.Decode(&v) != nil {
			attempts++
			rest = rest[at+1:]
			continue
		}
		taken = p.walkRecords(file, found.line, v) || taken
		rest = rest[at+int(d.InputOffset()):]
	}
	return taken
}

// walkRecords takes the records of a value: objects with their fields, the rows of Kusto's tables, the
// fields of CloudWatch's queries, each with its name beside it, and Loki's pairs of a time and a line.
func (p *pieces) walkRecords(file string, line int, v any) (taken bool) {
	values := map[string]string{}
	var inner []any
	switch v := v.(type) {
	case string:
		return strings.Count(v, "\n") > 1 && p.takeInner(file, line, v)
	case []any:
		inner = v
		if len(v) == 2 && scalar(v[0]) != "" {
			values["time"], values["message"] = scalar(v[0]), scalar(v[1])
		}
		for _, one := range v {
			if field, ok := one.(map[string]any); ok && len(field) == 2 && field["field"] != nil {
				values[scalar(field["field"])] = scalar(field["value"])
			}
		}
	case map[string]any:
		columns, _ := v["columns"].([]any)
		rows, _ := v["rows"].([]any)
		for _, row := range rows {
			cells, _ := row.([]any)
			named := map[string]any{}
			for i := range min(len(cells), len(columns)) {
				if column, ok := columns[i].(map[string]any); ok {
					named[scalar(column["name"])] = cells[i]
				}
			}
			inner = append(inner, named)
		}
		if inner == nil {
			flatten(v, "", values)
			for _, name := range slices.Sorted(maps.Keys(v)) {
				inner = append(inner, v[name])
			}
		}
	}
	if len(values) > 1 && p.takeRecord(file, line, values) {
		return true
	}
	for _, one := range inner {
		taken = p.walkRecords(file, line, one) || taken
	}
	return taken
}

// maxInner bounds the values that are taken apart.
const maxInner = 200

// takeInner takes apart a text of several lines that is a value: what a command printed, or what
// somebody wrote.
func (p *pieces) takeInner(file string, line int, text string) (taken bool) {
	if p.inner++; p.inner > maxInner {
		return false
	}
	for _, found := range takeApart(plainLines(text)) {
		found.line = line
		if found.kind == partLog {
			p.logLines(cmp.Or(programOf(found.text), found.about), file, line, found.text)
		} else {
			p.take(looseFile{path: file, role: pieceText}, found)
		}
		taken = taken || found.kind == partLog || found.shows()
	}
	return taken
}

// flatten writes the values of an object and of those within it, by their paths.
func flatten(v map[string]any, above string, values map[string]string) {
	for name, one := range v {
		if inner, ok := one.(map[string]any); ok && strings.Count(above, ".") < 4 {
			flatten(inner, above+name+".", values)
		} else if s := scalar(one); s != "" {
			values[above+name] = s
		}
	}
}

//go:noinline
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "True"
		}
		return "False"
	}
	return ""
}

// takeClixml takes the objects of Export-Clixml.
func (p *pieces) takeClixml(found part) {
	for _, object := range strings.Split(found.text, "<Obj RefId=") {
		values := map[string]string{}
		for _, m := range clixmlProp.FindAllStringSubmatch(object, maxFields) {
			values[m[1]] = m[2]
		}
		p.takeRecord("", found.line, values)
	}
}

// takeLineEvents takes the events of Windows that a collector printed within lines.
func (p *pieces) takeLineEvents(file, text string) {
	for _, event := range lineEvent.FindAllString(text, maxExcerpt) {
		event = strings.ReplaceAll(event, `"=>`, `":`)
		if !p.takeRecords(file, part{text: event}) {
			p.takeRecords(file, part{text: closedJSON(event)})
		}
	}
}
