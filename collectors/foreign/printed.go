package foreign

import (
	"cmp"
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// maxObjects bounds the rows of any table; a node has some hundreds.
const maxObjects = 10_000

// printed are the objects that PowerShell or tasklist printed, as lists and as tables: their
// properties by name. Names of properties are not translated.
func printed(s string) []map[string]string {
	return append(parseFormatList(s), parseFormatTable(s)...)
}

// cutShort tells a value that the console was too narrow for.
func cutShort(v string) bool { return strings.HasSuffix(v, "...") || strings.HasSuffix(v, "…") }

// first is the value of the first of some properties that an object has.
func first(o map[string]string, names ...string) string {
	for _, name := range names {
		if v := o[name]; v != "" {
			return v
		}
	}
	return ""
}

// A netIPAddress is one object of Get-NetIPAddress.
type netIPAddress struct {
	alias   string
	ifIndex int
	prefix  netip.Prefix
}

func addressesOf(objects []map[string]string) (list []netIPAddress) {
	for _, o := range objects {
		ip, ok := leadingAddr(o["IPAddress"])
		if bits := number(o["PrefixLength"]); ok && bits > 0 && bits <= ip.BitLen() {
			list = append(list, netIPAddress{o["InterfaceAlias"],
				ifNumber(first(o, "InterfaceIndex", "ifIndex")), netip.PrefixFrom(ip, bits)})
		}
	}
	return list
}

// netAdaptersOf reads the adapters that Get-NetAdapter printed with their index. A name that is cut is
// none.
func netAdaptersOf(objects []map[string]string) (list []evidence.Adapter) {
	for _, o := range objects {
		a := evidence.Adapter{Name: o["Name"], Description: o["InterfaceDescription"],
			IfIndex: ifNumber(first(o, "ifIndex", "InterfaceIndex")),
			Status:  strings.ToLower(o["Status"]), MAC: o["MacAddress"]}
		if cutShort(a.Name) {
			a.Name = ""
		}
		if _, is := o["InterfaceDescription"]; is && a.IfIndex > 0 && (a.MAC == "" || macValue.MatchString(a.MAC)) {
			list = append(list, a)
		}
	}
	return list
}

var netshRow = regexp.MustCompile(`(?m)^ *(\d+) +(\d+) +(\d+) +(\S+) +(\S.*?) *$`)

// parseNetshInterfaces reads the MTUs of `netsh int ipv4 sh int`, and of `sh subinterfaces`, whose
// rows have four numbers too and begin with the MTU. below is set where the text is of the latter
// alone, whose heads are translated.
func parseNetshInterfaces(s string, below bool) (list []evidence.Adapter) {
	for line := range strings.Lines(s) {
		if netshMTUFirst.MatchString(line) || strings.Contains(line, "Idx") {
			below = netshMTUFirst.MatchString(line)
			continue
		}
		m := netshRow.FindStringSubmatch(line)
		if m == nil || len(list) == maxObjects {
			continue
		}
		mtu, index := number(m[3]), ifNumber(m[1])
		if below {
			mtu, index = number(m[1]), 0
		}
		if mtu > 0 {
			list = append(list, evidence.Adapter{IfIndex: index, MTU: limited(mtu), Name: m[5]})
		}
	}
	return list
}

var netshMTUFirst = regexp.MustCompile(`^ *MTU +MediaSenseState +Bytes In +Bytes Out +Interface`)

// limited is an MTU, 0 for that of the loopback: 4294967295, which is none.
func limited(mtu int) int {
	if mtu < 1<<20 {
		return mtu
	}
	return 0
}

var getServiceStates = map[string]string{
	"Running": "running", "Stopped": "stopped", "Paused": "paused", "StartPending": "start-pending",
	"StopPending": "stop-pending", "ContinuePending": "continue-pending",
	"PausePending": "pause-pending",
}

var getServiceStartTypes = map[string]string{
	"boot": "boot", "system": "system", "automatic": "automatic", "auto": "automatic",
	"automaticdelayedstart": "delayed", "manual": "manual", "disabled": "disabled",
}

// printedServices reads what Get-Service printed. Names of properties and the values of enumerations
// are .NET's and not translated. A service whose name is cut or whose block breaks off is left out.
func printedServices(objects []map[string]string) (list []evidence.Service) {
	for _, o := range objects {
		state, known := getServiceStates[o["Status"]]
		if !known { // of Win32_Service
			state, known = getServiceStates[strings.ReplaceAll(o["State"], " ", "")]
		}
		if o["Name"] == "" || !known || cutShort(o["Name"]) {
			continue
		}
		svc := evidence.Service{Name: o["Name"], DisplayName: o["DisplayName"], State: state,
			StartType: getServiceStartTypes[strings.ToLower(first(o, "StartType", "StartMode"))]}
		if names, whole := listValues(o["ServicesDependedOn"]); whole {
			svc.DependsOn = names
		}
		svc.Account, svc.PID = evidence.Clean(o["StartName"]), number(o["ProcessId"])
		if args := evidence.SplitArgs(o["PathName"]); len(args) > 0 && !cutShort(o["PathName"]) {
			svc.BinPath, svc.Args = args[0], args[1:]
		}
		if code, err := strconv.ParseInt(o["ExitCode"], 10, 64); err == nil {
			svc.ExitCode = &code
		}
		list = append(list, svc)
	}
	return list
}

// readGetService makes services.json of Get-Service where all services were asked for: only then is
// one that is not in it not there.
func readGetService(t textFile) (any, evidence.Gap) {
	if t.gap.Kind != "" {
		return nil, t.gap
	}
	list := printedServices(printed(t.content))
	if len(list) < enoughServices {
		return nil, missingf(
			"%s lists %d services, too few for all that there are, so what is not in it may run; collect `Get-Service | Format-List *`", t.name, len(list))
	}
	return list, evidence.Gap{}
}

// printedProcesses reads what Get-Process and tasklist printed: neither parents nor command lines.
func printedProcesses(objects []map[string]string) (list []evidence.Process) {
	for _, o := range objects {
		name, pid := first(o, "ProcessName", "Image Name", "Name"), number(first(o, "Id", "PID"))
		if name == "" || cutShort(name) || pid == 0 && o["Id"] != "0" {
			continue
		}
		list = append(list, evidence.Process{PID: pid, Name: name, WorkingSetBytes: memoryColumn(o, workingSet),
			PrivateBytes: memoryColumn(o, privateMemory), Handles: number(o["Handles"])})
	}
	return list
}

// The columns of memory: those of Get-Process, the properties that are behind them, and the names that
// people give to what they calculate.
var (
	workingSet    = regexp.MustCompile(`(?i)^(?:WS|Working ?Set(?:64)?|Mem Usage)[ _]?\(?([KMG]?)B?\)?$`)
	privateMemory = regexp.MustCompile(`(?i)^(?:PM|PrivateMemorySize(?:64)?|Private(?:Bytes)?)[ _]?\(?([KMG]?)B?\)?$`)
	memoryOfRow   = regexp.MustCompile(`^(\d+)(?:[.,]\d\d?)? ?([KMG]?)B?$`)
	groupedMemory = regexp.MustCompile(`^\d{1,3}(?:\D\d{3})+ K$`) // of tasklist
	noDigit       = regexp.MustCompile(`\D`)
)

// memoryColumn is the memory of a row in bytes, 0 where no column shows it.
func memoryColumn(o map[string]string, column *regexp.Regexp) int64 {
	for name, text := range o {
		if groupedMemory.MatchString(text) {
			text = noDigit.ReplaceAllString(text, "") + "K"
		}
		head, value := column.FindStringSubmatch(name), memoryOfRow.FindStringSubmatch(text)
		if head == nil || value == nil {
			continue
		}
		n, err := strconv.ParseInt(value[1], 10, 64)
		if shift := 10 * strings.Index(" KMG", cmp.Or(strings.ToUpper(head[1]), value[2], " ")); err == nil && n < 1<<20<<(30-shift) {
			return n << shift
		}
	}
	return 0
}

// enoughProcesses is how many a machine has at the very least: a list of fewer was cut.
const enoughProcesses = 10

// readProcesses makes processes.json of a list of all processes.
func readProcesses(t textFile) ([]evidence.Process, evidence.Gap) {
	if t.gap.Kind != "" {
		return nil, t.gap
	}
	list := printedProcesses(printed(t.content))
	if len(list) < enoughProcesses {
		return nil, missingf(
			"%s lists %d processes, too few for a machine, so one that is not in it may run; %s",
			t.name, len(list), runBundle)
	}
	return list, evidence.Gap{}
}

// addArgs gives the only process of that name its command line.
func addArgs(list []evidence.Process, name, line string) {
	at, count := -1, 0
	for i, p := range list {
		if strings.EqualFold(strings.TrimSuffix(strings.ToLower(p.Name), ".exe"), name) {
			at, count = i, count+1
		}
	}
	if count == 1 && line != "" {
		list[at].Args = evidence.SplitArgs(line)
	}
}

var (
	// Get-PSDrive: name, used and free in GB, provider, root. A drive without a disk has no sizes.
	driveRow = regexp.MustCompile(
		`(?m)^([A-Z])\s+(\d[\d.,' \x{a0}\x{202f}]*)\s+(\d[\d.,' \x{a0}\x{202f}]*)\s+FileSystem\s+[A-Z]:\\`)
	// wmic logicaldisk get size,freespace,caption: the columns are in the order of the alphabet.
	wmicDriveRow = regexp.MustCompile(`(?m)^([A-Z]:)\s+(\d+)\s+(\d+)\s*$`)
	// The list of the logical disks, as `Select-Object` of five properties prints it.
	diskProperty = regexp.MustCompile(`(?m)^(Size\(GB\)|Free Space\(GB\)|DeviceID) +: (.*?) *$`)
)

// readDrives takes the bytes of wmic where Windows still has it, and otherwise the gigabytes of the
// list of logical disks or of Get-PSDrive, which are rounded.
func readDrives(texts ...textFile) (any, evidence.Gap) {
	list := []evidence.Disk{}
	add := func(drive string, free, total int64) {
		if total > 0 && free <= total && !slices.ContainsFunc(list, func(have evidence.Disk) bool {
			return have.Drive == drive
		}) {
			list = append(list, evidence.Disk{Drive: drive, TotalBytes: total, FreeBytes: free})
		}
	}
	for _, t := range texts {
		for _, m := range wmicDriveRow.FindAllStringSubmatch(t.content, maxObjects) {
			free, _ := strconv.ParseInt(m[2], 10, 64)
			total, _ := strconv.ParseInt(m[3], 10, 64)
			add(m[1], free, total)
		}
	}
	for _, t := range texts {
		var disk [2]int64 // size, free
		for _, m := range diskProperty.FindAllStringSubmatch(t.content, 3*maxFields) {
			switch m[1] {
			case "Size(GB)":
				disk = [2]int64{gigabytes(m[2]), -1}
			case "Free Space(GB)":
				disk[1] = gigabytes(m[2])
			case "DeviceID":
				if disk[1] >= 0 {
					add(m[2], disk[1], disk[0])
				}
				disk = [2]int64{}
			}
		}
		for _, m := range driveRow.FindAllStringSubmatch(t.content, maxObjects) {
			if used, free := gigabytes(m[2]), gigabytes(m[3]); used >= 0 && free >= 0 {
				add(m[1]+":", free, used+free)
			}
		}
	}
	if len(list) > 0 {
		return list, evidence.Gap{}
	}
	for _, t := range texts {
		if t.gap.Kind == "" {
			return nil, t.otherwise("%s shows no drive and its size; it begins with: %s")
		}
	}
	return nil, texts[0].gap
}

// gigabytes reads a number of GB that is written in any language: the last mark parts the fraction.
// It is -1 for what is none.
func gigabytes(s string) int64 {
	s = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "").Replace(s)
	if at := strings.LastIndexAny(s, ".,"); at >= 0 {
		s = strings.NewReplacer(".", "", ",", "").Replace(s[:at]) + "." + s[at+1:]
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n < 0 || n > 1<<20 {
		return -1
	}
	return int64(math.Round(n * (1 << 30)))
}

// Bounds on a hostile list; a node has some 300 services of a dozen properties.
const (
	maxListLines = 500_000
	maxListValue = 32 << 10
)

var listProperty = regexp.MustCompile(`^(\w+(?: ?\([\w%]+\))?)\s*:(?: (.*))?$`)

// parseFormatList reads what Format-List prints: a block of "Name : value" for
// each object, and an empty line after it. A value that is wider than the
// console goes on in the next lines, which begin with blanks.
func parseFormatList(s string) []map[string]string {
	var blocks []map[string]string
	var block map[string]string
	last, count := "", 0
	for line := range strings.Lines(s) {
		if count++; count > maxListLines || len(blocks) > maxObjects {
			break
		}
		line = strings.TrimRight(line, " \t\n")
		m := listProperty.FindStringSubmatch(line)
		switch {
		case line == "":
			block, last = nil, ""
		case m != nil:
			if _, again := block[m[1]]; block == nil || again {
				block = map[string]string{}
				blocks = append(blocks, block)
			}
			last = m[1]
			block[last] = strings.TrimSpace(m[2])
		case last != "" && (line[0] == ' ' || line[0] == '\t') && len(block[last]) < maxListValue:
			block[last] = strings.TrimSpace(block[last] + " " + strings.TrimSpace(line))
		default:
			block, last = nil, "" // an error between the objects
		}
	}
	return blocks
}

// listValues takes a list of a property apart, {RpcSs, nsi}. It is not whole
// where PowerShell cut it, after four of its values.
func listValues(s string) (values []string, whole bool) {
	inner, opened := strings.CutPrefix(s, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if !opened || !closed {
		return nil, false
	}
	for v := range strings.SplitSeq(inner, ",") {
		if v = strings.TrimSpace(v); v != "" {
			values = append(values, v)
		}
	}
	return values, !slices.ContainsFunc(values, cutShort)
}
