package foreign

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// Of wevtutil: its text, and its XML.
var (
	wevtField = regexp.MustCompile(`^(?:  )?(Log Name|Source|Date|Event ID|Level|Description): *(.*)$`)
	xmlEvent  = regexp.MustCompile(`(?s)<Event[ >].*?(?:</Event>|\z)`)
	xmlFields = map[string]*regexp.Regexp{
		"ProviderName": regexp.MustCompile(`<Provider Name=['"]([^'"]*)['"]`),
		"Id":           regexp.MustCompile(`<EventID[^>]*>(\d+)<`),
		"Level":        regexp.MustCompile(`<Level>(\d)<`),
		"TimeCreated":  regexp.MustCompile(`SystemTime=['"]([^'"]*)['"]`),
		"LogName":      regexp.MustCompile(`<Channel>([^<]*)<`),
		"Message":      regexp.MustCompile(`(?s)<Message>(.*?)</Message>`),
	}
	xmlData   = regexp.MustCompile(`(?s)<(?:Data[^>]*|[A-Z][A-Za-z]+)>([^<\s][^<]*)(?:</|\z)`)
	wevtNames = map[string]string{"Log Name": "LogName", "Source": "ProviderName",
		"Date": "TimeCreated", "Event ID": "Id", "Level": "LevelDisplayName", "Description": "Message"}
)

func wevtutilEvents(s string) (list []psObject) {
	for _, x := range xmlEvent.FindAllString(s, maxExported) {
		fields := map[string]string{}
		for name, r := range xmlFields {
			if m := r.FindStringSubmatch(x); m != nil {
				fields[name] = m[1]
			}
		}
		if fields["Level"] != "" {
			fields["LevelDisplayName"] = levelName(number(fields["Level"]))
		}
		if fields["Message"] == "" {
			_, values, _ := strings.Cut(x, "</System>")
			for _, m := range xmlData.FindAllStringSubmatch(values, maxFields) {
				fields["Message"] += m[1] + " "
			}
		}
		list = append(list, psObject{fields: fields})
	}
	if strings.Contains(s, "\nEvent Xml:") {
		list = nil
	}
	message, exact := false, len(list)
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		m := wevtField.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "Event["), strings.HasPrefix(line, "Log Name:"):
			list, message = append(list, psObject{fields: map[string]string{}}), false
			if m != nil {
				list[len(list)-1].fields["LogName"] = m[2]
			}
		case len(list) == exact:
		case strings.HasPrefix(line, "Event Xml:"): // the event once more, with its time in UTC
			message = false
		case !message && xmlFields["TimeCreated"].MatchString(line):
			list[len(list)-1].fields["TimeCreated"] = xmlFields["TimeCreated"].FindStringSubmatch(line)[1]
		case m != nil && !message:
			list[len(list)-1].fields[wevtNames[m[1]]] = m[2]
			message = m[1] == "Description"
		case message && line != "":
			list[len(list)-1].fields["Message"] += "\n" + line
		}
	}
	return list
}

// eventLevelWords are levels as PowerShell prints them, in English.
var eventLevelWords = []string{"critical", "error", "warning", "information", "verbose"}

// levelsOf are the levels of events in other languages.
var levelsOf = map[string]string{"kritisch": "critical", "fehler": "error", "warnung": "warning", "informationen": "information",
	"erreur": "error", "avertissement": "warning", "错误": "error", "警告": "warning", "信息": "information", "エラー": "error",
	"ошибка": "error", "предупреждение": "warning", "сведения": "information"}

// convertEvents writes the events of PowerShell's tables and lists and of wevtutil.
// ran is about when they were read, if other pieces show it.
func (p *pieces) convertEvents(out *output, ran time.Time) (last time.Time) {
	var e export
	for _, o := range append(p.shown[psEvents], wevtutilEvents(p.texts[partWevtutil])...) {
		stamp := o.get("TimeCreated", "TimeGenerated", "TimeWritten", "Time")
		text, wrapped := o.fields["ReplacementStrings"] // of Get-EventLog, instead of the message
		if _, dated := parseStamp(stamp, true); !dated && (o.fields["TimeCreated"] != "" || wrapped) {
			if _, other := parseStamp(stamp, false); !other { // a message that went on in the next line
				if n := len(e.events); n > 0 {
					e.events[n-1].Message += " " + strings.Join(strings.Fields(stamp+" "+o.get("Id")+" "+
						o.get("LevelDisplayName")+" "+o.get("Message")+strings.TrimSuffix(text, "}")), " ")
				}
				continue
			}
		} else if !dated {
			stamp = withYear(stamp, ran)
		}
		if number(o.get("Id", "EventID", "InstanceID", "InstanceId")) == 0 && o.get("Message")+text == "" {
			continue // its beginning alone
		}
		level := strings.ToLower(o.get("LevelDisplayName", "EntryType"))
		if !slices.Contains(eventLevelWords, level) {
			level = levelsOf[level]
		}
		e.events = append(e.events, exported{stamp, evidence.WindowsEvent{
			ID:    number(o.get("Id", "EventID", "InstanceID", "InstanceId")) & 0xffff,
			Level: level, Log: o.get("LogName", "Log"),
			Provider: wholeProvider(o.get("ProviderName", "Source")), Message: strings.TrimSpace(cmp.Or(o.get("Message"), strings.Trim(text, "{}")))}})
	}
	if len(e.events) == 0 {
		return last
	}
	inOrder(e.events, time.Time{})
	out.mergeEvents(e.excerpt(""))
	p.excerpts = append(p.excerpts, evidence.LogRecord{Path: evidence.WindowsEvents.Path(),
		Excerpt: true, Unsearched: "the output shows some of the events; collect the event logs with `doctor bundle`"})
	return e.newest()
}

// withYear gives a time of Get-EventLog ("Nov 20 10:11") the latest year in which it is not in the
// future of ran. It returns "" for another text.
func withYear(stamp string, ran time.Time) string {
	const short = "Jan 2 15:04"
	at, err := time.Parse(short+" 2006", strings.Join(strings.Fields(stamp), " ")+" 2004") // a leap year
	if err != nil {
		return ""
	}
	if ran.IsZero() {
		ran = time.Now()
	}
	for year := ran.Year(); year > ran.Year()-8; year-- {
		this := time.Date(year, at.Month(), at.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC)
		if this.Day() == at.Day() && !this.After(ran.Add(24*time.Hour)) {
			return this.Format(time.DateTime)
		}
	}
	return ""
}

// providers are the ones whose names PowerShell's tables cut most often.
var providers = []string{"Service Control Manager", "Microsoft-Windows-Hyper-V-Compute",
	"Microsoft-Windows-Host-Network-Service", "Microsoft-Windows-Hyper-V-VmSwitch",
	"Microsoft-Windows-Resource-Exhaustion-Detector", "Microsoft-Windows-Kernel-Power",
	"Microsoft-Windows-Kernel-General", "Microsoft-Windows-WindowsUpdateClient"}

// wholeProvider completes a name that a table cut, where only one can be meant.
func wholeProvider(name string) string {
	start := strings.TrimSuffix(strings.TrimSuffix(name, "…"), "...")
	meant := slices.DeleteFunc(slices.Clone(providers), func(p string) bool { return !strings.HasPrefix(p, start) })
	if start == name || start == "" || len(meant) != 1 {
		return name
	}
	return meant[0]
}
