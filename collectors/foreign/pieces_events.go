package foreign

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// Of wevtutil: its text, and its XML.
var (
	wevtField = regexp.MustCompile(`^  (Log Name|Source|Date|Event ID|Level|Description): ?(.*)$`)
	xmlEvent  = regexp.MustCompile(`(?s)<Event[ >].*?</Event>`)
	xmlFields = map[string]*regexp.Regexp{
		"ProviderName": regexp.MustCompile(`<Provider Name=['"]([^'"]*)['"]`),
		"Id":           regexp.MustCompile(`<EventID[^>]*>(\d+)<`),
		"Level":        regexp.MustCompile(`<Level>(\d)<`),
		"TimeCreated":  regexp.MustCompile(`SystemTime=['"]([^'"]*)['"]`),
		"LogName":      regexp.MustCompile(`<Channel>([^<]*)<`),
		"Message":      regexp.MustCompile(`(?s)<Message>(.*?)</Message>`),
	}
	xmlData   = regexp.MustCompile(`(?s)<Data[^>]*>([^<]*)</Data>`)
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
			for _, m := range xmlData.FindAllStringSubmatch(x, maxFields) {
				fields["Message"] += m[1] + " "
			}
		}
		list = append(list, psObject{fields: fields})
	}
	message := false
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		m := wevtField.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "Event["):
			list, message = append(list, psObject{fields: map[string]string{}}), false
		case len(list) == 0:
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

// convertEvents writes the events of PowerShell's tables and lists and of wevtutil.
// ran is about when they were read, if other pieces show it.
func (p *pieces) convertEvents(out *output, ran time.Time) (last time.Time) {
	var e export
	for _, o := range append(p.shown[psEvents], wevtutilEvents(p.texts[partWevtutil])...) {
		stamp := o.get("TimeCreated", "TimeGenerated", "Time")
		if _, dated := parseStamp(stamp, true); !dated && o.fields["TimeCreated"] != "" {
			if _, other := parseStamp(stamp, false); !other { // a message that went on in the next line
				if n := len(e.events); n > 0 {
					e.events[n-1].Message += " " + strings.Join(strings.Fields(stamp+" "+o.get("Id")+" "+
						o.get("LevelDisplayName")+" "+o.get("Message")), " ")
				}
				continue
			}
		} else if !dated {
			stamp = withYear(stamp, ran)
		}
		level := strings.ToLower(o.get("LevelDisplayName", "EntryType"))
		if !slices.Contains(eventLevelWords, level) {
			level = ""
		}
		e.events = append(e.events, exported{stamp, evidence.WindowsEvent{
			ID:    number(o.get("Id", "EventID", "InstanceID", "InstanceId")) & 0xffff,
			Level: level, Log: o.get("LogName", "Log"),
			Provider: wholeProvider(o.get("ProviderName", "Source")), Message: o.get("Message")}})
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
	if start == name || start == "" {
		return name
	}
	var whole string
	for _, p := range providers {
		if strings.HasPrefix(p, start) {
			if whole != "" {
				return name
			}
			whole = p
		}
	}
	if whole == "" {
		return name
	}
	return whole
}
