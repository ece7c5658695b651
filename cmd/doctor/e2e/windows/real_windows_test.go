package windows_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/Microsoft/go-winio"

	"doctor/fixtures/program"
	"doctor/fixtures/wait"
)

// TestRealWindows holds doctor.exe against PowerShell on a machine that may be changed: it makes a
// user and tasks, and stops HNS. A runner of continuous integration sets DOCTOR_REAL_WINDOWS.
// Unproven: no such machine has run it.
func TestRealWindows(t *testing.T) {
	if os.Getenv("DOCTOR_REAL_WINDOWS") == "" {
		t.Skip("it stops HNS and makes a user; set DOCTOR_REAL_WINDOWS=1 on a machine for tests")
	}
	exe := program.Build(t)
	// a folder that every account reads, which the temporary one of this account is not
	shared := filepath.Join(os.Getenv("ProgramData"), "doctor-test")
	if err := os.MkdirAll(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(shared) })
	content, err := os.ReadFile(exe)
	if err == nil {
		err = os.WriteFile(filepath.Join(shared, "doctor.exe"), content, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}

	// The comparison "names" asks for it, and elsewhere gets no address.
	hosts := filepath.Join(os.Getenv("SystemRoot"), "System32", "drivers", "etc", "hosts")
	was, err := os.ReadFile(hosts)
	if err == nil {
		err = os.WriteFile(hosts, append(was, "\r\n10.11.12.13 doctor-hosts-entry.test\r\n"...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.WriteFile(hosts, was, 0o644) })

	t.Run("as whoever runs the tests", func(t *testing.T) {
		out, err := exec.Command(exe, "self-test", "-o", "json").Output()
		compared(t, out, err)
	})
	t.Run("HNS is stopped, and stays so", func(t *testing.T) {
		command(t, "powershell", "-NoProfile", "-Command", "Stop-Service hns -Force")
		t.Cleanup(func() { command(t, "powershell", "-NoProfile", "-Command", "Start-Service hns") })
		out, err := exec.Command(exe, "self-test", "-o", "json").Output()
		compared(t, out, err)
		if said := command(t, "sc.exe", "query", "hns"); !strings.Contains(said, "STOPPED") {
			t.Errorf("HNS runs again:\n%s", said)
		}
	})
	t.Run("as SYSTEM", func(t *testing.T) { asTask(t, shared, "/ru", "SYSTEM") })
	t.Run("as a standard user", func(t *testing.T) {
		const user, password = "doctor-test", "Dt1!only-on-a-runner"
		command(t, "net", "user", user, password, "/add")
		t.Cleanup(func() { command(t, "net", "user", user, "/delete") })
		command(t, "icacls", shared, "/grant", user+":(OI)(CI)F")
		asTask(t, shared, "/ru", user, "/rp", password)
		t.Run("over ssh", func(t *testing.T) { overSSH(t, shared, user) })
	})
	t.Run("the pipe of the runtime stands in config.yaml alone", func(t *testing.T) {
		const pipe = `\\.\pipe\doctor-test-cri`
		l, err := winio.ListenPipe(pipe, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		called := make(chan struct{}, 1)
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				c.Close()
				select {
				case called <- struct{}{}:
				default:
				}
			}
		}()
		config := filepath.Join(shared, "config.yaml")
		if err := os.WriteFile(config, []byte("kind: KubeletConfiguration\ncontainerRuntimeEndpoint: npipe:////./pipe/doctor-test-cri\n"),
			0o644); err != nil {
			t.Fatal(err)
		}
		kubelet := filepath.Join(shared, "kubelet.exe")
		if err := os.WriteFile(kubelet, content, 0o755); err != nil {
			t.Fatal(err)
		}
		held := exec.Command(kubelet, "self-test", "--hold", "--config="+config)
		in, err := held.StdinPipe()
		if err == nil {
			err = held.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() { in.Close(); _ = held.Wait() }()
		exec.Command(exe, "--json", "--only", "cri-not-served").Run()
		select {
		case <-called:
		default:
			t.Error("nobody called the pipe")
		}
	})
}

// compared fails the test for every row that differs.
func compared(t *testing.T, out []byte, failed error) {
	t.Helper()
	var d struct {
		Results []struct {
			Name, State string
			Differs     []string
		}
	}
	if err := json.Unmarshal(out, &d); err != nil || len(d.Results) == 0 {
		t.Fatalf("%v, %v:\n%s", err, failed, out)
	}
	same := 0
	for _, r := range d.Results {
		switch r.State {
		case "differs":
			t.Errorf("%s: %s", r.Name, strings.Join(r.Differs, "; "))
		case "same":
			same++
		}
	}
	if same == 0 {
		t.Errorf("nothing was compared:\n%s", out)
	}
}

// asTask runs the comparison as another account, through a scheduled task.
func asTask(t *testing.T, dir string, account ...string) {
	t.Helper()
	const task = "doctor-test"
	out := filepath.Join(dir, "said.json")
	script := filepath.Join(dir, "run.cmd")
	os.Remove(out)
	text := fmt.Sprintf("\"%s\" self-test -o json > \"%s.part\"\r\nmove \"%s.part\" \"%s\"\r\n",
		filepath.Join(dir, "doctor.exe"), out, out, out)
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	command(t, "schtasks", append([]string{"/create", "/f", "/tn", task, "/sc", "once", "/st", "00:00",
		"/tr", script}, account...)...)
	defer command(t, "schtasks", "/delete", "/f", "/tn", task)
	command(t, "schtasks", "/run", "/tn", task)
	if !wait.Holds(func() bool { _, err := os.Stat(out); return err == nil }) {
		t.Fatal("the task wrote nothing")
	}
	content, err := os.ReadFile(out)
	compared(t, content, err)
}

// overSSH runs the comparison in a session of ssh, whose token has fewer rights than that of a login
// at the console: it may not list the services. The account has a profile, since a task ran as it.
func overSSH(t *testing.T, dir, user string) {
	t.Helper()
	if out, _ := exec.Command("sc.exe", "query", "sshd").Output(); !strings.Contains(string(out), "RUNNING") {
		t.Skip("there is no server of ssh; the workflow installs one")
	}
	key := filepath.Join(t.TempDir(), "key")
	command(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	keys := filepath.Join(filepath.Dir(os.Getenv("PUBLIC")), user, ".ssh")
	if err := os.MkdirAll(keys, 0o755); err != nil {
		t.Fatal(err)
	}
	authorized := filepath.Join(keys, "authorized_keys")
	if err := os.WriteFile(authorized, public, 0o644); err != nil {
		t.Fatal(err)
	}
	command(t, "icacls", authorized, "/inheritance:r", "/grant", user+":F", "/grant", "SYSTEM:F")
	out, err := exec.Command("ssh", "-i", key, "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no",
		user+"@localhost", filepath.Join(dir, "doctor.exe"), "self-test", "-o", "json").Output()
	compared(t, out, err)
}

func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}
