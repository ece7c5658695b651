package tui

import (
	"cmp"
	"fmt"
	"slices"

	"doctor/checks"
	"doctor/checks/sorted"
	"doctor/ui"
)

// A row is one line of the list, as data.
type row struct {
	kind     rowKind
	index    int             // into Report.Results, of causes and checks
	id       string          // of causes and checks
	category checks.Category // of groups, rests and checks
	members  []int           // of groups and rests: the results in them
	follow   int             // of causes: how many consequences
	open     bool            // of groups and rests; of errors: lines that quote them follow
	text     string          // of headings and notes
	lead     string          // of the lines of errors: the component, on its first line
	part     cardPart        // of cards
	unknown  ui.UnknownGroup // of unknowns
	was      checks.Status   // of causes and checks: the verdict before it changed, or ""
}

type rowKind int

const (
	rowHeading rowKind = iota // not selectable, like blank and note
	rowBlank
	rowNote
	rowCard  // the lines of a cause below its first
	rowError // the lines of errors below their first
	rowCause
	rowErrors // how many errors no check explains
	rowGroup
	rowCheck
	rowUnknown // the checks of an open group that could not run for one reason
	rowRest    // the checks of an open group in which nothing was found
)

func (r row) selectable() bool { return r.kind >= rowCause }

// below says that a line belongs to the selectable one above it.
func (r row) below() bool { return r.kind == rowCard || r.kind == rowError }

func (r row) folds() bool { return r.kind == rowGroup || r.within() }

// within says that a fold is part of a group.
func (r row) within() bool { return r.kind == rowUnknown || r.kind == rowRest }

// name tells rows apart when the list changes around the cursor.
func (r row) name() string {
	if r.folds() {
		return r.foldName()
	}
	return fmt.Sprintf("%d/%s", r.kind, r.id)
}

func (r row) foldName() string {
	switch r.kind {
	case rowRest:
		return string(r.category) + "/rest"
	case rowUnknown:
		return string(r.category) + "/" + r.unknown.Key()
	}
	return string(r.category)
}

// A view is what the list shall show, and how.
type view struct {
	voice
	filter string
	wrong  bool            // fail and warn only
	open   map[string]bool // folds that the user set, by foldName
	// verdicts are still to come: rows keep their places, and nothing folds by itself
	live bool
	was  map[string]bool // groups as they were before the node was read again

	errors  []row                    // those of the errors that no check explains
	card    int                      // lines of a cause
	apart   bool                     // a blank line between causes
	changed map[string]checks.Status // the verdicts that changed, as they were
}

// narrowed lists show every match: there is nothing left to fold.
func (v view) narrowed() bool { return v.filter != "" || v.wrong }

func (v view) shows(r *checks.Result) bool {
	return (!v.wrong || r.Status.Fault()) && matches(r, v.filter)
}

// matches says whether a result holds the filter's text in its id, titles, messages, gap or reason.
func matches(r *checks.Result, filter string) bool {
	texts := []string{r.ID, r.Title, r.Healthy, r.Gap, r.Reason}
	for _, f := range r.Findings {
		texts = append(texts, f.Message)
	}
	return holds(filter, texts...)
}

// rowsOf lays the report out as a list: causes, errors that no check explains, then a group per
// category.
func rowsOf(r *checks.Report, v view) []row {
	rows := causeRows(r, v)
	groups := groupRows(r, v)
	switch {
	case v.narrowed() && len(rows) == 0 && len(groups) == 0:
		note := v.T("no check matches")
		if v.filter == "" {
			note = noFault(r, v)
		}
		return []row{{kind: rowNote, text: note}}
	case !v.narrowed() && len(v.errors) > 0:
		rows = append(append(rows, row{kind: rowBlank}), v.errors...)
	}
	if len(rows) > 0 && len(groups) > 0 {
		rows = append(rows, row{kind: rowBlank})
	}
	if len(groups) > 0 {
		rows = append(rows, row{kind: rowHeading, text: v.T("Checks")})
	}
	return append(rows, groups...)
}

func causeRows(r *checks.Report, v view) []row {
	var rows []row
	for _, c := range r.Causes {
		at := slices.IndexFunc(r.Results, func(res checks.Result) bool { return res.ID == c.ID })
		if at >= 0 && v.shows(&r.Results[at]) {
			if v.apart && len(rows) > 0 {
				rows = append(rows, row{kind: rowBlank})
			}
			rows = append(rows, row{kind: rowCause, index: at, id: c.ID,
				follow: len(c.Consequences), was: v.changed[c.ID]})
			rows = append(rows, cardRows(&r.Results[at], at, v.card, v.voice)...)
		}
	}
	heading := row{kind: rowHeading, text: v.T("Causes")}
	switch {
	case v.live:
		heading.text = v.T("Causes so far")
	case onlyWarnings(r):
		heading.text = v.T("Warnings")
	}
	switch {
	case len(rows) > 0:
		return append([]row{heading}, rows...)
	case v.narrowed() || len(r.Causes) > 0:
		return nil
	}
	rows = []row{heading}
	for _, text := range wrap(show(noFault(r, v), v.ascii), noteWidth) {
		rows = append(rows, row{kind: rowNote, text: text})
	}
	return rows
}

// noteWidth fits the list beside a detail.
const noteWidth = 56

// onlyWarnings tells whether there are causes, and none of them is a fault.
func onlyWarnings(r *checks.Report) bool {
	return len(r.Causes) > 0 && !slices.ContainsFunc(r.Causes, func(c checks.Cause) bool {
		res := r.Result(c.ID)
		return res == nil || res.Status != checks.StatusWarn
	})
}

func noFault(r *checks.Report, v view) string {
	faults := r.Count(checks.StatusFail) + r.Count(checks.StatusWarn)
	why, unread := r.Unread()
	switch {
	case v.live && faults > 0:
		return v.T("no cause found so far")
	case v.live:
		return v.T("no fault found so far")
	case unread:
		return v.T("node %s cannot be read through the Kubernetes API: %s", r.Source.Name, v.Say(why.Phrase()))
	case faults > 0:
		return v.T("the faults below explain each other")
	}
	sentence, _ := ui.Style{Lang: v.Catalogue}.Verdict(*r)
	return sentence
}

func groupRows(r *checks.Report, v view) []row {
	var rows []row
	for _, category := range r.Categories() {
		var found, unknown, rest []int
		for i := range r.Results {
			res := &r.Results[i]
			switch {
			case res.Category != category || !v.shows(res):
			case !v.live && v.changed[res.ID] == "" && (res.Status == checks.StatusPass ||
				res.Status == checks.StatusSkip):
				rest = append(rest, i)
			case !v.live && !v.narrowed() && v.changed[res.ID] == "" &&
				res.Status == checks.StatusUnknown:
				unknown = append(unknown, i)
			default:
				found = append(found, i)
			}
		}
		if len(found)+len(unknown)+len(rest) == 0 {
			continue
		}
		if !v.live {
			worstFirst(r, found)
			worstFirst(r, rest)
		}
		group := row{kind: rowGroup, category: category,
			members: slices.Concat(found, unknown, rest)}
		faulty := slices.ContainsFunc(found, func(i int) bool {
			return r.Results[i].Status != checks.StatusInfo || v.changed[r.Results[i].ID] != ""
		})
		group.open = v.isOpen(group.foldName(), faulty || len(unknown) > 0)
		rows = append(rows, group)
		if !group.open {
			continue
		}
		add := func(fold row) {
			fold.open = v.isOpen(fold.foldName(), false)
			if rows = append(rows, fold); fold.open {
				rows = append(rows, v.checkRows(r, category, fold.members)...)
			}
		}
		rows = append(rows, v.checkRows(r, category, found)...)
		for _, g := range ui.UnknownGroups(r, unknown) {
			add(row{kind: rowUnknown, category: category, members: g.Members, unknown: g})
		}
		if len(found)+len(unknown) > 0 && len(rest) > 0 && !v.narrowed() {
			add(row{kind: rowRest, category: category, members: rest})
		} else {
			rows = append(rows, v.checkRows(r, category, rest)...)
		}
	}
	return rows
}

func (v view) isOpen(name string, unset bool) bool {
	if v.narrowed() {
		return true
	}
	if set, ok := v.open[name]; ok {
		return set
	}
	if was, ok := v.was[name]; ok && v.live {
		return was
	}
	return unset || v.live
}

func (v view) checkRows(r *checks.Report, category checks.Category, list []int) []row {
	var rows []row
	for _, i := range list {
		id := r.Results[i].ID
		rows = append(rows, row{kind: rowCheck, index: i, id: id, category: category,
			was: v.changed[id]})
	}
	return rows
}

// byWeight is the order inside a group: what was found, what could not be told, the rest.
var byWeight = []checks.Status{checks.StatusFail, checks.StatusWarn, checks.StatusInfo,
	checks.StatusUnknown, checks.StatusPass, checks.StatusSkip}

func worstFirst(r *checks.Report, list []int) {
	sorted.By(list, func(a, b int) int {
		return cmp.Compare(slices.Index(byWeight, r.Results[a].Status),
			slices.Index(byWeight, r.Results[b].Status))
	})
}
