package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// ContainerdConfig is what containerd's config.toml sets, read as a containerd
// of the file's version reads it. What it does not set is empty; the methods
// give the defaults.
type ContainerdConfig struct {
	Version        int // of the format, 1 to 4; 1 where the file does not say
	SandboxImage   string
	CNIBinDirs     []string
	CNIConfDir     string
	DefaultRuntime string // runhcs-wcow-process
	Root           string
	PipeAddress    string
	Imports        []string // files whose settings are laid over these

	// Keys that are there, in a place where this version of the format does not look.
	Ignored []string
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
		c.CNIBinDirs = []string{dir}
	}
	c.DefaultRuntime = cri.text("containerd", "default_runtime_name")
	if c.DefaultRuntime == "" && c.Version == 1 {
		c.DefaultRuntime = cri.text("containerd", "default_runtime", "runtime_type")
	}
	c.findIgnored(plugins, images, runtime)
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

// BinDirs are the folders of the CNI plugins.
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
