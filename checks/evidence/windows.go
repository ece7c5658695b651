package evidence

import "slices"

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
