package node

import (
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
	facts "doctor/checks/node"
)

// A runningProgram is one of the node's programs with its own arguments, behind whatever wraps it.
type runningProgram struct {
	nodeProgram
	service string // its name, where it is one
	exe     string
	args    []string // of the program itself
	all     []string // with those of the wrapper
}

// runningPrograms finds the node's programs among its services, whether they run
// or not, and its processes.
func runningPrograms(services []evidence.Service, processes []evidence.Process) []runningProgram {
	var list []runningProgram
	for _, s := range services {
		if p, ok := programOf(s.Name, s.BinPath, s.Args); ok {
			list = append(list, runningProgram{p, s.Name, s.BinPath,
				facts.OwnArgs(s.Args, p.programs), s.Args})
		}
	}
	for _, s := range processes {
		if p, ok := programOf("", s.Exe, s.Args); ok || s.Exe == "" {
			if !ok {
				p, ok = programOf("", s.Name, s.Args)
			}
			if ok {
				list = append(list, runningProgram{p, "", s.Exe,
					facts.OwnArgs(s.Args, p.programs), s.Args})
			}
		}
	}
	return list
}

// programOf tells by the service's name, the program's or that of a program among the arguments.
func programOf(service, exe string, args []string) (nodeProgram, bool) {
	for _, p := range nodePrograms {
		if service != "" && facts.EqualsAny(service, p.services) ||
			facts.EqualsAny(facts.Program(exe), p.programs) {
			return p, true
		}
	}
	for _, p := range nodePrograms {
		if slices.ContainsFunc(args, func(a string) bool {
			return facts.IsProgramPath(a, p.programs)
		}) {
			return p, true
		}
	}
	return nodeProgram{}, false
}

// named gives the full path that a setting names, or "" where it names none:
// a relative one, a variable that only its script knows, a pipe.
func named(value string) string {
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	full := len(value) > 2 && value[1] == ':' && strings.IndexByte(`\/`, value[2]) >= 0 ||
		len(value) > 1 && strings.IndexByte(`\/%$`, value[0]) >= 0
	if !full || strings.HasPrefix(value, `\\`) || strings.HasPrefix(value, "//") {
		return ""
	}
	p := evidence.CleanWinPath(value)
	if evidence.Placeholder(p) || strings.ContainsAny(p, "$%*") {
		return ""
	}
	return p
}

// ofProgram copies what a program's arguments name, and what the script names that starts it.
func (c *copies) ofProgram(p runningProgram) {
	if exe := named(p.exe); exe != "" {
		c.name(exe)
	}
	c.ofFlags(p.nodeProgram, evidence.ParseFlags(p.args))
	script := named(evidence.StartScript(p.all))
	if script == "" {
		return
	}
	c.ofFlags(p.nodeProgram, evidence.ParseFlags(scriptArgs(c.file(script))))
}

// scriptFlag is a flag on the command line of whichever program a script starts.
var scriptFlag = regexp.MustCompile(
	"--?([A-Za-z][\\w-]*)[= \t]+(?:\"([^\"\\n]*)\"|'([^'\\n]*)'|([^\\s\"'`,;)]+))")

// scriptArgs lists the flags that stand in a start script, those of the kubelet
// and of any other program. What is no path is passed over later.
func scriptArgs(text string) []string {
	var args []string
	for _, f := range evidence.ScriptFlags(text) {
		args = append(args, "--"+f.Name+"="+f.Value)
	}
	for _, m := range scriptFlag.FindAllStringSubmatch(text, 1000) {
		args = append(args, "--"+m[1]+"="+m[2]+m[3]+m[4])
	}
	return args
}

func (c *copies) ofFlags(p nodeProgram, flags evidence.Flags) {
	for _, name := range flags.Names() {
		for _, value := range flags.All(name) {
			file := named(value)
			switch {
			case file == "":
			case slices.Contains(p.folders, name):
				c.folder(file, 1)
			case name == "cni-bin-dir":
				c.programs(file)
			case !slices.Contains(p.files, name):
			case p.component == "containerd":
				c.containerd(file)
			default:
				c.ofText(c.file(file))
			}
		}
	}
}

// Settings of configuration files that name another one.
var namesFile = regexp.MustCompile(
	`(?im)^[ \t"'{-]*(?:.*[{,][ \t]*)?["']?(kubeconfig|kubeconfig_?file|kubeConfigPath|subnet_?file|nodename_file|resolvConf)["']?[ \t]*[:=][ \t]*(.+)$`)

// ofText copies the files that a configuration names.
func (c *copies) ofText(text string) {
	for _, m := range namesFile.FindAllStringSubmatch(text, 32) {
		value := strings.TrimSpace(m[2])
		if value != "" && strings.IndexByte(`"'`, value[0]) >= 0 {
			value, _, _ = strings.Cut(value[1:], value[:1])
		}
		value = strings.ReplaceAll(strings.TrimRight(value, ", \r}"), `\\`, `\`)
		if file := named(value); file != "" {
			c.file(file)
		}
	}
}

// runtimes follows what the runtimes' configurations name, and looks for the
// plugins that the CNI configurations call.
func (c *copies) runtimes() {
	for _, f := range facts.ContainerdConfigs {
		c.containerd(f)
	}
	for _, dir := range facts.CNIFolderPaths {
		c.plugins(dir, []string{facts.CNIBinPaths[strings.ToLower(dir)]})
	}
	c.leftovers(containerdRoot)
}

// containerdRoot is where containerd keeps its data if its configuration names no other folder.
const containerdRoot = `C:\ProgramData\containerd\root`

// leftovers records the image layers that containerd renamed to remove them, and that are still there. The
// folder is recorded even if it has none, for then somebody looked.
func (c *copies) leftovers(root string) {
	c.each(root+`\io.containerd.snapshotter.v1.windows\snapshots`, func(e fs.DirEntry, below string) bool {
		leftover := e.IsDir() && strings.HasPrefix(e.Name(), "rm-")
		if leftover {
			c.record(below, nil, notCopied, byName)
		}
		return false
	})
}

// containerd copies containerd's configuration, what it imports, and the CNI
// configurations that it names.
func (c *copies) containerd(file string) {
	text := c.file(file)
	if text == "" {
		return
	}
	config, err := evidence.DecodeContainerdConfig([]byte(text))
	if err != nil {
		return // a check tells
	}
	if root := named(config.Root); root != "" {
		c.leftovers(root)
	}
	for _, pattern := range config.Imports {
		folder, last := cutLastElement(pattern)
		if strings.Contains(last, "*") {
			if dir := named(folder); dir != "" {
				c.folder(dir, 1)
			}
		} else if f := named(pattern); f != "" {
			c.file(f)
		}
	}
	conf := named(config.ConfDir())
	if conf == "" {
		return
	}
	c.folder(conf, 1)
	c.plugins(conf, append(slices.Clone(config.BinDirs()), facts.CNIBinPaths[strings.ToLower(conf)]))
}

func cutLastElement(p string) (folder, last string) {
	i := strings.LastIndexAny(p, `\/`)
	return p[:max(i, 0)], p[i+1:]
}

// plugins looks for the programs that the configurations of a folder call, in
// the folders where they may be: that one is not there is known only when
// somebody looked. What the configurations name is copied too.
func (c *copies) plugins(conf string, bins []string) {
	folder := strings.ToLower(conf) + `\`
	copied := slices.DeleteFunc(slices.Sorted(maps.Keys(c.texts)), func(key string) bool {
		return !strings.HasPrefix(key, folder)
	})
	for _, key := range copied {
		if len(evidence.CNIFiles([]string{key[len(folder):]})) == 0 {
			continue
		}
		text := c.texts[key]
		c.ofText(text)
		config, err := evidence.DecodeCNI([]byte(text))
		if err != nil {
			continue
		}
		for _, program := range pluginsOf(config) {
			for _, bin := range bins {
				if dir := named(bin); dir != "" {
					c.name(dir + `\` + program)
				}
			}
		}
	}
	for _, bin := range bins {
		if dir := named(bin); dir != "" && len(copied) > 0 {
			c.programs(dir)
		}
	}
}

// pluginsOf lists the programs that a configuration calls.
func pluginsOf(config *evidence.CNIConfig) []string {
	var names []string
	add := func(kind string) {
		if kind != "" && !strings.ContainsAny(kind, `\/:`) && !evidence.Placeholder(kind) {
			names = append(names, strings.TrimSuffix(kind, ".exe")+".exe")
		}
	}
	for _, p := range config.Plugins {
		add(p.Type)
		add(p.IPAM.Type)
		if p.Delegate != nil {
			add(p.Delegate.Type)
			add(p.Delegate.IPAM.Type)
		}
		if strings.EqualFold(p.Type, "flannel") {
			add("host-local") // to which flannel's delegate leaves the addresses
			add(config.EffectiveType())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
