package evidence

import (
	"slices"
	"time"
)

// A WindowsRelease is one build of Windows and how long it gets fixes.
type WindowsRelease struct {
	Build  int
	Name   string
	Server bool
	End    string // of support, or of mainstream support where an extended one follows; "" where it is not on record
	Last   string // of extended support, "" where there is none
}

// windowsReleases is ordered by build. A build with an LTSC and a shorter-lived
// release is listed as the LTSC, for which the recording cannot tell them
// apart. Where Microsoft printed two dates, the later one is here.
var windowsReleases = []WindowsRelease{
	{14393, "Windows Server 2016", true, "2022-01-11", "2027-01-12"},
	{15063, "Windows 10 1703", false, "", ""},
	{16299, "Windows Server 1709", true, "2019-04-09", ""},
	{17134, "Windows Server 1803", true, "2019-11-12", ""},
	{17763, "Windows Server 2019", true, "2024-01-09", "2029-01-09"},
	{18362, "Windows Server 1903", true, "2020-12-08", ""},
	{18363, "Windows Server 1909", true, "2021-05-11", ""},
	{19041, "Windows Server 2004", true, "2021-12-14", ""},
	{19042, "Windows Server 20H2", true, "2022-08-09", ""},
	{20348, "Windows Server 2022", true, "2026-10-13", "2031-10-14"},
	{22000, "Windows 11 21H2", false, "", ""},
	{22621, "Windows 11 22H2", false, "", ""},
	{22631, "Windows 11 23H2", false, "", ""},
	{25398, "Windows Server 23H2", true, "2025-10-24", ""},
	{26100, "Windows Server 2025", true, "2029-11-13", "2034-11-14"},
}

// WindowsOf returns the release of a build.
func WindowsOf(build int) (WindowsRelease, bool) {
	at := slices.IndexFunc(windowsReleases, func(r WindowsRelease) bool { return r.Build == build })
	if at < 0 {
		return WindowsRelease{}, false
	}
	return windowsReleases[at], true
}

// WindowsName is the product of a build, "" where it is not known.
func WindowsName(build int) string {
	r, _ := WindowsOf(build)
	return r.Name
}

// Support tells whether the release still gets fixes at a moment: "mainstream",
// "extended", "ended", or "" where its dates are not on record. The last day is
// one of support.
func (r WindowsRelease) Support(at time.Time) string {
	for _, phase := range []struct{ end, name string }{{r.End, "mainstream"}, {r.Last, "extended"}} {
		if end, err := time.Parse(time.DateOnly, phase.end); err == nil && at.Before(end.AddDate(0, 0, 1)) {
			return phase.name
		}
	}
	if r.End == "" {
		return ""
	}
	return "ended"
}

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
