package foreign

import (
	"cmp"
	"path"
	"reflect"
	"regexp"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// eks is the folder "system" that the log collector of Amazon EKS for Windows
// makes. A run that broke off leaves it unzipped, and half filled.
var eks = format{
	name:      "eks-log-collector",
	marks:     "the output of the EKS log collector (sysinfo, services and the folders eks, kubelet and network in one folder)",
	recognise: isEKS,
	inside:    func(child string) bool { return eksFolders[strings.ToLower(child)] },
	nodeName:  eksName,
	convert:   convertEKS,
}

const eksTool = "the EKS log collector"

var (
	eksOwn = []string{"sysinfo", "system-eventlogs.csv", "application-eventlogs.csv",
		"installed-64bit-apps.txt", "installed-32bit-apps.txt"}
	eksShared  = []string{"services", "volumes"}
	eksFolders = map[string]bool{"eks": true, "docker": true, "containerd": true, "firewall": true,
		"kubelet": true, "kube-proxy": true, "cni": true,
		"docker_log": true, "containerd_log": true, "network": true, "events": true, "gmsa": true}
	eksOwnFolders = []string{"eks", "docker_log", "containerd_log"}
)

// isEKS wants two names that only this tool uses, or one and two of the others: a
// run that stopped at a full disk holds little more than sysinfo.
func isEKS(folder listing) bool {
	own, others := folder.count(eksOwn...), folder.count(eksShared...)
	for _, f := range eksOwnFolders {
		if hasFolder(folder, f) {
			own++
		}
	}
	for f := range eksFolders {
		if hasFolder(folder, f) {
			others++
		}
	}
	alone := folder.files["sysinfo"] != "" && strings.EqualFold(path.Base(folder.dir), "system")
	return alone || own >= 2 && others >= 1 || own == 1 && others >= 2
}

func convertEKS(src *source, out *output) {
	network, hnsFolder := src.folder("network"), src.folder("network/hns")
	system, application := readExport(src, "system-eventlogs.csv"),
		readExport(src, "application-eventlogs.csv")
	info, known := readSysteminfo(src.text("sysinfo"))

	hns := readHNS(hnsFolder)
	hns.noPorts = noSwitchPorts(network.text("ports.txt"))
	hns.convert(out, unversioned(eksTool))
	if _, ok := hnsFolder.names.files["namespaces.txt"]; !ok {
		out.Gap("hns-namespaces.json", missingf(
			"%s does not collect the HNS namespaces; collect `hnsdiag list namespaces -d`",
			eksTool))
	}
	eksMeta(src, hns, out, system.newest())

	if known {
		out.JSON("os.json", info.startedAt(info.booted.UTC()))
		out.JSON("hotfixes.json", hotfixesOf(info.hotfixes))
	} else {
		why := src.text("sysinfo").gap
		if why.Kind == "" {
			why = brokenf(
				"sysinfo shows no version of Windows: systeminfo.exe failed, or was cut off")
		}
		out.Gap("os.json", why)
		out.Gap("hotfixes.json", why)
	}
	if info.memory.TotalBytes > 0 {
		out.JSON("memory.json", info.memory)
	}
	out.write("services.json")(readGetService(src.text("services")))
	out.write("disks.json")(readDrives(src.text("volumes")))

	net := readInterfaces(network)
	out.write("adapters.json")(net.adapters())
	out.write("dns-client.json")(net.dnsClient())
	out.write("routes.json")(readRoutes(network.text("routes.txt"), net))

	eksEvents(src, out, system, application)
	eksLogs(src, out)
	eksFiles(src, out)
	eksCRI(src, out)
	out.uncollected(eksTool, map[string]evidence.Gap{"memory.json": missingf(
		"sysinfo does not show the memory, and %s does not collect it otherwise; %s",
		eksTool, runBundle)})
}

func hotfixesOf(ids []string) []evidence.Hotfix {
	list := []evidence.Hotfix{}
	for _, id := range ids {
		list = append(list, evidence.Hotfix{ID: id})
	}
	return list
}

// eksName is the host's own name; the name of its Node is in the kubelet's log.
func eksName(src *source) string {
	info, _ := readSysteminfo(src.text("sysinfo"))
	return cmp.Or(info.host, hostName(src.folder("network").text("ip.txt").content),
		eksFolder(src.root))
}

var instanceID = regexp.MustCompile(`(?i)\b(i-[0-9a-f]{8,17})\b|_(i-[0-9a-f]{8,17})_`)

// eksFolder names the node after the instance that a folder around the recording
// is called by, or after that folder: its own is called system on every node.
func eksFolder(root string) string {
	if m := instanceID.FindStringSubmatch(root); m != nil {
		return m[1] + m[2]
	}
	if !strings.EqualFold(path.Base(root), "system") {
		return folderName(root)
	}
	return folderName(path.Dir(root))
}

// eksMeta takes the time from the files, from the name of a folder, or from the
// last event of Windows: it keeps on writing some while the tool runs.
func eksMeta(src *source, hns hnsState, out *output, lastEvent time.Time) {
	files := src.newest("sysinfo", "services", "volumes", "system-eventlogs.csv",
		"application-eventlogs.csv")
	for _, folder := range []string{"network", "network/hns", "containerd"} {
		in := src.folder(folder)
		files = later(files, in.newest(sortedValues(in.names.files)...))
	}
	ran := cmp.Or(files, lastEvent, stampIn(src.root), lastHealth(hns.all()))
	// The tool asks for administrator rights, and HNS answers administrators only.
	out.meta(src, "eks-log-collector", eksName(src), ran, hns.answered())
}

// eksEvents joins the exports of two logs, which have neither id nor provider.
func eksEvents(src *source, out *output, system, application export) {
	list := append(system.excerpt("System"), application.excerpt("Application")...)
	if gmsa := readExport(src.folder("gmsa"), "eventlogs.csv"); gmsa.gap.Kind == "" {
		list = append(list, gmsa.excerpt("")...)
	}
	switch {
	case system.gap.Kind != "" && len(list) == 0:
		out.Gap("events.json", system.gap)
	case system.gap.Kind != "":
		out.Gap("events.json",
			also(system.gap, "; without the System log the events are not those that checks need"))
	default:
		out.JSON("events.json", list)
	}
}

// eksLogs places logs. The kubelet and kube-proxy of EKS write to the event log,
// and the tool exports that.
func eksLogs(src *source, out *output) {
	readExport(src.folder("kubelet"), "kubelet-service.csv").placeLog(out, "kubelet")
	readExport(src.folder("kube-proxy"), "kube-proxy-service.csv").placeLog(out, "kube-proxy")
	if docker := readExport(src.folder("docker_log"), "docker-daemon.csv"); len(docker.events) > 0 {
		docker.placeLog(out, "docker")
	}
	text := func(name string) bool { return !binaryName(name) }
	placeLogs(src.folder("eks"), out, text, "eks")
	placeLogs(src.folder("containerd_log"), out, text, "containerd")
	placeLogs(src.folder("gmsa/filelogs"), out, text, "gmsa")
}

// binaryName tells files that no search of texts is for; a name that the layout
// gives another meaning is one of them.
func binaryName(name string) bool {
	switch path.Ext(strings.ToLower(name)) {
	case ".evtx", ".etl", ".dmp", ".zip", ".gz", ".cab", ".db", ".exe", ".dll", ".gap":
		return true
	}
	return false
}

// maxConfigs bounds the files of a CNI folder.
const maxConfigs = 100

func eksFiles(src *source, out *output) {
	c := &copies{tool: eksTool, out: out}
	kubelet, cni := src.folder("kubelet"), src.folder("cni")
	c.add(kubelet, "kubeconfig", `C:\ProgramData\kubernetes\kubeconfig`, "")
	c.add(kubelet, "kubelet-config.json", `C:\ProgramData\kubernetes\kubelet-config.json`, "")
	for i, key := range sortedKeys(cni.names.files) {
		if i < maxConfigs && !binaryName(key) {
			c.add(cni, key, `C:\ProgramData\Amazon\EKS\cni\config\`+cni.names.files[key], "")
		}
	}
	if len(cni.names.files) == 0 {
		out.Gap(evidence.EvidencePath(`C:\ProgramData\Amazon\EKS\cni\config`), missingf(
			"%s copies C:\\ProgramData\\Amazon\\EKS\\cni\\config, and this recording contains none of it; collect that folder", eksTool))
	}
	c.finish()
}

// eksCRI makes cri.json of what ctr printed, where containerd answered.
func eksCRI(src *source, out *output) {
	ctr := src.folder("containerd")
	images := readCtrImages(ctr.text("containerd-images.txt").content)
	inUse := readCtrContainers(ctr.text("containerd-containers.txt").content)
	var cri evidence.CRIState
	cri.Version = ctrVersion(ctr.text("containerd-version.txt").content)
	cri.Images = criImages(images)
	cri.Config = sandboxImage(pauseImage(inUse, images))
	if reflect.ValueOf(cri).IsZero() {
		t := ctr.text("containerd-images.txt")
		why := t.otherwise("%s shows no images; it begins with: %s")
		if t.gap.Kind != "" {
			why = also(why, ": %s asks containerd only while its service runs", eksTool)
		}
		out.Gap("cri.json", why)
		return
	}
	out.JSON("cri.json", cri)
}
