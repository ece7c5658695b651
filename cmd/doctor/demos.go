package main

import (
	"cmp"
	"fmt"
	"strings"

	"doctor/checks"
	"doctor/checks/faults"
	"doctor/checks/sorted"
	"doctor/fixtures"
	"doctor/ui"
	"doctor/ui/lang"
)

// listWord is the value of --demo that lists the recorded nodes.
const listWord = "list"

// withDemoList puts "list" where --demo has no value. The flag itself cannot leave its value out:
// then `--demo NAME` would need an equals sign.
func withDemoList(args []string) []string {
	var full []string
	for i, arg := range args {
		if arg == "--" {
			return append(full, args[i:]...)
		}
		if last := i == len(args)-1; arg == "--demo" &&
			(last || strings.HasPrefix(args[i+1], "-")) {
			arg = "--demo=" + listWord
		}
		full = append(full, arg)
	}
	return full
}

// instructive are the demos to begin with: faults that many meet, each of another kind, and healthy
// nodes to compare with.
var instructive = []string{"kubelet-removed-flag", "flannel-subnet-env-missing",
	"hns-network-missing", "cni-config-invalid", "pause-os-version-mismatch",
	"cluster-dns-unreachable", "healthy-flannel-overlay", "healthy-azure-cni"}

// A demo is a recorded node in the list.
type demo struct{ name, sentence string }

// A demoGroup is demos under one heading.
type demoGroup struct {
	heading string
	demos   []demo
}

const healthyPrefix = "healthy-"

// demoGroups sorts the demos: those to begin with, then by the category of the check that a demo is
// named after, then the healthy nodes.
func demoGroups(l *lang.Catalogue) ([]demoGroup, error) {
	start := demoGroup{heading: l.T("Start here")}
	healthy := demoGroup{heading: l.T("Healthy nodes")}
	of := map[checks.Category][]demo{}
	named := map[string]demo{}
	for _, name := range fixtures.Names() {
		if strings.HasPrefix(name, healthyPrefix) {
			r, err := fixtures.Open(name)
			if err != nil {
				return nil, err
			}
			named[name] = demo{name, l.Word(r.Title())}
			healthy.demos = append(healthy.demos, named[name])
			continue
		}
		check, rest := checkOf(name)
		if check == nil {
			return nil, fmt.Errorf("the recording %s is not named after a check", name)
		}
		named[name] = demo{name, variant(l, l.Check(check).Title, rest)}
		of[check.Category] = append(of[check.Category], named[name])
	}
	for _, name := range instructive {
		start.demos = append(start.demos, named[name])
	}
	groups := []demoGroup{start}
	for _, category := range checks.Categories {
		if demos := of[category]; len(demos) > 0 {
			// by name, so that the plain case stands before its variants
			sorted.By(demos, func(a, b demo) int { return cmp.Compare(a.name, b.name) })
			groups = append(groups, demoGroup{l.Category(category), demos})
		}
	}
	return append(groups, healthy), nil
}

// checkOf is the check that a demo is named after, and what its name adds to the check's id.
func checkOf(name string) (check *checks.Check, rest string) {
	for id := name; id != ""; id = id[:max(strings.LastIndexByte(id, '-'), 0)] {
		if c := faults.Catalogue().ByID(id); c != nil {
			return c, strings.TrimPrefix(name[len(id):], "-")
		}
	}
	return nil, name
}

// variant is the sentence of a demo that shows a fault in a way of its own.
func variant(l *lang.Catalogue, title, rest string) string {
	switch rest {
	case "":
		return title
	case "from-logs":
		return l.T("%s (log lines only)", title)
	case "as-documented":
		return l.T("%s (normal on Windows, not a fault)", title)
	case "german-windows":
		return l.T("%s (German Windows)", title)
	case "lease":
		return l.T("%s (clock compared with the kubelet's lease)", title)
	}
	return l.T("%s (another case)", title)
}

// minSentence is the room beside the name that a sentence is worth; else it stands below.
const minSentence = 30

func listDemos(d display) error {
	style := d.style()
	l := style.Lang
	if style.ASCII {
		l = nil // Chinese has no letters in ASCII
	}
	groups, err := demoGroups(l)
	if err != nil {
		return trouble(err)
	}
	names, width := 0, style.Width
	for _, g := range groups {
		for _, demo := range g.demos {
			names = max(names, len(demo.name))
		}
	}
	var b strings.Builder
	for i, g := range groups {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintln(&b, g.heading)
		for _, demo := range g.demos {
			column := 2 + names + 2
			sentence := ui.Plain(demo.sentence, style.ASCII)
			lines := []string{sentence}
			if room := width - column; width > 0 && room < minSentence {
				column, lines = 6, append([]string{""}, ui.Wrap(sentence, width-6, width-6)...)
			} else if width > 0 {
				lines = ui.Wrap(sentence, room, room)
			}
			fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("  %-*s  %s", names, demo.name,
				lines[0]), " "))
			for _, l := range lines[1:] {
				fmt.Fprintf(&b, "%*s%s\n", column, "", l)
			}
		}
	}
	return printOut(d.std.out, b.String())
}
