package probed

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// What the forms of a name say together.
const (
	NameResolves = "resolves" // on Windows, or where that was not asked, at all
	// on Linux, and not on Windows, which completes no name with a dot
	NameByDesign    = "by-design"
	NameUncompleted = "uncompleted"  // on Linux, and not on Windows, which should have completed it
	NameUnknown     = "no-such-name" // nowhere, and that is an answer
	NameFault       = "fault"        // nowhere, and it should
	// nowhere, and it is no name of the cluster: there may be no way out
	NameWorldLost = "world-lost"
	NameNotAsked  = "not-asked" // it could not be asked
)

// A NameVerdict is what came of one name in its forms.
type NameVerdict struct {
	Name  string
	Kind  string
	Level checks.Level                 // 0 where nothing is wrong, or nothing is known
	Forms map[string]evidence.DNSProbe // plain, windows, linux: the best that came of each
	// of the form that decided, where the name does not resolve
	Outcome string
}

// Text is the verdict in words.
func (v NameVerdict) Text() string {
	switch v.Kind {
	case NameResolves:
		return "resolves"
	case NameByDesign:
		return "resolves on Linux, not on Windows, by design"
	case NameUncompleted:
		return "resolves on Linux, and should on Windows too: fault"
	case NameUnknown:
		return "no such name, on either"
	case NameFault:
		return "fails on both: fault (" + v.Outcome + ")"
	case NameWorldLost:
		return "fails on both (" + v.Outcome + "): no way out of the cluster, or a fault"
	}
	return "could not be asked"
}

// JudgeNames judges each name by its forms, in the order of the probes. A form
// that was asked more than once, of several servers or over both transports,
// counts by the best that came of it.
func JudgeNames(probes []evidence.DNSProbe) []NameVerdict {
	var list []NameVerdict
	for _, p := range probes {
		name := strings.ToLower(p.Name)
		at := slices.IndexFunc(list, func(v NameVerdict) bool { return v.Name == name })
		if at < 0 {
			at, list = len(list),
				append(list, NameVerdict{Name: name, Forms: map[string]evidence.DNSProbe{}})
		}
		if have, ok := list[at].Forms[p.Form]; !ok || worth(p) > worth(have) {
			list[at].Forms[p.Form] = p
		}
	}
	for i := range list {
		list[i].judge(probes)
	}
	return list
}

// worth orders outcomes: what resolves before what exists not, before what got lost.
func worth(p evidence.DNSProbe) int {
	switch {
	case p.Outcome == "ok":
		return 4
	case p.Outcome == "truncated": // the rest comes over TCP
		return 3
	case p.Answered():
		return 2
	case p.Lost():
		return 1
	}
	return 0
}

func resolves(p evidence.DNSProbe) bool { return worth(p) >= 3 }

func isAbsence(p evidence.DNSProbe) bool { return p.Outcome == "nxdomain" || p.Outcome == "nodata" }

func (v *NameVerdict) judge(probes []evidence.DNSProbe) {
	windows, linux, plain := v.Forms["windows"], v.Forms["linux"], v.Forms["plain"]
	dotted := strings.Contains(v.Name, ".")
	switch {
	case worth(windows)+worth(linux)+worth(plain) == 0:
		v.Kind = NameNotAsked
	case IsClusterName(PlainName(v.Name)):
		v.judgeClusterName()
	case resolves(windows), worth(windows) == 0 && (resolves(linux) || resolves(plain)):
		v.Kind = NameResolves
	case resolves(linux) && dotted, isAbsence(windows) && linux.Outcome == "" && dotted &&
		completed(probes, v.Name):
		v.Kind, v.Level = NameByDesign, checks.Info
	case resolves(linux):
		v.Kind, v.Level = NameUncompleted, checks.Warn
	default:
		v.fails(lastAsked(linux, windows, plain))
	}
}

// judgeClusterName judges a full name, which is the same in all forms: a fault
// where none of them resolves. That a Service does not exist is an answer too,
// unless it is the one that always does.
func (v *NameVerdict) judgeClusterName() {
	var last evidence.DNSProbe
	for _, form := range nameForms {
		p := v.Forms[form]
		switch {
		case worth(p) == 0:
			continue
		case resolves(p):
			v.Kind = NameResolves
			return
		case isAbsence(p) && !v.isAlwaysThere():
			v.Kind = NameUnknown
			return
		}
		last = p
	}
	v.fails(last)
}

// nameForms are the forms in the order in which a fault quotes them.
var nameForms = []string{"windows", "plain", "linux"}

func lastAsked(list ...evidence.DNSProbe) (p evidence.DNSProbe) {
	for _, p = range list {
		if worth(p) > 0 {
			return p
		}
	}
	return p
}

// fails says what it means that the name resolves in no form.
func (v *NameVerdict) fails(p evidence.DNSProbe) {
	v.Outcome = p.Outcome
	decided := p.Decided
	if decided == "" && len(p.Sent) > 0 {
		decided = p.Sent[len(p.Sent)-1]
	}
	switch {
	case isAbsence(p) && !v.isAlwaysThere():
		v.Kind = NameUnknown
	case isAbsence(p), IsClusterName(PlainName(v.Name)), IsClusterName(PlainName(decided)):
		v.Kind, v.Level = NameFault, checks.Fail
	default:
		v.Kind, v.Level = NameWorldLost, checks.Warn
	}
}

// alwaysThere begins the full name of the one Service that every cluster has.
const alwaysThere = "kubernetes.default.svc."

// isAlwaysThere tells whether the name is, or was completed to, one that every cluster has.
func (v *NameVerdict) isAlwaysThere() bool {
	there := func(name string) bool {
		name = strings.ToLower(name)
		return strings.HasPrefix(name, alwaysThere) && name != alwaysThere
	}
	if there(v.Name) {
		return true
	}
	for _, p := range v.Forms {
		if slices.ContainsFunc(p.Sent, there) {
			return true
		}
	}
	return false
}

// Because quotes the forms that were asked.
func (v *NameVerdict) Because() []evidence.Because {
	var list []evidence.Because
	for _, form := range nameForms {
		if p := v.Forms[form]; worth(p) > 0 {
			list = append(list, DNSBecause(p))
		}
	}
	return list
}

// completed tells whether a longer form of the name resolves.
func completed(probes []evidence.DNSProbe, name string) bool {
	return slices.ContainsFunc(probes, func(p evidence.DNSProbe) bool {
		return strings.HasPrefix(PlainName(p.Name), name+".") && p.Outcome == "ok"
	})
}

// PlainName is the name as DNS compares it: in lower case, without the dot at its end.
func PlainName(name string) string { return strings.TrimSuffix(strings.ToLower(name), ".") }

// IsClusterName tells a full name of the cluster, which resolves the same everywhere.
func IsClusterName(name string) bool { return strings.Contains(name, ".svc.") }

// DNSBecause is a probe as evidence for how a form of a name resolves.
func DNSBecause(p evidence.DNSProbe) evidence.Because {
	return p.Field("outcome").Because("%s as %s from %s, %s: sent %s: %s", p.Name, p.Form, p.From,
		p.Server, strings.Join(p.Sent, ", "), p.Outcome)
}

// A DNSServerReport is what came of all that one server was asked.
type DNSServerReport struct {
	DNSServerVerdict
	Names []NameVerdict
}

// JudgeDNS judges probes of DNS by server. The system's resolver comes last and
// without a verdict of its own: whose names it has to know is not settled.
func JudgeDNS(probes []evidence.DNSProbe) []DNSServerReport {
	var list []DNSServerReport
	of := func(server string) []evidence.DNSProbe {
		return slices.DeleteFunc(slices.Clone(probes), func(p evidence.DNSProbe) bool {
			return p.Server != server
		})
	}
	for _, v := range judgeDNSServers(probes) {
		list = append(list, DNSServerReport{v, JudgeNames(of(v.Server))})
	}
	if system := of(SystemResolver); len(system) > 0 {
		names := JudgeNames(system)
		for i := range names {
			names[i] = NameVerdict{Name: names[i].Name, Forms: names[i].Forms}
		}
		list = append(list,
			DNSServerReport{DNSServerVerdict{Server: SystemResolver,
				Verdict: "the system's own resolver", Asked: true}, names})
	}
	return list
}

// DNSStatus is what the judgements come to: a fault, or that something could
// not be asked, or neither.
func DNSStatus(list []DNSServerReport) checks.Status {
	status := checks.StatusPass
	for _, server := range list {
		if server.Level == checks.Fail {
			return checks.StatusFail
		}
		if !server.Asked {
			status = checks.StatusUnknown
		}
		for _, name := range server.Names {
			if name.Level == checks.Fail {
				return checks.StatusFail
			}
			if name.Kind == NameNotAsked {
				status = checks.StatusUnknown
			}
		}
	}
	return status
}
