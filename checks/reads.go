package checks

import (
	"slices"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// Reads lists the evidence that the check's verdict may rest on: what it
// declares, what its signs are found in, and what tells the facts about the
// node that it asks for. While any of it is still being read, a verdict would
// come from not having looked.
func (c *Check) Reads() []string {
	var paths []string
	facts := c.Applies != nil
	for _, n := range slices.Concat(c.Needs, c.Uses) {
		paths = append(paths, n.Paths()...)
		if _, ok := n.(node.FactNeed); ok {
			facts = true
		}
	}
	if len(c.Signs) > 0 {
		paths = append(paths, signSources...)
	}
	if facts {
		paths = append(paths, node.FactPaths...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// AwaitsAny tells whether the verdict may still change by one of the pieces of
// evidence; a path that ends with a slash stands for everything below it.
func (c *Check) AwaitsAny(open []string) bool {
	return len(open) > 0 && slices.ContainsFunc(c.Reads(), func(read string) bool {
		return slices.ContainsFunc(open, func(path string) bool {
			return evidence.Overlap(read, path)
		})
	})
}

var signSources = []string{evidence.SignMatches.Path(), evidence.WindowsEvents.Path(),
	evidence.PodEvents.Path(), evidence.Pods.Path(),
	evidence.Node.Path(), evidence.OSInfo.Path()}

// Files lists the Windows paths of the files, and of the folders, that the
// checks ask for: what a recorder has to look for, so that what is not there
// is known to be absent.
func (c *Catalogue) Files() (files, folders []string) {
	for _, c := range c.All() {
		for _, path := range c.Reads() {
			windows, ok := evidence.WindowsPath(path)
			switch {
			case !ok:
			case path[len(path)-1] == '/':
				folders = append(folders, windows)
			default:
				files = append(files, windows)
			}
		}
	}
	slices.Sort(files)
	slices.Sort(folders)
	return slices.Compact(files), slices.Compact(folders)
}

// Logs lists the components whose logs the checks ask for.
func (c *Catalogue) Logs() []string {
	var components []string
	var add func(evidence.Need)
	add = func(n evidence.Need) {
		switch n := n.(type) {
		case evidence.Logs:
			components = append(components, string(n))
		case node.FactNeed:
			for _, source := range n.Sources {
				evidence.Each(source, add)
			}
		}
	}
	for _, c := range c.All() {
		for _, n := range slices.Concat(c.Needs, c.Uses) {
			evidence.Each(n, add)
		}
	}
	slices.Sort(components)
	return slices.Compact(components)
}
