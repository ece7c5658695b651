package unexplained

import (
	"cmp"
	_ "embed" // the normal lines
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"doctor/checks/errcode"
	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

// A Line is an error line or a warning event that no finding explains.
type Line struct {
	Component string
	Text      string
	Count     int
	First     time.Time
	Last      time.Time
	Place     evidence.Place
	Why       []evidence.Phrase // why it is worth a look, strongest first

	score  int
	says   saying
	level  string // of a line of a log
	normal bool   // healthy nodes have it too
	chosen bool   // it is in an excerpt that somebody made
	last   bool   // it is among the last lines of its log
	prose  bool   // it tells of errors, and is none
	after  bool   // an event that only follows from another
}

// A Case is what is known of the node beside its logs.
type Case struct {
	// Explained tells whether a finding rests on the place.
	Explained func(evidence.Place) bool
	// Quotes are the lines that findings quote: others of their kind are explained too.
	Quotes []string
	// Brief are lines of faults that the log does not have for long enough, with the fault's check.
	// A log ends somewhere, so it may go on behind that.
	Brief map[string]string
	// Past are lines of faults that are over.
	Past []string
	// Down are the components that do not run, as logs/ names them.
	Down []string
	// Began is when the node or a pod was first seen to be ill; zero where that is not known.
	Began time.Time
	// Well is whether the node is Ready and nothing is known to be wrong: it has errors in its logs
	// too.
	Well bool
}

// MaxLines is how many lines are shown.
const MaxLines = 10

// Points for what an expert looks at first, and what is worth showing at all.
const (
	pointsFatal     = 60
	pointsError     = 40
	pointsEvent     = 45 // a warning event of Kubernetes says what failed in plain words
	pointsWord      = 25
	pointsWarning   = 15
	pointsLastWords = 40
	pointsDown      = 20
	pointsBegan     = 15
	pointsOngoing   = 15
	pointsCode      = 15
	pointsOld       = -40
	pointsNormal    = -60
	pointsChosen    = 20 // somebody copied the line from where it stood
	pointsBrief     = 30 // a check knows the line
	worthShowing    = 35 // an error of now, or a warning that something else speaks for
	worthOfWell     = 45
)

// pointsOf are the points of a level, where the line states one.
var pointsOf = map[string]int{levelFatal: pointsFatal, levelError: pointsError,
	levelWarning: pointsWarning}

// Rank lists the lines with errors that no finding explains, those that an expert would look at
// first before the others.
func Rank(s evidence.Snapshot, c Case) []Line {
	quoted, past := sayingsOf(c.Quotes), sayingsOf(append(slices.Clone(c.Past), recovered(s)...))
	brief := map[string]string{}
	for line, check := range c.Brief {
		brief[Template(line)] = check
	}
	var list []Line
	add := func(l Line) {
		kind := Template(l.Text)
		if c.Explained(l.Place) || slices.ContainsFunc(quoted, sayingOf(kind).like) {
			return
		}
		if check := brief[kind]; check != "" && (l.chosen || l.last) {
			l.score += pointsBrief
			l.because(evidence.Phrasef("the fault of %s, if it goes on behind the last lines", check))
		} else if l.normal || normalKinds()[hash(kind)] {
			l.score += pointsNormal
			l.normal = true
		} else if slices.ContainsFunc(past, sayingOf(kind).like) {
			l.score += pointsOld
		}
		l.weigh(s, c)
		l.says = sayingOf(kind)
		list = append(list, l)
	}
	for _, l := range candidates(s, c) {
		add(l)
	}
	least := worthShowing
	if c.Well {
		least = worthOfWell
	}
	if len(c.Quotes) == 0 && !slices.ContainsFunc(list, func(l Line) bool { return l.score >= least }) {
		raise(list, c.Well)
	}
	list = slices.DeleteFunc(list, func(l Line) bool { return l.score < least })
	sorted.By(list, func(a, b Line) int {
		return cmp.Or(b.score-a.score, b.Last.Compare(a.Last), strings.Compare(a.Place.Path, b.Place.Path),
			a.Place.Line-b.Place.Line, strings.Compare(a.Place.Field, b.Place.Field))
	})
	return distinct(list)
}

// raise shows the errors of an excerpt that healthy nodes have too, events that follow from others, and
// what its author says, where it holds nothing else: somebody copied them because something is wrong.
// So it does with what only sounds like an error, and with an error that a line carries whatever its level,
// where the node is not known to be well.
func raise(list []Line, well bool) {
	for i := range list {
		l := &list[i]
		if !well && !l.normal && !l.chosen && (l.level == levelWord ||
			l.level == levelWarning && (carries(l.Text) || harm.MatchString(l.Text)) && !passing.MatchString(l.Text)) {
			l.score += pointsError - pointsWarning
		}
		if l.prose || l.after && l.chosen {
			l.score += pointsChosen
		}
		if l.normal && l.chosen && l.level != levelWarning && l.level != levelWord {
			l.score += -pointsNormal
			l.because(evidence.Phrasef("healthy nodes have this error too, for a short time at their start"))
		}
	}
}

// candidates are the lines and events of the node that say that something is wrong.
func candidates(s evidence.Snapshot, c Case) []Line {
	var list []Line
	chosen := map[string]bool{}
	for _, r := range evidence.LogRecords.In(s).Logs {
		chosen[r.Path] = r.Excerpt
	}
	for _, e := range s.ErrorLines() {
		l := ofLog(e, c)
		l.chosen = chosen[e.Path]
		l.prose = l.chosen && isProse(e)
		if l.chosen && !l.prose {
			l.score += pointsChosen
		}
		list = append(list, l)
	}
	events := evidence.PodEvents.In(s)
	for _, e := range events {
		repeats := onlyReason.MatchString(e.Text()) && slices.ContainsFunc(events, func(o evidence.Event) bool {
			return o.Reason == e.Reason && o.About() == e.About() && !onlyReason.MatchString(o.Text())
		})
		if e.OfOtherNode(evidence.Node.In(s).Metadata.Name) {
			continue
		}
		explained := e.Reason == "BackOff" && slices.ContainsFunc(c.Quotes, func(q string) bool {
			return strings.Contains(q, e.About().Name) // a finding says why the container ends
		})
		if e.Type == "Warning" && !repeats && !explained {
			l := ofEvent(e)
			l.chosen = chosen[evidence.PodEvents.Path()]
			if !l.chosen && elsewhere(e, evidence.Node.In(s).Metadata.Name) {
				l.score -= pointsEvent - pointsWarning
			}
			list = append(list, l)
		}
	}
	for _, e := range evidence.WindowsEvents.In(s) {
		if l, ok := ofWindows(e); ok {
			if chosen[evidence.WindowsEvents.Path()] {
				l.chosen = true
				l.score += pointsChosen
			}
			list = append(list, l)
		}
	}
	return list
}

// prose is how people write about errors: they announce what they quote, and speak of themselves.
var prose = regexp.MustCompile(`:$|(?i:^[*>#\- ]*(?:when|after|if|at|today|see|fails|how|so|but|then|now|also|` +
	`expected|actual|steps|what|any|the issue|the problem|this) )|` +
	`(?i: (?:an|the|this|getting|with|following) errors?(?: message)?\.?$| error (?:was|is)$)|` +
	`\b(?:I|I'm|I've|[Ww]e|[Mm]y|[Oo]ur|[Aa]nyone|[Pp]lease|[Hh]ello|[Tt]hanks)\b[^:]*$|` +
	`(?i:the (?:following|below) error)`)

// isProse tells the words of an author from a line of a log, which states its level.
func isProse(e evidence.ErrorLine) bool {
	_, stated := levelIn(e.Text)
	return !stated && prose.MatchString(e.Text)
}

func ofLog(e evidence.ErrorLine, c Case) Line {
	l := Line{Component: evidence.LogComponent(e.Path), Text: e.Text, Count: e.Count, First: e.First,
		Last: e.Last, Place: evidence.InLine(e.Path, e.LastLine), level: e.Level, last: e.AtEnd,
		score: cmp.Or(pointsOf[e.Level], pointsWord)}
	if e.Level == levelFatal {
		l.because(evidence.Phrasef("a fatal error"))
	}
	down := slices.Contains(c.Down, l.Component)
	if e.AtEnd && (down || e.Level == levelFatal) {
		l.score += pointsLastWords
		l.because(evidence.Phrasef("the last lines before %s stopped", l.Component))
	} else if down {
		l.score += pointsDown
		l.because(evidence.Phrasef("%s is not running", l.Component))
	}
	return l
}

func (l *Line) because(why evidence.Phrase) { l.Why = append(l.Why, why) }

// Bounds of time.
const (
	soon   = 10 * time.Minute // around the beginning of the trouble
	recent = 30 * time.Minute
	old    = 24 * time.Hour
)

// weigh adds the points that depend on time and on what the line says.
func (l *Line) weigh(s evidence.Snapshot, c Case) {
	now := s.Now()
	if !c.Began.IsZero() && !l.First.IsZero() && l.First.Sub(c.Began).Abs() <= soon {
		l.score += pointsBegan
		l.because(evidence.Phrasef("first seen when the trouble began"))
	}
	if booted := evidence.OSInfo.In(s).BootedAt.Time; !l.Last.IsZero() &&
		(now.Sub(l.Last) > old || l.Last.Before(booted)) {
		l.score += pointsOld
	} else if !l.Last.IsZero() && now.Sub(l.Last) <= recent {
		l.score += pointsOngoing
		if l.Count > 2 {
			l.because(evidence.Phrasef("still repeated at the end"))
		}
	}
	if len(errcode.In(l.Text)) > 0 {
		l.score += pointsCode
	}
}

// distinct takes the first lines that differ in what they say.
func distinct(list []Line) []Line {
	var kept []Line
	for _, l := range list {
		if len(kept) == MaxLines {
			break
		}
		if !slices.ContainsFunc(kept, func(k Line) bool { return k.says.like(l.says) }) {
			kept = append(kept, l)
		}
	}
	return kept
}

func wordsOf(kind string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(kind, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127)
	}) {
		words[w] = true
	}
	return words
}

// A saying is the words of a line, and those of its end: behind the last colon stands what failed
// in the end, and before it what every line of the component begins with.
type saying struct{ words, end map[string]bool }

func sayingOf(kind string) saying {
	kind = whose.ReplaceAllString(kind, "")
	s := saying{words: wordsOf(kind)}
	for rest := kind; len(s.end) < 2 && rest != ""; {
		rest = rest[:max(0, strings.LastIndex(rest, ": "))]
		s.end = wordsOf(kind[len(rest):])
	}
	return s
}

func sayingsOf(lines []string) (list []saying) {
	for _, line := range lines {
		list = append(list, sayingOf(Template(line)))
	}
	return list
}

// whose is what klog writes behind an error: the pod and the container that it is about.
var whose = regexp.MustCompile(`(?: (?:pod|poduid|podsandboxid|sandboxid|containerid|containername|image|logid|node)="[^"]*")+$`)

// like tells whether two lines say the same: most words of the shorter one are in the other, as
// where the kubelet repeats what the runtime told it.
func (s saying) like(other saying) bool {
	return share(s.words, other.words) >= 75 && share(s.end, other.end) >= 50
}

// share is how many percent of the words of the shorter one are in the other.
func share(a, b map[string]bool) int {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return both * 100 / max(min(len(a), len(b)), 1)
}

//go:embed normal.txt
var normal string

// normalKinds are the lines that logs of healthy nodes have.
var normalKinds = sync.OnceValue(func() map[string]bool {
	kinds := map[string]bool{}
	for line := range strings.Lines(normal) {
		kinds[strings.TrimSpace(line)] = true
	}
	return kinds
})

// hash is a short form of the template of a line, as normal.txt has it.
func hash(kind string) string {
	h := fnv.New64a()
	h.Write([]byte(kind))
	return fmt.Sprintf("%016x", h.Sum64())
}
