package foreign

import (
	"cmp"
	"path"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// aks is the zip of AKS's collect-windows-logs.ps1: everything lies at its root,
// the files of collectlogs.ps1 among it.
var aks = format{
	name:      "aks-collect-windows-logs",
	marks:     "the output of AKS's collect-windows-logs.ps1 (collect-windows-logs-output.log, kubeclusterconfig.json and DATE-TIME_services.csv in one folder), and WindowsAzure/Logs/aks of GuestVMLogs or a disk inspection",
	recognise: isAKS,
	inside: func(child string) bool {
		child = strings.ToLower(child)
		return ownFolders[child] || strings.HasSuffix(child, ctrFolder) ||
			aksDumps.MatchString(child)
	},
	nodeName: aksName,
	convert:  convertAKS,
}

const (
	aksTool       = "collect-windows-logs.ps1"
	aksTranscript = "collect-windows-logs-output.log"
	ctrFolder     = "-ctr-logs"
)

var (
	// What the script stamps with the time at which it began, its hour of twelve.
	aksStamped = regexp.MustCompile(
		`^20\d{6}-\d{6}(?:_services\.csv|_hyper-v-compute-operational\.csv|_docker\.csv|_pagefile\.txt|-disk-usage-all-drives\.txt|-cri-containerd-\w+\.txt|-containerd-\w+\.txt|-hcsdiag-list\.txt|-hnsdiag-list\.txt|-shimdiag-list-with-pids\.txt|-aks-info\.log)$`)
	aksNames = []string{"kubeclusterconfig.json", "bootstrap-config", "10-azure.conflist",
		"azure-vnet.json", "azure-vnet.log", "kubelet.log", "kubelet.err.log", "kubeproxy.log",
		"disk-usage.txt", "processes.txt", "network.txt", "endpoint.txt",
		"customdatasetupscript.log"}
	// Zips of dumps and of other people's logs.
	aksDumps = regexp.MustCompile(
		`^(wer|minidump|systemtemp|memorydump|extension-logs)(-[\d-]+)?\.zip$`)
)

// isAKS wants the transcript, an output of loggenerator.ps1, or a file that carries the script's stamp and one
// that the script takes from C:\k: a copy of C:\k itself has no stamps.
func isAKS(folder listing) bool {
	others := folder.count(aksNames...)
	if folder.files[aksTranscript] != "" {
		return true
	}
	stamped := 0
	for name := range folder.files {
		if aksStamped.MatchString(name) {
			stamped++
		}
	}
	generated := folder.count(aksGenerated...)
	if aksGuestFolder.MatchString(folder.dir) {
		generated++
	}
	return others >= 1 && (stamped >= 1 || generated >= 1 && generated+others >= 3)
}

// stamped is the name of a file as it is stored with a stamp in front, or without. Of two runs
// in one folder the later file counts; the hour in a stamp does not tell which.
func stamped(src *source, suffix string) string {
	var found string
	var at time.Time
	for _, key := range sortedKeys(src.names.files) {
		rest, ok := strings.CutSuffix(key, suffix)
		if key != suffix[1:] && (!ok || !stampOnly.MatchString(rest)) {
			continue
		}
		if written := src.newest(key); found == "" || !written.Before(at) {
			found, at = src.names.files[key], written
		}
	}
	if found == "" {
		return "DATE-TIME" + suffix
	}
	return found
}

var stampOnly = regexp.MustCompile(`^20\d{6}-\d{6}$`)

func convertAKS(src *source, out *output) {
	tr := readTranscript(src.text(aksTranscript))
	version := src.text("winver.txt")
	if version.missing {
		version = kernelOf(src.text("kubectl-get-nodes.log"), aksName(src), version)
	}
	hns := convertNetwork(src, out, version, unversioned(aksTool))
	if len(hns.all()) == 0 && hns.dumps[0].gap.Kind == evidence.NotCollected {
		if why := tr.because("collectlogs", "networking related"); why != "" {
			for _, k := range hnsKinds {
				out.Gap(k.path, missingf("%s did not get the %s%s; %s",
					aksTool, k.what, why, runBundle))
			}
		}
	}
	services, compute := readExport(src, stamped(src, "_services.csv")),
		readExport(src, stamped(src, "_hyper-v-compute-operational.csv"))
	ran := aksTime(src, hns, tr, services)
	// HNS answers administrators only
	out.meta(src, "aks-collect-windows-logs", aksName(src), ran, hns.answered())

	out.write("disks.json")(readDrives(src.text("disk-usage.txt"),
		src.text(stamped(src, "-disk-usage-all-drives.txt"))))
	processes, gap := readProcesses(src.text("processes.txt"))
	out.either("processes.json", processes, gap)
	out.write("memory.json")(aksMemory(src))
	out.write("compute.json")(aksCompute(src))
	aksEvents(out, tr, services, compute)
	aksObjects(src, out, tr, ran)
	aksFiles(src, out, tr)
	placeLogs(src, out, aksLog, "aks")
	src.placeDiskLogs(out)
	out.place("logs/aks/CustomDataSetupScript.log", src, "customdatasetupscript.log")
	aksCRI(src, out, tr)
	out.uncollected(aksTool, nil)
}

// notComponents are logs that no component of the node writes: they are about the
// collecting, the setup of the machine, or they are tables.
var notComponents = regexp.MustCompile(
	`^(collect-windows-logs-output\.log|kubectl-.*\.log|customdatasetupscript\.log|.*-aks-info\.log|silconfig\.log)$`)

var logName = regexp.MustCompile(`\.log(\.\d+|[-.\d]*)?$`)

func aksLog(name string) bool {
	return logName.MatchString(name) && !notComponents.MatchString(name)
}

func aksName(src *source) string {
	if node, ok := readDescribedNode(src.text("kubectl-describe-nodes.log").content); ok {
		return node["metadata"].(map[string]any)["name"].(string)
	}
	if name := collectlogsName(src); name != "" {
		return strings.ToLower(name) // AKS names its nodes so
	}
	for _, log := range []string{"kubelet.err.log", "kubelet.log", "kubeproxy.err.log"} {
		if m := registeredNode.FindStringSubmatch(src.text(log).content); m != nil {
			return strings.ToLower(m[1])
		}
	}
	if aksGuestFolder.MatchString(src.root) {
		return evidence.UnknownNode // that of the folder is the same on every node
	}
	return ""
}

var registeredNode = regexp.MustCompile(
	`(?:register(?:ed)? node" node=|FLAG: --hostname-override=)"([A-Za-z0-9][\w.-]*)"`)

// aksTime is when the script ended or, before that, the last that is known of it.
func aksTime(src *source, hns hnsState, tr transcript, services export) time.Time {
	written := src.newest(append([]string{aksTranscript, "disk-usage.txt", "processes.txt",
		stamped(src, "_services.csv")}, allNames...)...)
	return cmp.Or(tr.ended, tr.started, written, stampIn(src.root), lastHealth(hns.all()),
		services.newest())
}

// aksCompute reads the lists of compute systems and shims.
func aksCompute(src *source) (any, evidence.Gap) {
	hcs, shims := src.text(stamped(src, "-hcsdiag-list.txt")),
		src.text(stamped(src, "-shimdiag-list-with-pids.txt"))
	if hcs.missing {
		hcs = src.text("hcsdiag.txt")
	}
	if shims.missing {
		shims = src.text("shimdiag.txt")
	}
	return readCompute(hcs, shims)
}

var (
	availableMB = regexp.MustCompile(`(?m)^(?:.*:)?\s*(\d{1,9})(?:[.,]\d+)?\s*$`)
	pageFileRow = regexp.MustCompile(
		`(?m)^(Name|AllocatedBaseSize|AutomaticManagedPagefile) +: (\S.*?) *$`)
)

// aksMemory joins the counter of the free memory and the list of the page files.
func aksMemory(src *source) (any, evidence.Gap) {
	var memory evidence.Memory
	available, pages := src.text("available-memory.txt"), src.text(stamped(src, "_pagefile.txt"))
	if m := availableMB.FindAllStringSubmatch(available.content, -1); len(m) == 1 &&
		looksTabular(available.content) {
		if n, err := strconv.ParseInt(m[0][1], 10, 64); err == nil {
			memory.AvailableBytes = n << 20
		}
	}
	if files, ok := pageFiles(pages.content); ok {
		memory.PageFiles = files
	}
	if memory.AvailableBytes > 0 || memory.PageFiles != nil {
		return memory, evidence.Gap{}
	}
	if available.gap.Kind == "" {
		return nil, available.otherwise("%s shows no counter; it begins with: %s")
	}
	return nil, also(available.gap, "; %s does not collect the memory otherwise; %s", aksTool,
		runBundle)
}

// pageFiles reads the list of Win32_PageFileUsage. That there is none is believed
// where the second command, which stands in the same file, answered.
func pageFiles(s string) (list []evidence.PageFile, ok bool) {
	list = []evidence.PageFile{}
	automatic, answered := false, false
	for _, m := range pageFileRow.FindAllStringSubmatch(s, maxFields) {
		switch last := len(list) - 1; m[1] {
		case "Name":
			list = append(list, evidence.PageFile{Path: m[2]})
		case "AllocatedBaseSize":
			if last >= 0 {
				list[last].SizeBytes = int64(number(m[2])) << 20
			}
		case "AutomaticManagedPagefile":
			automatic, answered = m[2] == "True", true
		}
	}
	for i := range list {
		list[i].Automatic = automatic
	}
	return list, answered && !strings.Contains(s, "CategoryInfo") || len(list) > 0
}

// aksEvents joins the two exports. The first is of three questions: the service
// manager's events about containerd and Kubernetes, reboots, and crashes; it has no
// column that tells which, so an event of it names neither log nor provider.
func aksEvents(out *output, tr transcript, services, compute export) {
	list := append(services.excerpt(""),
		compute.excerpt("Microsoft-Windows-Hyper-V-Compute-Operational")...)
	if len(list) > 0 {
		out.JSON("events.json", list)
		return
	}
	out.Gap("events.json", also(services.gap, "%s", tr.because("ETW events", "Get-WinEvent")))
}

// aksObjects writes what kubectl described and listed.
func aksObjects(src *source, out *output, tr transcript, ran time.Time) {
	nodes, pods := src.text("kubectl-describe-nodes.log"), src.text("kubectl-describe-pods.log")
	table := src.text("kubectl-get-nodes.log").content
	if list := readNodeTable(table); len(list) > 0 {
		out.JSON("api/nodes.json", map[string]any{"kind": "NodeList", "items": list})
	}
	failed := tr.because("kubectl")
	switch node, ok := readDescribedNode(nodes.content); {
	case ok:
		out.JSON("api/node.json", node)
	case nodes.gap.Kind != "":
		out.Gap("api/node.json", also(nodes.gap, "%s; collect `kubectl get node NAME -o json`",
			failed))
	default:
		out.Gap("api/node.json", brokenf("%s describes no node; it begins with: %s%s",
			nodes.name, clip(firstLine(nodes.content)), failed))
	}
	described := readDescribedPods(pods.content, "")
	switch {
	case len(described) > 0:
		out.JSON("api/pods.json", map[string]any{"kind": "PodList", "items": described})
	case pods.gap.Kind == "":
		out.Gap("api/pods.json", missingf(
			"%s describes no pod; collect `kubectl get pods -A -o json`", pods.name))
	}
	events := append(readDescribedEvents(nodes.content, ran), readDescribedEvents(pods.content,
		ran)...)
	switch {
	case len(events) > 0 && pods.gap.Kind == "":
		out.JSON("api/events.json", map[string]any{"items": events})
	case pods.gap.Kind == "":
		out.Gap("api/events.json", missingf(
			"%s has no events in %s, which kubectl also prints where the node may not list them; collect `kubectl get events -A -o json`", aksTool, pods.name))
	default:
		out.Gap("api/events.json", also(pods.gap, "%s; collect `kubectl get events -A -o json`",
			failed))
	}
}

func aksFiles(src *source, out *output, tr transcript) {
	c := &copies{tool: aksTool, out: out}
	c.add(src, "kubeclusterconfig.json", `C:\k\kubeclusterconfig.json`,
		tr.because("kubeclusterconfig"))
	c.add(src, "10-azure.conflist", `C:\k\azurecni\netconf\10-azure.conflist`,
		tr.because("10-azure.conflist"))
	toml := src
	if disk := src.disk(); disk != nil && src.hollow("config.toml") {
		toml = disk.folder("Program Files/containerd")
	}
	c.add(toml, "config.toml", `C:\Program Files\containerd\config.toml`,
		tr.because("containerd configuration"))
	for _, name := range []string{"bootstrap-config", "credential-provider-config.yaml",
		"azure-vnet.json", "azure-vnet-ipam.json", "windowsnodereset.log"} {
		c.addIfThere(src, name, `C:\k\`+name)
	}
	for _, name := range []string{"provision.complete", "CSEResult.log"} {
		c.addShort(src, name, `C:\AzureData\`+name)
	}
	if strings.Contains(tr.why("containerd panic logs"), "not available") {
		c.absent(`C:\ProgramData\containerd\root\panic.log`)
	}
	c.finish()
}

var containerdInfo = regexp.MustCompile(`(?m)^containerd\S* \S+ (v?\d+\.\d+\.\d+\S*)`)

// aksCRI makes cri.json of the tables of crictl and ctr. containerd's own
// configuration is in config.toml; `containerd config default`, which is next to
// it as DATE-TIME-containerd-toml.txt, is not this node's.
func aksCRI(src *source, out *output, tr transcript) {
	table := func(suffix string) string { return src.text(stamped(src, suffix)).content }
	cri := evidence.CRIState{
		Images:     readCrictlImages(table("-cri-containerd-images.txt")),
		Sandboxes:  readCrictlPods(table("-cri-containerd-pods.txt")),
		Containers: readCrictlContainers(table("-cri-containerd-containers.txt")),
	}
	if m := containerdInfo.FindStringSubmatch(table("-containerd-info.txt")); m != nil {
		cri.Version = evidence.CRIVersion{RuntimeName: "containerd", RuntimeVersion: m[1]}
	}
	cri.Config = sandboxImage(aksPause(src))
	if reflect.ValueOf(cri).IsZero() {
		images := src.text(stamped(src, "-cri-containerd-images.txt"))
		why := images.otherwise("%s shows no images; it begins with: %s")
		out.Gap("cri.json", also(why, "%s", tr.because("crictl", "ctr.exe", "CRI plugin")))
		return
	}
	out.JSON("cri.json", cri)
}

// aksPause asks the tables only where containerd's configuration is not there.
func aksPause(src *source) string {
	if _, ok := src.names.files["config.toml"]; ok {
		return ""
	}
	ctr := src
	for _, f := range src.names.folders {
		if strings.HasSuffix(strings.ToLower(f), ctrFolder) {
			ctr = src.folder(f)
		}
	}
	images := readCtrImages(ctr.text("containerd-image.txt").content)
	inUse := readCtrContainers(ctr.text("containerd-containers.txt").content)
	if len(images) == 0 {
		for _, i := range readCrictlImages(src.text(stamped(src,
			"-cri-containerd-images.txt")).content) {
			for _, tag := range i.RepoTags {
				images = append(images, ctrImage{ref: tag})
			}
		}
	}
	if len(inUse) == 0 {
		inUse = readCtrContainers(src.text("containers.txt").content)
	}
	return pauseImage(inUse, images)
}

// aksGenerated are the outputs of loggenerator.ps1, which writes the same as the script without
// stamps and next to links to the logs: in WindowsAzure\Logs\aks, which goes into GuestVMLogs and
// into disk inspections.
var aksGenerated = []string{"containerd-info.txt", "cri-containerd-pods.txt",
	"cri-containerd-images.txt", "cri-containerd-containers.txt", "containerd-tasks.txt",
	"containerd-snapshot.txt", "process-vmcompute.txt", "process-cexecsvc.txt",
	"process-containerd-shim-runhcs-v1.txt"}

var aksGuestFolder = regexp.MustCompile(`(?i)(?:^|/)windowsazure/logs/aks$`)

// disk is the folder of the disk's root around WindowsAzure\Logs\aks, where an inspection copied
// other folders too; nil where there is none.
func (s *source) disk() *source {
	if !aksGuestFolder.MatchString(s.root) {
		return nil
	}
	root, err := openSource(s.fsys, path.Join(s.root, "../../.."))
	if err != nil {
		return nil
	}
	root.placed = s.placed
	return root
}
