package node

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"sync"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/netsh"
)

// readPorts joins two sources, either of which may fail.
func readPorts(ctx context.Context, r *collectors.Record) error {
	// a netsh that hangs must not cost the listeners
	ctx, cancel := collectors.BeforeDeadline(ctx, margin)
	defer cancel()
	listeners, listenErr := listListeners()
	ranges, rangeErr := portRanges(ctx, runSystem)
	if listenErr != nil && rangeErr != nil {
		return fmt.Errorf("%w; %w", listenErr, rangeErr)
	}
	ranges.Listener = listeners
	r.JSON(evidence.Ports.Path(), ranges)
	return errors.Join(listenErr, rangeErr)
}

// portRanges asks netsh, since Windows has no interface that tells. The exclusions come for both
// protocols or not at all: half of them would read as no exclusions of the other one.
func portRanges(ctx context.Context, run runner) (evidence.PortTable, error) {
	asked := []struct{ what, protocol string }{{"dynamicport", "tcp"}, {"dynamicport", "udp"},
		{"excludedportrange", "tcp"}, {"excludedportrange", "udp"}}
	printed, failed := make([]string, len(asked)), make([]error, len(asked))
	var all sync.WaitGroup
	for i, a := range asked {
		all.Go(func() {
			printed[i], failed[i] = run(ctx, "netsh.exe", "interface", "ipv4", "show",
				a.what, "protocol="+a.protocol)
		})
	}
	all.Wait()
	var (
		table  evidence.PortTable
		errs   error
		tables = map[string]bool{}
	)
	for i, a := range asked {
		before := len(table.Dynamic) + len(tables)
		switch a.what {
		case "dynamicport":
			if found := netsh.Dynamic(printed[i]); len(found) > 0 {
				if table.Dynamic == nil {
					table.Dynamic = map[string]evidence.PortRange{}
				}
				maps.Copy(table.Dynamic, found)
			}
		default:
			list, found := netsh.Excluded(printed[i])
			table.Excluded = append(table.Excluded, list...)
			maps.Copy(tables, found)
		}
		if failed[i] == nil && len(table.Dynamic)+len(tables) == before {
			failed[i] = fmt.Errorf("netsh prints no table of %s ports", a.protocol)
		}
		if failed[i] != nil && errs == nil { // they fail for one reason
			errs = fmt.Errorf("netsh interface ipv4 show %s: %w", a.what, failed[i])
		}
	}
	switch {
	case !tables["tcp"] || !tables["udp"]:
		table.Excluded = nil
	case table.Excluded == nil:
		table.Excluded = []evidence.ExcludedPorts{}
	}
	return table, errs
}

// listListeners lists the sockets that wait, of both protocols and families,
// with the programs that hold them.
func listListeners() ([]evidence.PortListener, error) {
	names := map[int]string{}
	rows, _ := listProcesses()
	for _, row := range rows {
		names[row.PID] = row.Name
	}
	list := []evidence.PortListener{}
	for _, layout := range socketTables {
		table, err := socketTable(layout)
		if layout.six && errors.Is(err, errors.ErrUnsupported) {
			continue // a node without IPv6
		}
		if err != nil {
			return nil, fmt.Errorf("the table of %s sockets: %w", layout.protocol, err)
		}
		for _, s := range layout.parse(table) {
			list = append(list, evidence.PortListener{
				Protocol: layout.protocol, Address: s.address.String(), Port: int(s.port),
				Process: names[int(s.pid)],
			})
		}
	}
	return bounded(list, "sockets")
}

// A socketLayout is where the fields of a row lie in one of Windows' tables: a
// count of rows stands first, ports are in network order.
type socketLayout struct {
	protocol           string
	six                bool
	size               int
	address, port, pid int
}

var socketTables = []socketLayout{
	{protocol: "tcp", size: 24, address: 4, port: 8, pid: 20},
	{protocol: "tcp", six: true, size: 56, address: 0, port: 20, pid: 52},
	{protocol: "udp", size: 12, address: 0, port: 4, pid: 8},
	{protocol: "udp", six: true, size: 28, address: 0, port: 20, pid: 24},
}

type socket struct {
	address netip.Addr
	port    uint16
	pid     uint32
}

func (l socketLayout) parse(table []byte) []socket {
	if len(table) < 4 {
		return nil
	}
	n, rows := binary.LittleEndian.Uint32(table), table[4:]
	var list []socket
	for ; n > 0 && len(rows) >= l.size; n-- {
		s := socket{port: binary.BigEndian.Uint16(rows[l.port:]),
			pid: binary.LittleEndian.Uint32(rows[l.pid:])}
		if l.six {
			s.address = netip.AddrFrom16([16]byte(rows[l.address:]))
		} else {
			s.address = netip.AddrFrom4([4]byte(rows[l.address:]))
		}
		list = append(list, s)
		rows = rows[l.size:]
	}
	return list
}
