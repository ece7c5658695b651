package evidence

import (
	"maps"
	"slices"
	"strings"
)

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
