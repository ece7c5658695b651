package symptom

import (
	"cmp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
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

// Advice is what to do about checks that could not run.
type Advice struct {
	Reason   string // why they could not run, in general
	Text     string // what to do; it continues "First", so it is an imperative
	Commands []string
}

// advices are what a reader does about each remedy. {node} stands for the node's name.
var advices = map[evidence.Remedy]Advice{
	evidence.Elevate: {"administrator rights are required",
		"run doctor on the node as Administrator", []string{"doctor"}},
	evidence.ClusterRights: {"the cluster denied access",
		"use a role that may read the cluster, or log in again",
		[]string{"doctor explain rbac"}},
	evidence.ViaAPI: {"no Kubernetes objects were collected",
		"read them through the Kubernetes API, or save them in the recording as api/KIND.json",
		[]string{"doctor --node {node}", "kubectl get KIND -A -o json"}},
	evidence.FromPod: {"the required probes were not run",
		"run doctor on the node, and probe from one of its pods too",
		[]string{"doctor --from-pod NAMESPACE/POD"}},
	evidence.OnNode: {"the data was not collected on the node",
		"run doctor on the node, or collect a bundle there",
		[]string{"doctor", "doctor bundle"}},
	evidence.MoreTime: {"the time limit was reached",
		"run doctor again with more time; what times out again is likely the fault",
		[]string{"doctor --timeout 60s"}},
	evidence.WithoutPassive: {"--passive sends no probes", "run doctor again without --passive",
		[]string{"doctor"}},
	evidence.ReadFile: {"some data could not be read",
		"check why the file or the data could not be read", nil},
	evidence.ByHand: {"this Windows version does not provide the data",
		"check it by hand on the node", nil},
	evidence.RunCommand: {"the files do not show what the checks need",
		"run these commands, and give doctor their output too", nil},
	evidence.WindowsNode: {"the Node object is of a node without Windows",
		"give doctor the Node object of a Windows node", []string{"kubectl get node NODE -o yaml"}},
	evidence.WholeLog: {"a part of a log can show that a fault is there, never that it is not",
		"give doctor the whole log, from the last start of its component: run doctor on the node, or collect a bundle there",
		[]string{"doctor", "doctor bundle"}},
	evidence.OpenCheck: {"the recording does not show what the checks need",
		"open the check to see what is missing; -o wide shows it for all checks", nil},
}

// AdviceOn is the advice on a remedy, with the node's name in its commands.
func AdviceOn(remedy evidence.Remedy, node string) Advice {
	advice := advices[remedy]
	advice.Commands = forNode(advice.Commands, node)
	return advice
}
