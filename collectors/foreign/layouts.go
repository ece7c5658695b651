package foreign

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A layout is how another tool names the files of a bundle that is read file by file.
type layout struct {
	tool  string
	files []*regexp.Regexp // each is met by a file; together no other tool has them
}

var layouts = []layout{
	// of its dump.ps1 and network_dump.ps1; `vfprules.txt` is left out where there is no switch
	{k2sTool, []*regexp.Regexp{regexp.MustCompile(`(?:^|/)networking/servicestatus\.txt$`),
		regexp.MustCompile(`(?:^|/)node/[^/]+-node\.txt$|(?:^|/)cluster/pods-wide\.txt$`)}},
	{"sonobuoy", []*regexp.Regexp{regexp.MustCompile(`(?:^|/)serverversion\.json$`),
		regexp.MustCompile(`(?:^|/)resources/(?:cluster|ns/[^/]+)/\w+\.json$`)}},
	{"calicoctl cluster diags", []*regexp.Regexp{regexp.MustCompile(`(?:^|/)cluster/crd/[^/]+\.projectcalico\.org\.yaml$`),
		regexp.MustCompile(`(?:^|/)cluster/kubernetes/nodes\.yaml$`)}},
}

const k2sTool = "k2s system dump"

// layoutOf is the tool that made a bundle, "" where that is not certain.
func layoutOf(files []looseFile) string {
	for _, l := range layouts {
		if !slices.ContainsFunc(l.files, func(r *regexp.Regexp) bool {
			return !slices.ContainsFunc(files, func(f looseFile) bool { return r.MatchString(f.path) })
		}) {
			return l.tool
		}
	}
	return ""
}

// K2s dumps the host that it runs on, and asks other nodes for little.
var (
	k2sStamp = regexp.MustCompile(`(?:^|/)k2s-dump-([^/]+)-(20\d{6}T\d{6})\d{3}(?:\.zip)?/`)
	k2sNode  = regexp.MustCompile(`(?:^|/)node/([^/]+)-(?:node|processes|resources|systemd-units)\.txt$`)
)

// ofK2sHost leaves out of a dump of K2s what is of other nodes, and tells the host and when it was
// dumped, by its own clock.
func ofK2sHost(fsys fs.FS, files []looseFile) (own []looseFile, host string, at time.Time) {
	if layoutOf(files) != k2sTool {
		return files, "", at
	}
	for _, f := range files {
		if m := k2sNode.FindStringSubmatch(f.path); m != nil && strings.HasPrefix(headOf(fsys, f.path), "Host OS Version\n") {
			host = m[1]
		}
		if m := k2sStamp.FindStringSubmatch(f.path); m != nil {
			at, _ = time.Parse("20060102T150405", m[2])
			host = m[1]
		}
	}
	own = slices.DeleteFunc(slices.Clone(files), func(f looseFile) bool {
		m := k2sNode.FindStringSubmatch(f.path)
		return m != nil && host != "" && !strings.EqualFold(m[1], host)
	})
	return own, strings.ToLower(host), at
}
