package evidence

import (
	"slices"
	"testing"
)

func TestPauseBuilds(t *testing.T) {
	for _, row := range []struct {
		ref    string
		builds []int
		known  bool
	}{
		{"registry.k8s.io/pause:3.6", []int{17763, 18362, 18363, 19041, 19042, 20348}, true},
		{"k8s.gcr.io/pause:3.1", nil, true},
		{"gcr.io/google_containers/pause-amd64:3.0", nil, true},
		{"REGISTRY.k8s.io/pause:3.10.2 ", []int{17763, 20348, 26100}, true},
		{`"mcr.microsoft.com/oss/kubernetes/pause:1.4.1"`, []int{17763, 18362, 18363, 19041}, true},
		{"mcr.microsoft.com/oss/kubernetes/pause:3.6", []int{17763, 18362, 18363, 19041, 19042,
			20348}, true},
		{"mcr.microsoft.com/k8s/core/pause:1.0.0", []int{17763}, true},
		{"registry.k8s.io/pause:9.9", nil, false},
		{"registry.k8s.io/pause", nil, false},
		{"registry.k8s.io/pause:3.9@sha256:7031c1b283388d2c2e09b57badb803c05ebed362dc88d84b480cc47f72a21097", nil, false},
		{"kubeletwin/pause", nil, false},
		{"pause:3.6", nil, false},
		{"mirror.corp:5000/pause:3.6", nil, false},
		{"", nil, false},
	} {
		builds, known := PauseBuilds(row.ref)
		if known != row.known || !slices.Equal(builds, row.builds) {
			t.Errorf("%s: got %v, %v, want %v, %v", row.ref, builds, known, row.builds, row.known)
		}
	}
	for repository, tags := range pauseBuilds {
		for tag, builds := range tags {
			for _, b := range builds {
				if WindowsName(b) == "" {
					t.Errorf("%s:%s names build %d, which has no name", repository, tag, b)
				}
			}
		}
	}
}

func TestHostRunsImage(t *testing.T) {
	for _, row := range []struct {
		host, image int
		want        bool
	}{
		{17763, 17763, true}, {17763, 20348, false}, {17763, 17134, false}, {19042, 19041, false},
		{20348, 20348, true}, {20348, 17763, false}, {20348, 26100, false}, {20348, 20300, false},
		{25398, 20348, true}, {25398, 25398, true}, {25398, 26100, false},
		{26100, 20348, true}, {26100, 25398, true}, {26100, 26100, true}, {26100, 17763, false},
		{26200, 26100, true}, {26200, 20348, false},
	} {
		if got := HostRunsImage(row.host, row.image); got != row.want {
			t.Errorf("host %d, image %d: got %v", row.host, row.image, got)
		}
	}
}

func TestWindowsName(t *testing.T) {
	if WindowsName(17763) != "Windows Server 2019" || WindowsName(12345) != "" {
		t.Error("the names are wrong")
	}
}

func TestSupportedBuilds(t *testing.T) {
	for _, row := range []struct {
		version string
		want    []int
	}{
		{"v1.13.12", nil}, {"v1.14.0", []int{17763}}, {"v1.17.9", []int{17763}},
		{"v1.18.2", []int{17763, 18362, 18363}}, {"v1.19.7", []int{17763, 18363, 19041}},
		{"v1.20.1", []int{17763, 18363, 19041, 19042}}, {"v1.22.0", []int{17763, 19041, 19042}},
		{"v1.24.3", []int{17763, 19042, 20348}},
		{"v1.32.0", []int{17763, 20348}}, {"v1.33.0", []int{17763, 20348, 26100}},
		{"v1.99.0", []int{17763, 20348, 26100}},
	} {
		v, _ := ParseVersion(row.version)
		if got := SupportedBuilds(v); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %v, want %v", row.version, got, row.want)
		}
	}
}
