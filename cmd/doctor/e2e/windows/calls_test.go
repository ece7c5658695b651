package windows_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"doctor/checks/evidence"
	"doctor/fixtures/program"
	"doctor/fixtures/wait"
	"doctor/fixtures/wine"
)

// TestWineCalls runs calls that Wine lacks, against stand-ins that answer, refuse, take too long and
// return what makes no sense.
func TestWineCalls(t *testing.T) {
	wine.Require(t)
	n := wine.Start(t, wineFixture(t, "calls"), program.BuildFor(t, "windows", "amd64"))
	n.Calls()

	t.Run("DnsQuery", func(t *testing.T) {
		want := map[string]string{
			"answers.test": "ok [10.1.2.4]", // and not the alias, nor the additional record
			"own.test":     "ok [10.1.2.3]", // which Windows puts into the section of the question
			"missing.test": "nxdomain []",
			"denied.test":  "error []",
			"wrong.test":   "nodata []",
			"slow.test":    "timeout []",
		}
		args := []string{"probe", "dns", "--server", "127.0.0.1:9", "--timeout", "5s", "-o", "json"}
		for name := range want {
			args = append(args, "--name", name)
		}
		var d struct{ Probes []evidence.DNSProbe }
		r := n.Run(args...)
		if err := json.Unmarshal([]byte(r.Stdout), &d); err != nil {
			t.Fatalf("%v: exit status %d\n%s%s", err, r.Status, r.Stdout, r.Stderr)
		}
		for _, p := range d.Probes {
			if p.Server != "system" {
				continue
			}
			if got := fmt.Sprint(p.Outcome, " ", p.Answers); got != want[p.Name] {
				t.Errorf("%s is %s (%s), want %s", p.Name, got, p.Why, want[p.Name])
			}
			delete(want, p.Name)
		}
		if len(want) > 0 {
			t.Errorf("not asked: %v\n%s", want, r.Stderr)
		}
	})

	t.Run("Icmp6SendEcho2, and Wine's own IcmpSendEcho2Ex", func(t *testing.T) {
		want := map[string]string{
			"fd00::1": "ok", "fd00::2": "denied", "fd00::3": "timeout",
			"fd00::4": "unreachable host unreachable, says fd00::fe", "fd00::5": "error", "127.0.0.1": "ok",
		}
		args := []string{"probe", "reach", "-o", "json"}
		for address := range want {
			args = append(args, "--target", address)
		}
		var d struct {
			Targets []struct{ Probes []evidence.ReachProbe }
		}
		r := n.Run(args...)
		if err := json.Unmarshal([]byte(r.Stdout), &d); err != nil {
			t.Fatalf("%v: exit status %d\n%s%s", err, r.Status, r.Stdout, r.Stderr)
		}
		for _, target := range d.Targets {
			for _, p := range target.Probes {
				if p.Bytes > 0 {
					continue
				}
				if got := strings.TrimSpace(p.Outcome + " " + p.Answer); got != want[p.Target] {
					t.Errorf("%s is %s (%s), want %s", p.Target, got, p.Why, want[p.Target])
				}
				delete(want, p.Target)
			}
		}
		if len(want) > 0 {
			t.Errorf("not pinged: %v\n%s", want, r.Stdout)
		}
	})

	const systems = `[{"Id": "c0ffee", "SystemType": "Container", "State": "Running", "Owner": "containerd"}]`
	for _, c := range []struct {
		name, how, systems, failure   string
		forwarding, protection, lists string
	}{
		{"answers", "a", systems, "", "true", "on", "c0ffee"},
		{"refuses", "d", systems, "error 80070005 Access is denied.", "unknown", "unknown", "a gap"},
		{"takes too long", "s", systems, "delay hung", "unknown", "unknown", "a gap"},
		{"returns wrong data", "w", "no JSON", "", "unknown", "unknown", "a gap"},
	} {
		t.Run("the tables of adapters, BitLocker and compute systems: Windows "+c.name, func(t *testing.T) {
			file, content, _ := strings.Cut(c.failure, " ")
			for name, content := range map[string]string{"calls/GetIpInterfaceTable": c.how,
				"calls/BitLockerProtection": c.how, "hns/compute.json": c.systems, "hns/" + file: content} {
				path := n.Path(name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if strings.HasSuffix(name, "/") { // nothing fails
					continue
				}
				if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
				if name == "hns/"+file {
					defer os.Remove(path)
				}
			}
			var adapters []evidence.Adapter
			var security evidence.Security
			var compute evidence.Compute
			said := ""
			// more than once, since the shell is given a second, which may be too little on a busy machine
			wait.Holds(func() bool {
				said = collected(t, n, map[string]any{"adapters.json": &adapters, "security.json": &security,
					evidence.ComputeInfo.Path(): &compute})
				return len(security.BitLocker) == 1 && security.BitLocker[0].Protection == c.protection
			})
			for _, a := range adapters {
				got := "unknown"
				if a.Forwarding != nil {
					got = fmt.Sprint(*a.Forwarding)
				}
				if got != c.forwarding {
					t.Errorf("%s forwards: %s, want %s", a.Name, got, c.forwarding)
				}
			}
			if len(adapters) == 0 || len(security.BitLocker) != 1 ||
				security.BitLocker[0] != (evidence.BitLocker{Drive: "C:", Protection: c.protection}) {
				t.Errorf("%d adapters, BitLocker is %+v, want %s\n%s", len(adapters), security.BitLocker,
					c.protection, said)
			}
			lists := "a gap"
			for _, s := range compute.Systems {
				lists = s.ID
			}
			if lists != c.lists {
				t.Errorf("the compute systems are %s, want %s\n%s", lists, c.lists, said)
			}
		})
	}
}

// TestWineTables: the tables of adapters, routes and sockets, where Windows refuses them, or knows only
// an older form, or has more sockets than expected.
func TestWineTables(t *testing.T) {
	wine.Require(t)
	n := wine.Start(t, wineFixture(t, "calls"), program.BuildFor(t, "windows", "amd64"))
	n.Calls()
	if err := os.MkdirAll(n.Path("calls"), 0o755); err != nil {
		t.Fatal(err)
	}
	tables := func(how map[string]string) (adapters, routes, sockets int, said string) {
		for call, letter := range how {
			path := n.Path("calls/" + call)
			if err := os.WriteFile(path, []byte(letter), 0o644); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(path)
		}
		var a []evidence.Adapter
		var r []evidence.Route
		var p evidence.PortTable
		said = collected(t, n, map[string]any{"adapters.json": &a, "routes.json": &r, "ports.json": &p})
		return len(a), len(r), len(p.Listener), said
	}
	adapters, routes, sockets, said := tables(nil)
	if adapters == 0 || routes == 0 || sockets != 0 { // nobody listens in the network of the node
		t.Fatalf("%d adapters, %d routes, %d sockets\n%s", adapters, routes, sockets, said)
	}
	for _, c := range []struct {
		name                      string
		how                       map[string]string
		adapters, routes, sockets int
		says                      string
	}{
		{"an adapter below a virtual switch has no addresses", map[string]string{"GetIfTable2Ex": "u"},
			adapters + 1, routes, sockets, "adapters: [0-9.]+ ms\n"},
		{"Windows knows no table without statistics", map[string]string{"GetIfTable2Ex": "o"},
			adapters + 1, routes, sockets, "adapters: [0-9.]+ ms\n"},
		{"the table of all interfaces is refused", map[string]string{"GetIfTable2Ex": "d"},
			adapters, routes, sockets, "adapters: [0-9.]+ ms\n"},
		{"the table of all interfaces takes too long", map[string]string{"GetIfTable2Ex": "s"},
			adapters, routes, sockets, "adapters: [0-9.]+ ms\n"},
		{"Windows knows no compartments", map[string]string{"GetAdaptersAddresses": "o"},
			adapters, routes, sockets, "adapters: [0-9.]+ ms\n"},
		{"the adapters are refused", map[string]string{"GetAdaptersAddresses": "d"},
			0, routes, sockets, "adapters: [0-9.]+ ms  .denied: "},
		{"the routes are refused", map[string]string{"GetIpForwardTable2": "d"},
			adapters, 0, sockets, "routes: [0-9.]+ ms  .denied: "},
		{"the routes have no destination", map[string]string{"GetIpForwardTable2": "w"},
			adapters, 0, sockets, "routes: [0-9.]+ ms\n"},
		{"the sockets are refused", map[string]string{"GetExtendedTcpTable": "d"},
			adapters, routes, 0, "ports: [0-9.]+ ms  .denied: "},
		{"there are more sockets than expected", map[string]string{"GetExtendedTcpTable": "g"},
			adapters, routes, 4000, "ports: [0-9.]+ ms\n"},
		{"the sockets never fit", map[string]string{"GetExtendedTcpTable": "e"},
			adapters, routes, 0, "ports: [0-9.]+ ms  .error: the table of tcp sockets: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, r, s, said := tables(c.how)
			if a != c.adapters || r != c.routes || s != c.sockets {
				t.Errorf("%d adapters, %d routes, %d sockets; want %d, %d and %d", a, r, s, c.adapters, c.routes, c.sockets)
			}
			if !regexp.MustCompile(c.says).MatchString(strings.ReplaceAll(said, "\r\n", "\n")) || t.Failed() {
				t.Errorf("want %q in\n%s", c.says, said)
			}
		})
	}
}

// collected writes a bundle on the node and reads files of its evidence, where they are there. It
// returns what doctor says of the collectors.
func collected(t *testing.T, n *wine.Node, want map[string]any) string {
	t.Helper()
	r := n.Run("bundle", `C:\b.zip`, "--force", "--passive", "--timeout", "90s", "--verbose")
	z, err := zip.OpenReader(n.Path("b.zip"))
	if err != nil {
		t.Fatalf("%v: exit status %d\n%s%s", err, r.Status, r.Stdout, r.Stderr)
	}
	defer z.Close()
	for _, f := range z.File {
		value := want[filepath.Base(f.Name)]
		if value == nil {
			continue
		}
		content, err := fs.ReadFile(z, f.Name)
		if err == nil {
			err = json.Unmarshal(content, value)
		}
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
	}
	return r.Stderr
}
