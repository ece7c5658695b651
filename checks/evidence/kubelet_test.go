package evidence

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestDecodeKubeletConfig(t *testing.T) {
	c, err := DecodeKubeletConfig([]byte(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
clusterDNS: [10.100.0.10]
clusterDomain: cluster.local
resolvConf: ""
cgroupsPerQOS: false
enforceNodeAllocatable: []
systemReserved:
  memory: 2Gi
evictionHard: {memory.available: 500Mi}
featureGates:
  WinDSR: true
containerRuntimeEndpoint: npipe:////./pipe/containerd-containerd
`))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.ClusterDNS, []string{"10.100.0.10"}) || c.ClusterDomain != "cluster.local" ||
		c.CgroupsPerQOS == nil || *c.CgroupsPerQOS || !c.EnforcesNodeAllocatable ||
		c.EnforceNodeAllocatable == nil || len(c.EnforceNodeAllocatable) != 0 ||
		c.SystemReserved["memory"] != "2Gi" || c.EvictionHard["memory.available"] != "500Mi" ||
		c.ContainerRuntimeEndpoint != "npipe:////./pipe/containerd-containerd" ||
		c.HealthzPort != nil {
		t.Errorf("got %+v", c)
	}
}

func TestDecodeKubeletConfigKnowsWhatIsAbsent(t *testing.T) {
	for _, row := range []struct {
		name, text string
		cgroups    bool
		enforce    bool
		healthz    bool
	}{
		{"nothing is set", "kind: KubeletConfiguration", false, false, false},
		{"null is nothing", "cgroupsPerQOS: null\nenforceNodeAllocatable:\nhealthzPort: ~", false,
			false, false},
		{"another case is another key", "cgroupsPerQos: false\nEnforceNodeAllocatable: []", false,
			false, false},
		{"JSON with tabs",
			"{\n\t\"cgroupsPerQOS\": false,\n\t\"enforceNodeAllocatable\": [\"pods\"],\n\t\"healthzPort\": 0\n}", true, true, true},
		{"a byte order mark", "\ufeffcgroupsPerQOS: true", true, false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := DecodeKubeletConfig([]byte(row.text))
			if err != nil {
				t.Fatal(err)
			}
			if c.CgroupsPerQOS != nil != row.cgroups || c.EnforcesNodeAllocatable != row.enforce ||
				c.EnforceNodeAllocatable != nil != row.enforce ||
				c.HealthzPort != nil != row.healthz {
				t.Errorf("got %+v", c)
			}
		})
	}
}

func TestDecodeKubeletConfigRefuses(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"an empty file", "\n", "empty"},
		{"a list", "- a\n- b", "mapping"},
		{"a field of the wrong type", "cgroupsPerQOS: maybe", "cgroupsPerQOS"},
		{"broken YAML", "a: b\n c: [", "line"},
		{"brackets in brackets", "a: " + strings.Repeat("[", 5000), "nested deeper"},
		{"far indentation", "a:\n" + strings.Repeat(" ", 500) + "b: c", "nested deeper"},
		{"lists in lists", strings.Repeat("- ", 500) + "a", "nested deeper"},
		{"a giant", strings.Repeat("a", maxConfig+1), "too many"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := DecodeKubeletConfig([]byte(row.text))
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %+v, %v, want an error with %q", c, err, row.want)
			}
		})
	}
}

func TestAliasBombIsAnError(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'j'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+p+",",
			10), ",") + "]\n"
	}
	if _, err := DecodeKubeletConfig([]byte(bomb)); err == nil {
		t.Error("ten to the tenth values were accepted")
	}
}

func TestKubeadmSubnets(t *testing.T) {
	pods, services := KubeadmSubnets(
		"kind: ClusterConfiguration\nnetworking:\n  dnsDomain: cluster.local\n  podSubnet: 10.64.0.0/14,fd00::/48\n  serviceSubnet: 10.100.0.0/16\n")
	if pods != "10.64.0.0/14,fd00::/48" || services != "10.100.0.0/16" {
		t.Errorf("got %q, %q", pods, services)
	}
	for _, text := range []string{"", "networking: x", "kind: ClusterConfiguration", "[",
		"networking:\n  podSubnet: {}"} {
		if pods, services := KubeadmSubnets(text); pods != "" || services != "" {
			t.Errorf("%q: got %q, %q", text, pods, services)
		}
	}
}

func TestRemovedKubeletFlags(t *testing.T) {
	for _, row := range []struct {
		version string
		flag    string
		minor   int
	}{
		{"v1.23.17", "network-plugin", 0},
		{"v1.24.0", "network-plugin", 24},
		{"v1.25.9", "logtostderr", 0},
		{"v1.26.0", "logtostderr", 26},
		{"v1.26.3", "container-runtime", 0},
		{"v1.27.1", "container-runtime", 27},
		{"v1.34.1", "pod-infra-container-image", 0},
		{"v1.35.0", "pod-infra-container-image", 35},
		{"v1.36.0", "resolv-conf", 0},
	} {
		v, _ := ParseVersion(row.version)
		if got := RemovedKubeletFlags(v)[row.flag]; got != row.minor {
			t.Errorf("%s --%s: got %d, want %d", row.version, row.flag, got, row.minor)
		}
	}
	for flag := range maps.Keys(RemovedKubeletFlags(Version{Major: 2})) {
		if normalFlag(strings.TrimLeft(flag, "-")) != flag {
			t.Errorf("%s is not written as Flags writes names", flag)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]Version{
		"v1.28.4-eks-8cb36c9": {1, 28, 4}, "1.7.20": {1, 7, 20}, "v1.30.2+rke2r1": {1, 30, 2},
		"19.03.5":     {19, 3, 5},
		"v2.0.0-rc.1": {2, 0, 0}, "1.28+": {1, 28, 0}, " v1.9 ": {1, 9, 0}, "1.2.3.4": {1, 2, 3},
	} {
		if got, ok := ParseVersion(text); !ok || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "v", "28", "x1.2", "1.2x", "1..2", "-1.2",
		"99999999999999999999.1"} {
		if got, ok := ParseVersion(text); ok {
			t.Errorf("%q: got %v", text, got)
		}
	}
	a, b := Version{1, 28, 4}, Version{1, 29, 0}
	if !b.AtLeast(a) || a.AtLeast(b) || !a.AtLeast(a) || a.Compare(b) >= 0 ||
		a.String() != "v1.28.4" {
		t.Error("the order is wrong")
	}
}

func TestParseQuantity(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "2Gi": 2 << 30, "500Mi": 500 << 20, "1.5Gi": 3 << 29, "64k": 64_000,
		"128M": 128_000_000, "1e3": 1000, "2E2": 200, "1E": 1_000_000_000_000_000_000,
		"1500m": 2, "-1Ki": -1024, "+5": 5, "010": 10, ".5Ki": 512, "1e-1": 1,
	} {
		if got, err := ParseQuantity(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "Gi", "10%", "1.2.3", "2gi", "1e", "1e99", "1/2", "9Ei",
		"0x10", "1 Gi", "--1", strings.Repeat("1", 100)} {
		if got, err := ParseQuantity(text); err == nil {
			t.Errorf("%q: got %d", text, got)
		}
	}
}
