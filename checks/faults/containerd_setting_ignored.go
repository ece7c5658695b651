package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "containerd-setting-ignored",
	Title:    "containerd ignores settings of its configuration",
	Healthy:  "containerd reads the settings of its configuration",
	Category: checks.CategoryComponents,
	Doc: `containerd ignores a key that it does not know, and uses the default instead: its own pause
image, its own CNI folder, no additional runtime handler, no registry mirror. The names of the
plugins depend on the version at the top of the file. Version 1, also where the file has none, uses
cri; version 2 uses io.containerd.grpc.v1.cri; versions 3 and 4 use io.containerd.cri.v1.images and
io.containerd.cri.v1.runtime. containerd 2 migrates a file of version 1 or 2, so both names work
there. It does not migrate a file that says version 3.

The check compares the names in config.toml with its version, and looks for misspelled keys in the
tables for pods. From containerd 2.4 on, a file of version 3 must name the folders of the CNI plugins
with bin_dirs. RKE2 writes the credentials of a registry on Windows to registry.configs.auth."HOST", which
no containerd reads: they belong in registry.configs."HOST".auth. This is a fault where the registry denies an
image to a pod, and otherwise a warning. The check reports neither a key without a value nor one that resembles no known key. Since
version 2.0 containerd logs the keys that it ignores.`,
	Fix: checks.Steps(
		checks.Inspect(`containerd.exe --config "{runtimeConfig}" config dump`,
			"Read which values containerd uses."),
		checks.Edit("{runtimeConfig}",
			"Correct the spelling, and move the settings to the plugins of the file's version. For io.containerd.grpc.v1.cri, that is version 2."),
		checks.Run("{restart runtime}",
			"Restart the container runtime: it reads the file at its start.").
			Costs("Running containers are not affected."),
		checks.Verify(`containerd.exe --config "{runtimeConfig}" config dump`,
			"the values of the file")),
	Links: []string{
		"https://github.com/containerd/containerd/blob/main/docs/cri/config.md",
		"https://github.com/containerd/containerd/issues/5237",
		"https://github.com/containerd/containerd/pull/9143",
		"https://github.com/kubernetes-sigs/windows-testing/pull/593",
		"https://github.com/containerd/containerd/issues/10959",
		"https://github.com/rancher/rke2/issues/7103",
		"https://github.com/nestybox/sysbox/issues/997",
		"https://github.com/microsoft/SDN/blob/master/Kubernetes/containerd/containerd-config.toml"},
	Explains: []string{"runtime-handler-missing", "cni-config-uninitialized", "cni-binary-missing"},
	Applies:  checks.UnlessOtherRuntime("containerd"),
	Needs:    []evidence.Need{evidence.Any(node.RuntimeConfigs...)},
	Uses:     []evidence.Need{evidence.Node, evidence.CRI, evidence.Pods, evidence.PodEvents},
	Signs: []checks.Sign{
		// A migrated file leaves no such key: those that the migration moves are removed there.
		{Text: "Ignoring unknown key in TOML for plugin",
			Also: []string{"plugin=io.containerd.grpc.v1.cri"}, Level: checks.Warn,
			Says: "containerd ignores settings of io.containerd.grpc.v1.cri, which have moved in version 3 of the file"},
		{Text: "Ignoring unknown key in TOML", Not: []string{"for plugin", "key=plugin_dir"},
			Level: checks.Info,
			Says:  "containerd ignores a key of its configuration file that it does not know"},
		// remotes/docker/config/hosts.go: it goes on with the certificates of the folder
		{Text: "failed to decode ", Also: []string{"hosts.toml"},
			Level: checks.Warn,
			Says:  "containerd ignores the settings of a registry: its hosts.toml is not valid",
			Fix: checks.Steps(
				checks.Inspect("Get-ChildItem C:\\ProgramData\\containerd\\certs.d -Recurse -Filter hosts.toml | Get-Content",
					"Read the file of the registry below config_path."),
				checks.Do("Correct the hosts.toml of the registry below config_path: paths with backslashes belong in single quotation marks."),
				checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds"))},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		c, file, gap := node.About(s).ContainerdConfig(s)
		if gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		ignored, unsure := ignoredSettings(s, c)
		var findings []*checks.Finding
		if len(ignored) > 0 {
			shown := strings.Join(ignored[:min(len(ignored), maxSettings)], ", ")
			f := checks.Findingf(checks.Warn, "containerd",
				"containerd ignores %s: version %d of its file does not have it there", shown, c.Version)
			if more := len(ignored) - maxSettings; more > 0 {
				f = checks.Findingf(checks.Warn, "containerd",
					"containerd ignores %s and %d more: version %d of its file does not have it there",
					shown, more, c.Version)
			}
			findings = append(findings, f.At(settingPlace(file, ignored[0]), "%s", ignored[0]))
		}
		misspelt := c.Misspelt
		if !c.ReadsBinDir(node.About(s).Runtime.Value.Version) {
			misspelt = append(slices.Clone(misspelt), evidence.MisspeltKey{Name: "bin_dir", Meant: "bin_dirs"})
		}
		for _, m := range misspelt {
			findings = append(findings, checks.Findingf(checks.Warn, "containerd",
				"containerd ignores %s in its configuration (expected: %s)", m.Name, m.Meant).
				Explaining("settings-not-applied"). // what it reports is the default
				At(settingPlace(file, m.Name), "%s", m.Name))
		}
		findings = append(findings, lostRegistries(s, c, file)...)
		if len(findings) == 0 && unsure {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the version of containerd, on which the names in its file depend"))
		}
		return findings, nil
	},
})

// lostRegistries are the tables of registries in which containerd does not look. Where a registry with
// credentials in such a table denies an image, the table is why.
func lostRegistries(s evidence.Snapshot, c *evidence.ContainerdConfig, file evidence.NodeFile) []*checks.Finding {
	var findings []*checks.Finding
	for _, lost := range c.LostRegistries {
		table := "configs." + cond(lost.Auth, "auth", "tls") + "."
		at := evidence.InLine(file.Path, max(cmp.Or(lineWith(file.Text, table+`"`+lost.Host), lineWith(file.Text, table)), 1))
		f := checks.Findingf(checks.Warn, lost.Host, "containerd ignores %s: the name of the registry belongs before the part", lost.Table).
			At(at, "%s", lost.Table)
		for _, denied := range complaints(s, registryUnauthorizedSigns) {
			// a pod with Secrets of its own sends those
			if lost.Auth && len(denied.pod.Spec.PullSecrets) == 0 && strings.Contains(denied.from.Text, lost.Host+"/") {
				f = checks.Findingf(checks.Fail, lost.Host,
					"containerd ignores the credentials of %s, and pulls without them (found: %s; expected: registry.configs.%q.auth)",
					lost.Host, lost.Table, lost.Host).
					At(at, "%s", lost.Table).With(denied.from).Explaining("registry-unauthorized")
				break
			}
		}
		findings = append(findings, f.Cure(checks.Steps(
			checks.Do("On RKE2, update to a release with the fix of issue 7103. Until then, write the table in config.toml.tmpl, in the folder of config.toml, which RKE2 overwrites."),
			checks.Edit("{runtimeConfig}", "Put the name of the registry before the part: registry.configs.\"HOST\".auth."),
			checks.Run("{restart runtime}", "Restart the container runtime: it reads the file at its start.").
				Costs("Running containers are not affected."),
			checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds"))))
	}
	return findings
}

// maxSettings is how many of the ignored settings a finding lists.
const maxSettings = 3

// ignoredSettings are the keys of another version of the format. containerd 2 reads the names of
// versions 1 and 2 in a file of either; where its version is not recorded, they are unsure.
func ignoredSettings(s evidence.Snapshot, c *evidence.ContainerdConfig) (list []string, unsure bool) {
	version := node.About(s).Runtime.Value.Version
	for _, key := range c.Ignored {
		switch {
		case c.Version >= 3 || c.Version == 2 && strings.HasPrefix(key, `plugins."cri".`),
			version.Major == 1:
			list = append(list, key)
		case version.Major == 0:
			unsure = true
		}
	}
	return slices.Compact(list), unsure
}

// settingPlace is where the file has the last part of a key, best in a line with its plugin.
func settingPlace(f evidence.NodeFile, key string) evidence.Place {
	plugin, last := "", key[strings.LastIndex(key, ".")+1:]
	if parts := strings.Split(key, `"`); len(parts) > 1 {
		plugin = parts[1]
	}
	for i, line := range strings.Split(f.Text, "\n") {
		if strings.Contains(line, last) && strings.Contains(line, plugin) {
			return evidence.InLine(f.Path, i+1)
		}
	}
	return evidence.InLine(f.Path, max(lineWith(f.Text, last), 1))
}
