package foreign

import (
	"strings"
	"testing"
)

const (
	ipconfigHost = "Windows IP Configuration\n\n   Host Name . . . . . . . . . . . . : win-1\n\n" +
		"Ethernet adapter vEthernet (Ethernet):\n\n" +
		"   Description . . . . . . . . . . . : Hyper-V Virtual Ethernet Adapter\n" +
		"   Physical Address. . . . . . . . . : 00-15-5D-24-08-11\n" +
		"   IPv4 Address. . . . . . . . . . . : 10.1.0.5(Preferred)\n" +
		"   Subnet Mask . . . . . . . . . . . : 255.255.255.0\n" +
		"   Default Gateway . . . . . . . . . : 10.1.0.1\n"
	ipconfigAll = "Windows IP Configuration\n\n====================================\n" +
		"Network Information for Compartment 1 (ACTIVE)\n====================================\n\n" +
		"   Host Name . . . . . . . . . . . . : win-1\n\nEthernet adapter vEthernet (Ethernet):\n\n" +
		"   Link-local IPv6 Address . . . . . : fe80::3d1a:90e4:b2c1:b%11(Preferred)\n" +
		"   IPv4 Address. . . . . . . . . . . : 10.1.0.5\n   Subnet Mask . . . . . . . . . . . : 255.255.255.0\n"
	hostNetAdapters = "\nName                 : Ethernet\nInterfaceDescription : Microsoft Hyper-V Network Adapter\n" +
		"InterfaceIndex       : 5\nMacAddress           : 00-15-5D-24-08-11\nStatus               : Up\n\n" +
		"Name                 : vEthernet (Ethernet)\nInterfaceDescription : Hyper-V Virtual Ethernet Adapter\n" +
		"InterfaceIndex       : 11\nMacAddress           : 00-15-5D-24-08-11\nStatus               : Up\n"
	routePrint = "===========================================================================\nInterface List\n" +
		"  5...00 15 5d 24 08 11 ......Microsoft Hyper-V Network Adapter\n" +
		" 11...00 15 5d 24 08 11 ......Hyper-V Virtual Ethernet Adapter\n" +
		"  1...........................Software Loopback Interface 1\n" +
		"===========================================================================\n\nIPv4 Route Table\n" +
		"===========================================================================\nActive Routes:\n" +
		"Network Destination        Netmask          Gateway       Interface  Metric\n" +
		"          0.0.0.0          0.0.0.0         10.1.0.1         10.1.0.5    256\n"
	scKubelet = "\nSERVICE_NAME: kubelet\n        TYPE               : 10  WIN32_OWN_PROCESS\n" +
		"        STATE              : 1  STOPPED\n        WIN32_EXIT_CODE    : 1069  (0x42d)\n" +
		"        SERVICE_EXIT_CODE  : 0  (0x0)\n        CHECKPOINT         : 0x0\n        WAIT_HINT          : 0x0\n" +
		"        PID                : 0\n        FLAGS              :\n"
	scConfig = "[SC] QueryServiceConfig SUCCESS\n\nSERVICE_NAME: kubelet\n" +
		"        TYPE               : 10  WIN32_OWN_PROCESS\n        START_TYPE         : 2   AUTO_START\n" +
		"        ERROR_CONTROL      : 1   NORMAL\n        BINARY_PATH_NAME   : C:\\k\\kubelet.exe --v=2\n" +
		"        LOAD_ORDER_GROUP   :\n        TAG                : 0\n        DISPLAY_NAME       : kubelet\n" +
		"        DEPENDENCIES       : containerd\n        SERVICE_START_NAME : .\\svc-kubelet\n"
	sandboxTable = "POD ID              CREATED             STATE               NAME                NAMESPACE           ATTEMPT             RUNTIME\n" +
		"70d7996de5c50       2 hours ago         Ready               portal-8kx2m        intranet            0                   (default)\n" +
		"aaaaaaaaaaaaa       3 hours ago         NotReady            old-x               intranet            1                   (default)\n"
	sandboxJSON = `{"items":[{"id":"70d7996de5c50e438f7a66d12774023370d7996de5c50e438f7a66d127740233",` +
		`"metadata":{"name":"portal-8kx2m","uid":"u","namespace":"intranet","attempt":0},"state":"SANDBOX_READY","createdAt":"1795141090000000000"}]}`
)

// manyServices is Get-Service | fl of more services than Windows boots with.
func manyServices() string {
	var b strings.Builder
	for i := range enoughServices {
		b.WriteString("\nName                : svc" + string(rune('a'+i)) + "\nDisplayName         : s\nStatus              : Running\n")
	}
	return b.String() + "\nName                : kubelet\nDisplayName         : kubelet\nStatus              : Stopped\n"
}

func TestTwoOutputsOfOneThingAreJoined(t *testing.T) {
	for _, row := range []struct {
		name           string
		files          map[string]string
		evidence, want string
	}{
		{"an adapter that a switch took is in Get-NetAdapter alone", map[string]string{"i": ipconfigHost, "n": hostNetAdapters},
			"adapters.json", `{"name":"Ethernet","description":"Microsoft Hyper-V Network Adapter","ifIndex":5,"status":"up","mac":"00-15-5D-24-08-11","addresses":[],"gateways":[]}`},
		{"ipconfig with and without compartments", map[string]string{"a": ipconfigAll, "b": ipconfigHost}, "adapters.json",
			`[{"name":"vEthernet (Ethernet)","description":"Hyper-V Virtual Ethernet Adapter","ifIndex":11,"mac":"00-15-5D-24-08-11","addresses":["10.1.0.5/24"],"gateways":["10.1.0.1"],"dnsServers":[],"dnsSuffix":"","compartment":1}]`},
		{"the number of an interface from the list above the routes", map[string]string{"i": ipconfigHost, "r": routePrint},
			"routes.json", `"ifIndex":11`},
		{"the number of an interface behind its link-local address", map[string]string{"i": ipconfigAll,
			"r": routePrint[strings.Index(routePrint, "IPv4 Route"):]}, "routes.json", `"ifIndex":11`},
		{"sc and Get-Service", map[string]string{"g": manyServices(), "q": scKubelet, "c": scConfig}, "services.json",
			`{"name":"kubelet","displayName":"kubelet","state":"stopped","startType":"automatic","account":".\\svc-kubelet","binPath":"C:\\k\\kubelet.exe","args":["--v=2"],"exitCode":1069,"dependsOn":["containerd"]}`},
		{"Win32_Service and Get-Service", map[string]string{"g": manyServices(),
			"w": "\nName      : kubelet\nState     : Stopped\nStartMode : Auto\nStartName : LocalSystem\nPathName  : C:\\k\\kubelet.exe\nExitCode  : 1067\n"},
			"services.json", `"account":"LocalSystem","binPath":"C:\\k\\kubelet.exe","args":[],"exitCode":1067`},
		{"crictl pods as JSON and as a table", map[string]string{"j": sandboxJSON, "t": sandboxTable}, "cri.json",
			`"createdAt":"1795141090000000000"},{"id":"aaaaaaaaaaaaa","state":"SANDBOX_NOTREADY"`},
		{"hnsdiag shows whole what PowerShell's table shows in part", map[string]string{
			"d": "Networks:\n" + `{"ID":"F413E630-CC75-4B89-9ED4-FCD57324153B","Name":"nat","Type":"nat","Version":64424509440,"Subnets":[]}` + "\n\nEndpoints:\n",
			"g": "PS C:\\> Get-HnsNetwork | fl Name,Type,ID\n\nName : nat\nType : nat\nID   : F413E630-CC75-4B89-9ED4-FCD57324153B\n"},
			"hns-networks.json", `"Version":64424509440`},
	} {
		_, tree := looseTree(t, loose(row.files))
		if got := written(tree, row.evidence); !strings.Contains(got, row.want) {
			t.Errorf("%s: %s is\n%s, want\n%s", row.name, row.evidence, got, row.want)
		}
	}
}

func TestTheProcessesOfTwoOutputsAreThere(t *testing.T) {
	list := "\nHandles NPM(K) PM(K)  WS(K) CPU(s)    Id SI ProcessName\n------- ------ -----  ----- ------    -- -- -----------\n" +
		"    100     10  1000   2000   0.10  1234  0 kubelet\n"
	tasks := "\nImage Name                     PID Session Name        Session#    Mem Usage\n" +
		"========================= ======== ================ =========== ============\n" +
		"kubelet.exe                   1234 Services                   0      2,000 K\n"
	_, tree := looseTree(t, loose(map[string]string{"a": list, "b": tasks}))
	if got := written(tree, "processes-part.json"); strings.Count(got, `"pid":1234`) != 1 {
		t.Errorf("processes are %s", got)
	}
}

func TestAListOfOthersIsNoEmptyListOfKubernetes(t *testing.T) {
	for name, content := range map[string]string{
		"crictl_pods.json": sandboxJSON,
		"pods.json":        `[{"name":"web","phase":"Running"}]`, // of jq
		"nodes.json":       `{"items":[{"id":"1","metadata":{"name":"n"}}]}`,
		"pods/crictl.json": `{"items":[]}`,
		"pods.yaml":        "items:\n- id: 70d7996de5c5\n  metadata:\n    name: portal\n  state: SANDBOX_READY\n",
	} {
		_, tree := looseTree(t, loose(map[string]string{name: content, "kubelet.log": kubeletLines}))
		for _, file := range []string{"api/pods.json", "api/nodes.json"} {
			if got := written(tree, file); !strings.HasPrefix(got, "not-collected:") && !strings.HasPrefix(got, "not-collected") {
				t.Errorf("%s: %s is %s", name, file, got)
			}
		}
	}
	_, tree := looseTree(t, loose(map[string]string{"crictl_pods.json": sandboxJSON, "stats.json": `{"stats":[{"attributes":{"metadata":{"name":"web"}},"memory":{"workingSetBytes":{"value":"1048576"}}}]}`}))
	if got := written(tree, "cri.json"); !strings.Contains(got, `"state":"SANDBOX_READY"`) {
		t.Errorf("crictl_pods.json became %s", got)
	}
	_, tree = looseTree(t, loose(map[string]string{"a.json": `{"stats":[{"attributes":{"metadata":{"name":"web"}},"memory":{"workingSetBytes":{"value":"1048576"}}}]}`}))
	if got := written(tree, "cri.json"); !strings.Contains(got, "web with") {
		t.Errorf("crictl stats became %s", got)
	}
}
