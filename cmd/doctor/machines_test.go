package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"doctor/fixtures/schema"
)

const (
	goodPod = `kind: Pod
metadata: {name: one}
spec:
  os: {name: windows}
  nodeSelector: {kubernetes.io/os: windows}
  containers:
  - name: a
    image: "shop/c:1"
    resources: {limits: {memory: 1Gi}, requests: {memory: 1Gi}}
`
	badPod = goodPod + "    securityContext: {readOnlyRootFilesystem: true}\n"
)

// repositoryOf makes a folder with these files, as a checkout of a user's repository.
func repositoryOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func readYAML(t *testing.T, file string, to any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(content, to); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// TestTheActionsStepsRun runs the last step of the GitHub Action as a runner does: its inputs as
// environment, and bash with the runner's options. The steps before it install Go and build.
func TestTheActionsStepsRun(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("needs bash: ", err)
	}
	program, err := exec.LookPath("doctor") // this test binary, by testscript.Main
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Name, Description string
		Inputs            map[string]struct {
			Description, Default string
			Required             bool
		}
		Runs struct {
			Using string
			Steps []struct {
				Uses, Shell, Run string
				With, Env        map[string]any
				Dir              string `json:"working-directory"`
			}
		}
	}
	readYAML(t, ".github/actions/lint/action.yml", &action)
	sarif, err := os.ReadFile(filepath.Join(root, "ui/testdata/schemas/sarif-2.1.0-rtm.4.json"))
	if err != nil {
		t.Fatal(err)
	}
	valid := schema.Validators(t, sarif)("")
	steps := action.Runs.Steps
	last := steps[len(steps)-1]
	if action.Runs.Using != "composite" || last.Shell != "bash" ||
		!strings.Contains(steps[len(steps)-2].Run, `go build -o "$RUNNER_TEMP/doctor" ./cmd/doctor`) {
		t.Fatalf("the steps are others: %+v", action.Runs)
	}
	temp := filepath.Join(t.TempDir(), "runner temp")
	if err := os.Mkdir(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(temp, "doctor")); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name    string
		inputs  map[string]string
		status  int
		results []string
	}{
		{"a fault fails the step, and the report is there for upload-sarif",
			map[string]string{"paths": "deploy other/good.yaml"}, exitFail,
			[]string{"pod-field-unsupported deploy/bad.yaml"}},
		{"no fault", map[string]string{"paths": "other"}, exitFine, nil},
		{"another file for the report", map[string]string{"paths": "other", "sarif": "out.sarif"},
			exitFine, nil},
		{"a path that is not there fails", map[string]string{"paths": "nowhere"}, exitTrouble, nil},
		{"a word that fail-on does not know", map[string]string{"paths": "other", "fail-on": "x"},
			exitUsage, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := repositoryOf(t, map[string]string{"deploy/bad.yaml": badPod,
				"other/good.yaml": goodPod})
			value := func(input string) string {
				v, given := row.inputs[input]
				if _, known := action.Inputs[input]; !known {
					t.Fatalf("there is no input %s", input)
				} else if !given {
					v = action.Inputs[input].Default
				}
				return v
			}
			run := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", last.Run)
			run.Dir, run.Env = dir, append(os.Environ(), "RUNNER_TEMP="+temp)
			for name, expression := range last.Env {
				input := regexp.MustCompile(`^\$\{\{ inputs\.([\w-]+) \}\}$`).FindStringSubmatch(
					expression.(string))
				if input == nil {
					t.Fatalf("%s is %s, which is no input", name, expression)
				}
				run.Env = append(run.Env, name+"="+value(input[1]))
			}
			out, err := run.CombinedOutput()
			if status := run.ProcessState.ExitCode(); status != row.status {
				t.Fatalf("status %d, %v: %s", status, err, out)
			}
			if row.status == exitTrouble || row.status == exitUsage {
				return
			}
			var report struct {
				Runs []struct {
					Results []struct {
						RuleID, Level string
						Locations     []struct {
							PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
						}
					}
				}
			}
			content, err := os.ReadFile(filepath.Join(dir, value("sarif")))
			if err != nil {
				t.Fatal(err)
			}
			if err := valid(content); err != nil {
				t.Errorf("the report is no SARIF: %v", err)
			}
			if err := json.Unmarshal(content, &report); err != nil || len(report.Runs) != 1 {
				t.Fatalf("%v: %s", err, content)
			}
			var errors []string
			for _, one := range report.Runs[0].Results {
				if one.Level == "error" {
					errors = append(errors, one.RuleID+" "+
						one.Locations[0].PhysicalLocation.ArtifactLocation.URI)
				}
			}
			if !slices.Equal(errors, row.results) {
				t.Errorf("the report has %q, want %q", errors, row.results)
			}
		})
	}
}

// TestThePreCommitHookRuns runs the hook's entry on the files that pre-commit hands to it.
func TestThePreCommitHookRuns(t *testing.T) {
	var hooks []struct {
		ID, Name, Description, Entry, Language, Files string
		TypesOr                                       []string `json:"types_or"`
	}
	readYAML(t, ".pre-commit-hooks.yaml", &hooks)
	hook := hooks[0]
	words, files := strings.Fields(hook.Entry), regexp.MustCompile(hook.Files)
	if hook.Language != "golang" || words[0] != "doctor" {
		t.Fatalf("%+v", hook)
	}
	for _, row := range []struct {
		file    string
		taken   bool
		content string
		status  int
	}{
		{"deploy/bad.yaml", true, badPod, exitFail},
		{"charts/k8s/good.yml", true, goodPod, exitFine},
		{"manifests/ignored.json", true, `{"kind": "Pod", "metadata": {"name": "a"}, "spec": {` +
			`"containers": [{"name": "a", "image": "a", "securityContext": {"runAsUser": 1}}]}}`,
			exitWarn},
		{".github/workflows/ci.yml", false, "on: push\n", exitTrouble},
	} {
		t.Run(row.file, func(t *testing.T) {
			if files.MatchString(row.file) != row.taken {
				t.Errorf("pre-commit takes it: %v", !row.taken)
			}
			t.Chdir(repositoryOf(t, map[string]string{row.file: row.content}))
			out, errs, status := doctor(t, append(words[1:], row.file)...)
			if status != row.status {
				t.Errorf("status %d, want %d: %s%s", status, row.status, out, errs)
			}
		})
	}
}

// TestRecordingsAreReadWithoutANetwork: no telemetry, no update check, no look at a cluster that
// the environment names. The kernel is asked, by strace, for every call that needs a socket.
func TestRecordingsAreReadWithoutANetwork(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("runs the whole program, under Linux's strace")
	}
	if err := exec.Command("strace", "-o", os.DevNull, "true").Run(); err != nil {
		if os.Getenv("DOCTOR_REQUIRE_ALL") == "1" {
			t.Fatal("install strace, and let it trace: ", err)
		}
		t.Skip("apt-get install strace, and let it trace: ", err)
	}
	dir := repositoryOf(t, map[string]string{
		"pod.yaml": badPod,
		"kubelet.log": "E1121 10:00:00.000000    1 run.go:72] \"command failed\" " +
			"err=\"failed to parse kubelet flag: unknown flag: --network-plugin\"\n",
		"kubeconfig": `{"apiVersion": "v1", "kind": "Config", "current-context": "c",
"contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
"clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
"users": [{"name": "u", "user": {"token": "x"}}]}`})
	calls := func(t *testing.T, args ...string) (made string, status int) {
		trace := filepath.Join(t.TempDir(), "trace")
		run := exec.Command("strace", append([]string{"-f", "-qq", "-e", "trace=socket,connect,sendto",
			"-e", "signal=none", "-o", trace, "doctor"}, args...)...)
		run.Dir, run.Env = dir, append(os.Environ(), "KUBECONFIG="+filepath.Join(dir, "kubeconfig"))
		if out, err := run.CombinedOutput(); run.ProcessState == nil {
			t.Fatalf("%v: %s", err, out)
		}
		content, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		return string(content), run.ProcessState.ExitCode()
	}
	for _, args := range [][]string{
		{"--demo", "kubelet-removed-flag"},
		{"--demo", "kubelet-removed-flag", "-o", "html"},
		{"--demo", "kubelet-removed-flag", "bundle", "node.zip"},
		{"node.zip", "--json"}, // reads what the line before has written
		{"convert", "node.zip", "converted.zip"},
		{"kubelet.log", "-q"},
		{"diff", "demo:kubelet-removed-flag", "demo:healthy-flannel-overlay"},
		{"lint", "-o", "sarif", "pod.yaml"},
		{"explain", "kubelet-removed-flag"},
		{"version", "-o", "json"},
		{"mcp", "--root", "."},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			made, status := calls(t, args...)
			if made != "" || status != exitFine && status != exitFail {
				t.Errorf("status %d, and it calls\n%s", status, made)
			}
		})
	}
	if made, _ := calls(t, "--node", "win-1"); !strings.Contains(made, "connect(") {
		t.Error("the connection to the API server is not noticed: the test does not look")
	}
}
