package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
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
		{"no right of the role", []string{"explain", "rbac", "--check", "--kubeconfig", admin, "--as",
			"stranger"}, program.Trouble, "no (optional)", "rights are missing"},
		{"completion of node names", []string{"__complete", "--kubeconfig", admin, "--node="},
			program.Fine, "win-1\nwin-2\n", ""},
		{"completion of contexts", []string{"__complete", "--kubeconfig", admin, "--context", ""},
			program.Fine, "bed\n", ""},
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

// TestThePluginOfKubectl calls the program by the name that kubectl finds it by.
func TestThePluginOfKubectl(t *testing.T) {
	plugin := filepath.Join(t.TempDir(), "kubectl-windows_doctor")
	if err := os.Symlink(program.Build(t), plugin); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{"--help": "kubectl windows-doctor [RECORDING] [flags]",
		"explain nothing-of-the-kind": "`kubectl windows-doctor explain` lists them"} {
		out, _ := exec.Command(plugin, strings.Fields(args)...).CombinedOutput()
		if !strings.Contains(string(out), want) {
			t.Errorf("%s: %q is missing in\n%s", args, want, out)
		}
	}
}

// TestAPodAsksWithItsOwnAccount runs the program where a pod would find its account: in a mount
// namespace of its own.
func TestAPodAsksWithItsOwnAccount(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
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
	cmd := exec.Command("unshare", "--mount", "--map-root-user", "sh", "-c", script)
	cmd.Env = append(os.Environ(), "KUBECONFIG=", "HOME="+t.TempDir(),
		"KUBERNETES_SERVICE_HOST="+host, "KUBERNETES_SERVICE_PORT="+port)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "node/win-1\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
