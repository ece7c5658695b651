package foreign

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// rke2 is the folder that Rancher's win-log-collect-rke2.ps1 leaves behind, and
// that of win-log-collect.ps1, its older brother for RKE1. The archive has that
// folder's name at its top, rancher\log-collector, or no top folder at all.
var rke2 = format{
	name:      "rke2-win-log-collect",
	marks:     "the output of Rancher's log collector for Windows (system, network and eventlogs in one folder)",
	recognise: isRancher,
	inside:    func(child string) bool { return rancherFolders[strings.ToLower(child)] },
	nodeName:  func(src *source) string { return rancher{src}.name() },
	convert:   convertRancher,
}

// rancherFolders are what the scripts make; those of value true are in no
// recording of another tool.
var (
	rancherFolders = map[string]bool{"system": true, "network": true, "eventlogs": true,
		"k8s": true, "containerd": true, "config": true, "certs": true,
		"firewall": true, "services": true, "docker": true, "nginx": true, "podlogs": true,
		"containerlogs": true}
	rancherOwn = map[string]bool{"eventlogs": true, "k8s": true, "certs": true, "nginx": true,
		"podlogs": true, "containerlogs": true}
)

// rancherLabel is what the scripts call their archives.
var rancherLabel = regexp.MustCompile(
	`(?i)(?:^|/)rancher_(?:rke2_)?([^/]+?)_(20\d\d-?[01]\d-?[0-3]\d[^/]*)(?:/|$)`)

// isRancher wants four of the folders, or two where the name of one around them
// tells the script: a recording of which somebody sent a part is still one.
func isRancher(folder listing) bool {
	known, own, system := 0, false, false
	for _, f := range folder.folders {
		key := strings.ToLower(f)
		if key == "eks" {
			return false // of Amazon's collector, which has some folders of the same names
		}
		if rancherFolders[key] {
			known++
		}
		own = own || rancherOwn[key]
		system = system || key == "system" || key == "network"
	}
	enough := 4
	if rancherLabel.MatchString(folder.dir) {
		enough = 2
	}
	return known >= enough && own && system
}

// A rancher is a recording of either script.
type rancher struct{ src *source }

const rancherTool = "Rancher's log collector"

// folderOf is the folder of a file, and text the file itself, with the path in the
// recording as its name and a gap where there is nothing in it.
func (r rancher) folderOf(file string) (*source, string) {
	dir, name := path.Split(file)
	if dir == "" {
		return r.src, name
	}
	return r.src.folder(strings.TrimSuffix(dir, "/")), name
}

func (r rancher) text(file string) textFile {
	src, name := r.folderOf(file)
	t := src.text(name)
	t.name = file
	switch {
	case t.missing:
		t.gap = missingf("%s is not in this recording of %s; %s", file, rancherTool, runBundle)
	case t.empty():
		t.blank = true
		t.gap = brokenf("%s is empty: the command that fills it failed; %s", file, runBundle)
	}
	return t
}

// either is the first of the files that is there: the scripts keep the same
// output in different places.
func (r rancher) either(files ...string) textFile {
	for _, file := range files {
		if t := r.text(file); !t.missing {
			return t
		}
	}
	return r.text(files[0])
}

// name is what the kubelet calls the node where its certificate is there, and
// otherwise the name of the computer.
func (r rancher) name() string {
	if list, err := r.certificate("client-kubelet.crt"); err == nil {
		if _, name, ok := strings.Cut(list[0].Subject, "CN=system:node:"); ok {
			if name, _, _ = strings.Cut(name, ","); hostNamePattern.MatchString(name) {
				return name
			}
		}
	}
	if name := hostName(r.text("network/ipconfigall.txt").content); name != "" {
		return name
	}
	if si, ok := readSysteminfo(r.text("system/systeminfo")); ok && si.host != "" {
		return si.host
	}
	if m := rancherLabel.FindStringSubmatch(r.src.root); m != nil &&
		hostNamePattern.MatchString(m[1]) {
		return m[1]
	}
	return ""
}

func convertRancher(src *source, out *output) {
	r := rancher{src}
	events := r.events()
	events.convert(out)
	r.convertMeta(events.list, out)
	r.convertMachine(events.list, out)
	r.convertServices(out)
	r.convertNetwork(out)
	r.convertRuntime(out)
	r.convertCertificates(out)
	r.convertFiles(out)
	r.convertLogs(out)
	out.write("env.json")(readEnvironment(r.text("system/env"),
		r.text("network/system-env-proxy.txt").mayBeEmpty()))
	out.uncollected(rancherTool, rancherLacks)
	for component, why := range rancherLogs {
		if !out.hasLogs(component) {
			out.Gap("logs/"+component, why)
		}
	}
}

// mayBeEmpty takes the gap from a text that is empty where there is nothing to tell.
func (t textFile) mayBeEmpty() textFile {
	if t.blank {
		t.gap = evidence.Gap{}
	}
	return t
}

func rancherMisses(what, ask string) evidence.Gap {
	return missingf("%s does not collect %s; %s", rancherTool, what, ask)
}

// rancherLacks is what the scripts collect less of than the layout has, and files that they leave.
var rancherLacks = map[string]evidence.Gap{
	"firewall.json": missingf(
		"%s lists firewall rules without their ports, so open ports are not known; collect `Get-NetFirewallRule -Enabled True | Get-NetFirewallPortFilter`, or %s", rancherTool, runBundle),

	// What checks ask for, wherever other setups keep it.
	"files/C/run/flannel/subnet.env": rancherMisses(
		"flannel's subnet.env", `collect C:\run\flannel\subnet.env`),
	"files/C/k/net-conf.json": rancherMisses(
		"flannel's network configuration",
		`collect C:\var\lib\rancher\rke2\agent\flanneld-net-conf.json`),
	"files/C/etc/kube-flannel/net-conf.json": rancherMisses(
		"flannel's network configuration",
		`collect C:\var\lib\rancher\rke2\agent\flanneld-net-conf.json`),
	"files/C/var/lib/rancher/rke2/agent/flanneld-net-conf.json": rancherMisses(
		"flannel's network configuration",
		`collect C:\var\lib\rancher\rke2\agent\flanneld-net-conf.json`),
	"files/C/k/sourceVip.json": rancherMisses(
		"a stored source VIP", `collect C:\k\sourceVip.json`),
	"files/C/sourcevip/sourceVip.json": rancherMisses(
		"a stored source VIP", `collect C:\sourcevip\sourceVip.json`),
}

// rancherLogs are those that the script for RKE2 leaves on the node.
var rancherLogs = map[string]evidence.Gap{
	"flanneld": rancherMisses("flanneld's log",
		`collect C:\var\lib\rancher\rke2\agent\logs\flanneld.log`),
	"calico-node": rancherMisses("the logs of Calico",
		`collect calico-node.log, felix.log and confd.log in C:\var\lib\rancher\rke2\agent\logs`),
}

// convertMeta writes meta.json. The scripts end at once where they are not run as Administrator.
func (r rancher) convertMeta(events []evidence.WindowsEvent, out *output) {
	out.meta(r.src, "rke2-win-log-collect", r.name(), r.collectedAt(events), true)
}

// repacked is how far a file's time may be from the day in the archive's name,
// which is local, before it counts as the time of somebody's unpacking.
const repacked = 48 * time.Hour

// collectedAt is when the last command wrote its output. Files that were copied
// have older times. Where the name of the archive tells another day, or the
// archive kept no times, the last event is the best that is known.
func (r rancher) collectedAt(events []evidence.WindowsEvent) time.Time {
	at := r.newest(map[string][]string{
		"system": {"systeminfo", "env", "ps", "freediskspace", "volumes", "services"},
		"network": {"networkadapter", "ipconfigall.txt", "networkroutes", "hnsdiaglistall",
			"netstatall", "system-env-proxy.txt"},
		"eventlogs": {"system.json", "application.json"},
	})
	return firstFitting(stampIn(r.src.root), at, lastEvent(events))
}

// firstFitting is the first of the times that is known and fits the day in the
// archive's name, and that day where none does.
func firstFitting(named time.Time, times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() && (named.IsZero() || t.Sub(named).Abs() < repacked) {
			return t
		}
	}
	return named
}

func (r rancher) newest(files map[string][]string) time.Time {
	var newest time.Time
	for dir, names := range files {
		newest = later(newest, r.src.folder(dir).newest(names...))
	}
	return newest
}

func lastEvent(events []evidence.WindowsEvent) time.Time {
	var last time.Time
	for _, e := range events {
		last = later(last, e.Time.Time)
	}
	return last
}

// eventLogs are the logs that faults of a node show in. The security log and
// those of the firewall tell of people and packets.
var eventLogs = []string{"system.json", "application.json", "hns-admin.json", "hyperv-compute.json",
	"hyperv-vmswitch.json", "storage-storport.json"}

// A rancherEvents is what the event logs of a recording tell.
type rancherEvents struct {
	list     []evidence.WindowsEvent
	problems []string // what could not be read
	system   bool     // the system log, which tells of services that fail, has an event
}

// maxEventText bounds the messages of all logs together.
const maxEventText = 32 << 20

func (r rancher) events() (events rancherEvents) {
	logs, size := r.src.folder("eventlogs"), 0
	take := func(e evidence.WindowsEvent) {
		if size += len(e.Message); size <= maxEventText &&
			len(events.list) < len(eventLogs)*maxEvents {
			events.list = append(events.list, e)
		}
	}
	for _, name := range eventLogs {
		needed := name == "system.json" || name == "application.json" // every node writes them
		switch {
		case logs.names.files[name] == "" && needed:
			events.problems = append(events.problems, "eventlogs/"+name+" is not in the recording")
		case logs.names.files[name] == "":
		case logs.hollow(name) && needed:
			events.problems = append(events.problems,
				"eventlogs/"+name+" is empty, which PowerShell leaves of a question that failed")
		default:
			if err := readEventsJSON(logs, name, take); err != nil {
				events.problems = append(events.problems, fmt.Sprintf("eventlogs/%s: %v", name,
					err))
			}
		}
		if name == "system.json" {
			events.system = len(events.list) > 0
		}
	}
	return events
}

// convert makes events.json. Without the system log nobody knows what happened to the services;
// where another log is missing, the texts that were not found acquit nobody.
func (e rancherEvents) convert(out *output) {
	why := strings.Join(e.problems, "; ")
	if !e.system {
		out.Gap("events.json", missingf(
			"the system log cannot be read in this recording of %s: %s; collect `Get-WinEvent -LogName System -MaxEvents 2500 | ConvertTo-Json`, or %s", rancherTool, why, runBundle))
		return
	}
	out.JSON("events.json", recent(e.list))
	if why != "" {
		out.JSON(evidence.LogRecords.Path(),
			evidence.LogIndex{Logs: []evidence.LogRecord{{Path: "events.json",
				Unsearched: evidence.Clean(why)}}})
	}
}
