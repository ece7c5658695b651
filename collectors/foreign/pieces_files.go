package foreign

import (
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/collectors/tree"
)

// Configuration files that somebody gave alone are known by what they hold, and get the place at
// which nodes have them.

// yamlConfigs are the places of files by their kind.
var yamlConfigs = map[string]string{
	"KubeletConfiguration":   `C:\var\lib\kubelet\config.yaml`,
	"KubeProxyConfiguration": `C:\var\lib\kube-proxy\config.conf`,
	"Config":                 `C:\etc\kubernetes\kubelet.conf`,
}

// lineConfigs are the files that a line tells which only they have.
var lineConfigs = []struct {
	path string
	line *regexp.Regexp
}{
	{`C:\run\flannel\subnet.env`, regexp.MustCompile(`(?m)^FLANNEL_(?:NETWORK|SUBNET)=\S`)},
	{`C:\var\lib\kubelet\kubeadm-flags.env`, regexp.MustCompile(`(?m)^KUBELET_KUBEADM_ARGS=`)},
	{`C:\CalicoWindows\config.ps1`, regexp.MustCompile(
		`(?m)^(?:Set-EnvVarIfNotSet -var "|\$env:)(?:CALICO_NETWORKING_BACKEND|K8S_SERVICE_CIDR|KUBE_NETWORK)\b`)},
	{`C:\Program Files\containerd\config.toml`, regexp.MustCompile(
		`(?m)^\s*\[plugins?\.?\S*(?:io\.containerd\.|cri)\S*\]|^\s*\[proxy_plugins\.`)},
}

// daemonKeys are settings that only dockerd has; others are common.
var daemonKeys = []string{"data-root", "exec-opts", "storage-driver", "log-driver", "hosts",
	"registry-mirrors", "insecure-registries", "graph", "fixed-cidr", "default-runtime", "bridge"}

var yamlConfigKind = regexp.MustCompile(`(?m)^kind: *["']?(\w+)`)

// configPath is where a node has the configuration file of a text, "" for what is none. The
// text may be no more than its beginning.
func configPath(name, text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		return jsonConfig(name, text)
	}
	if m := yamlConfigKind.FindStringSubmatch(text); m != nil {
		if m[1] != "Config" || strings.Contains(text, "clusters:") && strings.Contains(text, "users:") {
			return yamlConfigs[m[1]]
		}
		return ""
	}
	for _, c := range lineConfigs {
		if at := c.line.FindStringIndex(text); at != nil && settingLine.MatchString(firstLine(text)) {
			return c.path
		}
	}
	return ""
}

// settingLine is how a file of settings begins: with a setting, a table or a comment.
var settingLine = regexp.MustCompile(`^(?:#|\[+[\w".-]+\]|[\w".-]+ *=)`)

var jsonKey = regexp.MustCompile(`"([\w-]+)"\s*:`)

func jsonConfig(name, text string) string {
	keys := map[string]bool{}
	for _, m := range jsonKey.FindAllStringSubmatch(text, maxFields) {
		keys[m[1]] = true
	}
	base := path.Base(name)
	switch {
	case keys["apiVersion"] && strings.Contains(text, `"KubeletConfiguration"`), keys["kubeletconfig"]:
		return yamlConfigs["KubeletConfiguration"]
	case keys["apiVersion"], keys["metadata"], keys["cniconfig"], keys["lastCNILoadStatus"], strings.Contains(text, `"RuntimeReady"`): // or of crictl info
		return ""
	case keys["cniVersion"] && asksForAddress(text):
		return `C:\sourcevip\sourceVipRequest.json`
	case keys["cniVersion"] && (keys["type"] || keys["plugins"]):
		if ext := path.Ext(base); ext != ".conf" && ext != ".conflist" {
			base = "10-cni.conf"
			if keys["plugins"] {
				base += "list"
			}
		}
		return `C:\etc\cni\net.d\` + base
	case keys["Network"] && keys["Backend"]:
		return `C:\etc\kube-flannel\net-conf.json`
	case slices.ContainsFunc(daemonKeys, func(k string) bool { return keys[k] }):
		return `C:\ProgramData\docker\config\daemon.json`
	}
	return ""
}

// asksForAddress tells the request of kube-proxy's source VIP from the configuration of a plugin: it goes to
// host-local itself.
func asksForAddress(text string) bool {
	var request struct {
		Type    string
		Plugins json.RawMessage
		IPAM    struct{ Type string }
	}
	return json.Unmarshal([]byte(text), &request) == nil && request.Type == "" && request.Plugins == nil &&
		request.IPAM.Type == "host-local"
}

// configBegins tells that a line of a text begins a file of settings that is no JSON and no YAML.
func configBegins(line, rest string) bool {
	return settingLine.MatchString(line) && line[0] != '#' &&
		configPath("", line+"\n"+rest[:min(len(rest), maxPieceHead)]) != ""
}

// takeConfig keeps a configuration file, and tells whether the text is one.
func (p *pieces) takeConfig(name, text string) bool {
	place := configPath(name, text)
	same := func(c pieceConfig) bool { return c.path == place }
	if place == "" || slices.ContainsFunc(p.configs, same) {
		return false
	}
	trimmed := strings.TrimSpace(text)
	lines := strings.Split(trimmed, "\n")
	cut := trimmed[0] == '{' && !json.Valid([]byte(trimmed)) ||
		strings.HasSuffix(place, ".toml") && openSetting.MatchString(lines[len(lines)-1])
	var answer struct {
		KubeletConfig kubeObject `json:"kubeletconfig"`
	}
	if json.Unmarshal([]byte(trimmed), &answer) == nil && answer.KubeletConfig != nil { // /configz
		text = string(jsonOf(answer.KubeletConfig.withKind("kubelet.config.k8s.io/v1beta1",
			"KubeletConfiguration")))
	}
	whole := answer.KubeletConfig == nil && slices.ContainsFunc(p.files, func(f looseFile) bool {
		return f.path == name && f.role == pieceConfigFile
	})
	p.configs = append(p.configs, pieceConfig{place, name, text, cut, whole})
	return true
}

var (
	// a line of TOML that its end cuts, and settings that it shows
	openSetting = regexp.MustCompile(`^\s*(?:[\w-]+\s*=?|[^"#]*=\s*"[^"]*|\[[^\]]*)$`)
	settingRow  = regexp.MustCompile(`(?m)^\s*[\w".-]+ *= *(?:"[^"]+"|\[?[^"\s\[]\S*)`)
)

// shownOf is what a configuration file sets that breaks off, in one line.
func shownOf(text string) string {
	shown := closedJSON(strings.TrimSpace(text))
	if shown == "" {
		shown = strings.Join(settingRow.FindAllString(text, maxFields), ",")
	}
	return evidence.Clip(strings.Join(strings.Fields(shown), " "), 1<<10)
}

// A pieceConfig is a configuration file of the node.
type pieceConfig struct {
	path, file, text string
	cut              bool // it breaks off
	whole            bool // it is a file of its own
}

// convertConfigs gives the configuration files their places.
func (p *pieces) convertConfigs(src *source, out *output) {
	var records []evidence.FileRecord
	var shown []string
	for _, c := range p.configs {
		name := evidence.EvidencePath(c.path)
		if !fs.ValidPath(name) || out.Has(name) {
			continue
		}
		if c.cut {
			out.Gap(name, brokenf("%s breaks off; give doctor all of %s", c.file, c.path))
			shown = append(shown, shownOf(c.text))
			continue
		}
		info, err := fs.Stat(src.fsys, c.file)
		content, _ := readBounded(src.fsys, c.file, maxKubeObject)
		// as it is stored, with its byte order mark; UTF-16 is how PowerShell saved what it was shown
		if c.whole && err == nil && !slices.Contains([]string{"\xff\xfe", "\xfe\xff"}, string(content[:min(2, len(content))])) {
			out.placePath(name, src, c.file)
			records = append(records, copiedFile(c.path, info))
			continue
		}
		out.Add(name, tree.File{Content: []byte(c.text)})
		records = append(records, copiedFile(c.path, nil))
	}
	if len(records) > 0 {
		out.JSON(evidence.FileIndex.Path(), records)
	}
	out.partial(evidence.FileIndex.Path(), "a file that breaks off", shown, nil)
}
