package node

import (
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// CNI is the family of a network plugin.
type CNI string

// The families that are known on Windows.
const (
	Flannel CNI = "flannel"
	Calico  CNI = "calico"
	Azure   CNI = "azure-vnet"
	VPC     CNI = "vpc" // Amazon EKS
	GKE     CNI = "gke"
	Antrea  CNI = "antrea"
	OVN     CNI = "ovn-kubernetes"
	WinCNI  CNI = "wincni" // the first generation, 2017 to 2019
	Bridge  CNI = "win-bridge"
	Overlay CNI = "win-overlay"
	NAT     CNI = "nat"
)

// Backend is the type of HNS network that carries pod traffic.
type Backend string

// The backends, under the names of HNS.
const (
	L2Bridge    Backend = "L2Bridge"
	OverlayNet  Backend = "Overlay"
	Transparent Backend = "Transparent"
)

// Label is the backend under the name that its users know.
func (b Backend) Label() string {
	return map[Backend]string{L2Bridge: "l2bridge", OverlayNet: "overlay",
		Transparent: "transparent"}[b]
}

// A CNIFile is one configuration in the folder that the runtime reads.
type CNIFile struct {
	Name   string // 10-flannel.conf
	File   evidence.NodeFile
	Config *evidence.CNIConfig // nil where it does not parse, or was not copied
	Err    error
}

// Field is a value of the plugin that makes the pod's endpoint: of the first one.
func (f *CNIFile) Field(steps ...any) evidence.Place {
	if f.Config != nil && f.Config.List {
		steps = append([]any{"plugins", 0}, steps...)
	}
	return f.File.Field(steps...)
}

// TypeField is where EffectiveType is written.
func (f *CNIFile) TypeField() evidence.Place {
	if f.Config != nil && len(f.Config.Plugins) > 0 {
		if d := f.Config.Plugins[0].Delegate; d != nil && d.Type == f.Config.EffectiveType() {
			return f.Field("delegate", "type")
		}
	}
	return f.Field("type")
}

// The folders and files of all recipes; the runtime's own configuration is asked first.
var (
	CNIFolderPaths = []string{
		`C:\k\cni\config`, `C:\etc\cni\net.d`, `C:\k\azurecni\netconf`,
		`C:\ProgramData\Amazon\EKS\cni\config`,
		`C:\etc\kubernetes\cni\config`, `C:\var\lib\rancher\rke2\agent\etc\cni`,
		`C:\Program Files\containerd\cni\conf`,
	}
	// the plugin folder that belongs to a configuration folder, by that in lower case
	CNIBinPaths = map[string]string{
		`c:\k\cni\config`:                       `C:\k\cni`,
		`c:\etc\cni\net.d`:                      `C:\opt\cni\bin`,
		`c:\k\azurecni\netconf`:                 `C:\k\azurecni\bin`,
		`c:\programdata\amazon\eks\cni\config`:  `C:\Program Files\Amazon\EKS\cni`,
		`c:\etc\kubernetes\cni\config`:          `C:\etc\kubernetes\cni`,
		`c:\var\lib\rancher\rke2\agent\etc\cni`: `C:\var\lib\rancher\rke2\bin`,
		`c:\program files\containerd\cni\conf`:  `C:\Program Files\containerd\cni\bin`,
	}
	ContainerdConfigs = []string{
		`C:\Program Files\containerd\config.toml`,
		`C:\var\lib\rancher\rke2\agent\etc\containerd\config.toml`,
		`C:\var\lib\rancher\k3s\agent\etc\containerd\config.toml`,
		`C:\k\containerd\containerd_conf.toml`,
	}
	CNIFolders     = asFolders(CNIFolderPaths)
	RuntimeConfigs = AsFiles(ContainerdConfigs)
	CNISources     = slices.Concat([]evidence.Need{evidence.Node, evidence.HNSNetworks,
		evidence.Services, evidence.Processes, evidence.CRI,
		evidence.Pods, evidence.Env, evidence.ConfigMaps, evidence.Logs("flanneld"),
		evidence.File(SubnetEnv)}, AsFiles(NetConfs), CNIFolders, RuntimeConfigs)
)

func asFolders(paths []string) []evidence.Need { return asNeeds[evidence.Folder](paths) }

func asNeeds[N interface {
	~string
	evidence.Need
}](paths []string) (needs []evidence.Need) {
	for _, p := range paths {
		needs = append(needs, N(p))
	}
	return needs
}

// SubnetEnv is where flanneld writes the node's subnet.
const SubnetEnv = `C:\run\flannel\subnet.env`

// SubnetFile is where flannel's plugin looks for the node's subnet: subnetFile of its configuration, where flanneld is
// told to write it, or SubnetEnv.
func (n *Node) SubnetFile() string {
	if f := n.Intended(); f != nil && f.Config != nil {
		for _, p := range f.Config.Plugins {
			if p.SubnetFile != "" {
				return evidence.CleanWinPath(p.SubnetFile)
			}
		}
	}
	for _, p := range n.Components["flanneld"].Processes {
		if told := evidence.ParseFlags(p.Args).All("subnet-file"); len(told) > 0 {
			return evidence.CleanWinPath(told[len(told)-1])
		}
	}
	return SubnetEnv
}

// NetConfs are flannel's own configurations, by distribution.
var NetConfs = []string{`C:\k\net-conf.json`, `C:\etc\kube-flannel\net-conf.json`,
	`C:\var\lib\rancher\rke2\agent\flanneld-net-conf.json`}

// ContainerdConfig reads containerd's configuration: the file that it was started with, or that of the
// distribution.
func (n *Node) ContainerdConfig(s evidence.Snapshot) (*evidence.ContainerdConfig, evidence.NodeFile,
	evidence.Gap) {
	files := ContainerdConfigs
	if own := n.containerdConfigFlag(); own != "" {
		files = []string{own}
	}
	return firstFile(s, files, evidence.DecodeContainerdConfig)
}

// containerdConfigFlag is the file that the flags of containerd name: those of the process say more than
// those of the service.
func (n *Node) containerdConfigFlag() string {
	named := func(program string, args []string) string {
		files := evidence.ParseFlags(args).All("config", "c")
		if len(files) == 0 || !strings.EqualFold(Program(program), "containerd") {
			return ""
		}
		return evidence.CleanWinPath(files[len(files)-1])
	}
	runtime := n.Components["runtime"]
	for _, p := range runtime.Processes {
		if file := named(p.Name, p.Args); file != "" {
			return file
		}
	}
	for _, svc := range runtime.Services {
		if file := named(svc.BinPath, svc.Args); file != "" {
			return file
		}
	}
	return ""
}

// firstFile decodes the first of the files that is there. The gap of one that was looked for says
// more than that of one that was not.
func firstFile[T any](s evidence.Snapshot, paths []string,
	decode func([]byte) (*T, error)) (*T, evidence.NodeFile, evidence.Gap) {
	var gap evidence.Gap
	for _, p := range paths {
		f := s.File(p)
		if f.Gap.Kind != "" {
			if gap.Kind == "" || gap.Kind == evidence.NotCollected {
				gap = f.Gap
			}
			continue
		}
		c, err := decode([]byte(f.Text))
		if err != nil {
			return nil, f, evidence.Unreadable.Gap(f.Path, err)
		}
		return c, f, evidence.Gap{}
	}
	return nil, evidence.NodeFile{}, gap
}

func (n *Node) learnCNI(s evidence.Snapshot) {
	n.learnCNIDir(s)
	if n.CNIDir.Known() {
		n.CNIFiles = readCNIFiles(s, n.CNIDir.Value)
	}
	n.learnFamily(s)
	n.learnBackend(s)
	n.learnNetworks(s)
}

// learnCNIDir finds the folder that the runtime reads: by the runtime's own
// configuration, then the kubelet's flags, then by where configurations lie.
func (n *Node) learnCNIDir(s evidence.Snapshot) {
	if c, f, gap := n.ContainerdConfig(s); gap.Kind == "" {
		n.CNIDir.Learn(evidence.CleanWinPath(c.ConfDir()), evidence.InFile(f.Path),
			"conf_dir is %s", c.ConfDir())
		if !c.ReadsBinDir(n.Runtime.Value.Version) {
			c = &evidence.ContainerdConfig{CNIConfDir: c.CNIConfDir}
		}
		dirs := c.BinDirs()
		n.BinDirs.Learn(dirs, evidence.InFile(f.Path), "bin_dir is %s", strings.Join(dirs, ", "))
	}
	if dir, at := evidence.CRIConfigValue(s, "confDir"); dir != "" {
		n.CNIDir.Learn(evidence.CleanWinPath(dir), at, "confDir is %s", dir)
	}
	if f, ok := n.KubeletFlag("cni-conf-dir"); ok && f.Value != "" {
		n.CNIDir.Learn(evidence.CleanWinPath(f.Value), f.From.Place(), "--cni-conf-dir=%s", f.Value)
	}
	if f, ok := n.KubeletFlag("cni-bin-dir"); ok && f.Value != "" {
		n.BinDirs.Learn([]string{evidence.CleanWinPath(f.Value)}, f.From.Place(),
			"--cni-bin-dir=%s", f.Value)
	}
	for _, dir := range CNIFolderPaths {
		if files := evidence.CNIFiles(s.FilesIn(dir)); len(files) > 0 {
			n.CNIDir.Learn(dir, evidence.InFile(evidence.EvidencePath(dir)+"/"+files[0]),
				"%s is in %s", files[0], dir)
		}
	}
	if bin := CNIBinPaths[strings.ToLower(n.CNIDir.Value)]; bin != "" {
		n.BinDirs.Learn([]string{bin}, n.CNIDir.From.Place(), "plugins of %s are in %s",
			n.CNIDir.Value, bin)
	}
	n.CNIDir.Miss(s, "the folder of the CNI configuration",
		slices.Concat(RuntimeConfigs, []evidence.Need{evidence.CRI}, CNIFolders)...)
	n.BinDirs.Miss(s, "the folder of the CNI plugins", RuntimeConfigs...)
}

func readCNIFiles(s evidence.Snapshot, dir string) []CNIFile {
	var files []CNIFile
	for _, name := range evidence.CNIFiles(s.FilesIn(dir)) {
		f := CNIFile{Name: name, File: s.File(dir + `\` + name)}
		if f.File.Gap.Kind == "" {
			f.Config, f.Err = evidence.DecodeCNI([]byte(f.File.Text))
		}
		files = append(files, f)
	}
	return files
}

// CNIFileOf is the first configuration in the folder that is of the family, or "".
func CNIFileOf(s evidence.Snapshot, dir string, family CNI) string {
	for _, f := range readCNIFiles(s, dir) {
		if f.Config != nil && FamilyOf(f.Config) == family {
			return f.Name
		}
	}
	return ""
}

// Effective returns the configuration that pods get: the first one in order.
// containerd loads just that one unless max_conf_num says otherwise.
func (n *Node) Effective() *CNIFile {
	if len(n.CNIFiles) == 0 {
		return nil
	}
	return &n.CNIFiles[0]
}

// Intended returns the configuration of the node's network plugin, which a
// leftover NAT configuration may stand before.
func (n *Node) Intended() *CNIFile {
	for i := range n.CNIFiles {
		if c := n.CNIFiles[i].Config; c != nil && !strings.EqualFold(c.EffectiveType(), "nat") {
			return &n.CNIFiles[i]
		}
	}
	return n.Effective()
}
