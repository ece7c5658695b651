package checks_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/signs"
	"doctor/fixtures"
)

// TestLastWords: what rke2 and k3s ended with is why what they start does not run (rke2 issues 3515 and 4393).
func TestLastWords(t *testing.T) {
	runtime := &checks.Effect{ID: "runtime", EndsWith: []string{"rke2", "k3s", "kubelet"}}
	network := &checks.Effect{ID: "network"}
	runtime.Implies = []*checks.Effect{network}
	catalogue := checks.NewCatalogue(
		&checks.Check{ID: "a-down", Category: checks.CategoryNode, Judges: runtime,
			Needs: []evidence.Need{evidence.Services},
			Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
				return []*checks.Finding{checks.Findingf(checks.Fail, "it", "it is down").With(evidence.Services.Field(s).Because("no services"))}, nil
			}},
		&checks.Check{ID: "adapter", Category: checks.CategoryNode, Needs: []evidence.Need{evidence.Logs("rke2")},
			Signs: []checks.Sign{{Text: "An adapter was not found", Says: "no adapter"}}},
		&checks.Check{ID: "circle", Category: checks.CategoryNode, Needs: []evidence.Need{evidence.Logs("rke2")}, Shows: []*checks.Effect{network},
			Signs: []checks.Sign{{Text: "network Calico not found", Says: "no network"}}})
	const adapter = "hnsCall failed in Win32: An adapter was not found. (0x803b0006)"
	line := func(at, level, text string) string {
		return "time=\"2026-11-20T" + at + "Z\" level=" + level + " msg=\"" + text + "\"\n"
	}
	start := func(at string) string { return line(at, "info", "Starting rke2 agent v1.34.3+rke2r1") }
	fatal := func(at string) string { return line(at, "fatal", adapter) }
	log := func(component string, lines ...string) string {
		return "-- logs/" + component + "/it.log --\n" + strings.Join(lines, "")
	}
	event := func(provider string, id int, level, at, text string) string {
		return fmt.Sprintf(`{"log":"x","provider":%q,"id":%d,"level":%q,"time":"2026-11-20T%sZ","message":%q}`, provider, id, level, at, text)
	}
	events := func(list ...string) string { return "-- events.json --\n[" + strings.Join(list, ",") + "]\n" }
	end := func(at string) string {
		return event("Service Control Manager", 7031, "error", at, "The rke2 service terminated unexpectedly.  It has done this 1 time(s).")
	}
	said := func(at string) string { return event("rke2", 1, "error", at, adapter) }
	const first, apart = "adapter", "a-down adapter"
	for _, row := range []struct{ name, tree, want string }{
		{"a fatal error in the log", log("rke2", start("09:50:00"), fatal("09:50:06")), first},
		{"of K3s", log("k3s", fatal("09:50:06")), first},
		{"K3s has run since", log("k3s", fatal("08:00:06"), line("08:01:06", "info", "Starting k3s agent v1.34.3+k3s1")), apart},
		{"at each start", log("rke2", start("09:40:00"), fatal("09:40:06"), start("09:50:00"), fatal("09:50:06")), first},
		{"it has just been started again", log("rke2", start("09:50:00"), fatal("09:50:06"), start("09:59:00")), first},
		{"it has run since, and ended for another reason", log("rke2", start("08:00:00"), fatal("08:00:06"), start("08:01:06")), apart},
		{"the kubelet itself", log("kubelet", `E1120 09:50:06.1 1399 run.go:74] "command failed" err="An adapter was not found"`), first},
		{"in the words of klog", log("kubelet", `F1120 09:50:06.1 1399 server.go:266] An adapter was not found`), first},
		{"an error of the kubelet", log("kubelet", `E1120 09:50:06.1 1399 cni.go:366] An adapter was not found`), apart},
		{"an error that does not end it", log("rke2", start("09:50:00"), line("09:50:06", "error", adapter)), apart},
		{"a panic", log("k3s", "panic: An adapter was not found\n", "goroutine 1 [running]:\n"), first},
		{"a panic that was caught", log("rke2", line("09:50:06", "error", "Observed a panic: An adapter was not found")), apart},
		{"a fatal error of another program", log("calico-node", fatal("09:50:06")), apart},
		{"what breaks without the agent, too", log("rke2", line("09:50:06", "fatal", "network Calico not found")), "circle"},
		{"and does not end it", log("rke2", line("09:50:06", "error", "network Calico not found")), "a-down"},
		{"events", events(said("09:50:06"), end("09:50:07")), first},
		{"events of several ends", events(said("09:40:06"), end("09:40:07"), said("09:50:06"), end("09:50:07")), first},
		{"events in no order", events(end("09:50:07"), said("09:50:06"), end("09:40:07"), said("09:40:06")), first},
		{"the last end has other words", events(said("09:40:06"), end("09:40:07"),
			event("rke2", 1, "error", "09:50:06", "starting kubernetes: preparing server: x"), end("09:50:07")), apart},
		{"no event of an end", events(said("09:50:06")), apart},
		{"the end came later", events(said("09:40:06"), end("09:50:07")), apart},
		{"events of a run since", events(said("08:00:06"), end("08:00:07"),
			event("rke2", 1, "information", "08:01:07", "Starting rke2 agent v1.34.3+rke2r1")), apart},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte("-- meta.json --\n" +
				`{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}` + "\n-- services.json --\n[]\n" + row.tree))))
			if err != nil {
				t.Fatal(err)
			}
			s, _ = signs.Record(s, catalogue.Signs())
			var got []string
			for _, c := range checks.Diagnose(s, catalogue, checks.Source{}, checks.Program{}).Causes {
				got = append(got, c.ID)
			}
			if have := strings.Join(got, " "); have != row.want {
				t.Errorf("causes %s, want %s", have, row.want)
			}
		})
	}
}
