package foreign

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors/tree"
)

// An output is the tree that a conversion makes: small files in memory, and the
// recording itself below original/, read from where it lies.
type output struct{ *tree.Tree }

// originals is where the recording stays readable, byte for byte. It is not
// below logs/, because nothing in it is the log of one of the node's components.
const originals = "original"

// place puts a file that the recording has under a name of the layout, as it is stored
// and read when it is needed.
func (o *output) place(name string, src *source, file string) {
	if from := src.at(file); from != "" {
		o.placePath(name, src, from)
	}
}

// placePath puts any file of the tree under a name of the layout.
func (o *output) placePath(name string, src *source, from string) {
	info, err := fs.Stat(src.fsys, from)
	if err != nil {
		o.Gap(name, brokenf("%s: %v", path.Base(from), err))
		return
	}
	src.placed[from] = true
	o.link(name, src.fsys, from, info)
}

// link puts a file of another tree under a name of this one, which is read when it is needed.
func (o *output) link(name string, from fs.FS, at string, info fs.FileInfo) {
	o.Add(name, tree.File{Size: info.Size(), Modified: info.ModTime(),
		Open: func() (io.ReadCloser, error) { return from.Open(at) }})
}

// meta writes meta.json. Times from the names of files have no zone, and are taken for UTC.
func (o *output) meta(src *source, tool, node string, ran time.Time, elevated bool) {
	meta := evidence.Meta{
		Layout: evidence.Layout, Node: cmp.Or(node, folderName(src.root)), Source: tool,
		CollectedAt: ran.UTC().Truncate(time.Second),
	}
	if elevated { // that HNS did not answer proves nothing
		meta.Elevated = &elevated
	}
	o.JSON("meta.json", meta)
}

// quiet is how much younger than what a node wrote last the files are that somebody copied: Windows
// writes some events each day.
const quiet = 3 * 24 * time.Hour

// notCopied corrects when a tool ran where the times of files told it and they are much younger than
// the last event of Windows, or without any than the last lines of the logs: they were copied then, and
// what the logs tell of would look old.
func (o *output) notCopied() {
	var meta evidence.Meta
	var events []evidence.WindowsEvent
	if content, err := fs.ReadFile(o.FS(), evidence.WindowsEvents.Path()); err == nil {
		_ = json.Unmarshal(content, &events) // this package wrote both
	}
	if content, err := fs.ReadFile(o.FS(), "meta.json"); err == nil {
		_ = json.Unmarshal(content, &meta)
	}
	last := lastEvent(events)
	if last.IsZero() {
		last = o.lastLogged(meta.CollectedAt)
	} else if !slices.Contains([]string{"collectlogs", "capz-artifacts", "eks-log-collector"}, meta.Source) {
		return
	}
	if !last.IsZero() && meta.CollectedAt.Sub(last) > quiet {
		meta.CollectedAt = last.UTC().Truncate(time.Second)
		o.Remove("meta.json")
		o.JSON("meta.json", meta)
	}
}

// lastLogged is the latest last line of the logs that are as young as the recording. One that nobody
// wrote any more is older itself where its time was kept, and says nothing.
func (o *output) lastLogged(ran time.Time) (last time.Time) {
	const copying = 24 * time.Hour // which takes a while
	tree, read := o.FS(), 0
	fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !logName.MatchString(strings.ToLower(name)) {
			return nil
		}
		info, err := d.Info()
		if err != nil || ran.Sub(info.ModTime()).Abs() > copying {
			return nil
		}
		content, _ := readBounded(tree, name, maxText)
		last = later(last, lastLine(string(evidence.DecodeText(content)), info.ModTime()))
		if read++; read == maxCopiedLogs || !last.IsZero() && ran.Sub(last) <= quiet {
			return fs.SkipAll
		}
		return nil
	})
	return last
}

// maxCopiedLogs bounds the logs that are read for their last times.
const maxCopiedLogs = 50

// lastLine is the time of the last line of a log that has one.
func lastLine(text string, until time.Time) time.Time {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for _, line := range slices.Backward(lines[max(0, len(lines)-maxFields):]) {
		if at := evidence.LineTime(line, until); plausible(at) {
			return at
		}
	}
	return time.Time{}
}

// either writes the value, or the gap where there is one.
func (o *output) either(name string, v any, why evidence.Gap) {
	if why.Kind != "" {
		o.Gap(name, why)
		return
	}
	o.JSON(name, v)
}

var errTooManyFiles = errors.New("too many files")

// addOriginals lists the recording below original/, without what has a place in the layout.
func (o *output) addOriginals(src *source) error {
	count := 0
	err := fs.WalkDir(src.fsys, src.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name == src.root {
				return err
			}
			// the folder cannot be listed: its files are missing from the browser, nothing else
			return nil
		}
		if !d.Type().IsRegular() || !fs.ValidPath(name) || src.placed[name] {
			return nil
		}
		if count++; count > maxOriginals {
			return errTooManyFiles
		}
		rel := name
		if src.root != "." {
			rel = strings.TrimPrefix(name, src.root+"/")
		}
		info, err := d.Info()
		if err != nil {
			return nil // it went away since the folder was listed
		}
		o.link(path.Join(originals, rel), src.fsys, name, info)
		return nil
	})
	if errors.Is(err, errTooManyFiles) {
		return fmt.Errorf(
			"it holds more than %d files; give doctor the folder of the recording alone",
			maxOriginals)
	}
	return err
}

// write takes either from a reader that returns the value and the gap.
//
//go:noinline
func (o *output) write(name string) func(any, evidence.Gap) {
	return func(v any, why evidence.Gap) { o.either(name, v, why) }
}

// A lack is what loose files may not show, and the command that does.
type lack struct{ what, command string }

var pieceLacks = map[string]lack{
	"os.json":             {"the version of Windows", "systeminfo"},
	"services.json":       {"the services", "Get-Service | Format-List *"},
	"processes.json":      {"the processes", "Get-Process"},
	"features.json":       {"the Windows features", "doctor bundle"},
	"hotfixes.json":       {"the updates", "Get-HotFix"},
	"memory.json":         {"the memory", "systeminfo"},
	"disks.json":          {"the disks", "doctor bundle"},
	"firewall.json":       {"the firewall", "doctor bundle"},
	"certificates.json":   {"the certificates", "doctor bundle"},
	"security.json":       {"access lists and Defender", "doctor bundle"},
	"time.json":           {"the state of the clock", "doctor bundle"},
	"env.json":            {"the environment", "doctor bundle"},
	"events.json":         {"the event logs", "doctor bundle"},
	"files.json":          {"configuration files", "doctor bundle"},
	"pending-reboot.json": {"whether a reboot is pending", "doctor bundle"},
	"probes/reach.json":   {"whether anything can be reached", "doctor bundle"},
	"probes/dns.json":     {"answers to DNS questions", "doctor bundle"},
	"ports.json": {"the ranges of ports",
		"netsh int ipv4 show excludedportrange tcp; netsh int ipv4 show dynamicport tcp"},
	"vfp.json":           {"the ports of VFP", "vfpctrl /list-vmswitch-port"},
	"adapters.json":      {"the network adapters", "ipconfig /allcompartments /all"},
	"dns-client.json":    {"the DNS settings of the node", "ipconfig /allcompartments /all"},
	"routes.json":        {"the routes", "route print"},
	"hns-networks.json":  {"the HNS networks", "Get-HnsNetwork | ConvertTo-Json -Depth 20"},
	"hns-endpoints.json": {"the HNS endpoints", "Get-HnsEndpoint | ConvertTo-Json -Depth 20"},
	"hns-loadbalancers.json": {"the HNS load balancers",
		"Get-HnsPolicyList | ConvertTo-Json -Depth 20"},
	"hns-namespaces.json": {"the HNS namespaces",
		"Get-HnsNamespace | ConvertTo-Json -Depth 20"},
	"hns-globals.json": {"the version of HNS", "Get-HnsNetwork | ConvertTo-Json -Depth 20"},
	"cri.json":         {"the state of the container runtime", "crictl info"},
	"api/node.json":    {"the Node object", "kubectl get node NODE -o yaml"},
	"api/version.json": {"the version of the API server", "kubectl version -o json"},
	"logs/kubelet":     {"a log of the kubelet", `Get-Content C:\var\log\kubelet\*.log -Tail 2000`},
	"logs/kube-proxy":  {"a log of kube-proxy", "kubectl logs -n kube-system KUBE-PROXY-POD"},
	"logs/containerd":  {"a log of containerd", "doctor bundle"},
	"logs/flanneld":    {"a log of flanneld", "kubectl logs -n kube-flannel FLANNEL-POD"},
}

func init() {
	for _, l := range apiLists {
		pieceLacks[l.path] = lack{l.words, l.ask}
	}
}

// misses is the gap of a file of the layout that a tool does not collect, with the command that does.
func misses(tool, path string) evidence.Gap {
	l, ask := pieceLacks[path], runBundle
	if l.command != "doctor bundle" {
		ask = "collect `" + l.command + "`, or " + runBundle
	}
	return missingf("%s does not collect %s; %s", tool, l.what, ask)
}

// uncollected makes the gaps of all that a tool does not collect. own are those that have more to say.
func (o *output) uncollected(tool string, own map[string]evidence.Gap) {
	for path, why := range own {
		if !o.Has(path) {
			o.Gap(path, why)
		}
	}
	for path := range pieceLacks {
		if !strings.HasPrefix(path, "logs/") && !o.Has(path) {
			o.Gap(path, misses(tool, path))
		}
	}
}
