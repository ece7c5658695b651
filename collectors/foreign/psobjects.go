package foreign

import (
	"cmp"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"doctor/checks/evidence"
)

// PowerShell prints objects as a list of properties or as a table. Names of properties are those of
// .NET or of CIM and not translated, so they tell what an object is, whichever cmdlet printed it.

// A psObject is one object that PowerShell printed.
type psObject struct {
	fields  map[string]string
	command string // in front of the output, where there was one
	cut     bool   // the text ends within it
	output  int    // which of the outputs it is of
}

// get is the value of the first of some properties that there is.
func (o psObject) get(names ...string) string { return first(o.fields, names...) }

// A psClass is a kind of objects, by the properties that they have.
type psClass struct {
	name string // what the objects are, in words
	has  [][]string
}

// psClasses are asked in order. Each element of has is met by one of its names.
var psClasses = []psClass{
	{psFirewall, [][]string{{"Direction", "DefaultInboundAction"}, {"Action", "Enabled"}}}, // rules have what services have
	{psServices, [][]string{{"Status"}, {"Name"}, {"DisplayName"}}},
	{psEvents, [][]string{{"TimeCreated", "TimeGenerated", "Time"}, {"Message"},
		{"Id", "EventID", "InstanceID", "InstanceId", "EntryType", "ProviderName"}}},
	{psEvents, [][]string{{"TimeWritten"}, {"ReplacementStrings"}}},
	{psAddresses, [][]string{{"IPAddress"}, {"PrefixLength"}}},
	{psInterfaces, [][]string{{"InterfaceAlias"}, {"NlMtu(Bytes)", "NlMtu"}}},
	{psAdapters, [][]string{{"InterfaceDescription"}, {"Status", "InterfaceAlias"}}},
	{psComputer, [][]string{{"WindowsProductName", "OsBuildNumber", "OsHardwareAbstractionLayer",
		"WindowsBuildLabEx", "BuildNumber"}}},
	{psServices, [][]string{{"State"}, {"Name"}, {"StartMode", "PathName"}}}, // of Win32_Service
	{psEndpoints, [][]string{{"VirtualNetworkName", "VirtualNetwork"}, {"Name", "IPAddress", "State"}}},
	{psFeatures, [][]string{{"Install State", "InstallState", "State"}, {"Name", "FeatureName"}}},
	{psProcesses, [][]string{{"ProcessName", "Image Name"}, {"Id", "PID"}}},
	{psHotfixes, [][]string{{"HotFixID"}}},
	{psTasks, [][]string{{"TaskName"}, {"TaskPath"}}},
	{psVersion, [][]string{{"Platform"}, {"VersionString"}}},
	{psDisks, [][]string{{"Free (GB)", "SizeRemaining", "FreeSpace", "FreeSpace(GB)"}, {"DriveLetter", "DeviceID", "Root"}}},
	{psDefender, [][]string{{"ExclusionPath"}}},
	{psConnections, [][]string{{"LocalAddress"}, {"LocalPort"}, {"State"}}},
	{psReach, [][]string{{"RemoteAddress"}, {"RemotePort"}, {"TcpTestSucceeded"}}},
	{psNeighbors, [][]string{{"LinkLayerAddress"}, {"IPAddress"}}},
	{psNAT, [][]string{{"InternalIPInterfaceAddressPrefix"}}},
	{psSwitches, [][]string{{"SwitchType"}}},
	{psAnswers, [][]string{{"Section"}, {"Type", "QueryType"}}},
	{psCertificates, [][]string{{"Thumbprint"}, {"Subject"}}},
	{psVariables, [][]string{{"Name"}, {"Value"}}},
	{psCounters, [][]string{{"CounterSamples"}}},
	{psGroups, [][]string{{"Count"}, {"Name"}}},
}

const (
	psServices    = "services"
	psEvents      = "events"
	psAddresses   = "IP addresses"
	psInterfaces  = "IP interfaces"
	psAdapters    = "network adapters"
	psComputer    = "Get-ComputerInfo"
	psFeatures    = "Windows features"
	psEndpoints   = "columns of HNS endpoints"
	psFirewall    = "firewall rules and profiles"
	psProcesses   = "processes"
	psHotfixes    = "updates"
	psVersion     = "the version of Windows"
	psDisks       = "drives"
	psDefender    = "Get-MpPreference"
	psConnections = "TCP connections"
	psReach       = "Test-NetConnection"
	psVariables   = "variables"

	psTasks        = "scheduled tasks"
	psCounters     = "Get-Counter"
	psGroups       = "Group-Object"
	psNeighbors    = "Get-NetNeighbor"
	psNAT          = "Get-NetNat"
	psSwitches     = "Get-VMSwitch"
	psAnswers      = "Resolve-DnsName"
	psCertificates = "certificates"
)

// classOf is what an object is, "" where that is not known; HNS's are the words of hnsKinds.
func classOf(fields map[string]string) string {
	if k := kindOf(hnsRecord(fields)); k >= 0 && fields["ID"] != "" {
		return hnsKinds[k].what
	}
	for _, c := range psClasses {
		if !slices.ContainsFunc(c.has, func(names []string) bool {
			return !slices.ContainsFunc(names, func(name string) bool {
				_, ok := fields[name]
				return ok
			})
		}) && (c.name != psFeatures || featureStates[stateOfFeature(fields)] != "") {
			return c.name
		}
	}
	return ""
}

// stateOfFeature tells features from other objects that have a name and a state, as those of HNS.
func stateOfFeature(fields map[string]string) string {
	return strings.ToLower(first(fields, "Install State", "InstallState", "State"))
}

// fieldsOf are the properties of the objects of a class.
func (p *pieces) fieldsOf(class string) (list []map[string]string) {
	for _, o := range p.shown[class] {
		list = append(list, o.fields)
	}
	return list
}

// psObjects reads the objects of a list or a table.
func psObjects(p part) (list []psObject) {
	rows := parseFormatList(p.text)
	if p.kind == partTable {
		rows = parseFormatTable(p.text)
	}
	for _, fields := range rows {
		list = append(list, psObject{fields: fields, command: p.about})
	}
	return list
}

// hnsRecord is an object of HNS as ConvertTo-Json writes it without a depth: what is deeper than
// two objects is lost, and so is a list of which PowerShell shows the first four.
func hnsRecord(fields map[string]string) record {
	r := record{}
	for name, v := range fields {
		inner, isList := strings.CutPrefix(v, "{")
		switch {
		case v == "":
		case strings.HasSuffix(v, "..."), strings.HasSuffix(v, "…"), strings.Contains(v, "...}"),
			strings.Contains(v, "…}"), isList && !strings.HasSuffix(v, "}") && !strings.HasPrefix(v, "{@{"):
			r[name] = quotedJSON(lostList)
		case v == "{}":
			r[name] = []byte("[]")
		case strings.HasPrefix(v, "{@{"):
			if inner = strings.TrimSuffix(inner, "}"); !strings.HasSuffix(inner, "}") { // it breaks off
				inner = inner[:max(strings.LastIndexByte(inner, ';'), 0)] + "}"
			}
			r[name] = quotedJSON(strings.ReplaceAll(inner, "}, @{", "} @{"))
		case isList:
			r[name] = jsonOf(strings.Split(strings.TrimSuffix(inner, "}"), ", "))
		case name != "Name" && name != "ID" && wholeNumber.MatchString(v):
			r[name] = []byte(v)
		default:
			r[name] = quotedJSON(v)
		}
	}
	return r
}

var wholeNumber = regexp.MustCompile(`^(?:0|[1-9]\d{0,18})$`)

// Format-List puts the colons of an object below each other.
var psListLine = regexp.MustCompile(`^([A-Za-z]\w*(?: ?\([\w%]+\))?) *:(?: |$)`)

// listBegins tells that a line and one of the next show properties of an object.
func listBegins(line, rest string) bool {
	m := psListLine.FindString(line)
	colon := strings.IndexByte(m, ':')
	if colon < 1 || line[colon-1] != ' ' {
		return false
	}
	continued := strings.Repeat(" ", colon+len(": "))
	for next := range strings.Lines(rest) {
		if !strings.HasPrefix(next, continued) {
			return strings.IndexByte(psListLine.FindString(strings.TrimRight(next, "\n")), ':') == colon
		}
	}
	return false
}

// Format-Table rules its heads.
var psRuler = regexp.MustCompile(`^ *(?:-+(?: +-+)+|={3,}(?: +={3,})+) *$`)

func tableBegins(line, rest string) bool {
	next := aboveAll(rest, 1)
	return line != "" && len(next) > 0 && psRuler.MatchString(next[0]) && !psRuler.MatchString(line)
}

var providerLine = regexp.MustCompile(`^ *ProviderName: *(\S.*)$`)

// parseFormatTable reads what Format-Table prints: heads, a ruler, and a row for each object. A
// column begins at the beginning of its rule, or ends at its end; in between the rows show where.
func parseFormatTable(s string) (rows []map[string]string) {
	var heads []string
	var starts []int
	provider, last := "", ""
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \t\n")
		m := providerLine.FindStringSubmatch(line)
		switch {
		case m != nil:
			provider, heads = m[1], nil
		case psRuler.MatchString(line):
			starts = nil
			for at, r := range line {
				if r != ' ' && (at == 0 || line[at-1] == ' ') {
					starts = append(starts, at)
				}
			}
			heads = cellsAt(last, starts)
		case line != "" && heads != nil && len(rows) < maxObjects:
			row := map[string]string{}
			for i, cell := range cellsAt(line, starts) {
				row[heads[i]] = cell
			}
			if provider != "" {
				row["ProviderName"] = provider
			}
			rows = append(rows, row)
		}
		last = line
	}
	return rows
}

// cellsAt cuts a line at the last blank before or at each column's start.
func cellsAt(line string, starts []int) []string {
	wide := byColumns(line)
	cells := make([]string, len(starts))
	from := 0
	for i := range starts {
		to := len(wide)
		if i+1 < len(starts) {
			to = min(starts[i+1], len(wide))
			end := to // of a value that somebody has moved by a blank
			for at := to; at > from && to < len(wide); at-- {
				if wide[at-1] == ' ' {
					to = at
					break
				}
			}
			if end < len(wide) && wide[end] == ' ' && strings.TrimSpace(string(wide[from:to])) == "" {
				to = end
			}
		}
		cells[i] = strings.TrimSpace(strings.ReplaceAll(string(wide[from:to]), "\x00", ""))
		from = to
	}
	return cells
}

// byColumns has one rune for each column of a console: ideographs are two columns wide.
func byColumns(s string) []rune {
	var wide []rune
	for _, r := range s {
		wide = append(wide, r)
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
			r >= 0xff01 && r <= 0xff60 || r >= 0x3000 && r <= 0x303f {
			wide = append(wide, 0)
		}
	}
	return wide
}

// takeObjects sorts the objects of a part by what they are. The last one may break off: it lacks
// what the others have.
func (p *pieces) takeObjects(found part) {
	list := psObjects(found)
	p.outputs++
	for i, o := range list {
		class := classOf(o.fields)
		if class == "" && i > 0 && o.fields["ActivityId"] != "" {
			class = classOf(list[i-1].fields)
		}
		if class = cmp.Or(class, classOfCommand(o.command)); class == "" && i == 0 {
			p.showPlain(cmp.Or(toolOf(o.command), strings.Replace(string(found.kind), "Format-T", "a t", 1)), plainRows(found.text))
		}
		if class == psServices && createsService.MatchString(o.command) {
			for _, svc := range printedServices([]map[string]string{o.fields}) {
				p.created = append(p.created, clip(svc.Name+" "+svc.State))
			}
			continue
		}
		_, isHNS := o.fields["ActivityId"]
		o.cut, o.output = isHNS && (o.fields["Version"] == "" || len(o.fields["VirtualNetwork"])%len("e8d2c084-7392-475c-a28c-000000000000") != 0), p.outputs
		p.shown[class] = append(p.shown[class], o)
	}
}

// hnsCommands are the cmdlets that list the objects of each of hnsKinds.
var hnsCommands = []string{"get-hnsnetwork", "get-hnsendpoint", "get-hnspolicylist", "get-hnsnamespace"}

// classOfCommand is what a command prints whose properties somebody chose.
func classOfCommand(command string) string {
	i := slices.IndexFunc(hnsCommands, func(name string) bool {
		return strings.HasPrefix(strings.ToLower(command), name)
	})
	if i < 0 {
		return ""
	}
	return hnsKinds[i].what
}

// wholeHNS is a command that lists all objects of a kind.
var wholeHNS = regexp.MustCompile(`(?i)^(?:\$\w+ *= *)?get-hns\w+\s*` +
	`(?:\|\s*(?:fl|ft|format-\w+|select|select-object|out-\w+|more)\b.*)?$`)

// hnsOfLists adds the lists that PowerShell printed of HNS. One that breaks off, or shows
// some of the objects, says nothing of those that it does not show.
func (p *pieces) hnsOfLists(i int, out *output) {
	shown := p.shown[hnsKinds[i].what]
	if len(shown) == 0 || p.hns[i] != "" {
		return
	}
	// The last output that is whole shows the state; those before it are what was.
	whole := map[int]bool{}
	last := -1
	for _, o := range shown {
		if _, known := whole[o.output]; !known {
			whole[o.output] = o.command == "" || wholeHNS.MatchString(o.command)
		}
		whole[o.output] = whole[o.output] && !o.cut && o.fields["Version"] != ""
	}
	for n, ok := range whole {
		if ok {
			last = max(last, n)
		}
	}
	var names, documents []string
	why := "may be some of them"
	for _, o := range shown {
		if o.output == last {
			documents = append(documents, string(jsonOf(hnsRecord(o.fields))))
		}
		switch {
		case o.cut:
			why = "breaks off"
		case o.fields["Version"] == "":
			why = "shows some of their properties"
		}
		name := clip(strings.TrimSpace(o.get("Name", "ID") + " " + o.get("IPAddress", "Type")))
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if last >= 0 {
		p.hns[i] = "[" + strings.Join(documents, ",\n") + "]"
		return
	}
	var part []record
	for _, o := range shown {
		if len(o.fields) > 1 {
			part = append(part, hnsRecord(o.fields))
		}
	}
	out.partial(hnsKinds[i].path, "PowerShell's list, which "+why+",", names, part)
}

// partial writes what some outputs show of a list that they do not show whole, and says of the list
// what that is and what shows all of it.
func (o *output) partial(path, source string, shown []string, part any) {
	if len(shown) == 0 || o.Has(path) {
		return
	}
	if v := reflect.ValueOf(part); v.IsValid() && !v.IsZero() {
		o.JSON(evidence.PartOf(path), part)
	}
	rest := ""
	if more := len(shown) - maxShown; more > 0 {
		shown, rest = shown[:maxShown], " and more"
	}
	l := pieceLacks[path]
	o.Gap(path, missingf(
		"%s shows %s%s; that is not all of %s: run `%s`, and give doctor its output too",
		source, evidence.Clean(strings.Join(shown, ", ")), rest, l.what, l.command))
}

// maxShown is how many objects a gap names.
const maxShown = 12

func jsonOf(v any) json.RawMessage {
	b, _ := json.Marshal(v)
	return b
}
