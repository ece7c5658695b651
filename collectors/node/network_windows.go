package node

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.zx2c4.com/wireguard/windows/tunnel/winipcfg"
)

func listAdapters() ([]adapterRow, error) {
	const flags = winipcfg.GAAFlagSkipAnycast | winipcfg.GAAFlagSkipMulticast | winipcfg.GAAFlagIncludeGateways
	found, err := winipcfg.GetAdaptersAddresses(windows.AF_UNSPEC,
		flags|winipcfg.GAAFlagIncludeAllCompartments)
	// some documentation calls the flag reserved: the host's own compartment is better than nothing
	if err != nil {
		found, err = winipcfg.GetAdaptersAddresses(windows.AF_UNSPEC, flags)
	}
	if err != nil {
		return nil, err
	}
	list := make([]adapterRow, 0, len(found))
	for _, a := range found {
		row := adapterRow{
			luid: uint64(a.LUID), index: a.IfIndex, name: a.FriendlyName(),
			description: a.Description(), kind: uint32(a.IfType),
			status: uint32(a.OperStatus), mac: a.PhysicalAddress(), mtu: a.MTU,
			suffix: a.DNSSuffix(), compartment: a.CompartmentID,
			ipv4:    a.Flags&winipcfg.IPAAFlagIpv4Enabled != 0,
			dhcp:    a.Flags&winipcfg.IPAAFlagDhcpv4Enabled != 0,
			metric4: a.Ipv4Metric, metric6: a.Ipv6Metric,
		}
		row.index = cmp.Or(row.index, a.IPv6IfIndex)
		for u := a.FirstUnicastAddress; u != nil; u = u.Next {
			if ip, ok := addressOf(u.Address); ok {
				row.addresses = append(row.addresses,
					netip.PrefixFrom(ip, min(int(u.OnLinkPrefixLength), ip.BitLen())))
			}
		}
		for g := a.FirstGatewayAddress; g != nil; g = g.Next {
			if ip, ok := addressOf(g.Address); ok {
				row.gateways = append(row.gateways, ip)
			}
		}
		for s := a.FirstDNSServerAddress; s != nil; s = s.Next {
			if ip, ok := addressOf(s.Address); ok {
				row.servers = append(row.servers, ip)
			}
		}
		list = append(list, row)
	}
	return list, nil
}

func addressOf(a windows.SocketAddress) (netip.Addr, bool) {
	ip, ok := netip.AddrFromSlice(a.IP())
	return ip.Unmap(), ok
}

func listInterfaces() ([]adapterRow, error) {
	// without counters no driver is asked; Windows before 10 version 1803 does not know this level
	found, err := winipcfg.GetIfTable2Ex(winipcfg.MibIfEntryNormalWithoutStatistics)
	if err != nil {
		found, err = winipcfg.GetIfTable2Ex(winipcfg.MibIfEntryNormal)
	}
	if err != nil {
		return nil, err
	}
	list := make([]adapterRow, 0, len(found))
	for i := range found {
		f := &found[i]
		list = append(list, adapterRow{
			luid: uint64(f.InterfaceLUID), index: f.InterfaceIndex, name: f.Alias(),
			description: f.Description(), kind: uint32(f.Type),
			status: uint32(f.OperStatus), mac: f.PhysicalAddress(), mtu: f.MTU,
			hardware: f.InterfaceAndOperStatusFlags&winipcfg.IAOSFHardwareInterface != 0,
			filter:   f.InterfaceAndOperStatusFlags&winipcfg.IAOSFFilterInterface != 0,
		})
	}
	return list, nil
}

// listForwarding tells of each interface whether it forwards IPv4.
func listForwarding() (map[uint64]bool, error) {
	found, err := winipcfg.GetIPInterfaceTable(windows.AF_INET)
	if err != nil {
		return nil, err
	}
	on := map[uint64]bool{}
	for i := range found {
		on[uint64(found[i].InterfaceLUID)] = found[i].ForwardingEnabled
	}
	return on, nil
}

func listRoutes() ([]routeRow, error) {
	found, err := winipcfg.GetIPForwardTable2(windows.AF_UNSPEC)
	if err != nil {
		return nil, err
	}
	list := make([]routeRow, 0, len(found))
	for i := range found {
		f := &found[i]
		list = append(list, routeRow{uint64(f.InterfaceLUID), f.InterfaceIndex,
			f.DestinationPrefix.Prefix(), f.NextHop.Addr(), f.Metric})
	}
	return list, nil
}

var (
	iphlpapi            = windows.NewLazySystemDLL("iphlpapi.dll")
	getExtendedTCPTable = iphlpapi.NewProc("GetExtendedTcpTable")
	getExtendedUDPTable = iphlpapi.NewProc("GetExtendedUdpTable")
)

const maxSocketTable = 64 << 20

// socketTable gets one table as Windows lays it out, of listeners and their owners.
func socketTable(l socketLayout) ([]byte, error) {
	const listenersWithOwner, udpWithOwner = 3, 1
	proc, class, family := getExtendedTCPTable, uintptr(listenersWithOwner),
		uintptr(windows.AF_INET)
	if l.protocol == "udp" {
		proc, class = getExtendedUDPTable, udpWithOwner
	}
	if l.six {
		family = windows.AF_INET6
	}
	if err := proc.Find(); err != nil {
		return nil, fmt.Errorf("%w: %w", err, errors.ErrUnsupported)
	}
	for size := uint32(64 << 10); size <= maxSocketTable; {
		buf := make([]byte, size)
		status, _, _ := proc.Call(uintptr(unsafe.Pointer(&buf[0])), uintptr(unsafe.Pointer(&size)),
			0, family, class, 0)
		if status == 0 {
			return buf, nil
		}
		if err := syscall.Errno(status); err != windows.ERROR_INSUFFICIENT_BUFFER {
			return nil, err
		}
		size = max(size, uint32(len(buf))) * 2 // sockets come while they are counted
	}
	return nil, windows.ERROR_INSUFFICIENT_BUFFER
}
