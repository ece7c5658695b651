package evidence

import (
	"path"
	"slices"
	"strings"
)

// pauseBuilds tells for which Windows builds a pause image was published, by
// repository and tag. None means that it is for Linux only.
var pauseBuilds = map[string]map[string][]int{
	"pause": {
		"2.0": {}, "3.0": {}, "3.1": {}, "3.2": {}, "3.3": {},
		"3.4":    {17763, 18362, 18363, 19041},
		"3.4.1":  {17763, 18362, 18363, 19041, 19042},
		"3.5":    {17763, 18362, 18363, 19041, 19042},
		"3.6":    {17763, 18362, 18363, 19041, 19042, 20348},
		"3.7":    {17763, 19042, 20348},
		"3.8":    {17763, 19042, 20348},
		"3.9":    {17763, 20348},
		"3.10":   {17763, 20348},
		"3.10.1": {17763, 20348},
		"3.10.2": {17763, 20348, 26100},
	},
	"mcr.microsoft.com/k8s/core/pause": {
		"1.0.0": {17763},
		"1.2.0": {17134, 17763, 18362},
	},
	"mcr.microsoft.com/oss/kubernetes/pause": {
		"1.3.0": {17763, 18362, 18363},
		"1.4.0": {17763, 18362, 18363, 19041},
		"1.4.1": {17763, 18362, 18363, 19041},
		"3.6":   {17763, 18362, 18363, 19041, 19042, 20348},
		"3.9":   {17763, 20348},
		"3.10":  {17763, 20348},
	},
	// Azure/AgentBaker, vhdbuilder/release-notes/AKSWindows: on the images 2019, 2022 and 2025
	"mcr.microsoft.com/oss/v2/kubernetes/pause": {
		"3.10.1": {17763, 20348},
	},
}

// The names under which the Kubernetes project serves its pause image. A mirror
// elsewhere may have copied one platform only, so it is not taken for them.
var kubernetesRegistries = []string{
	"registry.k8s.io", "k8s.gcr.io", "gcr.io/google_containers", "gcr.io/google-containers",
	"us.gcr.io/k8s-artifacts-prod", "eu.gcr.io/k8s-artifacts-prod",
	"asia.gcr.io/k8s-artifacts-prod",
}

// PauseBuilds returns the Windows builds that a pause image is made for. The
// list is empty, and known true, for one that is for Linux only. An image that
// somebody built (kubeletwin/pause), a private mirror and a digest are not known.
func PauseBuilds(ref string) (builds []int, known bool) {
	ref = strings.ToLower(unquote(strings.TrimSpace(ref)))
	if strings.Contains(ref, "@") {
		return nil, false
	}
	repository, tag := ref, "latest"
	if colon := strings.LastIndexByte(ref, ':'); colon > strings.LastIndexByte(ref, '/') {
		repository, tag = ref[:colon], ref[colon+1:]
	}
	if registry, name := path.Split(repository); slices.Contains(kubernetesRegistries,
		strings.TrimSuffix(registry, "/")) {
		if name == "pause-amd64" {
			return nil, true
		}
		repository = name
	} else if repository == "pause" {
		return nil, false // of a registry that the runtime's settings name
	}
	builds, known = pauseBuilds[repository][tag]
	return slices.Clone(builds), known
}

// The releases from which on a newer host runs the containers of an older one.
var compatibleLTSC = []int{20348, 26100}

// HostRunsImage tells whether a Windows host runs containers of a build with
// process isolation, the only one that Kubernetes has. Up to Server 2019 the
// builds must be equal; from Server 2022 on a host takes what is not newer than
// itself and not older than the LTSC release before it.
func HostRunsImage(hostBuild, imageBuild int) bool {
	if hostBuild < compatibleLTSC[0] {
		return hostBuild == imageBuild
	}
	oldest := compatibleLTSC[0]
	for _, ltsc := range compatibleLTSC {
		if ltsc < hostBuild {
			oldest = ltsc
		}
	}
	return oldest <= imageBuild && imageBuild <= hostBuild
}
