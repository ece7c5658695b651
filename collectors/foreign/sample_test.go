package foreign

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/text/encoding/unicode"

	"doctor/checks/evidence"
)

var collected = time.Date(2024, 9, 3, 10, 2, 0, 0, time.UTC)

// utf16 is text as `>` of Windows PowerShell 5.1 writes it.
func utf16(t testing.TB, s string) []byte {
	t.Helper()
	s = strings.ReplaceAll(s, "\n", "\r\n")
	b, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// recording makes a folder of UTF-16 files.
func recording(t testing.TB, root string, files map[string]string) fstest.MapFS {
	t.Helper()
	m := fstest.MapFS{}
	for name, content := range files {
		m[path.Join(root, name)] = &fstest.MapFile{Data: utf16(t, content), ModTime: collected}
	}
	return m
}

// asJSON is a value as it is written into an evidence file.
func asJSON(t *testing.T, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// load converts the only node of the tree and loads it as a check would.
func load(t testing.TB, fsys fs.FS) evidence.Snapshot {
	t.Helper()
	nodes, err := Find(fsys)
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes) != 1 {
		t.Fatalf("found %d nodes: %v", len(nodes), nodes)
	}
	tree, err := nodes[0].Evidence(fsys)
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// with copies the files with some of them changed; "-" takes one away.
func with(files map[string]string, changes ...string) map[string]string {
	m := map[string]string{}
	for k, v := range files {
		m[k] = v
	}
	for i := 0; i < len(changes); i += 2 {
		if m[changes[i]] = changes[i+1]; changes[i+1] == "-" {
			delete(m, changes[i])
		}
	}
	return m
}

const overlayNetwork = `{
    "ID":  "7C1A2F10-3F38-4E5B-9C1B-0E6C2F1E8A11",
    "Name":  "flannel.4096",
    "Type":  "Overlay",
    "Policies":  [
        {
            "Type":  "HostRoute",
            "Settings":  {

            }
        },
        {
            "Type":  "ProviderAddress",
            "Settings":  {
                "ProviderAddress":  "10.1.36.50"
            }
        }
    ],
    "Ipams":  [ { "Type": "Static", "Subnets": [ { "IpAddressPrefix": "10.244.3.0/24", "Policies": [ { "Type": "VSID", "Settings": { "IsolationId": 4096 } } ], "Routes": [ { "NextHop": "10.244.3.1", "DestinationPrefix": "0.0.0.0/0" } ] } ] } ],
    "Flags":  8,
    "SchemaVersion":  { "Major":  2, "Minor":  0 }
}`

const podEndpoint = `{
    "ID":  "89958F54-0001-4D5B-8F3E-1D2C3B4A5968",
    "Name":  "b5a1c0de_cbr0",
    "HostComputeNetwork":  "7C1A2F10-3F38-4E5B-9C1B-0E6C2F1E8A11",
    "HostComputeNamespace":  "0F0F0F0F-1111-2222-3333-444455556666",
    "MacAddress":  "00-15-5D-BB-6E-B2",
    "IpConfigurations":  [ { "IpAddress":  "10.244.3.7", "PrefixLength":  24 } ],
    "Policies":  [ { "Type": "OutBoundNAT", "Settings": { "Exceptions": [ "10.244.0.0/16", "10.96.0.0/12" ] } } ],
    "Dns":  { "Domain": "default.svc.cluster.local", "Search": [ "default.svc.cluster.local" ], "ServerList": [ "10.96.0.10" ] },
    "SchemaVersion":  { "Major":  2, "Minor":  0 }
}`

const remoteEndpoint = `{
    "ID":  "11111111-0001-4D5B-8F3E-1D2C3B4A5968",
    "Name":  "Ethernet",
    "HostComputeNetwork":  "7C1A2F10-3F38-4E5B-9C1B-0E6C2F1E8A11",
    "MacAddress":  "02-11-0A-F4-00-05",
    "IpConfigurations":  [ { "IpAddress":  "10.244.0.5", "PrefixLength":  24 } ],
    "SchemaVersion":  { "Major":  2, "Minor":  0 }
}`

const ipEnglish = `
Windows IP Configuration


==============================================================================
Network Information for Compartment 1 (ACTIVE)
==============================================================================
   Host Name . . . . . . . . . . . . : win-1
   Primary Dns Suffix  . . . . . . . : corp.example.com
   Node Type . . . . . . . . . . . . : Hybrid
   IP Routing Enabled. . . . . . . . : No
   WINS Proxy Enabled. . . . . . . . : No
   DNS Suffix Search List. . . . . . : corp.example.com
                                       example.com

Ethernet adapter vEthernet (Ethernet):

   Connection-specific DNS Suffix  . : abc.internal.example
   Description . . . . . . . . . . . : Hyper-V Virtual Ethernet Adapter
   Physical Address. . . . . . . . . : 00-22-48-AA-BB-CC
   DHCP Enabled. . . . . . . . . . . : Yes
   Autoconfiguration Enabled . . . . : Yes
   Link-local IPv6 Address . . . . . : fe80::1c2d:3e4f:5a6b:7c8d%12(Preferred) 
   IPv4 Address. . . . . . . . . . . : 10.1.36.50(Preferred) 
   Subnet Mask . . . . . . . . . . . : 255.255.255.0
   Lease Obtained. . . . . . . . . . : Tuesday, September 3, 2024 8:00:00 AM
   Lease Expires . . . . . . . . . . : Friday, October 10, 2160 2:30:00 PM
   Default Gateway . . . . . . . . . : fe80::1%12
                                       10.1.36.1
   DHCP Server . . . . . . . . . . . : 168.63.129.16
   DHCPv6 IAID . . . . . . . . . . . : 100672328
   DHCPv6 Client DUID. . . . . . . . : 00-01-00-01-2A-AA-BB-CC-00-22-48-AA-BB-CC
   DNS Servers . . . . . . . . . . . : 10.1.0.4
                                       10.1.0.5
   NetBIOS over Tcpip. . . . . . . . : Enabled

==============================================================================
Network Information for Compartment 3
==============================================================================
   Host Name . . . . . . . . . . . . : win-1
   Primary Dns Suffix  . . . . . . . : 
   Node Type . . . . . . . . . . . . : Hybrid
   IP Routing Enabled. . . . . . . . : No
   WINS Proxy Enabled. . . . . . . . : No

Ethernet adapter vEthernet (b5a1c0de_cbr0):

   Connection-specific DNS Suffix  . : default.svc.cluster.local
   Description . . . . . . . . . . . : Hyper-V Virtual Ethernet Container Adapter
   Physical Address. . . . . . . . . : 00-15-5D-BB-6E-B2
   DHCP Enabled. . . . . . . . . . . : No
   Autoconfiguration Enabled . . . . : Yes
   IPv4 Address. . . . . . . . . . . : 10.244.3.7(Preferred) 
   Subnet Mask . . . . . . . . . . . : 255.255.255.0
   Default Gateway . . . . . . . . . : 10.244.3.1
   DNS Servers . . . . . . . . . . . : 10.96.0.10
   NetBIOS over Tcpip. . . . . . . . : Disabled


IPAddress         : fe80::1c2d:3e4f:5a6b:7c8d%12
InterfaceIndex    : 12
InterfaceAlias    : vEthernet (Ethernet)
AddressFamily     : IPv6
Type              : Unicast
PrefixLength      : 64
PrefixOrigin      : WellKnown
AddressState      : Preferred
PolicyStore       : ActiveStore

IPAddress         : 10.1.36.50
InterfaceIndex    : 12
InterfaceAlias    : vEthernet (Ethernet)
AddressFamily     : IPv4
Type              : Unicast
PrefixLength      : 24
PolicyStore       : ActiveStore



ifIndex InterfaceAlias                  AddressFamily NlMtu(Bytes) InterfaceMetric Dhcp     ConnectionState PolicyStore
------- --------------                  ------------- ------------ --------------- ----     --------------- -----------
12      vEthernet (Ethernet)            IPv4                  1500              25 Enabled  Connected       ActiveStore
`

// scAll is `sc queryex` of a node with enough services, and two `sc qc`.
func scAll() string {
	var b strings.Builder
	names := []string{"BFE", "containerd", "CoreMessagingRegistrar", "CryptSvc", "DcomLaunch",
		"Dhcp", "Dnscache", "EventLog", "EventSystem", "hns", "iphlpsvc", "kubelet", "LSM",
		"mpssvc", "netprofm", "NlaSvc", "nsi", "Power", "ProfSvc", "RpcEptMapper", "RpcSs", "SamSs",
		"vmcompute"}
	for i, name := range names {
		fmt.Fprintf(&b,
			"\nSERVICE_NAME: %s\nDISPLAY_NAME: The %s service\n        TYPE               : 20  WIN32_SHARE_PROCESS  \n        STATE              : 4  RUNNING \n                                (STOPPABLE, NOT_PAUSABLE, IGNORES_SHUTDOWN)\n        WIN32_EXIT_CODE    : 0  (0x0)\n        SERVICE_EXIT_CODE  : 0  (0x0)\n        CHECKPOINT         : 0x0\n        WAIT_HINT          : 0x0\n        PID                : %d\n        FLAGS              : \n", name, name, 1000+i)
	}
	b.WriteString(`[SC] QueryServiceConfig SUCCESS

SERVICE_NAME: hns
        TYPE               : 20  WIN32_SHARE_PROCESS 
        START_TYPE         : 3   DEMAND_START
        ERROR_CONTROL      : 1   NORMAL
        BINARY_PATH_NAME   : C:\Windows\system32\svchost.exe -k NetSvcs -p
        LOAD_ORDER_GROUP   : 
        TAG                : 0
        DISPLAY_NAME       : Host Network Service
        DEPENDENCIES       : RpcSs
                           : nsi
        SERVICE_START_NAME : LocalSystem
[SC] OpenService FAILED 1060:

The specified service does not exist as an installed service.

`)
	return b.String()
}

// overlay2022 is a folder of the present script on a Windows Server 2022 node.
func overlay2022() map[string]string {
	return map[string]string{
		"network.txt": `
Name         Type    ID                                   AddressPrefix
----         ----    --                                   -------------
flannel.4096 Overlay 7C1A2F10-3F38-4E5B-9C1B-0E6C2F1E8A11 10.244.3.0/24


` + overlayNetwork + "\n",
		"networkdetailed.txt": `{ "ID": "7c1a2f10-3f38-4e5b-9c1b-0e6c2f1e8a11", "Name": "flannel.4096", "Type": "Overlay", "Ipams": [], "Health": { "LastUpdateTime": 133698385200000000, "Extra": {} }, "Version": 64424509440 }
`,
		"endpoint.txt": `
IpAddress  MacAddress        IsRemoteEndpoint State
---------  ----------        ---------------- -----
10.244.3.7 00-15-5D-BB-6E-B2                      3
10.244.0.5 02-11-0A-F4-00-05             True     1


[
` + podEndpoint + ",\n" + remoteEndpoint + "\n]\n",
		"policy.txt": `{ "ID": "AAAAAAAA-0001-4D5B-8F3E-1D2C3B4A5968", "HostComputeEndpoints": [ "89958f54-0001-4d5b-8f3e-1d2c3b4a5968" ], "SourceVIP": "10.244.3.2", "FrontendVIPs": [ "10.96.0.10" ], "PortMappings": [ { "Protocol": 17, "InternalPort": 53, "ExternalPort": 53, "Flags": 1 } ], "Flags": 1, "SchemaVersion": { "Major": 2, "Minor": 0 } }
`,
		"namespaces.txt": `

ID              : 0F0F0F0F-1111-2222-3333-444455556666
CompartmentID   : 3
CompartmentGuid : 
Type            : HostDefault
EndpointID      : {, 89958F54-0001-4D5B-8F3E-1D2C3B4A5968}



{ "ID": "0F0F0F0F-1111-2222-3333-444455556666", "NamespaceId": 3, "Type": "HostDefault", "Resources": [ { "Type": "Endpoint", "Data": { "Id": "89958F54-0001-4D5B-8F3E-1D2C3B4A5968" } } ], "SchemaVersion": { "Major": 2, "Minor": 0 } }
`,
		"ports.txt": "ITEM LIST\n===========\n\n    Port name             : AAAA\n    PortId : 2\n\nCommand list-vmswitch-port succeeded!\n",
		"ip.txt":    ipEnglish,
		"routes.txt": `===========================================================================
Interface List
 12...00 22 48 aa bb cc ......Hyper-V Virtual Ethernet Adapter
===========================================================================

IPv4 Route Table
===========================================================================
Active Routes:
Network Destination        Netmask          Gateway       Interface  Metric
          0.0.0.0          0.0.0.0        10.1.36.1       10.1.36.50     25
===========================================================================
Persistent Routes:
  Network Address          Netmask  Gateway Address  Metric
          0.0.0.0          0.0.0.0        10.1.36.1  Default 

ifIndex DestinationPrefix                              NextHop                                  RouteMetric ifMetric PolicyStore
------- -----------------                              -------                                  ----------- -------- -----------
12      0.0.0.0/0                                      10.1.36.1                                          0 25       ActiveStore
12      10.1.36.0/24                                   0.0.0.0                                          256 25       ActiveStore
12      10.244.0.0/24                                  10.1.36.43                                       256          Persiste...
12      fe80::/64                                      ::                                               256 25       ActiveStore
`,
		"mtu.txt": `
Idx     Met         MTU          State                Name
---  ----------  ----------  ------------  ---------------------------
  1          75  4294967295  connected     Loopback Pseudo-Interface 1
 12          25        1450  connected     vEthernet (Ethernet)

`,
		"netadapter.txt": `
Name                      InterfaceDescription                    ifIndex Status       MacAddress             LinkSpeed
----                      --------------------                    ------- ------       ----------             ---------
vEthernet (Ethernet)      Hyper-V Virtual Ethernet Adapter             12 Up           00-22-48-AA-BB-CC        50 Gbps
vEthernet (b5a1c0de_cb... Hyper-V Virtual Ethernet Container...        31 Up           00-15-5D-BB-6E-B2        10 Gbps
`,
		"windowsServices.txt": `
Status   Name               DisplayName
------   ----               -----------
Running  containerd         containerd
Running  hns                Host Network Service
Stopped  kubeproxy          kubeproxy
Running  kubelet            kubelet
`,
		"scqueryex.txt": scAll(),
		"excludedportrange.txt": `
Protocol tcp Port Exclusion Ranges

Start Port    End Port      
----------    --------      
     49670       49733      
     50000       50059     *

* - Administered port exclusions.


Protocol udp Port Exclusion Ranges

Start Port    End Port      
----------    --------      

* - Administered port exclusions.

`,
		"dynamicportrange.txt": `
Protocol tcp Dynamic Port Range
---------------------------------
Start Port      : 49152
Number of Ports : 16384


Protocol udp Dynamic Port Range
---------------------------------
Start Port      : 49152
Number of Ports : 16384

`,
		"firewall.txt": "\nName                  : RemoteDesktop\nDisplayName           : Remote Desktop\nEnabled               : True\n",
		"winver.txt": `Microsoft Windows NT 10.0.20348.0



Source        Description      HotFixID      InstalledBy          InstalledOn              
------        -----------      --------      -----------          -----------              
WIN-1         Update           KB5039889     NT AUTHORITY\SYSTEM  8/13/2024 12:00:00 AM    
WIN-1         Security Update  KB5041160     NT AUTHORITY\SYSTEM  8/9/2024 12:00:00 AM     


`,
	}
}

// l2bridge2018 is a folder of the first script: JSON of the first schema alone.
func l2bridge2018() map[string]string {
	return map[string]string{
		"network.txt": `[
    { "ID": "11111111-AAAA-4B4B-8C8C-000000000001", "Name": "nat", "Type": "nat", "Subnets": [ { "AddressPrefix": "172.21.16.0/20", "GatewayAddress": "172.21.16.1" } ], "Version": 38654705665 },
    { "ID": "11111111-AAAA-4B4B-8C8C-000000000002", "Name": "cbr0", "Type": "L2Bridge", "ManagementIP": "10.0.0.4", "NetworkAdapterName": "Ethernet", "Subnets": [ { "AddressPrefix": "10.244.3.0/24", "GatewayAddress": "10.244.3.1" } ], "Health": { "LastErrorCode": 0, "LastUpdateTime": 131872536000000000 }, "Version": 38654705665 }
]
`,
		"endpoint.txt": `{ "ID": "22222222-AAAA-4B4B-8C8C-000000000001", "Name": "cbr0_ep", "VirtualNetwork": "11111111-AAAA-4B4B-8C8C-000000000002", "VirtualNetworkName": "cbr0", "IPAddress": "10.244.3.2", "MacAddress": "00-15-5D-01-02-03", "State": 2, "Policies": [ { "Type": "OutBoundNAT", "ExceptionList": [ "10.244.0.0/16" ] } ] }
`,
		"policy.txt":    "",
		"ports.txt":     "ITEM LIST\n\n    Port name : AAAA\n\nCommand list-vmswitch-port succeeded!\n",
		"vfpOutput.txt": "Policy for port :  AAAA\n",
		"ip.txt": `
Windows IP Configuration

   Host Name . . . . . . . . . . . . : win-old
   Primary Dns Suffix  . . . . . . . : 
   Node Type . . . . . . . . . . . . : Hybrid

Ethernet adapter vEthernet (Ethernet):

   Connection-specific DNS Suffix  . : 
   Description . . . . . . . . . . . : Hyper-V Virtual Ethernet Adapter
   Physical Address. . . . . . . . . : 00-15-5D-00-00-01
   DHCP Enabled. . . . . . . . . . . : No
   IPv4 Address. . . . . . . . . . . : 10.0.0.4(Preferred) 
   Subnet Mask . . . . . . . . . . . : 255.255.240.0
   Default Gateway . . . . . . . . . : 10.0.0.1
   DNS Servers . . . . . . . . . . . : 10.0.0.2
`,
		"routes.txt": `
IPv4 Route Table
===========================================================================
Active Routes:
Network Destination        Netmask          Gateway       Interface  Metric
          0.0.0.0          0.0.0.0         10.0.0.1         10.0.0.4     25
         10.0.0.0    255.255.240.0         On-link          10.0.0.4    281
`,
	}
}
