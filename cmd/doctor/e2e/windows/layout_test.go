package windows_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// A cLayout says which structure of Windows' headers a Go structure stands for. Fields of the
// headers are named in the order of the Go fields; "-" leaves one out that the headers keep hidden,
// "..." says that the end differs: a union, or what only Windows fills.
type cLayout struct {
	pkg, name string
	c         string
	fields    string
}

const (
	ofNode     = "collectors/node"
	ofProbe    = "collectors/probe"
	ofWindows  = "golang.org/x/sys/windows"
	ofWinIPCfg = "golang.zx2c4.com/wireguard/windows/tunnel/winipcfg"
)

var cLayouts = []cLayout{
	{ofNode, "systemTimeOfDay", "SYSTEM_TIMEOFDAY_INFORMATION", "- - - - - - -"},
	{ofNode, "memoryStatusEx", "MEMORYSTATUSEX", "dwLength dwMemoryLoad ullTotalPhys ullAvailPhys" +
		" ullTotalPageFile ullAvailPageFile ullTotalVirtual ullAvailVirtual ullAvailExtendedVirtual"},
	{ofNode, "performanceInformation", "PERFORMANCE_INFORMATION", "cb CommitTotal CommitLimit" +
		" CommitPeak PhysicalTotal PhysicalAvailable SystemCache KernelTotal KernelPaged" +
		" KernelNonpaged PageSize HandleCount ProcessCount ThreadCount"},
	{ofNode, "propertyKey", "PROPERTYKEY", "fmtid pid"},
	{ofNode, "iShellItem2", "IShellItem2", "lpVtbl"},
	{ofProbe, "ipOptions", "IP_OPTION_INFORMATION", "Ttl Tos Flags OptionsSize OptionsData"},
	// what the libraries declare, and the program hands to Windows
	{ofWindows, "ENUM_SERVICE_STATUS_PROCESS", "ENUM_SERVICE_STATUS_PROCESSW",
		"lpServiceName lpDisplayName ServiceStatusProcess"},
	{ofWindows, "SERVICE_STATUS", "SERVICE_STATUS", "dwServiceType dwCurrentState" +
		" dwControlsAccepted dwWin32ExitCode dwServiceSpecificExitCode dwCheckPoint dwWaitHint"},
	{ofWindows, "DNSRecord", "DNS_RECORDW", "pNext pName wType wDataLength Flags dwTtl dwReserved Data ..."},
	{ofWindows, "RawSockaddrInet6", "struct sockaddr_in6",
		"sin6_family sin6_port sin6_flowinfo sin6_addr sin6_scope_id"},
	{ofWindows, "SecurityAttributes", "SECURITY_ATTRIBUTES",
		"nLength lpSecurityDescriptor bInheritHandle"},
	{ofWindows, "SYSTEM_PROCESS_INFORMATION", "SYSTEM_PROCESS_INFORMATION", "NextEntryOffset" +
		" NumberOfThreads - - - - CreateTime UserTime KernelTime ImageName BasePriority" +
		" UniqueProcessId InheritedFromUniqueProcessId HandleCount SessionId - - - - -" +
		" VirtualMemoryCounters.WorkingSetSize - - - - - - PrivatePageCount"},
	{ofWindows, "IpAdapterUnicastAddress", "IP_ADAPTER_UNICAST_ADDRESS_LH", "Length Flags Next" +
		" Address PrefixOrigin SuffixOrigin DadState ValidLifetime PreferredLifetime" +
		" LeaseLifetime OnLinkPrefixLength"},
	{ofWindows, "IpAdapterDnsServerAdapter", "IP_ADAPTER_DNS_SERVER_ADDRESS_XP",
		"Length Reserved Next Address"},
	{ofWindows, "SocketAddress", "SOCKET_ADDRESS", "lpSockaddr iSockaddrLength"},
	{ofWindows, "NTUnicodeString", "UNICODE_STRING", "Length MaximumLength Buffer"},
	{ofWinIPCfg, "MibIPforwardRow2", "MIB_IPFORWARD_ROW2", "InterfaceLuid InterfaceIndex" +
		" DestinationPrefix NextHop SitePrefixLength ValidLifetime PreferredLifetime Metric" +
		" Protocol Loopback AutoconfigureAddress Publish Immortal Age Origin"},
	{ofWinIPCfg, "MibIPInterfaceRow", "MIB_IPINTERFACE_ROW", "Family InterfaceLuid" +
		" InterfaceIndex MaxReassemblySize InterfaceIdentifier MinRouterAdvertisementInterval" +
		" MaxRouterAdvertisementInterval AdvertisingEnabled ForwardingEnabled"},
	{ofWinIPCfg, "IPAdapterGatewayAddress", "IP_ADAPTER_GATEWAY_ADDRESS_LH",
		"Length Reserved Next Address"},
	{ofWinIPCfg, "MibIfRow2", "MIB_IF_ROW2", "InterfaceLuid InterfaceIndex InterfaceGuid Alias" +
		" Description PhysicalAddressLength PhysicalAddress PermanentPhysicalAddress Mtu Type ..."},
	{ofWinIPCfg, "IPAdapterAddresses", "IP_ADAPTER_ADDRESSES_LH", "- - Next AdapterName" +
		" FirstUnicastAddress FirstAnycastAddress FirstMulticastAddress FirstDnsServerAddress" +
		" DnsSuffix Description FriendlyName PhysicalAddress PhysicalAddressLength Flags Mtu" +
		" IfType OperStatus Ipv6IfIndex ZoneIndices FirstPrefix TransmitLinkSpeed" +
		" ReceiveLinkSpeed FirstWinsServerAddress FirstGatewayAddress Ipv4Metric Ipv6Metric Luid" +
		" Dhcpv4Server CompartmentId ..."},
}

// notForWindows are structures of *_windows.go that Windows never sees.
var notForWindows = []string{"answer", "eventTexts", "handler"}

// offsets are fields that the program reads from bytes: a constant of Go, and what it is in C.
var offsets = []struct{ pkg, name, c string }{
	{ofProbe, "echoReplyAddress", "offsetof(ICMP_ECHO_REPLY, Address)"},
	{ofProbe, "echoReplyStatus", "offsetof(ICMP_ECHO_REPLY, Status)"},
	{ofProbe, "echoReply6Address", "offsetof(ICMPV6_ECHO_REPLY, Address.sin6_addr)"},
	{ofProbe, "echoReply6Status", "offsetof(ICMPV6_ECHO_REPLY, Status)"},
	{ofNode, "methodRelease", "offsetof(IShellItem2Vtbl, Release) / sizeof(void*)"},
	{ofNode, "methodGetInt32", "offsetof(IShellItem2Vtbl, GetInt32) / sizeof(void*)"},
}

// socketRows are the rows of socketTables of collectors/node in their order.
var socketRows = []struct{ row, address, port, pid string }{
	{"MIB_TCPROW_OWNER_PID", "dwLocalAddr", "dwLocalPort", "dwOwningPid"},
	{"MIB_TCP6ROW_OWNER_PID", "ucLocalAddr", "dwLocalPort", "dwOwningPid"},
	{"MIB_UDPROW_OWNER_PID", "dwLocalAddr", "dwLocalPort", "dwOwningPid"},
	{"MIB_UDP6ROW_OWNER_PID", "ucLocalAddr", "dwLocalPort", "dwOwningPid"},
}

const windowsHeaders = `#define COBJMACROS
#define CINTERFACE
#include <stddef.h>
#include <winsock2.h>
#include <ws2tcpip.h>
#include <windows.h>
#include <winternl.h>
#include <iphlpapi.h>
#include <netioapi.h>
#include <icmpapi.h>
#include <psapi.h>
#include <windns.h>
#include <shobjidl.h>
// In Windows' ipexport.h, as the documentation shows it: mingw's does not pack the address.
#pragma pack(push, 1)
typedef struct { USHORT sin6_port; ULONG sin6_flowinfo; USHORT sin6_addr[8]; ULONG sin6_scope_id; }
	PACKED_IPV6_ADDRESS_EX;
#pragma pack(pop)
typedef struct { PACKED_IPV6_ADDRESS_EX Address; ULONG Status; unsigned int RoundTripTime; }
	ICMPV6_ECHO_REPLY;
#define SAME(x, n) _Static_assert((x) == (n), #x " is not " #n)
`

// TestStructuresAreLaidOutAsWindowsHeadersSay compares the size of each structure that is handed to
// Windows, and the place of each of its fields, with the headers, as C compilers see them.
func TestStructuresAreLaidOutAsWindowsHeadersSay(t *testing.T) {
	for _, target := range []struct {
		arch, compiler string
		args           []string
	}{
		{"amd64", "x86_64-w64-mingw32-gcc", nil},
		// mingw's headers serve both; Debian's gcc for Windows has no arm64
		{"arm64", "clang", []string{"--target=aarch64-w64-windows-gnu",
			"-isystem", "/usr/share/mingw-w64/include"}},
	} {
		t.Run(target.arch, func(t *testing.T) {
			requireCompiler(t, target.compiler)
			loaded := windowsPackages(t, target.arch)
			right := assertions(t, loaded, types.SizesFor("gc", target.arch), 0)
			if said, err := compileC(t, target.compiler, target.args, right); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
			// the comparison must be one that can fail
			wrong := assertions(t, loaded, types.SizesFor("gc", target.arch), 1)
			said, _ := compileC(t, target.compiler, target.args, wrong)
			if got, want := strings.Count(said, "is not"), strings.Count(wrong, "\nSAME("); got < want {
				t.Errorf("of %d wrong numbers %d were noticed", want, got)
			}
		})
	}
}

// requireCompiler skips the test where there is no compiler, unless everything has to be there.
func requireCompiler(t *testing.T, name string) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles packages for Windows; run `make test`")
	}
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	const why = "%s is not installed; run `apt-get install -y clang gcc-mingw-w64-x86-64`"
	if os.Getenv("DOCTOR_REQUIRE_ALL") == "1" {
		t.Fatalf(why, name)
	}
	t.Skipf(why, name)
}

// windowsPackages loads the packages that call Windows; those of this module go by their folders.
func windowsPackages(t *testing.T, arch string) map[string]*packages.Package {
	t.Helper()
	roots, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes |
			packages.NeedTypesInfo | packages.NeedImports | packages.NeedModule,
		Dir: "../../../..",
		Env: append(os.Environ(), "GOOS=windows", "GOARCH="+arch, "CGO_ENABLED=0"),
	}, "./...", ofWindows, ofWinIPCfg)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*packages.Package{}
	for _, p := range roots {
		for _, err := range p.Errors {
			t.Error(err)
		}
		path := p.PkgPath
		if p.Module != nil && p.Module.Main {
			path = strings.TrimPrefix(path, p.Module.Path+"/")
		}
		all[path] = p
	}
	return all
}

// assertions is a C program that compiles where all sizes and places are those of the headers, with
// wrong added to each.
func assertions(t *testing.T, all map[string]*packages.Package, sizes types.Sizes,
	wrong int64) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(windowsHeaders)
	same := func(c string, n int64) { fmt.Fprintf(&b, "SAME(%s, %d);\n", c, n+wrong) }
	known := map[string]bool{}
	for _, l := range cLayouts {
		known[l.pkg+"."+l.name] = true
		object := all[l.pkg].Types.Scope().Lookup(l.name)
		if object == nil {
			t.Errorf("%s has no %s", l.pkg, l.name)
			continue
		}
		s := object.Type().Underlying().(*types.Struct)
		fields := make([]*types.Var, s.NumFields())
		for i := range fields {
			fields[i] = s.Field(i)
		}
		at := sizes.Offsetsof(fields)
		named := strings.Fields(l.fields)
		if named[len(named)-1] != "..." {
			same("sizeof("+l.c+")", sizes.Sizeof(s))
		}
		for i, c := range named[:min(len(named), len(at))] {
			if c != "-" && c != "..." {
				same("offsetof("+l.c+", "+c+")", at[i])
			}
		}
	}
	for _, o := range offsets {
		c := all[o.pkg].Types.Scope().Lookup(o.name).(*types.Const)
		n, _ := constant.Int64Val(c.Val())
		same(o.c, n)
	}
	for i, row := range socketTables(t, all[ofNode]) {
		c := socketRows[i]
		same("sizeof("+c.row+")", row["size"])
		same("offsetof("+c.row+", "+c.address+")", row["address"])
		same("offsetof("+c.row+", "+c.port+")", row["port"])
		same("offsetof("+c.row+", "+c.pid+")", row["pid"])
	}
	for path, p := range all {
		if path == ofWindows || path == ofWinIPCfg || strings.HasPrefix(path, "fixtures/") {
			continue // not the program's own
		}
		for _, name := range structuresOf(p) {
			if !known[path+"."+name] && !slices.Contains(notForWindows, name) {
				t.Errorf("%s: the structure %s is for Windows, and in no row of cLayouts", path,
					cmp.Or(name, "without a name"))
			}
		}
	}
	return b.String()
}

// structuresOf names the structures that a package declares in files for Windows.
func structuresOf(p *packages.Package) []string {
	var names []string
	for _, file := range p.Syntax {
		if !strings.HasSuffix(p.Fset.Position(file.Pos()).Filename, "_windows.go") {
			continue
		}
		named := map[*ast.StructType]string{}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					named[s] = spec.Name.Name
				}
			}
			if s, ok := n.(*ast.StructType); ok {
				names = append(names, named[s])
			}
			return true
		})
	}
	return names
}

// socketTables reads the variable of that name.
func socketTables(t *testing.T, p *packages.Package) []map[string]int64 {
	t.Helper()
	var rows []map[string]int64
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Names[0].Name != "socketTables" {
				return true
			}
			for _, row := range spec.Values[0].(*ast.CompositeLit).Elts {
				values := map[string]int64{}
				for _, field := range row.(*ast.CompositeLit).Elts {
					pair := field.(*ast.KeyValueExpr)
					if v := p.TypesInfo.Types[pair.Value].Value; v.Kind() == constant.Int {
						values[pair.Key.(*ast.Ident).Name], _ = constant.Int64Val(v)
					}
				}
				rows = append(rows, values)
			}
			return false
		})
	}
	if len(rows) != len(socketRows) {
		t.Fatalf("socketTables has %d rows, and %d are known", len(rows), len(socketRows))
	}
	return rows
}

func compileC(t *testing.T, compiler string, args []string, program string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "layout.c")
	if err := os.WriteFile(file, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	most := "-fmax-errors=0"
	if compiler == "clang" {
		most = "-ferror-limit=0"
	}
	said, err := exec.Command(compiler, append(slices.Clone(args), "-fsyntax-only", "-w", most,
		"-D_WIN32_WINNT=0x0A00", "-DNTDDI_VERSION=0x0A000006", file)...).CombinedOutput()
	return string(said), err
}
