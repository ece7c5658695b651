// Package regressions is what versions of Windows, Kubernetes and their parts are known to have
// broken: a table with a row for each, and the check that each row is. A row is data. To add one,
// add it to the table of its component with the versions that a release note or an issue confirms;
// the tests of this package verify it.
package regressions

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// A Row is one regression. Its version alone says no more than that the node may meet it; with a
// text in the logs or the state that it leaves, it is the cause.
type Row struct {
	ID string // the check's id is "regression-" and this
	Of Component
	// The affected versions by line of releases: "1.24.0 < 1.24.7, 1.25.0 < 1.25.3". The first of
	// each is the first that is known to have the fault, or the first of its line; the second has
	// the fix.
	From     string
	Title    string        // the fault as a short statement
	Breaks   []string      // ids of effects
	Explains []string      // ids of checks that show no effect
	Signs    []checks.Sign // texts that show it on a node with an affected version
	State    string        // id of the check whose fault, found by state, shows it
	Findings []string      // formats of the findings of that check that do; all of them where empty
	// what else must be there for such a finding to show it; or what shows it alone, with no finding
	Shown func(evidence.Snapshot, *checks.Finding) (evidence.Because, bool)
	Alone bool            // Shown also shows it with no finding of State
	Both  bool            // a text shows it only where Shown does with no finding
	Reads []evidence.Need // what Shown reads, beside pods
	Warn  bool            // what shows it is a warning and no failure
	// the state shows another reason for its texts
	Otherwise func(evidence.Snapshot) bool
	// other faults have its texts too: where the version is not recorded, they say nothing
	OtherCauses bool
	Alike       string // the same of one of the texts alone
	// where the regression can be met at all; all that are set must hold
	Backend     node.Backend
	Build       int      // of Windows
	Runtime     string   // containerd or docker
	HostProcess bool     // where HostProcess pods run
	DualStack   bool     // where pods have addresses of both families
	Sizes       []string // endings of the instance types of the cloud that have it, or beginnings with a dash
	Workaround  string
	Links       []string
}

// idStart is what the ids of all rows begin with.
const idStart = "regression-"

// A Resolver finds the effects and the checks that rows name by their ids.
type Resolver struct {
	Effect func(id string) *checks.Effect
	Check  func(id string) *checks.Check
}

// Rows lists the whole table.
func Rows() []Row {
	return slices.Concat(windowsRows, kubeletRows, kubeProxyRows, containerdRows, dockerRows,
		antreaRows, calicoRows, flannelRows, azureRows, storageRows, rke2Rows, openShiftRows)
}

// Checks makes a check of each row.
func Checks(find Resolver) []*checks.Check {
	var list []*checks.Check
	for _, r := range Rows() {
		list = append(list, r.check(find))
	}
	return list
}

func (r Row) check(find Resolver) *checks.Check {
	affected, fixed := mustParse(r.From), r.Fixed()
	c := &checks.Check{
		ID: idStart + r.ID, Category: checks.CategoryVersions, Links: r.Links,
		TitleOf: evidence.Phrasef(r.Title),
		HealthyOf: evidence.Phrasef("%s is not affected: %s", r.Of.name(),
			evidence.Phrasef(r.Title)),
		DocOf:    evidence.Phrasef(doc, r.Of.name(), spans(affected)),
		Fix:      r.fix(fixed),
		Uses:     slices.Concat(r.Of.sources(), []evidence.Need{evidence.Pods}, r.Reads),
		Explains: r.Explains,
		Applies: func(n *node.Node) error {
			if err := r.applies(n); err != errUnseen {
				return err
			}
			return nil
		},
	}
	c.Title, c.Healthy, c.Doc = c.TitleOf.String(), c.HealthyOf.String(), c.DocOf.String()
	if len(r.Sizes) > 0 {
		c.Uses = append(c.Uses, evidence.Node)
	}
	for _, id := range r.Breaks {
		c.Breaks = append(c.Breaks, find.Effect(id))
	}
	for _, s := range r.Signs {
		s.ConfirmOnly = true // other versions may say so for other reasons
		c.Signs = append(c.Signs, s)
	}
	if r.State != "" {
		c.Explains = append(c.Explains, r.State)
		shown := find.Check(r.State)
		c.Uses = slices.Concat(c.Uses, shown.Needs, shown.Uses)
	}
	c.Run = func(s evidence.Snapshot) ([]*checks.Finding, error) {
		return r.run(s, affected, c, find)
	}
	return c
}

// doc is what explain says about a row, beside its title.
const doc = `Affected versions of %s (the second version of each range has the fix): %s.

The version alone is reported as info: the node can be affected. It is reported as the cause if a log line or the node's state shows it. If the version is not recorded, a log line is reported as a warning.`

func (r Row) fix(fixed string) checks.Fix {
	var steps []*checks.Step
	if r.Of == Windows {
		steps = append(steps, checks.Do(
			"Install the current cumulative update of Windows (build %s or later).", fixed).
			Costs("The update reboots the node and stops its pods."))
	} else {
		steps = append(steps, checks.Do("Update %s to %s or a later version.", r.Of.name(), fixed).
			Costs("Update one node at a time: its pods may restart."))
	}
	if r.Workaround != "" {
		steps = append(steps, checks.Do(r.Workaround))
	}
	return checks.Steps(append(steps, checks.Verify(r.Of.shownBy(), "%s or a later version",
		fixed))...)
}

// Fixed lists the versions with the fix, one for each affected line of releases.
func (r Row) Fixed() string {
	var list []string
	for _, span := range mustParse(r.From) {
		list = append(list, span.fixed)
	}
	return strings.Join(list, ", ")
}

func (r Row) applies(n *node.Node) error {
	if err := r.Of.applies(n); err != nil {
		return err
	}
	switch {
	case r.Build != 0 && n.Build.Known() && n.Build.Value.Number != r.Build:
		return checks.Skip("the regression affects build %d only (found: %d)", r.Build,
			n.Build.Value.Number)
	case r.DualStack && n.PodCIDRs.Known() && len(n.PodCIDRs.Value) < 2:
		return checks.Skip("pods of this node have addresses of one family only")
	case r.Runtime != "" && !n.Runtime.Known(), r.Backend != "" && !n.Backend.Known():
		return errUnseen
	case r.Runtime != "":
		return checks.OnRuntime(r.Runtime)(n)
	case r.Backend != "":
		return checks.RequireBackend(n, r.Backend)
	}
	return nil
}

func (r Row) run(s evidence.Snapshot, affected []span, c *checks.Check, find Resolver) (
	[]*checks.Finding, error) {
	if r.HostProcess && !runsHostProcess(s) {
		return nil, checks.Skip("no HostProcess pod is on this node")
	}
	if len(r.Sizes) > 0 {
		if size := instanceType(s); size != "" && !r.ofSize(size) {
			return nil, checks.Skip("the regression affects other machine sizes (found: %s)", size)
		}
	}
	found, seen := r.Of.version(s)
	at := slices.IndexFunc(affected, func(sp span) bool { return sp.holds(found.number) })
	switch {
	case seen && at < 0 && node.IsStated(found.from):
		return nil, checks.Skip("nothing shows whether the node can meet this regression")
	case seen && at < 0:
		return nil, nil
	case !seen, r.applies(node.About(s)) == errUnseen:
		return r.possible(s, c, affected)
	}
	fixed, title := affected[at].fixed, evidence.Phrasef(r.Title)
	level := checks.Fail
	if r.Warn {
		level = checks.Warn
	}
	if m, ok := r.sign(s, c); ok {
		f := r.with(s, checks.Findingf(level, found.text,
			"%s has a regression that the logs show: %s (fixed in %s)", found.text, title, fixed).
			With(found.from, checks.Quote(m))).Cure(r.fix(fixed))
		f.Basis = checks.ByBoth
		return []*checks.Finding{f}, nil
	}
	if shown := r.shown(s, find); len(shown) > 0 {
		return []*checks.Finding{checks.Findingf(level, found.text,
			"%s has a regression that the node's state shows: %s (fixed in %s)", found.text, title,
			fixed).With(found.from).With(shown...).Cure(r.fix(fixed))}, nil
	}
	return []*checks.Finding{checks.Findingf(checks.Info, found.text,
		"no sign of a known regression of %s (fixed in %s): %s", found.text, fixed, title).With(found.from).Cure(r.fix(fixed))}, nil
}

// sign is a text of the regression in the logs that nothing later contradicts.
func (r Row) sign(s evidence.Snapshot, c *checks.Check) (evidence.SignMatch, bool) {
	list := s.Signs(c.ID)
	at := slices.IndexFunc(list, func(m evidence.SignMatch) bool {
		return m.Over == "" && !ofOtherNode(s, m) && !r.Of.namesOther(m.Found)
	})
	if at < 0 || r.Otherwise != nil && r.Otherwise(s) {
		return evidence.SignMatch{}, false
	}
	if r.Both {
		if _, ok := r.Shown(s, nil); !ok {
			return evidence.SignMatch{}, false
		}
	}
	return list[at], true
}

// with adds to a finding of a text the state that must be there, too.
func (r Row) with(s evidence.Snapshot, f *checks.Finding) *checks.Finding {
	if r.Both {
		because, _ := r.Shown(s, nil)
		f = f.With(because)
	}
	return f
}

// fetchFailed is what metrics-server says of a node that does not give its statistics.
const fetchFailed = "unable to fetch metrics from Kubelet "

// ofOtherNode tells whether the text names another node: metrics-server requests the statistics of all.
func ofOtherNode(s evidence.Snapshot, m evidence.SignMatch) bool {
	_, of, _ := strings.Cut(m.Found, fetchFailed)
	of, _, named := strings.Cut(of, " (")
	name := s.Meta().Node
	return m.Text == fetchFailed && named && name != "" && !strings.EqualFold(of, name)
}

// possible judges a node of which nothing shows the version: a text of the regression is no more
// than a warning, since other versions may say so for other reasons.
func (r Row) possible(s evidence.Snapshot, c *checks.Check, affected []span) ([]*checks.Finding, error) {
	m, ok := r.sign(s, c)
	if !ok || r.OtherCauses || m.Text == r.Alike {
		return nil, checks.Skip("nothing shows whether the node can meet this regression")
	}
	f := r.with(s, checks.Findingf(checks.Warn, r.Of.name(),
		"the logs show a text of a regression of %s %s: %s (its version is not recorded)",
		r.Of.name(), spans(affected), evidence.Phrasef(r.Title)).With(checks.Quote(m)))
	f.Basis = checks.ByText
	return []*checks.Finding{f}, nil
}

// shown is the state that shows the regression.
func (r Row) shown(s evidence.Snapshot, find Resolver) []evidence.Because {
	findings := []*checks.Finding{nil}
	if r.State != "" {
		findings = r.stateOf(s, find.Check(r.State))
		if r.Alone {
			findings = append(findings, nil)
		}
	} else if r.Shown == nil || r.Both {
		return nil
	}
	for _, f := range findings {
		var because []evidence.Because
		if f != nil {
			because = slices.Clone(f.Because)
		}
		if r.Shown != nil {
			more, ok := r.Shown(s, f)
			if !ok {
				continue
			}
			if !slices.Contains(because, more) {
				because = append(because, more)
			}
		}
		return because
	}
	return nil
}

// stateOf lists the findings of a check that can show the regression.
func (r Row) stateOf(s evidence.Snapshot, c *checks.Check) []*checks.Finding {
	if c.Applies != nil && c.Applies(node.About(s)) != nil {
		return nil
	}
	for _, need := range c.Needs {
		if need.Gap(s).Kind != "" {
			return nil
		}
	}
	findings, err := c.Run(s)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(findings, func(f *checks.Finding) bool {
		return f.Level <= checks.Info || f.Basis == checks.ByText ||
			len(r.Findings) > 0 && !slices.Contains(r.Findings, f.Format)
	})
}

// instanceType is the size of the machine, as the cloud wrote it on the Node.
func instanceType(s evidence.Snapshot) string {
	return evidence.Node.In(s).Metadata.Labels["node.kubernetes.io/instance-type"]
}

func (r Row) ofSize(instanceType string) bool {
	return slices.ContainsFunc(r.Sizes, func(end string) bool {
		return strings.HasSuffix(instanceType, end) || strings.HasSuffix(end, "-") && strings.HasPrefix(instanceType, end)
	})
}

func runsHostProcess(s evidence.Snapshot) bool {
	return slices.ContainsFunc(evidence.Pods.In(s), evidence.Pod.HostProcess)
}
