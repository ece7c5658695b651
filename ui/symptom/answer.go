package symptom

import (
	"cmp"
	"strings"

	"doctor/checks"
)

// An Answer is what a symptom comes to, in one or two sentences of the language that was asked for.
type Answer struct {
	Outcome  Outcome
	Status   checks.Status // of the cause that it names
	text     string
	Fix      checks.Fix // what to do about the cause
	Do       string     // or what to do to find out
	Commands []string
	Check    string // the check to open for more
}

// String is the answer as a text.
func (a Answer) String() string { return a.text }

// conclude draws the answer from the items.
func (a *Asked) conclude(r *checks.Report) Answer {
	var causes, normal []*Item
	for i := range a.Items {
		switch it := &a.Items[i]; {
		case it.Outcome == Fault && it.Under == "":
			causes = append(causes, it)
		case it.Outcome == Normal:
			normal = append(normal, it)
		}
	}
	switch {
	case len(a.Items) == 0:
		return Answer{Outcome: Skipped,
			text: a.said.T("None of the checks for this ran: run doctor without --only, --skip and --category.")}
	case len(causes) > 0:
		return a.found(likeliest(r, causes), len(causes)-1)
	case a.Count[Open] > 0:
		return Answer{Outcome: Open,
			text: a.said.T("Nothing found so far; %d of %d checks are still to come.", a.Count[Open],
				len(a.Checks))}
	case len(normal) > 0:
		return Answer{Outcome: Normal, Check: normal[0].Result.ID,
			text: a.said.T("This is normal on Windows: %s.", unstopped(normal[0].Says))}
	case a.Count[Unknown] > 0:
		return a.unanswered()
	}
	onward, next := Answer{Outcome: RuledOut}, unstopped(a.Next[0].Text)
	switch n := a.Count[RuledOut]; n {
	case 0:
		onward.text = a.said.T("None of these causes can arise on this node. Next: %s.", next)
	case 1:
		onward.text = a.said.T("The one cause that could arise here is ruled out. Next: %s.", next)
	default:
		onward.text = a.said.T("These %d causes are ruled out. Next: %s.", n, next)
	}
	return onward
}

func (a *Asked) found(it *Item, more int) Answer {
	res := it.Result
	ans := Answer{Outcome: Fault, Status: res.Status, Fix: res.Fix, Check: res.ID}
	says, fix := unstopped(it.Says), ""
	if first := res.Fix.First(); first != nil {
		fix = unstopped(a.said.Say(first.Headline()))
	}
	switch {
	case fix == "":
		ans.text = a.said.T("The cause: %s.", says)
	case res.Status == checks.StatusWarn:
		ans.text = a.said.T("A possible cause: %s. Fix: %s.", says, fix)
	default:
		ans.text = a.said.T("The cause: %s. Fix: %s.", says, fix)
	}
	switch {
	case more == 1:
		ans.text += a.said.T(" One more cause was found.")
	case more > 1:
		ans.text += a.said.T(" %d more causes were found.", more)
	}
	return ans
}

// unanswered names the one thing to do that would let most of the checks tell.
func (a *Asked) unanswered() Answer {
	var first Advice
	most := 0
	count := map[string]int{}
	for _, it := range a.Items {
		if it.Outcome != Unknown {
			continue
		}
		count[it.HowTo.Text]++
		if n := count[it.HowTo.Text]; n > most {
			most, first = n, it.HowTo
		}
	}
	ans := Answer{Outcome: Unknown, Do: first.Text, Commands: first.Commands}
	if n, do := a.Count[Unknown], unstopped(first.Text); n == 1 {
		ans.text = a.said.T("Nothing found here; one check could not run. First %s.", do)
	} else {
		ans.text = a.said.T("Nothing found here; %d checks could not run. First %s.", n, do)
	}
	return ans
}

// forNode puts the node's name in its place.
func forNode(commands []string, node string) []string {
	var list []string
	for _, c := range commands {
		list = append(list, strings.ReplaceAll(c, "{node}", cmp.Or(node, "NODE")))
	}
	return list
}

// likeliest is the cause that the report names first.
func likeliest(r *checks.Report, causes []*Item) *Item {
	for _, c := range r.Causes {
		for _, it := range causes {
			if it.Result.ID == c.ID {
				return it
			}
		}
	}
	return causes[0]
}

// unstopped is a text without a full stop at its end, to stand in a sentence.
func unstopped(s string) string { return strings.TrimRight(strings.TrimSpace(s), ".。") }
