package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"doctor/fixtures/apibed"
	"doctor/fixtures/program"
)

// TestTheConnectionFlagsOfKubectl: who asks, and whom, is said as to kubectl.
func TestTheConnectionFlagsOfKubectl(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	admin := bed.Kubeconfigs["admin"]
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("apiVersion: v1\nkind: Config\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		args   []string
		status int
		out    string // a part of standard output
		err    string // a part of standard error
	}{
		{"names alone", []string{"--kubeconfig", admin, "--node", "-o", "name"}, program.Fine,
			"node/win-1\nnode/win-2\n", ""},
		{"the runtime is a wide column", []string{"--kubeconfig", admin, "--node", "-o", "wide"},
			program.Fine, "containerd://1.7.22", ""},
		{"YAML", []string{"--kubeconfig", admin, "--node", "-o", "yaml"}, program.Fine,
			"schema: doctor.nodes/v1", ""},
		{"a path of JSON", []string{"--kubeconfig", admin, "--node", "-o",
			"jsonpath={.nodes[*].name}"}, program.Fine, "win-1 win-2\n", ""},
		{"a path that leads nowhere", []string{"--kubeconfig", admin, "--node", "-o",
			"jsonpath={.items}"}, program.Usage, "", "items is not found"},
		{"a server and a token need no kubeconfig", []string{"--kubeconfig", empty, "--server",
			bed.Server, "--certificate-authority", bed.CA, "--token", bed.Tokens["admin"], "--node",
			"-o", "name"}, program.Fine, "node/win-1", ""},
		{"somebody else who may do nothing", []string{"--kubeconfig", admin, "--as", "stranger",
			"--node"}, program.Trouble, "", `User "stranger"`},
		{"the node itself", []string{"--kubeconfig", admin, "--as", "system:node:win-1",
			"--as-group", "system:nodes", "--node", "win-1", "-o", "text"}, program.Fail, "win-1", ""},
		{"a cluster that the kubeconfig does not have", []string{"--kubeconfig", admin, "--cluster",
			"elsewhere", "--node"}, program.Trouble, "", "elsewhere"},
		{"all rights of the role", []string{"explain", "rbac", "--check", "--kubeconfig", admin},
			program.Fine, "yes", ""},
		{"no right of the role, with the flags first", []string{"--kubeconfig", admin, "--as", "stranger",
			"explain", "rbac", "--check"}, program.Trouble, "no (optional)", "rights are missing"},
		{"completion of node names", []string{"__complete", "--kubeconfig", admin, "--node="},
			program.Fine, "win-1\nwin-2\n", ""},
		{"completion of contexts", []string{"__complete", "--kubeconfig", admin, "--context", ""},
			program.Fine, "bed\n", ""},
		{"completion of running pods", []string{"__complete", "--kubeconfig", admin, "--node=win-1",
			"--from-pod", ""}, program.Fine, "shop/batch-1\n", ""},
		{"completion of demos", []string{"__complete", "--demo", ""}, program.Fine,
			"flannel-subnet-env-missing\n", ""},
		{"completion of checks", []string{"__complete", "explain", "pods-st"}, program.Fine,
			"pods-stuck-creating\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := program.Run(t, program.Build(t), c.args...)
			if r.Status != c.status || !strings.Contains(r.Stdout, c.out) ||
				!strings.Contains(r.Stderr, c.err) {
				t.Errorf("exit status %d\n%s%s", r.Status, r.Stderr, r.Stdout)
			}
		})
	}
}

// TestANodeIsActedAsByItsNameAlone: the reason is plain, and what to add. The server is one that adds
// the group never: others of its version do so at times.
func TestANodeIsActedAsByItsNameAlone(t *testing.T) {
	apibed.Require(t)
	bed, err := apibed.Start("--feature-gates=ConstrainedImpersonation=false")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bed.Stop)
	bed.Stage(t)
	for _, c := range []struct {
		name   string
		args   []string
		status int
		hint   bool
	}{
		{"by its name alone", nil, program.Trouble, true},
		{"with its group", []string{"--as-group", "system:nodes"}, program.Fail, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := program.Run(t, program.Build(t), append(c.args, "--node", apibed.WindowsNode, "--kubeconfig",
				bed.Kubeconfigs["admin"], "--as", "system:node:"+apibed.WindowsNode, "-o", "text", enough)...)
			const hint = "(the name of a node gives no rights without its group: add --as-group system:nodes)"
			if r.Status != c.status || strings.Contains(r.Stderr, hint) != c.hint || !c.hint && r.Stderr != "" {
				t.Errorf("exit status %d\n%s%s", r.Status, r.Stderr, r.Stdout)
			}
		})
	}
}

// TestThePluginOfKubectl calls the program by the name that kubectl finds it by.
func TestThePluginOfKubectl(t *testing.T) {
	dir := t.TempDir()
	plugin, completion := filepath.Join(dir, "kubectl-windows_doctor"), filepath.Join(dir,
		"kubectl_complete-windows_doctor")
	for _, name := range []string{plugin, completion} {
		if err := os.Symlink(program.Build(t), name); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{"--help": "kubectl windows-doctor [RECORDING] [flags]",
		"explain nothing-of-the-kind": "`kubectl windows-doctor explain` lists them",
		"probe reach --help":          "\n  kubectl windows-doctor probe reach --target",
		"lint --help":                 "| kubectl windows-doctor lint -\n",
		"fleet --help":                "without the secrets: kubectl windows-doctor --from FILE.zip",
		"mcp --help":                  "claude mcp add doctor -- kubectl windows-doctor mcp",
		"explain rbac":                "\n  name: doctor-reader\n",
		"--lang zh --help":            "（kubectl windows-doctor bundle）"} {
		out, _ := exec.Command(plugin, strings.Fields(args)...).CombinedOutput()
		if !strings.Contains(string(out), want) {
			t.Errorf("%s: %q is missing in\n%s", args, want, out)
		}
	}
	bed := apibed.Require(t)
	bed.Stage(t)
	report, _ := exec.Command(plugin, "--kubeconfig", bed.Kubeconfigs["admin"], "--as", "stranger",
		"--node", apibed.WindowsNode, "-o", "text").Output()
	if !strings.Contains(strings.Join(strings.Fields(string(report)), " "),
		"`kubectl windows-doctor explain rbac`") || strings.Contains(string(report), "`doctor explain") {
		t.Errorf("the report names another program:\n%s", report)
	}
	talk := &strings.Builder{}
	verbose := exec.Command(plugin, "--kubeconfig", bed.Kubeconfigs["admin"], "--node", apibed.WindowsNode, "-o",
		"text", "--verbose", enough)
	verbose.Stderr = talk
	_ = verbose.Run() // the node has faults
	for line := range strings.Lines(talk.String()) {
		if !strings.HasPrefix(line, "kubectl windows-doctor: ") {
			t.Errorf("--verbose says %q", line)
		}
	}
	if !strings.Contains(talk.String(), "API: pods: ") {
		t.Errorf("--verbose says\n%s", talk)
	}
	names, err := exec.Command(completion, "--kubeconfig", bed.Kubeconfigs["admin"], "--node=").Output()
	if err != nil || string(names) != "win-1\nwin-2\n:4\n" {
		t.Errorf("kubectl is given the completions %q: %v", names, err)
	}
}

// TestAPodAsksWithItsOwnAccount runs the program where a pod would find its account: in a mount
// namespace of its own.
func TestAPodAsksWithItsOwnAccount(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	namespaces := []string{"--mount", "--map-root-user"}
	if out, err := exec.Command("unshare", append(slices.Clone(namespaces), "true")...).CombinedOutput(); err != nil &&
		os.Getenv("DOCTOR_REQUIRE_ALL") != "1" {
		t.Skipf("unshare %v is not allowed here: %v %s", namespaces, err, out)
	}
	const account = "/var/run/secrets/kubernetes.io/serviceaccount"
	dir := t.TempDir()
	ca, err := os.ReadFile(bed.CA)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"token": []byte(bed.Tokens["admin"]), "ca.crt": ca,
		"namespace": []byte("default")} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := "mount -t tmpfs none /var/run 2>/dev/null || mount -t tmpfs none /run; mkdir -p " +
		account + "; cp " + dir + "/* " + account + "; exec " + program.Build(t) +
		" --node -o name"
	host, port, _ := strings.Cut(strings.TrimPrefix(bed.Server, "https://"), ":")
	cmd := exec.Command("unshare", append(namespaces, "sh", "-c", script)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG=", "HOME="+t.TempDir(),
		"KUBERNETES_SERVICE_HOST="+host, "KUBERNETES_SERVICE_PORT="+port)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "node/win-1\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
