package tui

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// maxFiles is how many files of one folder are named.
const maxFiles = 4

// A lookedAtItem is one piece of evidence that a check rests on, and whether it was there.
type lookedAtItem struct {
	name string // of a fact, or the path
	path string // where there is something to show
	need bool   // without it the check cannot tell
	gap  evidence.Gap
}

// lookedAt says of all evidence that the check reads whether it was there. It
// reads the tree.
func lookedAt(c *checks.Check, s evidence.Snapshot, say voice) []lookedAtItem {
	if c == nil {
		return nil
	}
	var list []lookedAtItem
	for i, n := range slices.Concat(c.Needs, c.Uses) {
		for _, l := range lookFor(n, s, say) {
			l.need = i < len(c.Needs)
			if !slices.ContainsFunc(list, func(other lookedAtItem) bool {
				return other.name == l.name
			}) {
				list = append(list, l)
			}
		}
	}
	return list
}

// lookFor tells of one need: of several alternatives those that were there, or
// else why each was not.
func lookFor(n evidence.Need, s evidence.Snapshot, say voice) []lookedAtItem {
	var all, met []lookedAtItem
	evidence.Each(n, func(one evidence.Need) {
		list := lookForOne(one, s, say)
		all = append(all, list...)
		for _, l := range list {
			if l.gap.Kind == "" {
				met = append(met, l)
			}
		}
	})
	if len(met) > 0 {
		return met
	}
	return all
}

func lookForOne(n evidence.Need, s evidence.Snapshot, say voice) []lookedAtItem {
	name, gap := strings.Join(evidence.Names(n), ", "), n.Gap(s)
	paths := n.Paths()
	switch {
	case gap.Kind != "" || len(paths) == 0:
		return []lookedAtItem{{name: name, gap: gap}}
	case len(paths) == 1 && !strings.HasSuffix(paths[0], "/"):
		// that it is absent meets the need too
		if windows, ok := evidence.WindowsPath(paths[0]); ok {
			if gap = s.File(windows).Gap; gap.Kind != "" {
				return []lookedAtItem{{name: name, gap: gap}}
			}
		}
		return []lookedAtItem{{name: name, path: paths[0]}}
	case !strings.HasSuffix(name, "/"): // a fact, from wherever it was learnt
		return []lookedAtItem{{name: name}}
	}
	var list []lookedAtItem
	count := 0
	for _, path := range s.Paths() {
		within := func(folder string) bool {
			return len(path) > len(folder) && strings.EqualFold(path[:len(folder)], folder)
		}
		if !slices.ContainsFunc(paths, within) {
			continue
		}
		if count++; count <= maxFiles {
			list = append(list, lookedAtItem{name: path, path: path})
		}
	}
	if count > maxFiles {
		list = append(list, lookedAtItem{name: say.T("and %d more in %s", count-maxFiles, name)})
	}
	return list
}

// lookedDetail lists what was looked at, and what could not be.
func lookedDetail(p *page, list []lookedAtItem) {
	headings := map[bool]string{true: p.T("Looked at"), false: p.T("Looked at where it is there")}
	for i, l := range list {
		if i == 0 || l.need != list[i-1].need { // the needs are first
			p.heading(headings[l.need])
		}
		if l.path != "" {
			p.leads(item{path: l.path})
		}
		status, ink := checks.StatusUnknown, inkUnknown
		switch l.gap.Kind {
		case "":
			status, ink = checks.StatusPass, faint
		case evidence.Absent: // an answer too
			status, ink = checks.StatusSkip, faint
		}
		p.led(span{"  " + symbol(status, p.ascii) + " ", ink}, p.Phrase(l.name), plain)
		p.text("    ", p.Gap(l.gap), faint)
	}
}
