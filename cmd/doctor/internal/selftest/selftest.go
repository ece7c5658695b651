// Package selftest holds what doctor reads through Windows' interfaces against what PowerShell says
// of the same machine. Nobody who develops doctor has the machine: the table that comes out is how
// they learn of one.
package selftest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// A comparison is one thing that both can say. Its lines are fields between tabs: the first is what
// the line is about, the others what is said of it.
type comparison struct {
	name   string
	script string // of PowerShell 5.1; `item` prints a line
	ours   func(context.Context, evidence.Snapshot) ([]string, error)

	near   func(ours, theirs string) bool // whether two values are the same; nil: upper and lower case are
	subset bool                           // doctor also lists what the script leaves out
	steady bool                           // nothing that doctor does may change it
}

// How a comparison ended.
const (
	Same        = "same"
	Differs     = "differs"
	NotCompared = "not compared"
)

// A Result is one row of the table.
type Result struct {
	Name    string   `json:"name"`
	State   string   `json:"state"`             // same, differs, not compared
	Windows int      `json:"windows"`           // lines that PowerShell printed
	Doctor  int      `json:"doctor"`            // lines that doctor made
	Why     string   `json:"why,omitempty"`     // of not compared
	Differs []string `json:"differs,omitempty"` // the first of the differences
	More    int      `json:"more,omitempty"`    // how many differences there are beside these
}

// A PowerShell runs a script and returns what it prints.
type PowerShell func(ctx context.Context, script string) (string, error)

// Run asks PowerShell before and after doctor reads. What it answers differently the second time
// moves by itself, and is not compared.
func Run(ctx context.Context, ask PowerShell,
	read func(context.Context) (evidence.Snapshot, error)) ([]Result, error) {
	before, err := sections(ctx, ask)
	if err != nil {
		return nil, err
	}
	s, err := read(ctx)
	if err != nil {
		return nil, err
	}
	own := make([][]string, len(comparisons))
	errs := make([]error, len(comparisons))
	for i, c := range comparisons {
		own[i], errs[i] = c.ours(ctx, s)
	}
	after, err := sections(ctx, ask)
	if err != nil {
		return nil, err
	}
	var results []Result
	for i, c := range comparisons {
		last, answered := after[c.name]
		if !answered {
			last.why = "it ended before it came to this"
		}
		results = append(results, c.result(before[c.name], last, own[i], errs[i]))
	}
	return results, nil
}

// script is all comparisons as one program of PowerShell, whose start takes a second or more.
func script() string {
	var b strings.Builder
	b.WriteString(preamble)
	for _, c := range comparisons {
		fmt.Fprintf(&b, "ask '%s' { %s }\n", c.name, c.script)
	}
	return b.String()
}

const preamble = `$ErrorActionPreference = 'Stop'; $ProgressPreference = 'SilentlyContinue'
try { [Console]::OutputEncoding = New-Object Text.UTF8Encoding $false } catch {}
function line($s) { "$s" -replace '\s+', ' ' }
function item { ($args | ForEach-Object { line $_ }) -join "` + "`" + `t" }
function ask($name, $block) { "## $name"; try { & $block } catch { "!! $(line $_.Exception.Message)" } }
`

// A section is what PowerShell says for one comparison.
type section struct {
	lines []string
	why   string // there are none
}

func sections(ctx context.Context, ask PowerShell) (map[string]section, error) {
	printed, err := ask(ctx, script())
	if err != nil {
		return nil, err
	}
	all, name := map[string]section{}, ""
	for line := range strings.Lines(strings.TrimPrefix(printed, "\ufeff")) {
		line = clean(line)
		if title, ok := strings.CutPrefix(line, "## "); ok {
			name = title
			all[name] = section{}
			continue
		}
		of := all[name]
		if why, ok := strings.CutPrefix(line, "!! "); ok {
			of.why = why
		} else if strings.TrimSpace(line) != "" {
			of.lines = append(of.lines, line)
		}
		all[name] = of
	}
	return all, nil
}

// clean takes out what a terminal would obey. The fields of a line stay apart.
func clean(line string) string {
	fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
	for i, f := range fields {
		fields[i] = evidence.Clean(f)
	}
	return strings.Join(fields, "\t")
}

// mostShown bounds the differences of one row.
const mostShown = 5

func (c comparison) result(before, after section, own []string, err error) Result {
	r := Result{Name: c.name, Windows: len(after.lines), Doctor: len(own), State: NotCompared}
	var gap collectors.GapError // why doctor has nothing to compare
	switch {
	case c.steady && !slices.Equal(before.lines, after.lines):
		r.State, r.Differs = Differs, []string{fmt.Sprintf("before %s, after %s",
			shown(before.lines), shown(after.lines))}
		return r
	case after.why != "":
		r.Why = "PowerShell: " + after.why
		return r
	case errors.As(err, &gap):
		r.Why = "doctor: " + gap.Error()
		return r
	case err != nil:
		r.State, r.Differs = Differs, []string{"doctor: " + err.Error()}
		return r
	case len(after.lines) == 0 && len(own) == 0:
		r.Why = "neither has any"
		return r
	}
	r.State = Same
	if list := c.differences(before.lines, after.lines, own); len(list) > 0 {
		r.State, r.Differs = Differs, list[:min(len(list), mostShown)]
		r.More = len(list) - len(r.Differs)
	}
	return r
}

// differences are the lines of one side that the other does not have. A line that PowerShell says
// only before or only after doctor read is no difference, and neither is its like in doctor's.
func (c comparison) differences(before, after, own []string) (list []string) {
	moving := valuesByKey(slices.DeleteFunc(slices.Concat(before, after), func(line string) bool {
		return slices.Contains(before, line) && slices.Contains(after, line)
	}))
	ours, theirs := valuesByKey(own), valuesByKey(after)
	keys := slices.AppendSeq(slices.Collect(maps.Keys(ours)), maps.Keys(theirs))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		of, said := ours[key], theirs[key]
		switch {
		case moving[key] != nil, c.subset && said == nil:
		case of == nil:
			list = append(list, fmt.Sprintf("%s: only PowerShell has it: %s", key, shown(said)))
		case said == nil:
			list = append(list, fmt.Sprintf("%s: only doctor has it: %s", key, shown(of)))
		case !c.sameValues(of, said):
			list = append(list, fmt.Sprintf("%s: PowerShell %s, doctor %s", key, shown(said), shown(of)))
		}
	}
	return list
}

// sameValues compares values of one key, in any order.
func (c comparison) sameValues(ours, theirs []string) bool {
	near := c.near
	if near == nil {
		near = strings.EqualFold
	}
	rest := slices.Clone(ours)
	for _, value := range theirs {
		at := slices.IndexFunc(rest, func(own string) bool { return near(own, value) })
		if at < 0 {
			return false
		}
		rest = slices.Delete(rest, at, at+1)
	}
	return len(rest) == 0 || c.subset
}

func valuesByKey(lines []string) map[string][]string {
	values := map[string][]string{}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, "\t")
		key = strings.ToLower(key)
		values[key] = append(values[key], value)
	}
	return values
}

// shown is a value as a table has it: short, and in one line.
func shown(values []string) string {
	const most = 160
	text := strings.ReplaceAll(strings.Join(values, ", "), "\t", " ")
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	if text == "" {
		return "nothing"
	}
	return text
}

// Table writes the results in Markdown, as an issue of GitHub shows them.
func Table(results []Result) string {
	var b strings.Builder
	b.WriteString("| compared | PowerShell | doctor | result |\n|---|---:|---:|---|\n")
	for _, r := range results {
		result := r.State
		if r.Why != "" {
			result += ": " + cell(r.Why)
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", r.Name, r.Windows, r.Doctor, result)
	}
	for _, r := range results {
		if len(r.Differs) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s:\n\n", r.Name)
		for _, d := range r.Differs {
			fmt.Fprintf(&b, "    %s\n", d)
		}
		if r.More > 0 {
			fmt.Fprintf(&b, "    and %d more\n", r.More)
		}
	}
	return b.String()
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
