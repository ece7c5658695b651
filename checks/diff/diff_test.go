package diff

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

func TestMain(m *testing.M) {
	fixtures.Add(os.DirFS("../../fixtures/platforms"))
	os.Exit(m.Run())
}

// recorded is a recording as a side, with its files changed.
func recorded(t testing.TB, name string, change func(text string) string) Side {
	t.Helper()
	r, err := fixtures.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{}
	for path, f := range r.FS().(fstest.MapFS) {
		if change != nil {
			f = &fstest.MapFile{Data: []byte(change(string(f.Data))), Mode: f.Mode}
			path = change(path)
		}
		tree[path] = f
	}
	return sideOf(t, name, tree)
}

func sideOf(t testing.TB, name string, tree fstest.MapFS) Side {
	t.Helper()
	s, err := evidence.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	list := faults.Catalogue()
	scanned, _ := signs.Record(s, list.Signs())
	report := checks.Diagnose(scanned, list, checks.Source{Kind: "demo", Name: name}, checks.Program{})
	return Side{Name: name, Report: report, Paths: s.Paths(), Gap: s.GapAt,
		Read: func(path string) ([]byte, error) {
			f, err := s.Open(path)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			return io.ReadAll(evidence.Text(f))
		}}
}

// another makes of a recording's texts those of another node of the same pool: another name, other
// addresses, another podCIDR, other GUIDs and MACs.
func another(s Side) func(string) string {
	id := identify(s)
	var pairs []string
	for i, name := range id.names {
		pairs = append(pairs, name, fmt.Sprintf("node-of-the-pool-%d", i))
	}
	for _, p := range id.podCIDRs {
		if p.Addr().Is4() && p.Bits() >= 24 {
			three := strings.Join(strings.Split(p.Addr().String(), ".")[:3], ".") + "."
			to := strings.Split(p.Addr().String(), ".")[:2]
			pairs = append(pairs, three, strings.Join(to, ".")+".177.")
		}
	}
	var node nodeShape
	decode(s, "api/node.json", &node)
	for i, address := range node.Status.Addresses {
		a, err := netip.ParseAddr(address.Address)
		if err != nil || !a.Is4() {
			continue
		}
		b := a.As4()
		b[3] = byte(200 + i)
		for _, after := range []string{"/", `"`, ":", "\n", "'", ",", " "} {
			pairs = append(pairs, a.String()+after, netip.AddrFrom4(b).String()+after)
		}
	}
	names := strings.NewReplacer(pairs...)
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(strings.ToLower(text)))
		return hex.EncodeToString(sum[:])
	}
	return func(text string) string {
		text = names.Replace(text)
		text = guidText.ReplaceAllStringFunc(text, func(g string) string {
			h := hash(g)
			return g[:1*b2i(g[0] == '{')] + h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:32] +
				strings.Repeat("}", b2i(g[0] == '{'))
		})
		return macText.ReplaceAllStringFunc(text, func(m string) string {
			h := hash(strings.ReplaceAll(m, ":", "-"))
			return "02" + m[2:3] + h[:2] + m[2:3] + h[2:4] + m[2:3] + h[4:6] + m[2:3] + h[6:8] + m[2:3] + h[8:10]
		})
	}
}

func b2i(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func TestANodeDoesNotDifferFromItself(t *testing.T) {
	for _, name := range fixtures.Names() {
		if testing.Short() && len(name)%7 != 0 {
			continue
		}
		s := recorded(t, name, nil)
		c := Compare(s, s, checks.Program{})
		if c.Differs || len(c.Differences)+len(c.Verdicts)+len(c.Uncompared) > 0 {
			t.Errorf("%s: %+v %+v", name, c.Verdicts, c.Differences)
		}
	}
}

func TestTwoHealthyNodesOfAPoolDoNotDiffer(t *testing.T) {
	n := 0
	for _, name := range fixtures.Names() {
		if !strings.HasPrefix(name, "healthy-") {
			continue
		}
		n++
		a := recorded(t, name, nil)
		b := recorded(t, name, another(a))
		if a.Report.Node.Name == b.Report.Node.Name {
			t.Errorf("%s: the other node has the same name %s", name, a.Report.Node.Name)
		}
		c := Compare(a, b, checks.Program{})
		for _, v := range c.Verdicts {
			t.Errorf("%s: %s: %s, %s: %s", name, v.ID, v.A, v.B, v.Message)
		}
		for _, d := range c.Differences {
			t.Errorf("%s: %s %s %s: %q, %q", name, d.Path, d.Object, d.Field, d.A, d.B)
		}
	}
	if n < 20 {
		t.Errorf("only %d platforms", n)
	}
}

// TestTheRecordedPairDoesNotDiffer: two nodes of one pool, the other recorded a day later.
func TestTheRecordedPairDoesNotDiffer(t *testing.T) {
	c := Compare(recorded(t, "healthy-flannel-hostgw", nil), recorded(t, "healthy-flannel-hostgw-2", nil), checks.Program{})
	if c.Differs {
		t.Errorf("%+v\n%+v", c.Verdicts, c.Differences)
	}
}

// TestAFaultIsShownByWhatDiffers: each recording beside the healthy one that it is built on.
func TestAFaultIsShownByWhatDiffers(t *testing.T) {
	for _, row := range []struct{ name, path, object, value string }{
		{"outboundnat-exception-missing", "files/C/k/cni/config/cni.conf", "cni.conf", "10.96.0.0/12"},
		{"hns-network-missing", "hns-networks.json", "cbr0", "is there"},
		{"flanneld-not-running", "services.json", "flanneld", "stopped"},
		{"firewall-blocks-10250", "firewall.json", "", "false"},
		{"cni-nameserver-mismatch", "files/C/k/cni/config/cni.conf", "cni.conf", ""},
		{"mtu-mismatch", "adapters.json", "", ""},
		{"metadata-route-lost", "probes/reach.json", "node tcp 169.254.169.254:80", "timeout"},
		{"kubeconfig-invalid", "files/C/etc/kubernetes/kubelet.conf", "", "win-cal-0"},
		{"defender-exclusions-missing", "security.json", "", ""},
		{"component-port-closed", "ports.json", "", ""},
		{"hostprocess-logon-denied", "services.json", "", ""},
		{"compute-service-disabled", "services.json", "vmcompute", "disabled"},
		{"cni-binary-missing", "files.json", "", "absent"},
	} {
		r, err := fixtures.Open(row.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, turned := range []bool{false, true} {
			a, b := recorded(t, row.name, nil), recorded(t, r.Base, nil)
			if turned {
				a, b = b, a
			}
			c := Compare(a, b, checks.Program{})
			if !c.Differs || len(c.Verdicts) == 0 || c.Verdicts[0].ID != row.name || len(c.Verdicts[0].Differences) == 0 {
				t.Errorf("%s: %+v", row.name, c.Verdicts)
				continue
			}
			ok := false
			for _, i := range c.Verdicts[0].Differences {
				d := c.Differences[i]
				ok = ok || d.Path == row.path && (row.object == "" || d.Object == row.object) &&
					strings.Contains(strings.Join(append(d.A, d.B...), " "), row.value)
			}
			if !ok || len(c.Differences[0].Explains) == 0 {
				t.Errorf("%s: %+v", row.name, c.Differences)
			}
		}
	}
}

func TestHowATextIsOfAnyNode(t *testing.T) {
	id := identity{names: []string{"win-1.corp.example", "win-1"},
		own:      map[netip.Addr]bool{netip.MustParseAddr("10.0.0.4"): true},
		nodes:    map[netip.Addr]bool{netip.MustParseAddr("10.0.0.5"): true},
		podCIDRs: []netip.Prefix{netip.MustParsePrefix("10.244.2.0/24")},
		others:   []netip.Prefix{netip.MustParsePrefix("10.244.3.0/24")}}
	for _, row := range []struct{ text, want string }{
		{"--node-ip=10.0.0.4", "--node-ip=<node IP>"},
		{"10.0.0.40", "10.0.0.40"},
		{"10.0.0.4/24", "<node IP>/24"},
		{"10.0.0.5:10250", "<IP of another node>:10250"},
		{"10.244.2.7", "<pod IP>"},
		{"10.244.2.1/24", "<podCIDR>"},
		{"10.244.2.0/24", "<podCIDR>"},
		{"10.244.2.2/32", "<pod IP>/32"},
		{"10.244.3.0/24", "<podCIDR of another node>"},
		{"10.96.0.0/12", "10.96.0.0/12"},
		{"WIN-1", "<node>"},
		{"win-1.corp.example", "<node>"},
		{"win-10", "win-10"},
		{"CN=win-1-ca@161", "CN=<node>-ca@161"},
		{"darwin-1", "darwin-1"},
		{"{5A62E271-340D-43E4-95C9-8411618898E0}", "<guid>"},
		{"00-15-5D-4E-70-1C", "<mac>"},
		{"0a:58:0a:f4:02:01", "<mac>"},
		{"2026-11-20T10:02:11Z", "<time>"},
		{"v1.19.7", "v1.19.7"},
		{"10.0.17763.5329", "10.0.17763.5329"},
	} {
		if got := id.common(row.text); got != row.want {
			t.Errorf("%s: %s, want %s", row.text, got, row.want)
		}
	}
}

// FuzzCompare: evidence is hostile.
func FuzzCompare(f *testing.F) {
	f.Add("hns-networks.json", `[{"Name":"cbr0","Policies":[{"Type":"a"}]}]`, `[{"Name":5},null,[[]]]`)
	f.Add("files/C/k/cni.conf", "{\"a\":[1,{\"name\":\"x\"}]}", "a: [b, {c: d}]\n- x")
	f.Add("files/C/k/config.toml", "[a]\nb = 1", "x=1\ny")
	f.Add("api/node.json", `{"metadata":{"labels":[1]},"status":{"conditions":{}}}`, `{"spec":7}`)
	f.Add("hns-endpoints.json", `[{"IPAddress":"10.0.0.1","Namespace":{"ID":"a"},"Policies":7}]`, `[{}]`)
	f.Fuzz(func(t *testing.T, path, a, b string) {
		side := func(text string) Side {
			return Side{Paths: []string{path}, Gap: func(string) evidence.Gap { return evidence.Gap{} },
				Read: func(string) ([]byte, error) { return []byte(text), nil }}
		}
		c := Compare(side(a), side(b), checks.Program{})
		back := Compare(side(b), side(a), checks.Program{})
		if len(c.Differences) != len(back.Differences) || c.Differs != back.Differs {
			t.Errorf("%d differences, and %d the other way round", len(c.Differences), len(back.Differences))
		}
		if own := Compare(side(a), side(a), checks.Program{}); own.Differs {
			t.Errorf("a file differs from itself: %+v", own.Differences)
		}
	})
}
