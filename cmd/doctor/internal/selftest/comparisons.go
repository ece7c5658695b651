package selftest

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/probe"
)

// comparisons are in the order of the table. A script must not start, stop or change anything:
// Get-HnsNetwork, for one, starts an HNS that is stopped.
var comparisons = []comparison{
	{name: "Windows version",
		script: `$v = Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'
item build (Get-CimInstance Win32_OperatingSystem).BuildNumber; item revision $v.UBR; item edition $v.EditionID; item installation $v.InstallationType`,
		ours: of(evidence.OSInfo, func(o evidence.OS) []string {
			return []string{line("build", o.Build), line("revision", o.UBR), line("edition", o.Edition),
				line("installation", o.InstallationType)}
		})},
	{name: "boot time", near: within(2),
		script: `item boot ([DateTimeOffset](Get-CimInstance Win32_OperatingSystem).LastBootUpTime).ToUnixTimeSeconds()`,
		ours: of(evidence.OSInfo, func(o evidence.OS) []string {
			return []string{line("boot", o.BootedAt.Unix())}
		})},
	{name: "HNS stays as it is", steady: true,
		script: `Get-Service hns -ErrorAction SilentlyContinue | ForEach-Object { item hns $_.Status }`,
		ours: each(evidence.Services, func(s evidence.Service) row {
			if !strings.EqualFold(s.Name, "hns") {
				return nil
			}
			return row{"hns", s.State}
		})},
	{name: "services", near: sameState, subset: true,
		script: `Get-Service | ForEach-Object { item $_.Name $_.Status }`,
		ours: each(evidence.Services, func(s evidence.Service) row {
			return row{s.Name, s.State}
		})},
	{name: "settings of services", near: sameState, subset: true,
		script: `Get-CimInstance Win32_Service | ForEach-Object { item $_.Name $_.StartMode $_.StartName $_.ProcessId }`,
		ours: each(evidence.Services, func(s evidence.Service) row {
			modes := map[string]string{"automatic": "auto", "delayed": "auto"}
			return row{s.Name, cmp.Or(modes[s.StartType], s.StartType), s.Account, s.PID}
		})},
	{name: "processes", script: `Get-CimInstance Win32_Process | Where-Object { $_.ProcessId -ne 0 } | ForEach-Object { item "$($_.ProcessId) $($_.Name)" $_.ParentProcessId }`,
		near: sameName, ours: each(evidence.Processes, func(p evidence.Process) row {
			return row{fmt.Sprint(p.PID, " ", p.Name), p.PPID}
		})},
	{name: "command lines", near: sameCommand, subset: true,
		script: `Get-CimInstance Win32_Process | Where-Object { $_.CommandLine } | ForEach-Object { item "$($_.ProcessId) $($_.Name)" $_.CommandLine }`,
		ours: each(evidence.Processes, func(p evidence.Process) row {
			if p.Args == nil {
				return nil
			}
			return row{fmt.Sprint(p.PID, " ", p.Name), strings.Join(p.Args, " ")}
		})},
	{name: "memory", script: `item total (Get-CimInstance Win32_ComputerSystem).TotalPhysicalMemory
Get-CimInstance Win32_PageFileUsage | ForEach-Object { item $_.Name $_.AllocatedBaseSize }`,
		near: within(1), ours: of(evidence.MemoryInfo, func(m evidence.Memory) []string {
			lines := []string{line("total", m.TotalBytes)}
			for _, f := range m.PageFiles {
				lines = append(lines, line(f.Path, f.SizeBytes>>20))
			}
			return lines
		})},
	{name: "disks", subset: true,
		script: `Get-CimInstance Win32_LogicalDisk -Filter 'DriveType=3' | ForEach-Object { item $_.DeviceID $_.FileSystem $_.Size }`,
		ours: each(evidence.Disks, func(d evidence.Disk) row {
			return row{d.Drive, d.FileSystem, d.TotalBytes}
		})},
	{name: "feature Containers", subset: true,
		script: `Get-WindowsFeature Containers | ForEach-Object { item $_.Name $_.InstallState }`,
		ours: of(evidence.Features, func(all map[string]string) (lines []string) {
			for name, state := range all {
				lines = append(lines, line(name, state))
			}
			return lines
		})},
	{name: "updates", subset: true,
		script: `Get-HotFix | Where-Object { $_.HotFixID -like 'KB*' } | ForEach-Object { item $_.HotFixID }`,
		ours: each(evidence.Hotfixes, func(h evidence.Hotfix) row {
			return row{h.ID}
		})},
	{name: "firewall profiles", near: sameState,
		script: `Get-NetFirewallProfile -PolicyStore ActiveStore | ForEach-Object { item $_.Name $_.Enabled $_.DefaultInboundAction $_.DefaultOutboundAction }`,
		ours: of(evidence.FirewallInfo, func(f evidence.Firewall) (lines []string) {
			for _, p := range f.Profiles {
				lines = append(lines, line(p.Name, p.Enabled, p.DefaultInbound, p.DefaultOutbound))
			}
			return lines
		})},
	{name: "adapters", subset: true,
		script: `Get-NetAdapter | Where-Object { $_.Status -eq 'Up' } | ForEach-Object { item $_.Name $_.ifIndex $_.MacAddress }`,
		ours: each(evidence.Adapters, func(a evidence.Adapter) row {
			return row{a.Name, a.IfIndex, a.MAC}
		})},
	{name: "interfaces", subset: true, near: sameState, // without a limit of the MTU there is no number
		script: `Get-NetIPInterface -AddressFamily IPv4 | Where-Object { $_.InterfaceAlias -notlike 'Loopback*' } | ForEach-Object { item $_.InterfaceAlias $_.NlMtu $_.Forwarding $_.Dhcp $_.CompartmentId }`,
		ours: each(evidence.Adapters, func(a evidence.Adapter) row {
			return row{a.Name, a.MTU, enabled(a.Forwarding), enabled(a.DHCP), a.Compartment}
		})},
	{name: "addresses",
		script: `Get-NetIPAddress | Where-Object { $_.InterfaceAlias -notlike 'Loopback*' -and $_.AddressState -eq 'Preferred' } | ForEach-Object { item "$($_.IPAddress -replace '%.*','')/$($_.PrefixLength)" $_.InterfaceAlias }`,
		ours: of(evidence.Adapters, func(list []evidence.Adapter) (lines []string) {
			for _, a := range list {
				for _, text := range a.Addresses {
					lines = append(lines, line(withoutZone(text), a.Name))
				}
			}
			return lines
		})},
	{name: "DNS servers", subset: true,
		script: `Get-DnsClientServerAddress -AddressFamily IPv4 | ForEach-Object { foreach ($s in $_.ServerAddresses) { item "$($_.InterfaceAlias) $s" } }`,
		ours: of(evidence.Adapters, func(list []evidence.Adapter) (lines []string) {
			for _, a := range list {
				for _, server := range a.DNSServers {
					lines = append(lines, line(a.Name+" "+server))
				}
			}
			return lines
		})},
	{name: "DNS suffixes",
		script: `item suffixes ((Get-DnsClientGlobalSetting).SuffixSearchList -join ' ')`,
		ours: of(evidence.DNSClient, func(d evidence.DNSClientSettings) []string {
			return []string{line("suffixes", strings.Join(d.SuffixSearchList, " "))}
		})},
	{name: "routes",
		script: `Get-NetRoute -PolicyStore ActiveStore | Where-Object { $_.State -ne 'Dead' } | ForEach-Object { item "$($_.DestinationPrefix -replace '%[0-9]+','') $($_.NextHop -replace '%.*','') $($_.ifIndex)" ($_.RouteMetric + $_.InterfaceMetric) }`,
		ours: each(evidence.Routes, func(r evidence.Route) row {
			return row{fmt.Sprint(withoutZone(r.Destination), " ", withoutZone(r.NextHop), " ", r.IfIndex),
				r.Metric}
		})},
	{name: "listeners", script: `Get-NetTCPConnection -State Listen | ForEach-Object { item "tcp $($_.LocalAddress -replace '%.*','') $($_.LocalPort)" }
Get-NetUDPEndpoint | ForEach-Object { item "udp $($_.LocalAddress -replace '%.*','') $($_.LocalPort)" }`,
		ours: of(evidence.Ports, func(p evidence.PortTable) (lines []string) {
			for _, l := range p.Listener {
				lines = append(lines, line(fmt.Sprint(l.Protocol, " ", withoutZone(l.Address), " ", l.Port)))
			}
			return lines
		})},
	{name: "dynamic ports",
		script: `$t = Get-NetTCPSetting -SettingName Internet; item tcp $t.DynamicPortRangeStartPort $t.DynamicPortRangeNumberOfPorts
$u = Get-NetUDPSetting; item udp $u.DynamicPortRangeStartPort $u.DynamicPortRangeNumberOfPorts`,
		ours: of(evidence.Ports, func(p evidence.PortTable) (lines []string) {
			for protocol, r := range p.Dynamic {
				lines = append(lines, line(protocol, r.Start, r.Count))
			}
			return lines
		})},
	{name: "excluded ports",
		script: `foreach ($p in 'tcp', 'udp') { netsh interface ipv4 show excludedportrange "protocol=$p" |
  ForEach-Object { if ($_ -match '^\s*(\d+)\s+(\d+)') { item "$p $($Matches[1])" $Matches[2] } } }`,
		ours: of(evidence.Ports, func(p evidence.PortTable) (lines []string) {
			for _, e := range p.Excluded {
				lines = append(lines, line(fmt.Sprint(e.Protocol, " ", e.Start), e.End))
			}
			return lines
		})},
	{name: "HNS networks", script: onlyRunningHNS + `Get-HnsNetwork | ForEach-Object { item $_.ID $_.Name $_.Type }`,
		ours: each(evidence.HNSNetworks, func(n evidence.HNSNetwork) row {
			return row{n.ID, n.Name, n.Type}
		})},
	{name: "HNS endpoints", script: onlyRunningHNS + `Get-HnsEndpoint | ForEach-Object { item $_.ID $_.VirtualNetwork }`,
		ours: each(evidence.HNSEndpoints, func(e evidence.HNSEndpoint) row {
			return row{e.ID, e.NetworkID}
		})},
	{name: "System events", subset: true, near: sameMessage,
		script: `Get-WinEvent -FilterHashtable @{LogName='System'; Level=1,2; StartTime=(Get-Date).AddHours(-12)} -MaxEvents 200 -ErrorAction SilentlyContinue | ForEach-Object { item "$($_.Id) $($_.TimeCreated.ToUniversalTime().ToString('yyyy-MM-ddTHH:mm:ss.fff'))" $_.Message }`,
		ours: each(evidence.WindowsEvents, func(e evidence.WindowsEvent) row {
			if e.Log != "System" {
				return nil
			}
			return row{fmt.Sprint(e.ID, " ", e.Time.UTC().Format("2006-01-02T15:04:05.000")), e.Message}
		})},
	{name: "names", script: `foreach ($n in @($env:COMPUTERNAME, '` + strings.Join(askedNames, "', '") + `')) {
  $a = try { @(Resolve-DnsName $n -Type A -ErrorAction Stop | Where-Object { $_.IPAddress }).Count } catch { 0 }
  item $n $(if ($a) { 'ok' } else { 'no address' }) }`,
		ours: askNames},
	{name: "ping and TCP", script: `$p = New-Object Net.NetworkInformation.Ping
item 'ping 127.0.0.1' $p.Send('127.0.0.1', 2000).Status
$o = New-Object Net.NetworkInformation.PingOptions 64, $true
foreach ($n in 1472, 1422, 1372, 1252) { item "ping 127.0.0.1 $n" $p.Send('127.0.0.1', 2000, [byte[]]::new($n), $o).Status }
$c = New-Object Net.Sockets.TcpClient; try { $c.Connect('127.0.0.1', 1); $s = 'ok' } catch { $s = $_.Exception.InnerException.SocketErrorCode } finally { $c.Dispose() }
item 'tcp 127.0.0.1:1' $s`,
		near: sameOutcome, ours: askLoopback},
}

const onlyRunningHNS = `if ((Get-Service hns).Status -ne 'Running') { throw 'HNS is not running' }
`

// of makes the lines of evidence that was read.
func of[T any](kind *evidence.Kind[T], lines func(T) []string) func(context.Context,
	evidence.Snapshot) ([]string, error) {
	return func(_ context.Context, s evidence.Snapshot) ([]string, error) {
		if g := kind.Gap(s); g.Kind != "" {
			return nil, collectors.GapError(g)
		}
		return lines(kind.In(s)), nil
	}
}

// A row is the fields of a line.
type row []any

// each makes a line of each item of a list, and none where there is no row.
func each[T any](kind *evidence.Kind[[]T], rowOf func(T) row) func(context.Context,
	evidence.Snapshot) ([]string, error) {
	return of(kind, func(list []T) (lines []string) {
		for _, item := range list {
			if r := rowOf(item); r != nil {
				lines = append(lines, line(r...))
			}
		}
		return lines
	})
}

func line(fields ...any) string {
	texts := make([]string, len(fields))
	for i, f := range fields {
		texts[i] = spaced(fmt.Sprint(f))
	}
	return strings.Join(texts, "\t")
}

func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

func enabled(b *bool) string {
	switch {
	case b == nil:
		return ""
	case *b:
		return "Enabled"
	}
	return "Disabled"
}

// withoutZone is an address without the interface that a link-local one names.
func withoutZone(s string) string {
	if p, err := netip.ParsePrefix(s); err == nil {
		return p.String()
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return a.WithZone("").String()
	}
	return s
}

// within compares numbers that two readings may round differently.
func within(most int64) func(ours, theirs string) bool {
	return func(ours, theirs string) bool {
		a, err := strconv.ParseInt(ours, 10, 64)
		b, err2 := strconv.ParseInt(theirs, 10, 64)
		return err == nil && err2 == nil && max(a-b, b-a) <= most
	}
}

// sameState takes StartPending for start-pending. A field that doctor leaves out is no difference.
func sameState(ours, theirs string) bool {
	a, b := strings.Split(ours, "\t"), strings.Split(theirs, "\t")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if own := strings.ReplaceAll(a[i], "-", ""); own != "" && own != "0" && !strings.EqualFold(own, b[i]) {
			return false
		}
	}
	return true
}

// sameName is for what may have ended since: the parent of a process need not be there.
func sameName(ours, theirs string) bool { return ours == theirs || ours == "0" }

// sameCommand compares the arguments, since doctor leaves the program out.
func sameCommand(ours, theirs string) bool {
	args := evidence.SplitArgs(theirs)
	if len(args) == 0 {
		return ours == ""
	}
	return ours == spaced(strings.Join(args[1:], " ")) || ours == spaced(strings.Join(args, " "))
}

// sameMessage compares the beginning of a text, since both cut long ones.
func sameMessage(ours, theirs string) bool {
	const enough = 120
	cut := func(s string) string {
		if r := []rune(strings.TrimRight(s, ". ")); len(r) > enough {
			return string(r[:enough])
		}
		return strings.TrimRight(s, ". ")
	}
	return cut(ours) == cut(theirs)
}

// sameOutcome has .NET's words for the outcomes of a probe.
func sameOutcome(ours, theirs string) bool {
	words := map[string]string{"success": "ok", "connectionrefused": "refused", "timedout": "timeout"}
	theirs = strings.ToLower(theirs)
	return ours == cmp.Or(words[theirs], theirs)
}

// askTime is what the questions of one comparison may take together.
const askTime = 5 * time.Second

// askedNames are the names that both resolve beside the machine's own. The second is one that
// TestRealWindows writes into the hosts file; elsewhere it does not exist.
var askedNames = []string{"localhost", "doctor-hosts-entry.test", "doctor-self-test.invalid"}

func askNames(ctx context.Context, _ evidence.Snapshot) (lines []string, err error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	for _, p := range probe.DNS(ctx, probe.DNSPlan{System: append([]string{host}, askedNames...)}) {
		said := p.Outcome
		if len(p.Answers) == 0 {
			said = "no address"
		}
		lines = append(lines, line(p.Name, said))
	}
	return lines, nil
}

func askLoopback(ctx context.Context, _ evidence.Snapshot) (lines []string, err error) {
	plan := probe.ReachPlan{Timeout: askTime,
		Targets: []probe.ReachTarget{{Host: "127.0.0.1", Port: 1, Sizes: true}}}
	for _, p := range probe.Reach(ctx, plan) {
		what := p.Protocol + " " + p.Target
		if p.Protocol == "icmp" {
			what = "ping " + p.Target
		}
		if p.Bytes > 0 { // and it must not be fragmented
			what += fmt.Sprint(" ", p.Bytes)
		}
		lines = append(lines, line(what, p.Outcome))
	}
	return lines, nil
}
