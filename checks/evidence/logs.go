package evidence

import (
	"maps"
	"slices"
	"strings"
)

// Logs is a Need for the logs of a component: the name of its folder below logs/.
type Logs string

func (l Logs) Gap(s Snapshot) Gap {
	if len(s.LogFiles(string(l))) > 0 {
		return ""
	}
	if s.tree != nil && !s.hides(l.folder()) {
		if _, gap := s.tree.read("logs/" + string(l)); gap.Kind() != NotCollected {
			return gap
		}
	}
	return neverAsked(l.folder())
}

func (l Logs) Paths() []string { return []string{l.folder()} }

func (l Logs) folder() string { return "logs/" + string(l) + "/" }

// LogFiles lists the log files of a component, or of all of them for "".
func (s Snapshot) LogFiles(component string) []string {
	if s.tree == nil {
		return nil
	}
	folder := "logs/"
	if component != "" {
		folder = Logs(component).folder()
		s.note(folder)
	}
	var list []string
	for key, stored := range maps.All(s.paths) {
		if strings.HasPrefix(key, strings.ToLower(folder)) && !strings.HasSuffix(key, ".gap") && !s.hides(stored) {
			list = append(list, stored)
		}
	}
	slices.Sort(list)
	return list
}
