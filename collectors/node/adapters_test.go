package node

import (
	"encoding/json"
	"net/netip"
	"testing"

	"doctor/checks/evidence"
)

func TestAdapters(t *testing.T) {
	ip := netip.MustParseAddr
	rows := []adapterRow{
		{luid: 11, index: 11, name: "vEthernet (Ethernet)",
			description: "Hyper-V Virtual Ethernet Adapter", kind: 6, status: 1,
			mac: []byte{0, 0x15, 0x5d, 0x24, 8, 0x1a}, mtu: 1500, ipv4: true,
			addresses: []netip.Prefix{netip.MustParsePrefix("10.1.36.50/24")},
			gateways:  []netip.Addr{ip("10.1.36.1")}, servers: []netip.Addr{ip("10.1.4.10")},
			suffix: "klinik.example", compartment: 1},
		{luid: 1, index: 1, name: "Loopback Pseudo-Interface 1", kind: kindLoopback, status: 1,
			mtu: 1<<32 - 1},
		{luid: 19, index: 19, name: "tunnel", kind: 131, status: 7, mtu: 1<<32 - 1, compartment: 2,
			servers: []netip.Addr{ip("fec0:0:0:ffff::1"), ip("fec0:0:0:ffff::2%19")}},
	}
	all := []adapterRow{
		{luid: 11, index: 11, name: "vEthernet (Ethernet)", kind: 6, hardware: true},
		{luid: 5, index: 5, name: "Ethernet", description: "Microsoft Hyper-V Network Adapter",
			kind: 6, status: 1, mac: []byte{0, 0x15, 0x5d, 0x24, 8, 0x11}, mtu: 1500,
			hardware: true},
		{luid: 6, index: 6, name: "Ethernet-WFP Native MAC Layer LightWeight Filter-0000", kind: 6,
			hardware: true, filter: true},
		{luid: 7, index: 7, name: "WAN Miniport (IP)", kind: 6},
	}
	got, _ := json.Marshal(adaptersOf(rows, all, map[uint64]bool{11: true}))
	want := `[{"name":"Ethernet","description":"Microsoft Hyper-V Network Adapter","ifIndex":5,"status":"up","mac":"00-15-5D-24-08-11","mtu":1500,"addresses":[],"gateways":[],"dnsServers":[],"dnsSuffix":""},` +
		`{"name":"vEthernet (Ethernet)","description":"Hyper-V Virtual Ethernet Adapter","ifIndex":11,"status":"up","mac":"00-15-5D-24-08-1A","mtu":1500,"dhcp":false,"addresses":["10.1.36.50/24"],"gateways":["10.1.36.1"],"dnsServers":["10.1.4.10"],"dnsSuffix":"klinik.example","forwarding":true,"compartment":1},` +
		`{"name":"tunnel","ifIndex":19,"status":"lower-layer-down","addresses":[],"gateways":[],"dnsServers":[],"dnsSuffix":"","compartment":2}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if read := decoded(t, evidence.Adapters, json.RawMessage(got)); len(read) != 3 ||
		read[0].Forwarding != nil || !*read[1].Forwarding {
		t.Errorf("read back: %+v", read)
	}
}

func TestRouteMetrics(t *testing.T) {
	prefix, ip := netip.MustParsePrefix, netip.MustParseAddr
	got, _ := json.Marshal(routesOf([]routeRow{
		{11, 11, prefix("0.0.0.0/0"), ip("10.1.36.1"), 0},
		{11, 11, prefix("::/0"), ip("fe80::1"), 16},
		{99, 99, prefix("10.0.0.0/8"), ip("0.0.0.0"), 256},
		{11, 11, netip.Prefix{}, netip.Addr{}, 1},
	}, []adapterRow{{luid: 11, metric4: 15, metric6: 25}}))
	want := `[{"destination":"0.0.0.0/0","nextHop":"10.1.36.1","ifIndex":11,"metric":15},{"destination":"::/0","nextHop":"fe80::1","ifIndex":11,"metric":41},{"destination":"10.0.0.0/8","nextHop":"0.0.0.0","ifIndex":99,"metric":256}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// decoded reads what a collector writes as a check does.
func decoded[T any](t *testing.T, k *evidence.Kind[T], v any) T {
	t.Helper()
	s, err := evidence.Load(evidenceTree(map[string]any{k.Path(): v}).FS())
	if err != nil {
		t.Fatal(err)
	}
	if gap := k.Gap(s); gap.Kind != "" {
		t.Fatal(gap)
	}
	return k.In(s)
}
