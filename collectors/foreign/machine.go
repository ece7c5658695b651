package foreign

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"doctor/checks/evidence"
)

var versionNT = regexp.MustCompile(`(?:^|\s)(\d+)\.(\d+)\.(\d+)(?:\.(\d{1,6}))?`)

var osVersionRow = regexp.MustCompile(
	`(?m)^\s*Win32NT\b.*$|^(?:Version|VersionString)\s+: .*$`)

// readOS reads winver.txt, which begins with .NET's idea of the version: the build
// without its revision, or with the kernel's version as a Node has it. The product's name is not there, and a wrong one misleads.
func readOS(t textFile) (any, evidence.Gap) {
	if t.gap.Kind != "" {
		return nil, t.gap
	}
	line := firstLine(t.content)
	m := versionNT.FindStringSubmatch(line)
	if row := osVersionRow.FindStringSubmatch(t.content); m == nil && row != nil {
		line = row[0] // [Environment]::OSVersion as a table or a list
		m = versionNT.FindStringSubmatch(line)
	}
	if m == nil {
		return nil, brokenf("%s names no version of Windows; it begins with: %s",
			t.name, clip(line))
	}
	build, err := strconv.Atoi(m[3])
	if err != nil || m[1] != "10" || build < 10240 || build > 99999 {
		return nil, brokenf(
			"%s says %s, which is no build of Windows Server 2016 or later: Windows hides its version from programs without a manifest", t.name, clip(line))
	}
	return evidence.OS{Build: build, UBR: number(m[4])}, evidence.Gap{}
}

var (
	hotfixRow  = regexp.MustCompile(`(?m)^(\S+)[ \t].*?\b(KB\d{5,8})\b[^\n]*$`)
	hotfixDate = regexp.MustCompile(`\b(\d{1,4})([./-])(\d{1,2})[./-](\d{1,4})\b`)
)

// readHotfixes reads the table of Get-HotFix below the version.
func readHotfixes(t textFile) (any, evidence.Gap) {
	if t.gap.Kind != "" {
		return nil, t.gap
	}
	rows := hotfixRow.FindAllStringSubmatch(t.content, maxObjects)
	if len(rows) == 0 {
		if strings.Contains(t.content, "<No hotfix>") {
			return []evidence.Hotfix{}, evidence.Gap{}
		}
		return nil, brokenf("%s holds no table of updates", t.name)
	}
	order := dateOrder(rows)
	list := []evidence.Hotfix{}
	seen := map[string]bool{}
	for _, row := range rows {
		if seen[row[2]] {
			continue
		}
		seen[row[2]] = true
		list = append(list, evidence.Hotfix{ID: row[2], InstalledAt: order(row[0])})
	}
	return list, evidence.Gap{}
}

// dateOrder works out which number of the dates is the month: the table is printed
// in the order of the node's language, so 8/11/2022 alone tells nothing. Where all
// dates are like that they are left out.
func dateOrder(rows [][]string) func(row string) evidence.Time {
	dayFirst, monthFirst := false, false
	for _, row := range rows {
		if m := hotfixDate.FindStringSubmatch(row[0]); m != nil && len(m[1]) < 3 {
			dayFirst = dayFirst || number(m[1]) > 12 || m[2] == "."
			monthFirst = monthFirst || number(m[3]) > 12
		}
	}
	return func(row string) evidence.Time {
		m := hotfixDate.FindStringSubmatch(row)
		if m == nil {
			return evidence.Time{}
		}
		year, month, day := m[4], m[1], m[3]
		switch {
		case len(m[1]) == 4:
			year, month, day = m[1], m[3], m[4]
		case dayFirst == monthFirst:
			return evidence.Time{}
		case dayFirst:
			month, day = day, month
		}
		at, err := time.Parse("2006-1-2", year+"-"+strconv.Itoa(number(month))+"-"+
			strconv.Itoa(number(day)))
		if err != nil || at.Year() < 2010 {
			return evidence.Time{}
		}
		return evidence.Time{Time: at}
	}
}

// hotfixSource is the computer's name in the first column of Get-HotFix.
func hotfixSource(s string) string {
	if m := hotfixRow.FindStringSubmatch(s); m != nil && hostNamePattern.MatchString(m[1]) {
		return m[1]
	}
	return ""
}

// number is the value of some digits, 0 for anything else.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// A systeminfo is what systeminfo.exe tells and is worth believing.
type systeminfo struct {
	host string
	// Without the revision of Windows: its version is always 10.0.N. It tells a Server Core from no
	// other server.
	os evidence.OS
	// zero where its date could be read in two ways; within an hour of daylight saving time
	booted   time.Time
	hotfixes []string
	memory   evidence.Memory // 0 where it does not tell; without the page files
	pageFile bool            // it names one
}

// A systeminfoField holds the values of a line of systeminfo; the further ones stand indented in the
// lines below.
type systeminfoField []string

// The places of the fields, counted from that of the version: they are in the
// same order in all languages.
const (
	placeHost         = -2
	placeProduct      = -1
	placeBoot         = 8
	placeManufacturer = 9
	placeModel        = 10
	placeZone         = 19
	placeTotalMemory  = 20
)

const maxSysteminfoFields = 200

var (
	systeminfoVersion = regexp.MustCompile(`^((?:10\.0|6\.\d)\.(\d{4,5}))\b`)
	systeminfoBuild   = regexp.MustCompile(`(\d{4,5})\s*$`)
	systeminfoZone    = regexp.MustCompile(`^\(UTC(?:([+-])(\d{2}):(\d{2}))?\)`)
	hotfixID          = regexp.MustCompile(`\bKB\d{5,8}\b`)
)

// readSysteminfo reads the output of systeminfo.exe; false where it is something
// else, or shows no version of Windows.
func readSysteminfo(t textFile) (systeminfo, bool) {
	var si systeminfo
	fields := systeminfoFields(t.content)
	version := -1
	for i, f := range fields {
		if m := systeminfoVersion.FindStringSubmatch(f.value()); m != nil {
			version, si.os.Build = i, number(m[2])
			break
		}
	}
	if version < 0 {
		return si, false
	}
	at := func(place int) systeminfoField {
		if i := version + place; i >= 0 && i < len(fields) {
			return fields[i]
		}
		return nil
	}
	if name := at(placeHost).value(); hostNamePattern.MatchString(name) {
		si.host = name
	}
	si.os.ProductName = strings.TrimSpace(strings.TrimPrefix(at(placeProduct).value(), "Microsoft "))
	if clientWindows(si.os.ProductName) {
		si.os.InstallationType = "Client"
	}
	zone, whole := version+placeZone, false // of which the form is the same everywhere
	for i, f := range fields {
		if i > version && systeminfoZone.MatchString(f.value()) {
			zone, whole = i, i == zone
			break
		}
	}
	if whole { // no field is missing, and none too many
		si.os.Machine = evidence.Machine{Manufacturer: at(placeManufacturer).value(),
			Model: at(placeModel).value()}
		si.booted = systeminfoTime(at(placeBoot).value(), at(placeZone).value(),
			at(placeBoot-1).value())
	}
	m := &si.memory
	for i, into := range []*int64{&m.TotalBytes, &m.AvailableBytes, &m.CommitLimitBytes, nil,
		&m.CommitUsedBytes} {
		if into != nil {
			*into = megabytes(at(zone - version + placeTotalMemory - placeZone + i).last())
		}
	}
	si.pageFile = strings.Contains(at(zone-version+placeTotalMemory-placeZone+5).value(), `:\`)
	si.hotfixes = systeminfoHotfixes(fields[version+1:])
	return si, true
}

func systeminfoFields(s string) []systeminfoField {
	var fields []systeminfoField
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \t\n")
		if line == "" {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			if n := len(fields); n > 0 && len(fields[n-1]) < maxSysteminfoFields {
				fields[n-1] = append(fields[n-1], strings.TrimSpace(line))
			}
			continue
		}
		_, value, ok := strings.Cut(strings.ReplaceAll(line, "：", ":"), ":")
		if !ok || len(fields) == maxSysteminfoFields {
			continue
		}
		fields = append(fields, systeminfoField{strings.TrimSpace(value)})
	}
	return fields
}

func (f systeminfoField) value() string {
	if len(f) == 0 {
		return ""
	}
	return f[0]
}

// last is what stands behind the last colon, for labels that have one
// themselves: "Virtual Memory: Max Size:  9,215 MB".
func (f systeminfoField) last() string {
	v := f.value()
	return strings.TrimSpace(v[strings.LastIndexByte(v, ':')+1:])
}

var sizeInMB = regexp.MustCompile(
	`^(\d{1,3}(?:[.,'’\x{a0}\x{202f} ]\d{3})*|\d+)[\x{a0}\x{202f} ]*\p{L}{2}$`)

// megabytes reads "16,383 MB", whatever separates the thousands and however the unit is written.
func megabytes(s string) int64 {
	m := sizeInMB.FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, m[1])
	n, err := strconv.ParseInt(digits, 10, 40)
	if err != nil {
		return 0
	}
	return n << 20
}

func systeminfoHotfixes(fields []systeminfoField) []string {
	var list []string
	seen := map[string]bool{}
	for _, f := range fields {
		for _, v := range f {
			if id := hotfixID.FindString(v); id != "" && !seen[id] && strings.HasPrefix(v, "[") {
				seen[id] = true
				list = append(list, id)
			}
		}
	}
	return list
}

// systeminfoTime reads "11/20/2026, 9:12:11 AM" in the node's own time, where
// the order of day and month is beyond doubt, by this date or by that of the installation.
func systeminfoTime(s, zone, installed string) time.Time {
	z, day := systeminfoZone.FindStringSubmatch(zone), dateOrder([][]string{{s}, {installed}})(s)
	if z == nil || day.IsZero() {
		return time.Time{}
	}
	offset := time.Duration(number(z[2]))*time.Hour + time.Duration(number(z[3]))*time.Minute
	if z[1] == "-" {
		offset = -offset
	}
	for _, dayFirst := range []bool{false, true} {
		if at, ok := parseStamp(s, dayFirst); ok && at.Truncate(24*time.Hour).Equal(day.Time) {
			return at.Add(-offset)
		}
	}
	return time.Time{}
}

// startedAt is os.json with the time of the last start.
func (si systeminfo) startedAt(booted time.Time) evidence.OS {
	si.os.BootedAt = evidence.Time{Time: booted}
	return si.os
}

// systeminfoBegins tells that systeminfo's version of Windows is in this line or one of the next, with
// the number of its build twice.
func systeminfoBegins(line, rest string) bool {
	if !strings.ContainsAny(line, ":：") {
		return false
	}
	for i, f := range systeminfoFields(line + "\n" + strings.Join(aboveAll(rest, -placeHost), "\n")) {
		m, build := systeminfoVersion.FindStringSubmatch(f.value()),
			systeminfoBuild.FindStringSubmatch(f.value())
		if m != nil && build != nil && m[2] == build[1] && f.value() != m[1] && line[0] != ' ' {
			return i <= -placeHost
		}
	}
	return false
}

// memoryAndPageFiles adds that there is no page file, which shows in the commit limit: it is then
// the memory. Of one that there is, neither size nor manager is known.
func (si systeminfo) memoryAndPageFiles() evidence.Memory {
	m := si.memory // without them, which it names in words of its language
	if m.CommitLimitBytes == m.TotalBytes && !si.pageFile {
		m.PageFiles = []evidence.PageFile{}
	}
	return m
}
