package screen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"doctor/fixtures/program"
	"doctor/fixtures/term"
)

// fleetFolder is the recording of two nodes, of which one has no podCIDR.
func fleetFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	const meta = `{"layout":"evidence/v1","node":"NAME","collectedAt":"2026-11-21T10:00:00Z","source":"SOURCE"}`
	as := func(node, source string) string {
		return strings.NewReplacer("NAME", node, "SOURCE", source).Replace(meta)
	}
	for name, content := range map[string]string{
		"meta.json":                   as("unknown", "fleet"),
		"cluster/meta.json":           as("unknown", "cluster"),
		"cluster/api/services.json":   `{"items":[]}`,
		"nodes/win-1/meta.json":       as("win-1", "cluster"),
		"nodes/win-2/meta.json":       as("win-2", "cluster"),
		"nodes/win-1/api/events.json": `{"items":[]}`,
		"nodes/win-1/logs/flanneld/flanneld.log": "E1121 09:58:00.000000    1234 main.go:330] Error registering network: " +
			"failed to acquire lease: node \"win-1\" pod cidr not assigned\n",
		"nodes/win-1/api/node.json": `{"kind":"Node","metadata":{"name":"win-1"},"spec":{},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`,
		"nodes/win-2/api/node.json": `{"kind":"Node","metadata":{"name":"win-2"},"spec":{"podCIDR":"10.244.1.0/24"},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`,
	} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		program.Write(t, path, content)
	}
	return folder
}

// steps waits until the screen shows all of the texts.
func steps(t *testing.T, s *term.Terminal) func(what string, shows ...string) {
	return func(what string, shows ...string) {
		t.Helper()
		s.Wait(what, func(text string) bool {
			for _, want := range shows {
				if !strings.Contains(text, want) {
					return false
				}
			}
			return true
		})
	}
}

func TestAComparisonOnATerminal(t *testing.T) {
	term.Require(t)
	exe := program.Build(t)
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 20}} {
		s := term.Start(t, t.TempDir(), size[0], size[1], term.Environ(), []string{"sh", "-c",
			"exec '" + exe + "' diff --demo healthy-flannel-hostgw --demo outboundnat-exception-missing"})
		step := steps(t, s)
		step("both nodes", "A  demo:healthy", "B  demo:outboundnat", "Differences (2)", "10.96.0.0/12")
		s.Press("2")
		step("node B", "Causes", "Checks")
		s.Press("q")
		step("the comparison again", "Differences (2)")
		s.Press("Q")
		step("the comparison on the terminal", "only A: 10.96.0.0/12", term.After+" 3")
	}
}

func TestAFleetOnATerminal(t *testing.T) {
	term.Require(t)
	exe, folder, work := program.Build(t), fleetFolder(t), t.TempDir()
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 20}} {
		s := term.Start(t, t.TempDir(), size[0], size[1], term.Environ(), []string{"sh", "-c",
			"cd '" + work + "' && exec '" + exe + "' --from '" + folder + "'"})
		step := steps(t, s)
		step("the causes", "2 Windows nodes", "1 Node has no podCIDR", "q quit")
		s.Press("Enter")
		step("the nodes of the cause", "nodes with podcidr-not-assigned", "win-1")
		s.Press("Enter")
		step("the node's overview", "Causes", "Checks")
		s.Press("q")
		step("the nodes again", "nodes with podcidr-not-assigned")
		s.Press("e")
		step("the node's evidence", "node.json", "flanneld")
		s.Press("q")
		step("the overview", "Causes", "Checks")
		s.Press("q")
		step("the nodes once more", "nodes with podcidr-not-assigned")
		s.Press("Escape")
		step("the causes again", "causes (1)")
		if size[0] == 80 {
			s.Press("b")
			step("that the zip is written", "wrote doctor-fleet-20261121T100000Z.zip")
		}
		s.Press("Q")
		step("the report on the terminal", "Start with podcidr-not-assigned", term.After+" 3")
	}
	r := program.Run(t, exe, "--from", filepath.Join(work, "doctor-fleet-20261121T100000Z.zip"))
	if r.Status != program.Fail || !strings.Contains(r.Stdout, "1 of 2 nodes") {
		t.Errorf("the zip of the screen gives exit status %d: %s%s", r.Status, r.Stdout, r.Stderr)
	}
}
