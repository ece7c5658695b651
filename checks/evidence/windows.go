package evidence

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// windowsNames are the products by build. A build with an LTSC and a shorter-lived release is listed
// as the LTSC, for which the recording cannot tell them apart.
var windowsNames = map[int]string{
	14393: "Windows Server 2016",
	15063: "Windows 10 1703",
	16299: "Windows Server 1709",
	17134: "Windows Server 1803",
	17763: "Windows Server 2019",
	18362: "Windows Server 1903",
	18363: "Windows Server 1909",
	19041: "Windows Server 2004",
	19042: "Windows Server 20H2",
	20348: "Windows Server 2022",
	22000: "Windows 11 21H2",
	22621: "Windows 11 22H2",
	22631: "Windows 11 23H2",
	25398: "Windows Server 23H2",
	26100: "Windows Server 2025",
}

// WindowsName is the product of a build, "" where it is not known.
func WindowsName(build int) string { return windowsNames[build] }

// WindowsBuild is the build of Windows Server of a name such as 2019 or 20H2, 0 where it is not known.
func WindowsBuild(name string) int {
	if name == "1809" { // the release that is called 2019 too
		name = "2019"
	}
	for build, known := range windowsNames {
		if strings.EqualFold(known, "Windows Server "+name) {
			return build
		}
	}
	return 0
}

// NamesWindows tells whether the name of a node is one that only Windows nodes have: of AKS aks, the pool
// and six characters, without a hyphen; of acs-engine and aks-engine the first digits of the cluster, k8s,
// acs or aks, and a number; the name that Windows gives itself on EC2; and "win" as a word of its own.
func NamesWindows(node string) bool { return namesWindows.MatchString(node) }

var namesWindows = regexp.MustCompile(`(?i)^(?:aks[a-z0-9]{1,6}[0-9a-z]{6}|\d{4,5}(?:k8s|acs|aks)[0-9a-z]{3,8})$|^ec2amaz-|` +
	`(?:^|[-._\d])win(?:dows|node|worker|srv|vm|w)?(?:[-._\d]|$)`)

// kubernetesWindows tells which builds a Kubernetes release supports, from that
// minor on until the next entry.
var kubernetesWindows = []struct {
	minor  int
	builds []int
}{
	{14, []int{17763}},
	{18, []int{17763, 18362, 18363}},
	{19, []int{17763, 18363, 19041}},
	{20, []int{17763, 18363, 19041, 19042}},
	{21, []int{17763, 19041, 19042}},
	{23, []int{17763, 19042, 20348}},
	{25, []int{17763, 20348}},
	{33, []int{17763, 20348, 26100}},
}

// SupportedBuilds returns the Windows builds that a Kubernetes version
// supports; none before 1.14, where Windows nodes were a preview.
func SupportedBuilds(v Version) []int {
	var builds []int
	for _, row := range kubernetesWindows {
		if v.AtLeast(Version{Major: 1, Minor: row.minor}) {
			builds = row.builds
		}
	}
	return slices.Clone(builds)
}

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

// HostRunsImage tells whether a Windows host runs containers of a build with process isolation, the
// only one that Kubernetes has. Up to Server 2019 the builds must be equal; from Server 2022 on a
// host takes what is not newer than itself and not older than the LTSC release before it.
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

// Version is a released version. What follows the numbers (-eks-1a2b3c, +rke2r1,
// -rc.1) is left out: the faults of this program are tied to releases.
type Version struct{ Major, Minor, Patch int }

// ParseVersion reads v1.28.4-eks-1a2b3c, 19.03.5, v2.0 and 1.28+.
func ParseVersion(s string) (Version, bool) {
	m := release.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil || m[4] != "" && !strings.ContainsRune("-+. _~", rune(m[4][0])) {
		return Version{}, false
	}
	var numbers [3]int
	for i := range numbers {
		n, err := strconv.Atoi(cmp.Or(m[i+1], "0"))
		if err != nil || n > 1_000_000 {
			return Version{}, false
		}
		numbers[i] = n
	}
	return Version{numbers[0], numbers[1], numbers[2]}, true
}

// release is two or three numbers, and the rest: a lone number is a build or a count, not a version.
var release = regexp.MustCompile(`(?s)^v?V?([0-9]+)\.([0-9]+)(?:\.([0-9]+))?(.*)$`)

// Compare is negative where v is older than o, and positive where it is newer.
func (v Version) Compare(o Version) int {
	return cmp.Or(cmp.Compare(v.Major, o.Major), cmp.Compare(v.Minor, o.Minor),
		cmp.Compare(v.Patch, o.Patch))
}

// AtLeast tells whether v is o or a later version.
func (v Version) AtLeast(o Version) bool { return v.Compare(o) >= 0 }

// String has a "v" in front and always three numbers: v1.28.15.
func (v Version) String() string { return fmt.Sprintf("v%d.%d.%d", v.Major, v.Minor, v.Patch) }
