package symptom

import (
	"cmp"
	"slices"

	"doctor/checks"
	"doctor/checks/sorted"
	"doctor/ui/lang"
)

// An Item is one check on the way to the answer.
type Item struct {
	Result  *checks.Result
	Outcome Outcome
	Under   string // id of the cause whose consequence it is, when it stands under it
	Outside bool   // not of this symptom's checks: the cause of something that is
	Says    string // what it found, in one sentence; the gap or the reason where it found nothing
	HowTo   Advice // what to do about it, where it could not run
}

// Asked is a symptom held against a report, with the node's name in its steps.
type Asked struct {
	Symptom
	Items  []Item
	Count  map[Outcome]int // of the symptom's own checks
	Seen   bool            // the symptom itself was found
	Answer Answer
	said   *lang.Catalogue
}

// Ask goes through the symptom's checks. Faults that another one explains stand
// under their cause, wherever in the order they would come by themselves.
func (s Symptom) Ask(r *checks.Report) Asked {
	s.Checks = slices.Clone(s.Checks)
	for _, res := range r.Results {
		if s.leadsTo(res.ID, res.Category, res.Breaks) {
			s.Checks = append(s.Checks, res.ID)
		}
	}
	s.Next = slices.Clone(s.Next)
	for i := range s.Next {
		s.Next[i].Commands = forNode(s.Next[i].Commands, r.Node.Name)
	}
	a := Asked{Symptom: s, Count: map[Outcome]int{}}
	placed := map[string]bool{}
	for _, id := range s.Checks {
		res := r.Result(id)
		if res == nil {
			continue // it was not among the checks that ran
		}
		outcome := outcomeOf(res)
		a.Count[outcome]++
		a.Seen = a.Seen || outcome == Fault && slices.Contains(s.Shows, id)
		if placed[id] {
			continue
		}
		if outcome == Fault {
			if cause := causeOf(r, id); cause != nil {
				a.place(cause, r, placed)
				continue
			}
		}
		placed[id] = true
		a.Items = append(a.Items, itemOf(res))
	}
	for i := range a.Items {
		if it := &a.Items[i]; it.Outcome == Unknown {
			it.HowTo = AdviceOn(it.Result.Missing.Remedy(), r.Node.Name)
		}
	}
	a.Answer = a.conclude(r)
	return a
}

// In is the same in a language; said is the report in it. It is asked in English
// first, since how a gap can be closed is read from its words.
func (a Asked) In(l *lang.Catalogue, said *checks.Report) Asked {
	if l == nil {
		return a
	}
	a.said, a.Question = l, l.Word(a.Question)
	a.Items, a.Next = slices.Clone(a.Items), slices.Clone(a.Next)
	for i := range a.Items {
		it := &a.Items[i]
		if res := said.Result(it.Result.ID); res != nil {
			it.Result, it.Says, it.HowTo.Text = res, itemOf(res).Says, l.Word(it.HowTo.Text)
		}
	}
	for i := range a.Next {
		a.Next[i].Text, a.Next[i].Impact = l.Word(a.Next[i].Text), l.Word(a.Next[i].Impact)
	}
	a.Answer = a.conclude(said)
	return a
}

// place sets a cause with those of its consequences that bear on the symptom.
func (a *Asked) place(c *checks.Cause, r *checks.Report, placed map[string]bool) {
	if res := r.Result(c.ID); res != nil {
		placed[c.ID] = true
		item := itemOf(res)
		item.Outside = !slices.Contains(a.Checks, c.ID)
		a.Items = append(a.Items, item)
	}
	for _, id := range a.Checks {
		res := r.Result(id)
		if res == nil || id == c.ID || placed[id] || !slices.Contains(c.Consequences, id) ||
			outcomeOf(res) != Fault {
			continue
		}
		placed[id] = true
		item := itemOf(res)
		item.Under = c.ID
		a.Items = append(a.Items, item)
	}
}

// causeOf is the likeliest cause of a fault: itself, where nothing explains it.
func causeOf(r *checks.Report, id string) *checks.Cause {
	for i := range r.Causes {
		if c := &r.Causes[i]; c.ID == id || slices.Contains(c.Consequences, id) {
			return c
		}
	}
	return nil
}

func itemOf(res *checks.Result) Item {
	i := Item{Result: res, Outcome: outcomeOf(res)}
	switch i.Outcome {
	case Fault, Normal:
		i.Says = sentence(res)
	case Unknown:
		i.Says = res.Gap
	case Skipped:
		i.Says = res.Reason
	}
	return i
}

// sentence is the first finding, with its subject where it does not name it.
func sentence(res *checks.Result) string {
	if len(res.Findings) == 0 {
		return cmp.Or(res.Healthy, res.Title)
	}
	return cmp.Or(res.Findings[0].Message, res.Title)
}

// Ranked holds all symptoms against a report, the likeliest first: those that
// were seen, then those behind which a fault was found, in the order of the
// report's causes, then what could not be told.
func Ranked(r *checks.Report) []Asked {
	var list []Asked
	for _, s := range all {
		list = append(list, s.Ask(r))
	}
	sorted.By(list, func(a, b Asked) int {
		return cmp.Or(
			cmp.Compare(a.weight(), b.weight()),
			cmp.Compare(a.firstCause(r), b.firstCause(r)),
			cmp.Compare(a.isCause(r), b.isCause(r)),
			cmp.Compare(b.Count[Fault], a.Count[Fault]),
		)
	})
	return list
}

func (a Asked) weight() int {
	switch s := a.Status(); {
	case s == checks.StatusFail && a.Seen:
		return 0
	case s == checks.StatusFail:
		return 1
	case s == checks.StatusWarn:
		return 2
	}
	return 3 // in the order of the list: what was not found does not push itself forward
}

// firstCause is where the likeliest cause behind the symptom stands in the report.
func (a Asked) firstCause(r *checks.Report) int {
	for i, c := range r.Causes {
		if slices.ContainsFunc(a.Items, func(it Item) bool {
			return it.Outcome == Fault && it.Result.ID == c.ID
		}) {
			return i
		}
	}
	return len(r.Causes)
}

// isCause tells whether the likeliest cause behind the symptom is what shows it.
func (a Asked) isCause(r *checks.Report) int {
	if at := a.firstCause(r); at < len(r.Causes) && slices.Contains(a.Shows, r.Causes[at].ID) {
		return 0
	}
	return 1
}

// Status is the symptom in one verdict, the worst that any of its checks came to.
// While a verdict is to come it is that check's, as the report has it.
func (a Asked) Status() checks.Status {
	worst := checks.StatusSkip
	best := Skipped
	for _, i := range a.Items {
		if i.Outcome < best || i.Outcome == best && i.Result.Status == checks.StatusFail {
			best, worst = i.Outcome, i.Result.Status
		}
	}
	return worst
}
