package foreign

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// collectlogs is the folder that Microsoft SDN's collectlogs.ps1 leaves behind: in
// its first form (2018: pure JSON of the first HNS schema, seven files) and in
// those since (a table and JSON, the second schema, thirty files).
var collectlogs = format{
	name:      "sdn-collectlogs",
	marks:     "the output of Microsoft SDN's collectlogs.ps1 (network.txt, endpoint.txt, policy.txt and ports.txt in one folder)",
	recognise: isCollectlogs,
	inside:    func(child string) bool { return ownFolders[strings.ToLower(child)] },
	nodeName:  collectlogsName,
	convert:   convertCollectlogs,
	knows: func(file string) bool { // it writes texts alone, and folders
		top, _, inFolder := strings.Cut(strings.ToLower(file), "/")
		return ownFolders[top] || !inFolder && path.Ext(top) == ".txt"
	},
}

const runBundle = "run `doctor bundle` on the node"

// The names that the script gives and no other tool that is known here, but those that call it; those that
// only a dump of HNS or of its switch has; and those that other tools use as well.
var (
	scriptNames = []string{"networkdetailed.txt", "endpoint.txt", "policy.txt", "namespaces.txt",
		"hnsportpoolallocs.txt", "vfpoutput.txt", "scqueryex.txt", "windowsservices.txt", "reservedports.txt"}
	hnsNames = []string{"network.txt", "networkdetailed.txt", "endpoint.txt", "policy.txt",
		"namespaces.txt", "hnsdiag.txt", "hnsportpoolallocs.txt", "vfpoutput.txt"}
	otherNames = []string{"ports.txt", "ip.txt", "routes.txt", "mtu.txt", "scqueryex.txt",
		"windowsservices.txt", "excludedportrange.txt", "dynamicportrange.txt", "reservedports.txt",
		"winver.txt", "netadapter.txt", "nvspinfo.txt", "nmscrub.txt", "nmbind.txt", "hcsdiag.txt"}
	ownFolders = map[string]bool{"wfp": true, "adapters": true, "winevt": true, "logs": true,
		"hnslogs": true}
	allNames    = append(append([]string{}, hnsNames...), otherNames...)
	hnsOnlyPath = regexp.MustCompile(`(?i)(^|/)network/hns$`)
)

// isCollectlogs wants two dumps of HNS, or one and two of the other files: a
// recording that was cut off is still one, and a folder with an ip.txt is not, nor one in which K2s
// dumps network.txt, hnsdiag.txt and ports.txt: none of these is the script's alone.
// The collectors of EKS and Rancher keep dumps of the same names in network/hns,
// apart from everything else about the node; that folder is no node of its own.
func isCollectlogs(folder listing) bool {
	dumps, others := folder.count(hnsNames...), folder.count(otherNames...)
	if folder.count(scriptNames...) == 0 || others == 0 && hnsOnlyPath.MatchString(folder.dir) {
		return false
	}
	return dumps >= 2 || dumps == 1 && others >= 2
}

func convertCollectlogs(src *source, out *output) {
	hns := convertNetwork(src, out, src.text("winver.txt"), missingf(
		"collectlogs.ps1 does not ask HNS for its version, and no object in the folder carries one; %s",
		runBundle))
	convertMeta(src, hns, out)
	out.write("compute.json")(readCompute(src.text("hcsdiag.txt"), src.text("shimdiag.txt")))

	out.uncollected("collectlogs.ps1", collectlogsLacks)
	if len(src.names.folders) > 0 && hasFolder(src.names, "winevt") {
		out.Gap("events.json",
			gapf(evidence.Unsupported,
				"the event logs are in original/winevt as .evtx files, which doctor does not read; open them with Event Viewer, or %s", runBundle))
	}
}

// convertNetwork writes what collectlogs.ps1 tells of the node, also where another
// tool ran it. version is where the build of Windows is.
func convertNetwork(src *source, out *output, version textFile, unversioned evidence.Gap) hnsState {
	hns := readHNS(src)
	hns.convert(out, unversioned)
	out.write("os.json")(readOS(version))
	out.write("hotfixes.json")(readHotfixes(src.text("winver.txt")))
	out.write("services.json")(readServices(src.text("scqueryex.txt"),
		src.text("windowsServices.txt")))
	net := readInterfaces(src)
	out.write("adapters.json")(net.adapters())
	out.write("dns-client.json")(net.dnsClient())
	out.write("routes.json")(readRoutes(src.text("routes.txt"), net))
	out.write("ports.json")(readPorts(src.text("excludedportrange.txt"),
		src.text("dynamicportrange.txt")))
	out.write("vfp.json")(readVFP(src.text("ports.txt"), src.readText("vfpOutput.txt", maxVFP)))
	out.write("wfp.json")(readWFP(src.folder("wfp").readText("netevents.xml", maxVFP)))
	return hns
}

func hasFolder(l listing, name string) bool {
	return slices.ContainsFunc(l.folders, func(f string) bool { return strings.EqualFold(f, name) })
}

// collectlogsLacks is what collectlogs.ps1 collects less of than the layout has.
var collectlogsLacks = map[string]evidence.Gap{
	"firewall.json": missingf(
		"collectlogs.ps1 lists firewall rules without their ports, so firewall.txt does not show what is open; %s", runBundle),
	"cri.json": missingf(
		"collectlogs.ps1 does not ask the container runtime; containers.txt names at most the images of containers; %s", runBundle),
	"events.json": missingf("the folder contains no event logs; %s", runBundle),
}

// convertMeta writes meta.json. Now, for a check, is when the tool ran; where
// nothing tells that, collectedAt is left out, and a reader gets the zero time:
// no age can be worked out then, rather than a wrong one.
func convertMeta(src *source, hns hnsState, out *output) {
	ran := cmp.Or(src.newest(allNames...), stampIn(src.root), lastHealth(hns.all()))
	// HNS answers administrators only
	out.meta(src, "collectlogs", collectlogsName(src), ran, hns.answered())
}

// collectlogsName is the host name, which several of the files tell.
func collectlogsName(src *source) string {
	if name := hostName(src.text("ip.txt").content); name != "" {
		return name
	}
	if name := hotfixSource(src.text("winver.txt").content); name != "" {
		return name
	}
	if stored, ok := src.names.files["systeminfo.txt"]; ok {
		return systeminfoName(src.text(stored).content)
	}
	return ""
}

// systeminfoName takes the first line with a value: the host name, whatever the
// language of its heading.
func systeminfoName(s string) string {
	_, value, _ := strings.Cut(firstLine(s), ":")
	if value = strings.TrimSpace(value); hostNamePattern.MatchString(value) {
		return value
	}
	return ""
}

var hostNamePattern = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?$`)

// stamp matches the times that tools put into the names of folders and archives.
// Their hour is local and sometimes of twelve, so only the day is believed.
var stamp = regexp.MustCompile(`(?:^|\D)(20\d\d)-?([01]\d)-?([0-3]\d)(?:\D|$|\d{6})`)

func stampIn(root string) time.Time {
	for dir := root; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if m := stamp.FindStringSubmatch(path.Base(dir)); m != nil {
			if at, err := time.Parse("20060102", m[1]+m[2]+m[3]); err == nil && plausible(at) {
				return at
			}
		}
	}
	return time.Time{}
}

// lastHealth is when HNS last looked at one of its objects: the recording is not
// older than that. It counts 100 ns since 1601, in UTC.
func lastHealth(list []record) time.Time {
	const toUnix = 11644473600
	var newest time.Time
	for _, r := range list {
		var health struct{ LastUpdateTime int64 }
		if v, ok := r.get("Health"); !ok || json.Unmarshal(v, &health) != nil {
			continue
		}
		if at := time.Unix(health.LastUpdateTime/1e7-toUnix, 0).UTC(); plausible(at) {
			newest = later(newest, at)
		}
	}
	return newest
}
