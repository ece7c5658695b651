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
