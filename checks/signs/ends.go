package signs

import (
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// withEnds adds a sign for each text that ends one of the signs: it is looked for in the same logs. The
// parts of a text around " … " stand in one line, with anything between them.
func withEnds(list []evidence.Sign) []evidence.Sign {
	all := slices.Clone(list)
	for _, sign := range list {
		for _, text := range sign.Until {
			parts := strings.Split(text, anything)
			end := evidence.Sign{Check: sign.Check, Text: parts[0], Also: parts[1:], In: sign.In}
			if !slices.ContainsFunc(all[len(list):], func(s evidence.Sign) bool {
				return s.Check == end.Check && endText(s) == text && slices.Equal(s.In, end.In)
			}) {
				all = append(all, end)
			}
		}
	}
	return all
}

const anything = " … "

func endText(s evidence.Sign) string {
	return strings.Join(append([]string{s.Text}, s.Also...), anything)
}

// end says why a match of a log is over: a later line says so, or it was too short to be more than
// the ordinary course of a start, and is then brief. What is brief and stands at the end of what is
// recorded may go on: it is not over. It is empty where neither is known.
func (c *scanner) end(k key, m *match) (over string, brief bool) {
	sign := c.list[k.sign]
	for _, text := range sign.Until { // in their order, so that each run names the same one
		for other, later := range c.found {
			if other.sign < c.wanted || c.list[other.sign].Check != sign.Check ||
				endText(c.list[other.sign]) != text {
				continue
			}
			if other.path == k.path && later.lastLine > m.lastLine ||
				other.path != k.path && !m.Last.IsZero() && c.lastTime(later).After(m.Last) {
				return "a later line says: " + text, false
			}
		}
	}
	switch lasted := m.Last.Sub(m.Time).Abs(); { // some exports begin with the newest line
	case sign.Lasts == 0 || m.Last.IsZero() && m.More >= fewLines || lasted >= sign.Lasts:
		return "", false
	case m.lastly && c.now.IsZero() && m.Last.IsZero(), // an excerpt
		m.lastly && !m.Last.IsZero() && !m.ends.After(m.Last.Add(sign.Lasts)) &&
			!c.now.After(m.Last.Add(sign.Lasts)):
		return "", true
	case m.Last.IsZero():
		return "the log has it a few times only, as at a start", true
	default:
		return "it lasted " + lasted.Round(time.Second).String() + ", as at a start", true
	}
}

// fewLines is how often a start may print a text, in a log without times.
const fewLines = 5

// lastTime is when a match was seen last: an event knows it, a line of a log has it in its text.
func (c *scanner) lastTime(m *match) time.Time {
	if len(m.last) == 0 {
		return m.Last
	}
	if at := evidence.LineTime(string(m.last), c.now); !at.IsZero() {
		return at
	}
	return evidence.LineTime(string(m.stamp), c.now)
}

// endOfRecord says which event ends an earlier one: of the same provider, or of the Service Control
// Manager, which reports on services; in Kubernetes events, about the same object.
func (c *scanner) endOfRecord(k key, m *match) string {
	for _, text := range c.list[k.sign].Until {
		for other, later := range c.found {
			if other.sign >= c.wanted && c.list[other.sign].Check == c.list[k.sign].Check &&
				endText(c.list[other.sign]) == text && other.path == k.path &&
				(other.by == m.by || slices.Contains(serviceManagers, other.by)) &&
				!m.Last.IsZero() && later.Last.After(m.Last) {
				return "a later event says: " + text
			}
		}
	}
	return ""
}

// serviceManagers are the names that the event log has for the Service Control Manager.
var serviceManagers = []string{"Service Control Manager", "Microsoft-Windows-Service Control Manager"}
