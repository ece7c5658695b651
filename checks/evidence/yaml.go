package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	exactjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// decodeYAML reads the mapping of one YAML or JSON document into a structure. Kubernetes matches the
// keys of its configurations exactly, so they are not folded here. JSON is recognized by its brace, as
// Kubernetes does, because YAML does not take the tabs that JSON may be indented with.
func decodeYAML[T any](b []byte) (*T, error) {
	v := new(T)
	return v, mergeYAML(b, v)
}

// mergeYAML reads it over what v holds already: maps keep their other keys, lists are replaced.
func mergeYAML(b []byte, v any) error {
	b, _ = trimBOM(b)
	if len(b) > maxConfig {
		return fmt.Errorf("%d bytes are too many for a configuration", len(b))
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return fmt.Errorf("line 1: the file is empty")
	}
	if err := CheckNesting(b); err != nil {
		return err
	}
	document := bytes.TrimSpace(b)
	if !bytes.HasPrefix(document, []byte("{")) || !json.Valid(document) {
		if err := guard(func() (err error) {
			document, err = yaml.YAMLToJSON(b)
			return err
		}); err != nil {
			return errors.New(strings.TrimPrefix(strings.TrimPrefix(err.Error(),
				"error converting YAML to JSON: "), "yaml: "))
		}
	}
	if !bytes.HasPrefix(document, []byte("{")) && !bytes.HasPrefix(document, []byte("null")) {
		return fmt.Errorf("line 1: not a YAML mapping")
	}
	if err := exactjson.UnmarshalCaseSensitivePreserveInts(document, v); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// guard turns a panic of a foreign parser into an error: a file must not be
// able to end the program.
func guard(parse func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the file cannot be parsed: %v", r)
		}
	}()
	return parse()
}

// CheckNesting refuses what could send a recursive parser of YAML or TOML too
// deep: brackets in brackets, far indentation, rows of "- - -". The count of
// nested brackets can be led astray by quotes that span lines, so the number of
// all brackets is bounded as well; a real configuration has some hundreds.
func CheckNesting(b []byte) error {
	if bytes.Count(b, []byte("["))+bytes.Count(b, []byte("{")) > maxBrackets {
		return fmt.Errorf("more than %d brackets", maxBrackets)
	}
	depth := 0
	number := 0
	for line := range bytes.Lines(b) {
		number++
		indent := len(line) - len(bytes.TrimLeft(line, " \t"))
		markers := 0
		for rest := line[indent:]; len(rest) > 1 && bytes.IndexByte([]byte("-?:"), rest[0]) >= 0 &&
			(rest[1] == ' ' || rest[1] == '\t'); rest = bytes.TrimLeft(rest[1:], " \t") {
			markers++
		}
		depth = nesting(line, depth)
		if depth > maxNesting || indent > 2*maxNesting || markers > maxNesting {
			return fmt.Errorf("line %d: nested deeper than %d levels", number, maxNesting)
		}
	}
	return nil
}

// nesting returns how deep the brackets are at the end of the line. Quotes are followed within the
// line only: an apostrophe in plain text must not hide the brackets of all that follows, and too
// high a count merely refuses a file that no component would write.
func nesting(line []byte, depth int) int {
	var quote byte
	deepest := depth
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			i = len(line)
		case c == '"', c == '\'':
			if bytes.IndexByte(line[i+1:], c) >= 0 {
				quote = c
			}
		case c == '[', c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']', c == '}':
			depth = max(depth-1, 0)
		}
	}
	if deepest > maxNesting {
		return deepest
	}
	return depth
}

// KubeletConfig is the part of a KubeletConfiguration that checks read. A nil
// pointer is a field that the file does not set.
type KubeletConfig struct {
	ClusterDNS    []string `json:"clusterDNS"`
	ClusterDomain string   `json:"clusterDomain"`
	CgroupsPerQOS *bool    `json:"cgroupsPerQOS"`
	// an empty list is what Windows needs; an absent one, which is nil, is [pods]
	EnforceNodeAllocatable   []string          `json:"enforceNodeAllocatable"`
	EnforcesNodeAllocatable  bool              `json:"-"` // the field is there
	SystemReserved           map[string]string `json:"systemReserved"`
	KubeReserved             map[string]string `json:"kubeReserved"`
	EvictionHard             map[string]string `json:"evictionHard"`
	EvictionSoft             map[string]string `json:"evictionSoft"`
	ContainerRuntimeEndpoint string            `json:"containerRuntimeEndpoint"`
	Port                     int               `json:"port"`
	HealthzPort              *int              `json:"healthzPort"`
	ResolvConf               string            `json:"resolvConf"`
	MaxPods                  int               `json:"maxPods"`
	PodsPerCore              int               `json:"podsPerCore"`
	RegisterWithTaints       []Taint           `json:"registerWithTaints"`
	Authentication           struct {
		X509 struct {
			ClientCAFile string `json:"clientCAFile"`
		} `json:"x509"`
	} `json:"authentication"`
}

// DecodeKubeletConfig reads the file behind --config, YAML or JSON.
func DecodeKubeletConfig(b []byte) (*KubeletConfig, error) {
	c := &KubeletConfig{}
	if err := c.Merge(b); err != nil {
		return nil, err
	}
	return c, nil
}

// Merge reads a file of --config-dir over the configuration, as the kubelet does.
func (c *KubeletConfig) Merge(b []byte) error {
	err := mergeYAML(b, c)
	c.EnforcesNodeAllocatable = c.EnforceNodeAllocatable != nil
	return err
}

// InYAML is a field of a YAML or JSON document, nil where it has none.
func InYAML(document string, steps ...string) (any, error) {
	tree, err := decodeYAML[map[string]any]([]byte(document))
	if err != nil {
		return nil, err
	}
	var at any = *tree
	for _, step := range steps {
		fields, _ := at.(map[string]any)
		at = fields[step]
	}
	return at, nil
}

// KubeadmSubnets reads the subnets of pods and of services from a kubeadm
// ClusterConfiguration; a comma stands between those of a dual-stack cluster.
func KubeadmSubnets(clusterConfiguration string) (pods, services string) {
	c, _ := decodeYAML[struct {
		Networking struct {
			Pods     string `json:"podSubnet"`
			Services string `json:"serviceSubnet"`
		} `json:"networking"`
	}]([]byte(clusterConfiguration))
	if c == nil {
		return "", ""
	}
	return c.Networking.Pods, c.Networking.Services
}

// removedKubeletFlags are the flags that a Windows node may still be started with, by the 1.x
// release in which the kubelet lost them. It then ends at once with "unknown flag". Only removals
// that a release note or the flag's own pull request states are here: a flag too many would convict
// a healthy node.
var removedKubeletFlags = map[int][]string{
	12: {"cadvisor-port"},
	15: {"allow-privileged"},
	16: {"containerized"},
	// With dockershim.
	24: {"experimental-dockershim-root-directory", "docker-endpoint",
		"image-pull-progress-deadline", "network-plugin", "network-plugin-mtu", "cni-conf-dir",
		"cni-bin-dir", "cni-cache-dir", "non-masquerade-cidr", "dynamic-config-dir"},
	// With klog's own ways to write files; -v and --vmodule stayed.
	26: {"add-dir-header", "alsologtostderr", "log-backtrace-at", "log-dir", "log-file",
		"log-file-max-size", "logtostderr", "one-output", "skip-headers", "skip-log-headers",
		"stderrthreshold"},
	27: {"container-runtime", "master-service-namespace"},
	30: {"azure-container-registry-config"},
	31: {"keep-terminated-pod-volumes"},
	34: {"cloud-config"},
	35: {"pod-infra-container-image"},
}

// RemovedKubeletFlags returns the flags that a kubelet of version v no longer
// knows, each with the minor release that removed it.
func RemovedKubeletFlags(v Version) map[string]int {
	removed := map[string]int{}
	for minor, flags := range removedKubeletFlags {
		for _, flag := range flags {
			if v.AtLeast(Version{Major: 1, Minor: minor}) {
				removed[flag] = minor
			}
		}
	}
	return removed
}

// KubeProxyConfig is the part of a KubeProxyConfiguration that checks read.
type KubeProxyConfig struct {
	ClusterCIDR      string `json:"clusterCIDR"`
	Mode             string `json:"mode"`
	HostnameOverride string `json:"hostnameOverride"`
	BindAddress      string `json:"bindAddress"`
	// the port of each is the default's where the address is empty
	HealthzBindAddress string `json:"healthzBindAddress"`
	MetricsBindAddress string `json:"metricsBindAddress"`

	FeatureGates map[string]bool `json:"featureGates"`
	Winkernel    struct {
		NetworkName           string `json:"networkName"`
		SourceVIP             string `json:"sourceVip"`
		EnableDSR             *bool  `json:"enableDSR"`
		ForwardHealthCheckVIP *bool  `json:"forwardHealthCheckVip"`
	} `json:"winkernel"`
}

// DecodeKubeProxyConfig reads the file behind --config, or config.conf of kubeadm's ConfigMap.
func DecodeKubeProxyConfig(b []byte) (*KubeProxyConfig, error) {
	c, err := decodeYAML[KubeProxyConfig](b)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// A Kubeconfig is the part of a kubeconfig that checks read: how its names refer to each other.
type Kubeconfig struct {
	CurrentContext string
	Clusters       map[string]string // name → server
	Users          []string
	Contexts       map[string]KubeconfigContext
}

// A KubeconfigContext names a cluster and a user.
type KubeconfigContext struct {
	Cluster string `json:"cluster"`
	User    string `json:"user"`
}

// DecodeKubeconfig reads a kubeconfig.
func DecodeKubeconfig(b []byte) (*Kubeconfig, error) {
	file, err := decodeYAML[struct {
		CurrentContext string `json:"current-context"`
		Clusters       []struct {
			Name    string `json:"name"`
			Cluster struct {
				Server string `json:"server"`
			} `json:"cluster"`
		} `json:"clusters"`
		Contexts []struct {
			Name    string            `json:"name"`
			Context KubeconfigContext `json:"context"`
		} `json:"contexts"`
		Users []struct {
			Name string `json:"name"`
		} `json:"users"`
	}](b)
	if err != nil {
		return nil, err
	}
	c := &Kubeconfig{file.CurrentContext, map[string]string{}, nil, map[string]KubeconfigContext{}}
	for _, cluster := range file.Clusters {
		c.Clusters[cluster.Name] = cluster.Cluster.Server
	}
	for _, context := range file.Contexts {
		c.Contexts[context.Name] = context.Context
	}
	for _, user := range file.Users {
		c.Users = append(c.Users, user.Name)
	}
	return c, nil
}
