package foreign

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"time"

	"doctor/checks/evidence"
)

var msinfoVersion = regexp.MustCompile(`\b10\.0\.(\d{5})\b`)

func (r rancher) convertMachine(events []evidence.WindowsEvent, out *output) {
	t := r.text("system/systeminfo")
	si, ok := readSysteminfo(t)
	switch {
	case ok:
		out.JSON("os.json", si.startedAt(r.bootedAt(events)))
	default:
		if t.gap.Kind == "" {
			t.gap = failureGap(t.name, t.content)
		}
		if m := msinfoVersion.FindStringSubmatch(
			r.text("system/msinfo32-report.txt").content); m != nil {
			out.JSON("os.json", evidence.OS{Build: number(m[1]),
				BootedAt: evidence.Time{Time: r.bootedAt(events)}})
		} else {
			out.Gap("os.json", t.gap)
		}
	}
	if si.memory.TotalBytes > 0 {
		out.JSON("memory.json", si.memoryAndPageFiles())
	} else {
		out.Gap("memory.json", missingf(
			"system/systeminfo does not show the size of the memory; %s", runBundle))
	}
	if len(si.hotfixes) > 0 {
		out.JSON("hotfixes.json", hotfixesOf(si.hotfixes))
	} else {
		out.Gap("hotfixes.json", missingf(
			"no update is listed by system/systeminfo; collect `Get-HotFix`, or %s", runBundle))
	}
	out.write("disks.json")(readDrives(r.text("system/freediskspace"),
		r.either("system/volumes", "volumes")))

	processes, gap := readProcesses(r.text("system/ps"))
	if gap.Kind == "" {
		for program, line := range r.commandLines() {
			addArgs(processes, program, line)
		}
	}
	out.either("processes.json", processes, gap)
}

// bootEvent tells the events that Windows writes as it starts.
func bootEvent(e evidence.WindowsEvent) bool {
	return e.ID == 12 && strings.EqualFold(e.Provider, "Microsoft-Windows-Kernel-General") ||
		e.ID == 6005 && strings.EqualFold(e.Provider, "EventLog")
}

// bootedAt comes from the last start in the system log. Where that does not go back so far, it is
// worked out from the uptime, which was taken just before systeminfo ran, if the times of the files
// are those of the node, and is what systeminfo prints otherwise.
func (r rancher) bootedAt(events []evidence.WindowsEvent) time.Time {
	var booted time.Time
	for _, e := range events {
		if bootEvent(e) {
			booted = later(booted, e.Time.Time)
		}
	}
	if !booted.IsZero() {
		return booted
	}
	taken, last := r.src.folder("system").newest("systeminfo"), lastEvent(events)
	up, ok := readUptime(r.text("system/uptime").content)
	if !ok || taken.IsZero() || last.IsZero() || taken.Sub(last).Abs() > 24*time.Hour {
		si, _ := readSysteminfo(r.text("system/systeminfo"))
		return si.booted.UTC()
	}
	return taken.Add(-up)
}

// readUptime reads a TimeSpan as PowerShell lists it.
func readUptime(s string) (time.Duration, bool) {
	for _, b := range parseFormatList(s) {
		if b["Days"] != "" && b["Hours"] != "" {
			days := min(number(b["Days"]), 10_000)
			return time.Duration(days)*24*time.Hour + time.Duration(number(b["Hours"]))*time.Hour +
				time.Duration(number(b["Minutes"]))*time.Minute +
				time.Duration(number(b["Seconds"]))*time.Second, true
		}
	}
	return 0, false
}

// convertServices makes services.json of the list of all services. That a
// service's block breaks off means that more may be missing.
func (r rancher) convertServices(out *output) {
	t := r.either("system/services", "services")
	list := printedServices(printed(t.content))
	switch {
	case t.gap.Kind != "":
		out.Gap("services.json", t.gap)
		return
	case len(list) == 0:
		out.Gap("services.json", failureGap(t.name, t.content))
		return
	case len(parseFormatList(t.content)) > len(list):
		out.Gap("services.json", brokenf(
			"%s breaks off, so a service that is not in it may be there; %s", t.name, runBundle))
		return
	}
	status := r.src.folder("services")
	for _, file := range sortedValues(status.names.files) {
		for _, more := range printedServices(printed(status.text(file).content)) {
			for i := range list {
				if strings.EqualFold(list[i].Name, more.Name) {
					// a service that was seen down once in these minutes is not well
					if more.State != "running" {
						list[i].State = more.State
					}
					if more.StartType != "" {
						list[i].StartType = more.StartType
					}
				}
			}
		}
	}
	for program, line := range r.commandLines() {
		if args := evidence.SplitArgs(line); program == "rke2" && len(args) > 0 {
			for i := range list {
				if strings.EqualFold(list[i].Name, "rke2") {
					list[i].BinPath, list[i].Args = args[0], args[1:]
				}
			}
		}
	}
	out.JSON("services.json", list)
}

var (
	// RKE2 logs how it starts each of its children. A line without its end may lack flags.
	runningChild = regexp.MustCompile(`Running (kubelet|kube-proxy|containerd) (-[^"}]*)["}]`)
	rke2Command  = regexp.MustCompile(`(?mi)^("?[a-z]:\\[^\n]*\brke2\.exe\b[^\n]*?)[ \t]*$`)
)

// commandLines are those of RKE2 and of its children, by program, as far as the log has them whole.
func (r rancher) commandLines() map[string]string {
	lines := map[string]string{}
	if m := rke2Command.FindStringSubmatch(
		r.text("k8s/components/rke2-cmdline.txt").content); m != nil &&
		!strings.HasSuffix(m[1], "...") {
		lines["rke2"] = m[1]
	}
	// the newest first
	for _, message := range wrappedRows(r.text("eventlogs/rke2-service.txt").content) {
		for _, m := range runningChild.FindAllStringSubmatch(message, -1) {
			if lines[m[1]] == "" && !strings.Contains(m[2], "...") {
				lines[m[1]] = m[1] + ".exe " + strings.TrimSpace(m[2])
			}
		}
	}
	return lines
}

var wrappedRuler = regexp.MustCompile(`(?m)^(-+ +)-+ *$`)

// wrappedRows reads the first column of a table of two that Format-Table
// wrapped: a row begins where the second column has something.
func wrappedRows(s string) []string {
	at := wrappedRuler.FindStringSubmatchIndex(s)
	if at == nil {
		return nil
	}
	width := at[3] - at[2]
	var rows []string
	for line := range strings.Lines(s[at[1]:]) {
		line = strings.TrimRight(line, " \t\n")
		cell := strings.TrimSpace(line[:min(width, len(line))])
		switch {
		case cell == "":
		case len(line) > width || len(rows) == 0:
			if len(rows) == maxObjects {
				return rows
			}
			rows = append(rows, cell)
		case len(rows[len(rows)-1]) < maxListValue:
			rows[len(rows)-1] += " " + cell
		}
	}
	return rows
}

var (
	// A row of `Get-ChildItem env:`. Both columns are cut to the console's width.
	envRow   = regexp.MustCompile(`(?m)^(\S+(?: ?\(x86\))?)[ \t]+(\S.*?)[ \t]*$`)
	proxyEnv = regexp.MustCompile(`(?i)^(?:https?|ftp|all|no)_proxy$`)
	userInfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/@]*@`)
)

// readEnvironment reads the variables of the session in which the tool ran,
// which are the machine's and the user's. One that was cut is left out; where it
// is about a proxy nothing is believed, since a half NO_PROXY accuses the wrong
// one. The second text, of proxies alone, may be empty: then there is none.
func readEnvironment(all, proxies textFile) (any, evidence.Gap) {
	if all.gap.Kind != "" && proxies.gap.Kind != "" {
		return nil, all.gap
	}
	env := map[string]string{}
	for _, t := range []textFile{all, proxies} {
		for _, m := range envRow.FindAllStringSubmatch(t.content, maxObjects) {
			name, value := m[1], m[2]
			cut := cutShort(value) || strings.HasSuffix(name, "...")
			switch {
			case cut && proxyEnv.MatchString(strings.TrimRight(name, ".")):
				return nil, brokenf(
					"%s shows %s cut to the width of a console; collect `Get-ChildItem env: | Format-List`", t.name, name)
			case cut, strings.Trim(name, "-") == "", name == "Name" && value == "Value":
			default:
				env[name] = userInfo.ReplaceAllString(value, "${1}")
			}
		}
	}
	if all.gap.Kind == "" && len(env) == 0 {
		return nil, all.otherwise("%s shows no variable; it begins with: %s")
	}
	return env, evidence.Gap{}
}

// criInfo is what `crictl info` prints: the runtime's status, and what it says
// of its configuration.
type criInfo struct {
	Status            json.RawMessage `json:"status"`
	Config            json.RawMessage `json:"config"`
	LastCNILoadStatus string          `json:"lastCNILoadStatus"`
}

var fatalLine = regexp.MustCompile(`(?m)^.*level=fatal.*$`)

// convertRuntime makes cri.json of what crictl and ctr answered.
func (r rancher) convertRuntime(out *output) {
	var state evidence.CRIState
	info := r.text("containerd/crictl-info.txt")
	if answer, ok := readCRIInfo(info.content); ok {
		state.Status, state.Config = answer.status(), answer.Config
	}
	takeRows(&state.Images, readCrictlImages(r.text("containerd/crictl-images.txt").content))
	takeRows(&state.Sandboxes, readCrictlPods(r.text("containerd/crictl-pods.txt").content))
	takeRows(&state.Containers, readCrictlContainers(r.text("containerd/crictl-ps.txt").content))
	state.Version = ctrVersion(r.text("containerd/ctr-version.txt").content)
	switch {
	case !reflect.ValueOf(state).IsZero():
		out.JSON("cri.json", state)
	case r.rke1():
		out.Gap("cri.json", rancherMisses("the state of docker in a form that can be read",
			"see original/docker"))
	case info.gap.Kind != "":
		out.Gap("cri.json", info.gap)
	default:
		said := firstLine(info.content)
		if fatal := fatalLine.FindString(info.content); fatal != "" {
			said = fatal
		}
		out.Gap("cri.json", failureGap(info.name, said))
	}
}

// readCRIInfo finds the JSON behind what crictl complains of first.
func readCRIInfo(s string) (criInfo, bool) {
	pieces, broken := splitDump(s)
	if broken != "" {
		return criInfo{}, false
	}
	for _, p := range pieces {
		var info criInfo
		if p.document != nil && json.Unmarshal(p.document, &info) == nil &&
			(len(info.Status) > 0 || len(info.Config) > 0) {
			return info, true
		}
	}
	return criInfo{}, false
}

// status is the runtime's own. Where it does not speak of the network, what
// came of loading the CNI configuration tells.
func (i criInfo) status() (status evidence.CRIStatus) {
	if json.Unmarshal(i.Status, &status) != nil || status.Conditions == nil {
		status.Conditions = []evidence.CRICondition{}
	}
	known := false
	for _, c := range status.Conditions {
		known = known || c.Type == "NetworkReady"
	}
	if !known && i.LastCNILoadStatus != "" {
		loaded := strings.EqualFold(i.LastCNILoadStatus, "OK")
		c := evidence.CRICondition{Type: "NetworkReady", Status: loaded}
		if !loaded {
			c.Reason, c.Message = "lastCNILoadStatus", evidence.Clean(i.LastCNILoadStatus)
		}
		status.Conditions = append(status.Conditions, c)
	}
	return status
}
