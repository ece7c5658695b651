package foreign

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// Copies are the files of the node that a tool copied, each under the Windows
// path that it was copied from, and the record of it that becomes files.json.
type copies struct {
	tool    string
	out     *output
	records []evidence.FileRecord
}

// add places a file that the tool copied. One that is not there is no absence on the node: the tool
// may have failed, and somebody may have taken it out. Nor is an empty one surely empty there.
func (c *copies) add(src *source, name, windowsPath, why string) {
	to := evidence.EvidencePath(windowsPath)
	info, err := src.stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		c.out.Gap(to, missingf(
			"%s copies %s, and this recording does not hold it%s; collect that file",
			c.tool, windowsPath, why))
		return
	}
	if err == nil && info.Size() <= byteOrderMark {
		c.out.Gap(to, brokenf(
			"the copy of %s is empty: so may the file be, or %s could not read it; collect that file", windowsPath, c.tool))
		return
	}
	c.out.place(to, src, name)
	c.records = append(c.records, copiedFile(windowsPath, info))
}

// copiedFile is the record of a file that a tool copied; info is nil where it is not known.
func copiedFile(windowsPath string, info fs.FileInfo) evidence.FileRecord {
	r := evidence.FileRecord{Path: windowsPath, Outcome: "copied"}
	if info == nil {
		return r
	}
	size := info.Size()
	r.Bytes = &size
	if plausible(info.ModTime()) {
		r.ModifiedAt = evidence.Time{Time: info.ModTime().UTC().Truncate(time.Second)}
	}
	return r
}

// byteOrderMark is the size of the longest mark that stands in an empty file.
const byteOrderMark = 3

// addIfThere is add for a file that a healthy node may lack.
func (c *copies) addIfThere(src *source, name, windowsPath string) {
	if src.at(name) != "" {
		c.add(src, name, windowsPath, "")
	}
}

// addShort is addIfThere for a file that may hold a single digit.
func (c *copies) addShort(src *source, name, windowsPath string) {
	if t := src.text(name); t.gap.Kind == "" && strings.TrimSpace(t.content) != "" {
		c.out.place(evidence.EvidencePath(windowsPath), src, name)
		c.records = append(c.records, copiedFile(windowsPath, nil))
	}
}

// absent records what the tool looked for, and said that it is not there.
func (c *copies) absent(windowsPath string) {
	c.records = append(c.records, evidence.FileRecord{Path: windowsPath, Outcome: evidence.Absent})
}

// neverCopied are files that decide something and that no collector of a cloud copies.
var neverCopied = []string{
	`C:\run\flannel\subnet.env`, `C:\k\net-conf.json`, `C:\k\sourceVip.json`,
	`C:\k\sourceVipRequest.json`, `C:\k\config`, `C:\k\azure.json`, `C:\k\kubeletstart.ps1`,
	`C:\k\kubeproxystart.ps1`, `C:\k\kube-proxy.conf`, `C:\var\lib\kubelet\config.yaml`,
	`C:\var\lib\kubelet\kubeadm-flags.env`, `C:\var\lib\kube-proxy\config.conf`,
	`C:\ProgramData\kubernetes\kubelet-config.json`, `C:\ProgramData\kubernetes\kubeconfig`,
	`C:\ProgramData\kubernetes\kube-proxy-config.yaml`,
	`C:\Program Files\containerd\config.toml`, `C:\k\kubeclusterconfig.json`,
	`C:\k\azure-vnet.json`, `C:\k\azure-vnet-ipam.json`, `C:\CalicoWindows\config.ps1`,
	`C:\Windows\System32\vmcompute.dll`,
	`C:\ProgramData\Amazon\EKS\image-credential-provider\config.json`,
}

// finish writes files.json, and says of the rest that nobody looked.
func (c *copies) finish() {
	for _, p := range neverCopied {
		known := slices.ContainsFunc(c.records, func(r evidence.FileRecord) bool {
			return strings.EqualFold(r.Path, p)
		})
		if to := evidence.EvidencePath(p); !known && !c.out.Has(to) {
			c.out.Gap(to, missingf("%s does not collect %s; collect that file", c.tool, p))
		}
	}
	c.write(missingf(
		"this recording of %s contains no file of the node; collect its configuration files", c.tool))
}

// write makes files.json, or the gap where no file was copied. Other tools do not report what they
// looked for and did not find, so nothing in it is absent that they did not name.
func (c *copies) write(why evidence.Gap) {
	if len(c.records) == 0 {
		c.out.Gap(evidence.FileIndex.Path(), why)
		return
	}
	c.out.JSON(evidence.FileIndex.Path(), c.records)
}

// logComponents tells by the beginning of a log's name whose it is.
var logComponents = []namedLog{
	{"kubelet", "kubelet"}, {"kubeproxy", "kube-proxy"}, {"kube-proxy", "kube-proxy"},
	{"containerd", "containerd"}, {"panic.log", "containerd"},
	{"csi-proxy", "csi-proxy"}, {"csiproxy", "csi-proxy"}, {"azure-vnet", "cni"},
	{"azure-cn", "cni"}, {"vpc-", "cni"}, {"vpc_", "cni"}, {"aws-vpc", "cni"}, {"cni", "cni"},
	{"calico", "calico"}, {"felix", "calico"}, {"flannel", "flanneld"}, {"docker", "docker"},
	{"hosts-config-agent", "hosts-config-agent"},
	{"windows-exporter", "windows-exporter"}, {"aks-windows-exporter", "windows-exporter"},
	{"hnsremediator", "hns-remediator"}, {"nvidia", "nvidia"},
}

func logComponent(name, otherwise string) string {
	return componentNamed(logComponents, name, otherwise)
}

// A namedLog is how the names of a component's logs begin, in lower case.
type namedLog struct{ start, component string }

func componentNamed(logs []namedLog, name, otherwise string) string {
	for _, l := range logs {
		if strings.HasPrefix(strings.ToLower(name), l.start) {
			return l.component
		}
	}
	return otherwise
}

// placeLogs places the folder's files that are logs under their components. An empty one acquits
// nobody: components write their logs to one of two files, and a copy may have failed.
func placeLogs(src *source, out *output, isLog func(name string) bool, otherwise string) {
	empty := map[string]string{} // component → its log
	filled := map[string]bool{}
	for _, key := range sortedKeys(src.names.files) {
		if !isLog(key) {
			continue
		}
		stored, component := src.names.files[key], logComponent(key, otherwise)
		if info, err := src.stat(key); err == nil && info.Size() <= byteOrderMark {
			empty[component] = stored
			continue
		}
		filled[component] = true
		out.place("logs/"+component+"/"+stored, src, stored)
	}
	for component, stored := range empty {
		if !filled[component] && !out.Has("logs/"+component) {
			out.Gap("logs/"+component, brokenf(
				"%s is empty in this recording, and so is every other log of %s; collect it again",
				stored, component))
		}
	}
}

// copied gives a file of the recording the place that it was copied from.
func (c *copies) copied(src *source, file, windowsPath string) {
	name := evidence.EvidencePath(windowsPath)
	info, err := src.stat(file)
	if err != nil || strings.ContainsAny(windowsPath, "\x00\n\r") || !fs.ValidPath(name) || c.out.Has(name) {
		return
	}
	c.out.place(name, src, file)
	c.records = append(c.records, copiedFile(windowsPath, info))
}

// Bounds on a folder that was copied whole.
const (
	maxCopiedDepth = 4
	maxCopiedFiles = 1_000
)

// folder gives all files of a folder of the recording, and of those in it down to a depth, their places.
func (c *copies) folder(src *source, windowsPath string, depth int) {
	for _, name := range sortedValues(src.names.files) {
		if len(c.records) < maxCopiedFiles {
			c.copied(src, name, windowsPath+`\`+name)
		}
	}
	if depth == 0 {
		return
	}
	for _, name := range slices.Sorted(slices.Values(src.names.folders)) {
		c.folder(src.folder(name), windowsPath+`\`+name, depth-1)
	}
}
