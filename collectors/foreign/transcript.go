package foreign

import (
	"regexp"
	"strings"
	"time"
)

// A transcript is what Start-Transcript wrote while a tool ran: the nearest thing
// to a list of what went wrong.
type transcript struct {
	name           string
	started, ended time.Time
	steps          []transcriptStep
}

// A transcriptStep is a line with which the tool announces what it does, and what
// went wrong after it.
type transcriptStep struct {
	title  string
	errors []string
}

const maxSteps = 5_000

var (
	transcriptTime = regexp.MustCompile(`:\s*(20\d{12})\s*$`)
	transcriptStop = regexp.MustCompile(`^\*{10,}\s*$`)
	// "Cmdlet : message", and below it the place; PowerShell itself does not translate these two words.
	errorPlace  = regexp.MustCompile(`^\s*\+ (CategoryInfo|FullyQualifiedErrorId)\s*:`)
	errorHead   = regexp.MustCompile(`^(?:[A-Za-z]+-[A-Za-z]+|[\w.-]+\.(?:exe|ps1)|[\w-]+) : \S`)
	terminating = regexp.MustCompile(`(?i)^(PS>TerminatingError\(.*?\):|Error:)\s*(.*)$`)
	unavailable = regexp.MustCompile(
		`(?i)( command not available|logs not available| process not available| does not exist| are not available)\s*$`)
)

func readTranscript(t textFile) transcript {
	tr := transcript{name: t.name}
	if t.gap.Kind != "" {
		return tr
	}
	stops, last := 0, ""
	for line := range strings.Lines(t.content) {
		line = strings.TrimRight(line, " \t\n")
		switch {
		case line == "":
		case transcriptStop.MatchString(line):
			stops++
		case transcriptTime.MatchString(line):
			at, err := time.Parse("20060102150405", transcriptTime.FindStringSubmatch(line)[1])
			if err != nil || !plausible(at) {
				break
			}
			if tr.started.IsZero() {
				tr.started = at
			} else {
				tr.ended = at
			}
		case errorHead.MatchString(line):
			last = line
		case errorPlace.MatchString(line):
			tr.fail(last)
			last = ""
		case terminating.MatchString(line):
			tr.fail(terminating.FindStringSubmatch(line)[2])
		case unavailable.MatchString(line):
			tr.fail(line)
		case line[0] != ' ' && line[0] != '+' && len(tr.steps) < maxSteps:
			tr.steps = append(tr.steps, transcriptStep{title: line})
		}
	}
	return tr
}

func (tr *transcript) fail(why string) {
	if why == "" {
		return
	}
	if len(tr.steps) == 0 {
		tr.steps = append(tr.steps, transcriptStep{})
	}
	step := &tr.steps[len(tr.steps)-1]
	if len(step.errors) < maxFields {
		step.errors = append(step.errors, why)
	}
}

// why is what went wrong in the step, or with the thing, that a word names; "" for nothing.
func (tr transcript) why(words ...string) string {
	for _, word := range words {
		word = strings.ToLower(word)
		for _, s := range tr.steps {
			for _, e := range s.errors {
				if strings.Contains(strings.ToLower(s.title), word) ||
					strings.Contains(strings.ToLower(e), word) {
					return e
				}
			}
		}
	}
	return ""
}

// because is the end of a gap's reason: what the transcript says of it.
func (tr transcript) because(words ...string) string {
	if why := tr.why(words...); why != "" {
		return "; " + tr.name + " says: " + clip(why)
	}
	return ""
}
