package checks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/evidence/jsontree"
	"doctor/checks/node"
)

// A Fix is what a person does about a fault: steps in their order. Texts and
// commands may hold placeholders such as {network} and {restart kubelet}, which
// are filled in for the node at hand.
type Fix struct {
	Steps []*Step       `json:"steps"`
	Names []Placeholder `json:"-"` // Of a report: what was filled in.
}

// Steps makes a Fix.
//
//go:noinline
func Steps(steps ...*Step) Fix { return Fix{Steps: steps} }

// A Step is one thing that a person does.
type Step struct {
	Kind StepKind `json:"kind"`
	Text string   `json:"text"` // an order: what to do, and why where that is not plain
	// PowerShell on the node, or kubectl: one line. Empty where no command does it.
	Command string `json:"command,omitempty"`
	Impact  string `json:"impact,omitempty"` // what the step costs; empty: nothing
	// of Verify: what the command shows when the fault is gone
	Expect string `json:"expect,omitempty"`

	// Of Edit: the file as Windows names it, its line from 1 (0: not one certain line), and what
	// the line holds and should hold. An empty To with a From deletes it.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`

	// On is the platform on which the step makes sense; empty: on each.
	On node.Platform `json:"-"`

	// What the texts are made of, so that another language can make its own.
	TextOf, ImpactOf, ExpectOf evidence.Phrase `json:"-"`
}

// StepKind is what a step does.
type StepKind string

// The kinds of steps. Edit and Run change something.
const (
	StepInspect StepKind = "inspect"
	StepEdit    StepKind = "edit"
	StepRun     StepKind = "run"
	StepVerify  StepKind = "verify"
)

// The functions that make steps are not inlined, nor are those of checks that most of the catalogue
// calls: several hundred copies of each would make the program 1.8 MB larger.

// Inspect looks at something and changes nothing.
//
//go:noinline
func Inspect(command, format string, args ...any) *Step {
	return &Step{Kind: StepInspect, Command: command, TextOf: evidence.Phrasef(format, args...)}
}

// Edit changes a file of the node by hand.
//
//go:noinline
func Edit(file, format string, args ...any) *Step {
	return &Step{Kind: StepEdit, File: file, TextOf: evidence.Phrasef(format, args...)}
}

// EditAt is the Edit of the line in which a place of a node's file is: change makes the new line
// from the one that is there; "" deletes it. Where the place is in no certain line the step names
// the file alone.
func EditAt(s evidence.Snapshot, place evidence.Place, change func(line string) string,
	format string, args ...any) *Step {
	file, _ := evidence.WindowsPath(place.Path)
	step := Edit(file, format, args...)
	text := s.File(file).Text
	number := place.Line
	if number == 0 && place.Field != "" {
		if root, err := jsontree.Parse([]byte(text), maxEditValues); err == nil {
			if at, ok := root.Find(place.Field); ok {
				number = at.Line
			}
		}
	}
	lines := strings.Split(text, "\n")
	if number < 1 || number > len(lines) {
		return step
	}
	from := strings.TrimRight(lines[number-1], "\r")
	if to := change(from); to != from {
		step.Line, step.From, step.To = number, strings.TrimSpace(from), strings.TrimSpace(to)
	}
	return step
}

// maxEditValues is more than a configuration file holds.
const maxEditValues = 10000

// Run changes something by a command.
//
//go:noinline
func Run(command, format string, args ...any) *Step {
	return &Step{Kind: StepRun, Command: command, TextOf: evidence.Phrasef(format, args...)}
}

// Do changes something that has no command of its own: it is done in a portal, in
// an image, on another machine.
//
//go:noinline
func Do(format string, args ...any) *Step { return Run("", format, args...) }

// Costs says what a step breaks or interrupts.
//
//go:noinline
func (s *Step) Costs(format string, args ...any) *Step {
	costly := *s
	costly.ImpactOf = evidence.Phrasef(format, args...)
	return &costly
}

// Only limits a step to one platform: a report about a node of another leaves it out.
//
//go:noinline
func (s *Step) Only(platform node.Platform) *Step {
	limited := *s
	limited.On = platform
	return &limited
}

// of leaves out the steps of other platforms, where that of the node is known.
func (f Fix) of(n *node.Node) Fix {
	f.Steps = slices.DeleteFunc(slices.Clone(f.Steps), func(s *Step) bool {
		return s.On != "" && n.Platform.Known() && s.On != n.Platform.Value
	})
	return f
}

// Verify shows whether the fault is gone.
//
//go:noinline
func Verify(command, expect string, args ...any) *Step {
	return &Step{Kind: StepVerify, Command: command, ExpectOf: evidence.Phrasef(expect, args...)}
}

// Changes reports whether the step does more than look.
func (s *Step) Changes() bool { return s.Kind == StepEdit || s.Kind == StepRun }

// First is the first step that changes something, or else the first; nil where
// there is none.
func (f Fix) First() *Step {
	for _, s := range f.Steps {
		if s.Changes() {
			return s
		}
	}
	if len(f.Steps) > 0 {
		return f.Steps[0]
	}
	return nil
}

// A Placeholder is a name such as {network}, and what stands for it on the node.
type Placeholder struct {
	Name, Value string
	Known       bool // else Value says in words what is to be put in
}

// Unfilled is the fix as the catalogue shows it, for no node in particular.
func (f Fix) Unfilled() Fix { return f.With(evidence.Phrase.String) }

// Clone returns a copy whose steps may be changed.
func (f Fix) Clone() Fix {
	steps := make([]*Step, len(f.Steps))
	for i, s := range f.Steps {
		step := *s
		steps[i] = &step
	}
	f.Steps = steps
	return f
}

// With makes the texts of the steps from their phrases.
func (f Fix) With(say func(evidence.Phrase) string) Fix {
	f = f.Clone()
	for _, s := range f.Steps {
		for text, of := range map[*string]evidence.Phrase{&s.Text: s.TextOf, &s.Impact: s.ImpactOf,
			&s.Expect: s.ExpectOf} {
			if of.Format != "" {
				*text = say(of)
			}
		}
	}
	return f
}

// fill puts the node's own names into a fix.
func fill(names []Placeholder, f Fix) Fix {
	f.Names = names
	f = f.With(func(p evidence.Phrase) string { return f.Named(p.String()) })
	for _, s := range f.Steps {
		s.Command, s.File = evidence.Clean(f.Named(s.Command)), evidence.Clean(f.Named(s.File))
		for _, p := range names { // a shell takes <name> for a redirection
			if word, ok := strings.CutPrefix(p.Value, "<"); ok && !p.Known {
				word = strings.ToUpper(strings.ReplaceAll(strings.TrimSuffix(word, ">"), " ", "-"))
				s.Command = strings.ReplaceAll(s.Command, p.Value, word)
			}
		}
	}
	return f
}

// forPod puts the name of the pod that a finding is about into the commands of its fix, except into
// what verifies it: the pod may have another name then. What the API server would not accept as a
// name stays a placeholder, so that no recording puts commands of its own into a fix.
func (f Fix) forPod(s evidence.Snapshot, subject string) Fix {
	namespace, name, _ := strings.Cut(subject, "/")
	if !IsObjectName(namespace) || !IsObjectName(name) || !isPod(s, namespace, name) {
		return f
	}
	f = f.Clone()
	for _, step := range f.Steps {
		step.Command = strings.ReplaceAll(step.Command, "-n NAMESPACE", "-n "+namespace)
		other := strings.Contains(step.Command, " -n ") && !strings.Contains(step.Command+" ", " -n "+namespace+" ")
		if step.Kind != StepVerify && !other { // a pod of an agent, in a namespace of its own
			step.Command = strings.ReplaceAll(step.Command, " POD ", " "+name+" ")
		}
	}
	return f
}

func isPod(s evidence.Snapshot, namespace, name string) bool {
	return slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
		return p.Metadata.Namespace == namespace && p.Metadata.Name == name
	}) || slices.ContainsFunc(evidence.PodEvents.In(s), func(e evidence.Event) bool {
		about := e.About()
		return about.Kind == "Pod" && about.Namespace == namespace && about.Name == name
	})
}

var objectName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// IsObjectName reports whether the API server accepts the name of an object such as a pod.
func IsObjectName(s string) bool { return objectName.MatchString(s) }

// Headline is the step in one line, without its command.
func (s *Step) Headline() evidence.Phrase {
	text := evidence.Phrasef("%s", s.Text)
	switch {
	case s.Kind == StepVerify:
		return evidence.Phrasef("Check: %s", s.Expect)
	case s.Kind == StepEdit && s.Line > 0:
		return evidence.Phrasef("Edit %s line %d: %s", s.File, s.Line, text)
	case s.Kind == StepEdit && s.File != "":
		return evidence.Phrasef("Edit %s: %s", s.File, text)
	case s.Text == "":
		return evidence.Phrasef("%s", s.Command)
	}
	return text
}

// InOneLine is what stands for the fix where there is room for one line: the command of its first
// step that changes something, or what that step says where the command has no room.
func (f Fix) InOneLine() evidence.Phrase {
	switch s := f.First(); {
	case s == nil:
		return evidence.Phrase{}
	case s.Command != "" && len(s.Command) <= oneLine:
		return evidence.Phrasef("%s", s.Command)
	default:
		return s.Headline()
	}
}

// oneLine is how long a command may be that stands for the whole fix. A longer one, such as that
// which writes all parameters of a service, is read and copied where the steps are.
const oneLine = 200

// Commands are the commands of all steps, in their order.
func (f Fix) Commands() []string {
	var list []string
	for _, s := range f.Steps {
		if s.Command != "" {
			list = append(list, s.Command)
		}
	}
	return list
}

// Script is the whole fix as a script for PowerShell: the texts are its comments.
func (f Fix) Script(say func(evidence.Phrase) string) []string {
	var lines []string
	for i, s := range f.Steps {
		lines = append(lines, fmt.Sprintf("# %d. %s", i+1, say(s.Headline())))
		if s.From != "" || s.To != "" {
			lines = append(lines, "#    - "+s.From, "#    + "+s.To)
		}
		if s.Impact != "" {
			lines = append(lines, "#    ! "+s.Impact)
		}
		if s.Command != "" {
			lines = append(lines, s.Command)
		}
	}
	return lines
}
