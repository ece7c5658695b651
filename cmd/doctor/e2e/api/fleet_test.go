package api_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"doctor/checks"
	"doctor/checks/fleet"
	"doctor/collectors/bundle"
	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
	"doctor/fixtures/schema"
)

// fleetOf runs the doctor on all nodes and returns its JSON report.
func fleetOf(t *testing.T, args ...string) (fleet.Report, program.Result) {
	t.Helper()
	r := program.Run(t, program.Build(t), append([]string{"fleet", "--json", enough}, args...)...)
	var report fleet.Report
	if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil {
		t.Fatalf("no report: %v\n%s%s", err, r.Stdout, r.Stderr)
	}
	return report, r
}

func TestFiftyNodesAreDiagnosedWithAFewRequests(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	const nodes = 50
	bed.StageFleet(t, nodes)
	front := bed.Front(t, apibed.Faults{})
	r, run := fleetOf(t, "--kubeconfig",
		bed.Kubeconfig(t, apibed.Login{Server: front.URL, CA: front.CA}))
	if run.Status != program.Fail {
		t.Errorf("exit status %d: %s", run.Status, run.Stderr)
	}
	// the staged nodes join those of the fleet: win-1 with trouble, win-2 that is lost
	if r.Schema != fleet.Schema || r.Summary.Nodes != nodes+2 || r.Summary.NotReady != 2 ||
		r.Summary.Unread != 0 || len(r.Nodes) != nodes+2 || len(r.Notes) > 0 {
		t.Fatalf("the summary is %+v, with notes %q", r.Summary, r.Notes)
	}
	if n := len(front.Requests()); n > fleetRequests {
		t.Errorf("%d requests:\n%s", n, strings.Join(front.Requests(), "\n"))
	}
	for _, request := range front.Requests() {
		if !strings.HasPrefix(request, http.MethodGet+" ") ||
			strings.Contains(strings.ToLower(request), "secret") {
			t.Errorf("%s is no reading of what doctor needs", request)
		}
	}
	if strings.Contains(run.Stdout, apibed.Password) {
		t.Error("the report holds a password")
	}
	at := slices.IndexFunc(r.Causes, func(c fleet.Cause) bool {
		return c.ID == "flannel-subnet-env-missing"
	})
	if at < 0 {
		t.Fatalf("the causes are %+v", r.Causes)
	}
	cause := r.Causes[at]
	if cause.Count != 16 || len(cause.Nodes) != 16 || cause.Status != checks.StatusFail {
		t.Errorf("%d nodes have the cause, as %s: %v", cause.Count, cause.Status, cause.Nodes)
	}
	shared := func(s fleet.Shared) bool {
		return s.Trait == "update" && s.Value == "10.0.20348.2113" && s.With == 15 &&
			s.WithOf == 16 && s.Others == 0 && s.OthersOf == 36 && s.P < 1e-6
	}
	if !slices.ContainsFunc(cause.Shared, shared) {
		t.Errorf("what the nodes share is %+v", cause.Shared)
	}
}

// TestTheFleetSaysOfANodeWhatTheNodeSays holds the causes of each node to those of doctor --node.
func TestTheFleetSaysOfANodeWhatTheNodeSays(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	bed.StageFleet(t, 6) // more than are read node by node
	r, _ := fleetOf(t, "--kubeconfig", bed.Kubeconfigs["admin"])
	for _, n := range r.Nodes {
		if n.Name != apibed.WindowsNode && n.Name != "fleet-0000" && n.Name != "fleet-0005" {
			continue
		}
		one, _ := reportOf(t, "--node", n.Name, "--kubeconfig", bed.Kubeconfigs["admin"], enough)
		var want, got []string
		for _, c := range one.Causes {
			want = append(want, c.ID+": "+c.Message)
		}
		for _, c := range n.Causes[:min(len(want), len(n.Causes))] { // then further warnings
			got = append(got, c.ID+": "+c.Message)
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %s the fleet says\n%s\nand the node\n%s", n.Name, strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
		for _, s := range []checks.Status{checks.StatusFail, checks.StatusWarn, checks.StatusPass} {
			if n.Checks[s] != one.Count(s) {
				t.Errorf("of %s the fleet counts %d %s, and the node %d", n.Name, n.Checks[s], s,
					one.Count(s))
			}
		}
	}
	if len(r.Nodes) != 8 {
		t.Errorf("%d nodes", len(r.Nodes))
	}
}

func TestWhichNodesOfTheFleet(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	bed.StageFleet(t, 4)
	config := bed.Kubeconfigs["admin"]
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"a selector of labels", []string{"-l", "agentpool=old"},
			[]string{"fleet-0000", "fleet-0001", "fleet-0002"}},
		{"names", []string{"--nodes", "fleet-0003,win-1"}, []string{"fleet-0003", "win-1"}},
		{"a selector that no node has", []string{"-l", "agentpool=none"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := fleetOf(t, append(c.args, "--kubeconfig", config)...)
			var got []string
			for _, n := range r.Nodes {
				got = append(got, n.Name)
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("the nodes are %v, not %v", got, c.want)
			}
		})
	}
	for _, c := range []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"a node that is not there", []string{"--nodes", "fleet-0009"}, program.Usage,
			`has no Windows node "fleet-0009"; `},
		{"a node that runs Linux", []string{"--nodes", apibed.LinuxNode}, program.Usage,
			`has no Windows node "linux-1"`},
		{"a login without rights", []string{"--kubeconfig", bed.Kubeconfigs["nobody"]},
			program.Trouble, "may not list nodes"},
		{"a selector that is none", []string{"-l", "=="}, program.Trouble, "400"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"fleet", enough, "--kubeconfig", config}, c.args...)
			r := program.Run(t, program.Build(t), args...)
			if r.Status != c.status || !strings.Contains(r.Stderr, c.says) {
				t.Errorf("exit status %d, %s", r.Status, r.Stderr)
			}
		})
	}
}

func TestARecordedFleetSaysTheSame(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	bed.StageFleet(t, 12)
	zip := filepath.Join(t.TempDir(), "fleet.zip")
	live, run := fleetOf(t, "--kubeconfig", bed.Kubeconfigs["admin"], "--save", zip)
	if !strings.Contains(run.Stderr, "wrote "+zip) {
		t.Errorf("nothing is said of the zip: %s", run.Stderr)
	}
	exe := program.Build(t)
	r := program.Run(t, exe, "--from", zip, "--json")
	var recorded fleet.Report
	if err := json.Unmarshal([]byte(r.Stdout), &recorded); err != nil || r.Status != run.Status {
		t.Fatalf("exit status %d, %v: %s", r.Status, err, r.Stderr)
	}
	if recorded.Source.Kind != "bundle" || recorded.Source.Name != "fleet.zip" {
		t.Errorf("the source is %+v", recorded.Source)
	}
	recorded.Source = live.Source
	if diff := cmp.Diff(live, recorded); diff != "" {
		t.Error(diff)
	}
	one, _ := reportOf(t, "--from", zip, "--node", apibed.WindowsNode)
	at := slices.IndexFunc(live.Nodes, func(n fleet.Node) bool {
		return n.Name == apibed.WindowsNode
	})
	for i, c := range one.Causes {
		if own := live.Nodes[at].Causes; i >= len(own) || own[i].ID != c.ID {
			t.Errorf("the node's causes are %+v, not %+v", own, one.Causes)
			break
		}
	}
	r = program.Run(t, exe, "--from", zip, "--node")
	if !strings.Contains(r.Stdout, "fleet-0003  evidence/v1  nodes/fleet-0003") {
		t.Errorf("the list of nodes is %s%s", r.Stdout, r.Stderr)
	}
	r = program.Run(t, exe, "--from", zip, "--node", "win-3")
	if r.Status != program.Usage && r.Status != program.Trouble ||
		!strings.Contains(r.Stderr, "did you mean win-1 or win-2?") {
		t.Errorf("exit status %d: %s", r.Status, r.Stderr)
	}
	archive, err := bundle.Open(zip)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	content, err := os.ReadFile("../../../../checks/evidence/evidence.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := schema.Tree(t, content)
	for _, folder := range []string{"cluster", "nodes/" + apibed.WindowsNode} {
		tree, err := fs.Sub(archive.FS(), folder)
		if err != nil {
			t.Fatal(err)
		}
		valid(folder, tree)
	}
	if _, err := fs.Stat(archive.FS(), "nodes/win-1/api/services.json"); err == nil {
		t.Error("what all nodes share is recorded of one")
	}
	err = fs.WalkDir(archive.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(archive.FS(), path)
		if strings.Contains(string(text), apibed.Password) {
			t.Errorf("%s holds a password", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
