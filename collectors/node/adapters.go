package node

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

// An adapterRow is one interface as Windows lists it. The listing for TCP/IP
// leaves out an adapter that gave its addresses to a virtual switch; the one of
// all interfaces has it, among many that are no adapters.
type adapterRow struct {
	luid              uint64 // names the interface in all tables
	index             uint32
	name, description string
	kind, status      uint32 // by Windows' numbers
	mac               []byte
	mtu               uint32
	hardware, filter  bool // known of all interfaces only
	ipv4, dhcp        bool // from here on, known of TCP/IP only
	suffix            string
	addresses         []netip.Prefix
	gateways, servers []netip.Addr
	compartment       uint32
	metric4, metric6  uint32
}

// Windows' numbers of kinds and states.
const kindLoopback = 24

var adapterStates = map[uint32]string{1: "up", 2: "down", 3: "testing", 4: "unknown", 5: "dormant",
	6: "not-present", 7: "lower-layer-down"}

// readAdapters joins three tables. Only the first is needed; what the others
// would have told is left out.
func readAdapters(context.Context) (any, error) {
	rows, err := listAdapters()
	if err == nil {
		rows, err = bounded(rows, "adapters")
	}
	if err != nil {
		return nil, fmt.Errorf("the list of adapters: %w", err)
	}
	tables, stop := context.WithTimeout(context.Background(), tablePatience)
	defer stop()
	interfaces, forwards := inTime(tables, listInterfaces), inTime(tables, listForwarding)
	return adaptersOf(rows, interfaces(), forwards()), nil
}

// tablePatience is how long the optional tables may take: a driver that does not answer for its
// counters holds up the table of all interfaces.
const tablePatience = 2 * time.Second

// inTime calls at once, and returns what brings the result: the zero value after an error, or where
// the call has not returned in time. Such a call cannot be ended, so it is left behind.
func inTime[T any](ctx context.Context, call func() (T, error)) func() T {
	result := make(chan T, 1)
	go func() {
		v, err := call()
		if err != nil {
			v = *new(T)
		}
		result <- v
	}()
	return func() T {
		select {
		case v := <-result:
			return v
		case <-ctx.Done():
			select { // it may have answered while others were waited for
			case v := <-result:
				return v
			default:
				return *new(T)
			}
		}
	}
}

func adaptersOf(rows, all []adapterRow, forwarding map[uint64]bool) []evidence.Adapter {
	listed := map[uint64]bool{}
	list := []evidence.Adapter{}
	for _, row := range rows {
		listed[row.luid] = true
		if row.kind != kindLoopback {
			list = append(list, row.adapter(forwarding))
		}
	}
	for _, row := range all {
		if row.hardware && !row.filter && !listed[row.luid] && row.kind != kindLoopback {
			list = append(list, row.adapter(forwarding))
		}
	}
	sorted.By(list, func(a, b evidence.Adapter) int {
		return cmp.Compare(a.IfIndex, b.IfIndex)
	})
	return list
}

func (row adapterRow) adapter(forwarding map[uint64]bool) evidence.Adapter {
	a := evidence.Adapter{
		Name: row.name, Description: row.description, IfIndex: int(row.index), MTU: int(row.mtu),
		Status: adapterStates[row.status],
		MAC: strings.ToUpper(strings.ReplaceAll(net.HardwareAddr(row.mac).String(), ":",
			"-")),
		Addresses:  texts(row.addresses),
		Gateways:   texts(row.gateways),
		DNSServers: texts(slices.DeleteFunc(slices.Clone(row.servers), isPlaceholder)),
		DNSSuffix:  &row.suffix, Compartment: int(row.compartment),
	}
	if row.mtu == 1<<32-1 { // no limit
		a.MTU = 0
	}
	if row.ipv4 {
		a.DHCP = &row.dhcp
	}
	if on, known := forwarding[row.luid]; known {
		a.Forwarding = &on
	}
	return a
}

// isPlaceholder tells the servers that Windows names for an interface without
// any of its own: fec0:0:0:ffff::1 to 3, where nobody answers.
func isPlaceholder(server netip.Addr) bool {
	return netip.MustParsePrefix("fec0:0:0:ffff::/64").Contains(server.WithZone(""))
}

func texts[T fmt.Stringer](list []T) []string {
	s := make([]string, len(list))
	for i, v := range list {
		s[i] = v.String()
	}
	return s
}

// A routeRow is one route of the table, in either family.
type routeRow struct {
	luid        uint64
	index       uint32
	destination netip.Prefix
	nextHop     netip.Addr
	metric      uint32
}

func readRoutes(context.Context) (any, error) {
	rows, err := listRoutes()
	if err == nil {
		rows, err = bounded(rows, "routes")
	}
	if err != nil {
		return nil, fmt.Errorf("the routing table: %w", err)
	}
	tables, stop := context.WithTimeout(context.Background(), tablePatience)
	defer stop()
	return routesOf(rows, inTime(tables, listAdapters)()), nil
}

// routesOf adds the interface's metric to the route's own, as "route print" does:
// the sum is what decides between two routes.
func routesOf(rows []routeRow, adapters []adapterRow) []evidence.Route {
	of := map[uint64]adapterRow{}
	for _, a := range adapters {
		of[a.luid] = a
	}
	list := []evidence.Route{}
	for _, row := range rows {
		if !row.destination.IsValid() || !row.nextHop.IsValid() {
			continue
		}
		metric := of[row.luid].metric4
		if row.destination.Addr().Is6() {
			metric = of[row.luid].metric6
		}
		list = append(list, evidence.Route{
			Destination: row.destination.String(), NextHop: row.nextHop.String(),
			IfIndex: int(row.index), Metric: int(row.metric) + int(metric),
		})
	}
	return list
}

const (
	tcpipKey         = `SYSTEM\CurrentControlSet\Services\Tcpip\Parameters`
	resolverPolicy   = `SOFTWARE\Policies\Microsoft\Windows NT\DNSClient`
	membershipPolicy = `SOFTWARE\Policies\Microsoft\System\DNSClient`
)

// resolverOf reads how names are completed. A policy takes the place of the node's own setting;
// where neither has a list, the primary suffix is the list, or the one that DHCP gave.
func resolverOf(open hive) (evidence.DNSClientSettings, error) {
	own, err := open(tcpipKey)
	if err != nil {
		return evidence.DNSClientSettings{}, err
	}
	// Without a policy there is no key, which reads as an empty one.
	policy, _ := open(resolverPolicy)
	member, _ := open(membershipPolicy)
	primary := cmp.Or(member.text("NV PrimaryDnsSuffix"), own.text("Domain"))
	list := suffixes(policy.text("SearchList"))
	if len(list) == 0 {
		list = suffixes(own.text("SearchList"))
	}
	if len(list) == 0 {
		list = suffixes(cmp.Or(primary, own.text("DhcpDomain")))
	}
	return evidence.DNSClientSettings{SuffixSearchList: list, PrimarySuffix: primary,
		Devolution: new(firstNumber("UseDomainNameDevolution", 1, policy, own) != 0)}, nil
}

func suffixes(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}
