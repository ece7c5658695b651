package evidence

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// ContainerdConfig is what containerd's config.toml sets, read as a containerd of the file's
// version reads it. What it does not set is empty; the methods give the defaults.
type ContainerdConfig struct {
	Version        int // of the format, 1 to 4; 1 where the file does not say
	SandboxImage   string
	CNIBinDirs     []string
	OldBinDir      bool // of a file that says bin_dir, and not bin_dirs as later releases want it
	CNIConfDir     string
	DefaultRuntime string // runhcs-wcow-process
	RuntimeType    string // of the default runtime: io.containerd.runhcs.v1
	Root           string
	Temp           string // where layers are unpacked
	PipeAddress    string
	Imports        []string // files whose settings are laid over these

	// Keys that are there, in a place where this version of the format does not look.
	Ignored []string
	// Tables of a registry that no version reads: registry.configs has the name of the host first.
	LostRegistries []LostRegistry
	// Keys that no version of containerd has, and that resemble one that it has.
	Misspelt []MisspeltKey
}

// The names of the CRI plugin through the versions of the format.
const (
	criV1      = "cri"
	criV2      = "io.containerd.grpc.v1.cri"
	criImages  = "io.containerd.cri.v1.images"
	criRuntime = "io.containerd.cri.v1.runtime"
)

// maxTOML bounds the file: the parser compares each key with all before it. A
// real configuration has some ten kilobytes.
const maxTOML = 128 << 10

// DecodeContainerdConfig reads config.toml of any version.
func DecodeContainerdConfig(b []byte) (*ContainerdConfig, error) {
	b, _ = trimBOM(b)
	if err := boundTOML(b); err != nil {
		return nil, err
	}
	var root map[string]any
	if err := guard(func() error { return toml.Unmarshal(b, &root) }); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		return nil, err
	}
	t := tomlTable(root)
	version, _ := t["version"].(int64)
	c := &ContainerdConfig{
		Version:     max(int(version), 1),
		Root:        t.text("root"),
		Temp:        t.text("temp"),
		PipeAddress: t.table("grpc").text("address"),
		Imports:     t.texts("imports"),
	}
	c.readCRI(t.table("plugins"))
	c.Misspelt = misspeltKeys(t)
	return c, nil
}

func (c *ContainerdConfig) readCRI(plugins tomlTable) {
	images, runtime := criV1, criV1
	sandbox := []string{"sandbox_image"}
	switch {
	case c.Version == 2:
		images, runtime = criV2, criV2
	case c.Version >= 3:
		images, runtime, sandbox = criImages, criRuntime, []string{"pinned_images", "sandbox"}
	}
	c.SandboxImage = plugins.table(images).text(sandbox...)
	cri := plugins.table(runtime)
	c.CNIConfDir = cri.text("cni", "conf_dir")
	c.CNIBinDirs = cri.texts("cni", "bin_dirs")
	if dir := cri.text("cni", "bin_dir"); dir != "" && len(c.CNIBinDirs) == 0 {
		c.CNIBinDirs, c.OldBinDir = []string{dir}, c.Version >= 3
	}
	c.DefaultRuntime = cri.text("containerd", "default_runtime_name")
	c.RuntimeType = cri.text("containerd", "runtimes", c.DefaultRuntime, "runtime_type")
	// Up to containerd 1.7 the table of this name is the default, and containerd calls it so (pkg/cri/config/config.go,
	// ValidatePluginConfig). The template of AKS for containerd 1 has it.
	if kind := cri.text("containerd", "default_runtime", "runtime_type"); c.Version < 3 && kind != "" {
		c.DefaultRuntime, c.RuntimeType = "default", kind
	}
	c.findIgnored(plugins, images, runtime)
	c.findLostRegistries(images, plugins.table(images))
}

// misplaced lists the settings that people look for in vain: each key, and the
// plugins it is a setting of.
var misplaced = []struct {
	path    []string
	plugins []string
}{
	{[]string{"sandbox_image"}, []string{criV1, criV2}},
	{[]string{"pinned_images", "sandbox"}, []string{criImages}},
	{[]string{"cni", "bin_dir"}, []string{criV1, criV2, criRuntime}},
	{[]string{"cni", "bin_dirs"}, []string{criRuntime}},
	{[]string{"cni", "conf_dir"}, []string{criV1, criV2, criRuntime}},
	{[]string{"cni", "max_conf_num"}, []string{criV1, criV2, criRuntime}},
	{[]string{"containerd", "default_runtime_name"}, []string{criV1, criV2, criRuntime}},
	{[]string{"containerd", "runtimes"}, []string{criV1, criV2, criRuntime}},
	{[]string{"registry", "config_path"}, []string{criV1, criV2, criImages}},
	{[]string{"registry", "mirrors"}, []string{criV1, criV2, criImages}},
}

// LostRegistry is a table of a registry whose parts are in the wrong order, as RKE2 writes them on Windows
// (https://github.com/rancher/rke2/issues/7103).
type LostRegistry struct {
	Table, Host string // registry.configs.auth."HOST"; HOST
	Auth        bool   // it has credentials
}

func (c *ContainerdConfig) findLostRegistries(plugin string, table tomlTable) {
	for _, part := range []string{"auth", "tls"} {
		hosts, _ := table.lookup("registry", "configs", part).(map[string]any)
		for _, host := range slices.Sorted(maps.Keys(hosts)) {
			// a host can be called auth, too: its own tables have these names
			if settings, ok := hosts[host].(map[string]any); ok && host != "auth" && host != "tls" && !setsNothing(settings) {
				c.LostRegistries = append(c.LostRegistries, LostRegistry{Host: host, Auth: part == "auth",
					Table: fmt.Sprintf("plugins.%q.registry.configs.%s.%q", plugin, part, host)})
			}
		}
	}
}

func (c *ContainerdConfig) findIgnored(plugins tomlTable, images, runtime string) {
	for _, name := range []string{criV1, criV2, criImages, criRuntime} {
		for _, m := range misplaced {
			if setsNothing(plugins.table(name).lookup(m.path...)) {
				continue
			}
			read := name == images || name == runtime
			if !read || !slices.Contains(m.plugins, name) {
				c.Ignored = append(c.Ignored, fmt.Sprintf("plugins.%q.%s", name,
					strings.Join(m.path, ".")))
			}
		}
	}
}

// ReadsBinDir tells whether that release of containerd reads bin_dir of the file: 2.4 reads bin_dirs alone
// (https://github.com/kubernetes-sigs/windows-testing/pull/593).
func (c *ContainerdConfig) ReadsBinDir(release Version) bool {
	return !c.OldBinDir || !release.AtLeast(Version{Major: 2, Minor: 4})
}

// BinDirs are the folders of the CNI plugins that the file names, or those where it names none.
func (c *ContainerdConfig) BinDirs() []string {
	if len(c.CNIBinDirs) > 0 {
		return c.CNIBinDirs
	}
	return []string{`C:\Program Files\containerd\cni\bin`}
}

// ConfDir is the folder of the CNI configurations.
func (c *ContainerdConfig) ConfDir() string {
	return cmp.Or(c.CNIConfDir, `C:\Program Files\containerd\cni\conf`)
}

// A MisspeltKey is a key of config.toml that containerd does not know, and the known one that is
// meant.
type MisspeltKey struct {
	Name  string // with the tables that it is in
	Meant string
}

// The keys that matter to pods on Windows, of all versions of containerd.
var (
	topKeys = strings.Fields(`version root state temp plugin_dir grpc ttrpc debug metrics subreaper
		disabled_plugins required_plugins plugins oom_score cgroup proxy_plugins timeouts imports
		stream_processors`)
	criPlugins = []string{criV1, criV2, criImages, criRuntime}
	criKeys    = strings.Fields(`containerd cni registry sandbox_image pinned_images snapshotter
		runtime_platforms runtime_platform max_concurrent_downloads image_pull_progress_timeout
		disable_snapshot_annotations discard_unpacked_layers`)
	cniKeys = strings.Fields(`bin_dir bin_dirs conf_dir max_conf_num setup_serially conf_template
		ip_pref use_internal_loopback`)
	registryKeys = strings.Fields(`config_path mirrors configs auths headers`)
	runtimesKeys = strings.Fields(`default_runtime_name default_runtime untrusted_workload_runtime
		runtimes snapshotter disable_snapshot_annotations discard_unpacked_layers`)
	runtimeKeys = strings.Fields(`runtime_type runtime_path runtime_engine runtime_root
		pod_annotations container_annotations options base_runtime_spec cni_conf_dir
		cni_max_conf_num snapshotter sandbox_mode sandboxer`)
)

// misspeltKeys compares the tables on which pods depend. A key that resembles none of the known
// ones is not reported: containerd has others, and a later one has more.
func misspeltKeys(root tomlTable) []MisspeltKey {
	var found []MisspeltKey
	look := func(t tomlTable, known []string, within ...string) {
		for _, key := range slices.Sorted(maps.Keys(t)) {
			if meant := resembles(key, known); meant != "" && !setsNothing(t[key]) {
				found = append(found, MisspeltKey{strings.Join(append(within, key), "."), meant})
			}
		}
	}
	look(root, topKeys)
	plugins := root.table("plugins")
	look(plugins, criPlugins, "plugins")
	for _, name := range criPlugins {
		cri, at := plugins.table(name), `plugins."`+name+`"`
		runtimes := cri.table("containerd")
		look(cri, criKeys, at)
		look(cri.table("cni"), cniKeys, at, "cni")
		look(cri.table("registry"), registryKeys, at, "registry")
		look(runtimes, runtimesKeys, at, "containerd")
		for _, handler := range slices.Sorted(maps.Keys(runtimes.table("runtimes"))) {
			look(runtimes.table("runtimes").table(handler), runtimeKeys, at, "containerd",
				"runtimes", handler)
		}
	}
	return found
}

// setsNothing tells whether a value is absent, or a table or list with nothing in it.
func setsNothing(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		for _, nested := range v {
			if !setsNothing(nested) {
				return false
			}
		}
		return true
	}
	return v == ""
}

const (
	minMisspelt = 6 // shorter keys resemble too many
	maxSlips    = 2 // letters that are wrong, missing or too many; swapped ones are two
)

// resembles is the known key that a misspelt one stands for, or "". A plural is no slip: bin_dir
// has become bin_dirs.
func resembles(key string, known []string) string {
	if len(key) < minMisspelt || slices.Contains(known, key) ||
		slices.Contains(known, strings.TrimSuffix(key, "s")) {
		return ""
	}
	for _, k := range known {
		if slips(key, k) <= maxSlips {
			return k
		}
	}
	return ""
}

// slips is the Levenshtein distance.
func slips(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// boundTOML refuses what could send the parser into deep recursion.
func boundTOML(b []byte) error {
	if len(b) > maxTOML {
		return fmt.Errorf("%d bytes are too many for a configuration", len(b))
	}
	number := 0
	for line := range bytes.Lines(b) {
		if number++; bytes.Count(line, []byte(".")) > maxBrackets {
			return fmt.Errorf("line %d: too many dotted keys", number)
		}
	}
	return CheckNesting(b)
}

// A tomlTable is a table of a TOML document; the nil one is empty.
type tomlTable map[string]any

func (t tomlTable) table(key string) tomlTable {
	nested, _ := t[key].(map[string]any)
	return nested
}

func (t tomlTable) lookup(path ...string) any {
	for _, key := range path[:len(path)-1] {
		t = t.table(key)
	}
	return t[path[len(path)-1]]
}

func (t tomlTable) text(path ...string) string {
	s, _ := t.lookup(path...).(string)
	return s
}

func (t tomlTable) texts(path ...string) []string {
	list, _ := t.lookup(path...).([]any)
	var texts []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			texts = append(texts, s)
		}
	}
	return texts
}
