package session

import (
	"io/fs"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/tree"
)

// cheap is the evidence that a watch reads every few seconds: state that changes when something
// breaks, and that costs milliseconds. Logs, files, events, security, probes and what netsh.exe
// lists (ports, drops) are read with all the rest, every few minutes.
var cheap = []string{"services.json", "hns-networks.json", "hns-endpoints.json", "hns-loadbalancers.json",
	"hns-namespaces.json", "adapters.json", "routes.json", "processes.json", "api/node.json",
	"api/pods.json"}

// Cheap is another reading of the same node that reads only what is cheap, and has the rest of l.
// Nil where nothing of it is.
func (l *Live) Cheap() *Live {
	var names []string
	var some []collectors.Collector
	for _, c := range l.collectors {
		if !slices.ContainsFunc(c.Answers, func(path string) bool { return !slices.Contains(cheap, path) }) {
			names, some = append(names, c.Name), append(some, c)
		}
	}
	if len(some) == 0 {
		return nil
	}
	n := &Live{checks: l.checks, origin: l.origin, program: l.program, timeout: l.timeout,
		unasked: l.unasked, secrets: l.secrets, decisive: l.decisive, unread: l.unread, inside: l.inside, part: true}
	for _, c := range some {
		c.After = slices.DeleteFunc(slices.Clone(c.After), func(name string) bool {
			return !slices.Contains(names, name)
		})
		n.collectors = append(n.collectors, c)
		n.readings = append(n.readings, collectors.Reading{Name: c.Name, Answers: c.Answers})
	}
	n.tree = tree.Cleaned(n.secrets.Content)
	n.tree.Keep(l.tree, func(path string) bool {
		return slices.ContainsFunc(some, func(c collectors.Collector) bool {
			return slices.Contains(c.Answers, strings.TrimSuffix(path, ".gap"))
		})
	})
	return n
}

// Frame is the evidence of a reading without its logs: what a flight recorder keeps. The tree has
// taken the secrets out of all of it; only logs are opened where they lie.
func (l *Live) Frame() (from fs.FS, paths []string, err error) {
	s, err := evidence.Load(l.tree.FS())
	if err != nil {
		return nil, nil, err
	}
	for _, path := range s.Paths() {
		if !strings.HasPrefix(path, "logs/") {
			paths = append(paths, path)
		}
	}
	return l.tree.FS(), paths, nil
}
