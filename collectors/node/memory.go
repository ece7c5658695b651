package node

import (
	"strings"

	"doctor/checks/evidence"
)

// readPageFiles lists the page files in use, and tells for each whether
// Windows chooses its size; nil where the registry does not say.
func readPageFiles(open hive, size func(path string) (int64, bool)) []evidence.PageFile {
	k, _ := open(`SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management`)
	settings, asked := k.strings("PagingFiles")
	inUse, ok := k.strings("ExistingPageFiles")
	if !ok {
		if !asked {
			return nil
		}
		for _, s := range settings {
			path, _ := cutPaging(s)
			if strings.HasPrefix(path, "?") {
				return nil // on a drive that Windows chose
			}
			inUse = append(inUse, path)
		}
	}
	files := []evidence.PageFile{}
	for _, path := range inUse {
		path = strings.TrimPrefix(path, `\??\`)
		f := evidence.PageFile{Path: path, Automatic: sizedByWindows(settings, path)}
		if n, ok := size(path); ok {
			f.SizeBytes = n
		}
		files = append(files, f)
	}
	return files
}

// sizedByWindows looks for the file among the settings: "?:\pagefile.sys" is all
// of them, "C:\pagefile.sys 0 0" one without a size of its own.
func sizedByWindows(settings []string, path string) bool {
	for _, s := range settings {
		named, sizes := cutPaging(s)
		if drive, rest, _ := strings.Cut(named, ":"); drive == "?" && len(path) > 2 &&
			strings.EqualFold(path[2:], rest) || strings.EqualFold(named, path) {
			return strings.Trim(sizes, "0 ") == ""
		}
	}
	return false
}

// cutPaging parts a setting into the path, which may hold spaces, and the
// smallest and largest size in megabytes behind it.
func cutPaging(s string) (path, sizes string) {
	if i := strings.Index(strings.ToLower(s), ".sys "); i >= 0 {
		return s[:i+len(".sys")], strings.TrimSpace(s[i+len(".sys "):])
	}
	return strings.TrimSpace(s), ""
}
