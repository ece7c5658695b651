package lang

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"doctor/checks/evidence"
	"doctor/fixtures"
)

// words lists what the sources ask the interface's words for.
func words(t testing.TB) []sentence {
	var list []sentence
	for _, name := range slices.Concat(components, []string{"reading", "waiting"}) {
		list = append(list, sentence{where: "what is drawn", text: name})
	}
	for _, title := range healthyTitles(t) {
		list = append(list, sentence{where: "the list of demos", text: title})
	}
	for _, folder := range append([]string{"../../ui", "../../cmd/doctor"}, screenFolders...) {
		for _, s := range parse(t, folder) {
			if folder != "../../ui" && folder != "../../cmd/doctor" {
				list = append(list, s.screenWords()...)
			}
			ast.Inspect(s.File, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if of, ok := call.Fun.(*ast.SelectorExpr); ok {
					if name, ok := of.X.(*ast.Ident); ok &&
						slices.Contains([]string{"strings", "bytes"}, name.Name) {
						return true
					}
				}
				if at := slices.Index([]string{"T", "Count", "Word"}, called(call)); at >= 0 &&
					len(call.Args) > at%2 {
					if text, ok := quoted(call.Args[at%2]); ok {
						list = append(list, s.sentence(call, []string{"", "%d ", ""}[at]+text))
					}
				}
				return true
			})
		}
	}
	return list
}

// healthyTitles are what the list of demos says of the healthy nodes.
func healthyTitles(t testing.TB) []string {
	var titles []string
	for _, name := range fixtures.Names() {
		if !strings.HasPrefix(name, "healthy-") {
			continue
		}
		r, err := fixtures.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		titles = append(titles, r.Title())
	}
	return titles
}

// texts are all literals of the sources.
type texts map[string]bool

func everyText(t testing.TB) texts {
	all := texts{}
	for _, title := range healthyTitles(t) {
		all[title] = true
	}
	for _, folder := range []string{"../../checks", "../../checks/faults", "../../checks/node",
		"../../checks/regressions", "../../checks/unexplained",
		"../../checks/evidence", "../../checks/evidence/jsontree", "../../collectors",
		"../../collectors/node", "../../collectors/cluster", "../../collectors/onnode",
		"../../collectors/probe",
		"../../collectors/foreign", "../../collectors/pack", "../../cmd/doctor",
		"../../cmd/doctor/internal/session", "../../ui", "../../ui/tui", "../../ui/symptom",
		"../../ui/timeline", "../../ui/spoken"} {
		for _, s := range parse(t, folder) {
			ast.Inspect(s.File, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok {
					if text, ok := quoted(e); ok {
						all[text] = true
					}
				}
				return true
			})
		}
	}
	return all
}

// hold tells whether the sources say the sentence: whole, or, where a function
// puts it together, each stretch of it between holes.
func (all texts) hold(english string) bool {
	if all[english] {
		return true
	}
	at := 0
	for _, h := range append(evidence.Holes(english), evidence.Hole{Start: len(english),
		End: len(english)}) {
		if stretch := strings.Trim(english[at:h.Start], " ()"); len(stretch) > 2 &&
			!all.holdPart(stretch) {
			return false
		}
		at = h.End
	}
	return true
}

func (all texts) holdPart(stretch string) bool {
	for text := range all {
		if strings.Contains(text, evidence.Literal(stretch)) {
			return true
		}
	}
	return false
}
