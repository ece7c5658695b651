package node

// TagNames are the Windows versions by which image tags are called.
var TagNames = []struct {
	Name  string
	Build int
}{
	{"ltsc2016", 14393}, {"ltsc2019", 17763}, {"ltsc2022", 20348}, {"ltsc2025", 26100},
	{"1709", 16299}, {"1803", 17134}, {"1809", 17763}, {"1903", 18362}, {"1909", 18363}, {"2004", 19041}, {"20h2", 19042},
}

// OSTag is how images for a build are usually tagged.
func OSTag(build int) string {
	for _, t := range TagNames {
		if t.Build == build {
			return t.Name
		}
	}
	return ""
}
