package evidence

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

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
