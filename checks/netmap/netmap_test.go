package netmap

import (
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

func mapOf(t *testing.T, name string) Map {
	t.Helper()
	recording, err := fixtures.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Load(recording.FS())
	if err != nil {
		t.Fatal(err)
	}
	s, _ = signs.Record(s, faults.Catalogue().Signs())
	r := checks.Diagnose(s, faults.Catalogue(), checks.Source{}, checks.Program{})
	return Of(s, &r)
}

// outline is the map as text: a line each, indented.
func outline(boxes []*Box, indent string) string {
	var b strings.Builder
	for _, box := range boxes {
		for _, p := range box.Edge {
			b.WriteString(indent + words("~", p.Text, string(p.State)) + "\n")
		}
		b.WriteString(indent + words(box.Kind, box.Name, strings.ToUpper(string(box.State))) + "\n")
		b.WriteString(outline(box.Inside, indent+" "))
	}
	return b.String()
}

func TestWhatIsMissingIsDrawnWhereItBelongs(t *testing.T) {
	for _, tt := range []struct{ name, demo, want string }{
		{"the HNS network on its vSwitch", "hns-network-missing",
			"  HNS network MISSING\n"},
		{"the load balancer of the VIP, with its backends", "hns-lb-missing-or-stale",
			" VIP 10.0.0.10 port 53/udp\n  load balancer MISSING\n   backend 10.224.4."},
		{"a backend that is no ready pod's", "pod-address-mismatch", "STALE\n"},
		{"a prefix on the way to the pod", "outboundnat-exception-missing",
			"   ~ OutBoundNAT exception 10.96.0.0/12 missing\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := mapOf(t, tt.demo)
			if got := outline(m.Network, "") + outline(m.Services, ""); !strings.Contains(got, tt.want) {
				t.Errorf("no %q in\n%s", tt.want, got)
			}
		})
	}
}

func TestAHealthyNodeHasNoMarks(t *testing.T) {
	for _, name := range fixtures.Names() {
		if !strings.HasPrefix(name, "healthy-") {
			continue
		}
		m := mapOf(t, name)
		for _, box := range append(m.Network, m.Services...) {
			if box.hasMark() {
				t.Errorf("%s: marked:\n%s", name, outline([]*Box{box}, ""))
			}
		}
	}
}

func TestAMapLeadsFromTheAdapterToThePod(t *testing.T) {
	got := outline(mapOf(t, "healthy-flannel-hostgw").Network, "")
	at := 0
	for _, want := range []string{"adapter Ethernet0", " vSwitch vEthernet (Ethernet0)",
		"  HNS network cbr0 L2Bridge", "   ~ OutBoundNAT except", "   endpoint 10.244.2.", "    pod "} {
		i := strings.Index(got[at:], want)
		if i < 0 {
			t.Fatalf("no %q after what leads to it in\n%s", want, got)
		}
		at += i
	}
}

func TestTheChecksOfTheMapAreInTheCatalogue(t *testing.T) {
	known := map[string]bool{}
	for _, c := range faults.Catalogue().All() {
		known[c.ID] = true
	}
	for _, ids := range [][]string{networkMissing, switchMissing, balancerMissing, outboundNAT} {
		for _, id := range ids {
			if !known[id] {
				t.Errorf("there is no check %s", id)
			}
		}
	}
}

func TestACutKeepsWhatIsMarked(t *testing.T) {
	box := &Box{Inside: []*Box{{}, {}, {Inside: []*Box{{State: Stale}}}}}
	if box.cut(1); box.More != 2 || !box.Inside[0].hasMark() {
		t.Errorf("%d are left out, and the mark is kept: %t", box.More, box.Inside[0].hasMark())
	}
}
