package foreign

import (
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

// antctlAgent is what the agent of a Windows node with Open vSwitch in its pod
// leaves: bytes of PowerShell's own output, which is that of a console.
func antctlAgent() map[string]string {
	return map[string]string{
		"HNSNetwork": `

ActivityId             : 3B0C7B3E-0001-4D5B-8F3E-1D2C3B4A5968
AdditionalParams       : 
CurrentEndpointCount   : 3
Extensions             : {@{Id=E7C3B2F0-F3C5-48DF-AF2B-10FED6D72E7A; IsEnabled=False; Name=Microsoft Azure VFP Switch 
                         Extension}, @{Id=583CC151-73EC-4A6A-8B47-578297AD7623; IsEnabled=True; Name=Antrea Open 
                         vSwitch Extension}...}
Flags                  : 0
Health                 : @{AddressNotificationMissedCount=0; LastErrorCode=0; LastUpdateTime=134081497200000000}
ID                     : 2A5C6E10-3F38-4E5B-9C1B-0E6C2F1E8A11
IPv6                   : False
ManagementIP           : 10.80.1.21/24
Name                   : antrea-hnsnetwork
NetworkAdapterName     : Ethernet0
Policies               : {}
State                  : 1
Subnets                : {@{AdditionalParams=; AddressPrefix=10.10.2.0/24; GatewayAddress=10.10.2.1; Health=; 
                         ID=5F0C0C0C-0001-4D5B-8F3E-1D2C3B4A5968; ObjectType=5; Policies=System.Object[]; State=0}}
Type                   : Transparent
Version                : 55834574851



`,
		"HNSEndpoint": `

Name               : web-0-a1b2c3
IPAddress          : 10.10.2.7
MacAddress         : 00-15-5D-BB-6E-B2
Policies           : {@{ExceptionList=System.Object[]; Type=OutBoundNAT}, @{Type=L2Driver}...}
VirtualNetworkName : antrea-hnsnetwork


`,
		"network-adapters": "\nName                      InterfaceDescription                    ifIndex Status       MacAddress             LinkSpeed\n----                      --------------------                    ------- ------       ----------             ---------\nEthernet0                 vmxnet3 Ethernet Adapter                      5 Up           00-50-56-B3-41-0C        10 Gbps\nbr-int                    Hyper-V Virtual Ethernet Adapter             12 Up           00-50-56-B3-41-0C        10 Gbps\n\n\n",
		"ipconfig": `
Windows IP Configuration

   Host Name . . . . . . . . . . . . : WIN-1
   Primary Dns Suffix  . . . . . . . : 
   Node Type . . . . . . . . . . . . : Hybrid
   IP Routing Enabled. . . . . . . . : Yes
   WINS Proxy Enabled. . . . . . . . : No

Ethernet adapter br-int:

   Connection-specific DNS Suffix  . : 
   Description . . . . . . . . . . . : Hyper-V Virtual Ethernet Adapter
   Physical Address. . . . . . . . . : 00-50-56-B3-41-0C
   DHCP Enabled. . . . . . . . . . . : No
   IPv4 Address. . . . . . . . . . . : 10.80.1.21(Preferred) 
   Subnet Mask . . . . . . . . . . . : 255.255.255.0
   Default Gateway . . . . . . . . . : 10.80.1.1
   DNS Servers . . . . . . . . . . . : 10.80.0.53
`,
		"routes":          "===========================================================================\nActive Routes:\nNetwork Destination        Netmask          Gateway       Interface  Metric\n          0.0.0.0          0.0.0.0        10.80.1.1       10.80.1.21    281\n",
		"agentinfo":       "typemeta:\n  kind: \"\"\n  apiversion: \"\"\nobjectmeta:\n  name: win-1\nversion: v2.1.0\npodref:\n  kind: Pod\n  namespace: kube-system\n  name: antrea-agent-windows-7xk2p\nnoderef:\n  kind: Node\n  namespace: \"\"\n  name: win-1\nnodesubnets:\n- 10.10.2.0/24\novsinfo:\n  version: 2.17.7\n  bridgename: br-int\nagentconditions:\n- type: AgentHealthy\n  status: \"True\"\n",
		"flows":           "cookie=0x1, table=0, priority=0 actions=drop\n",
		"groups":          "",
		"ovsports":        "1(antrea-tun0)\n",
		"networkpolicies": "[]\n",
		"logs/agent/antrea-agent.exe.win-1.WIN-1$.log.INFO.20261120-080000.4120": "I1120 09:58:30.000000    4120 agent.go:100] \"Starting Antrea agent\" version=\"v2.1.0\"\n",
		"logs/ovs/ovs-vswitchd.log": "2026-11-20T08:00:00.000Z|00001|vlog|INFO|opened log file\n",
		"logs/kubelet/kubelet.log":  "I1120 09:58:30.000000    3344 server.go:1] \"Kubelet version\" kubeletVersion=\"v1.30.5\"\n",
	}
}

func linuxAgent() map[string]string {
	return map[string]string{"address": "1: lo", "link": "1: lo", "route": "default",
		"iptables": "*nat", "agentinfo": "noderef:\n  name: lin-1\n", "flows": "", "groups": "",
		"ovsports": "", "logs/agent/antrea-agent.log": "I1120\n"}
}

const antctlClusterInfo = `#nodes
items:
- metadata:
    annotations:
      node.alpha.kubernetes.io/ttl: "0"
    labels:
      kubernetes.io/os: linux
    name: lin-1
  spec:
    podCIDR: 10.10.0.0/24
  status:
    nodeInfo:
      kernelVersion: 5.15.0
      operatingSystem: linux
- metadata:
    annotations:
      note: |
        - not an item
        ---
        #pods
    labels:
      kubernetes.io/os: windows
    name: win-1
  spec:
    podCIDR: 10.10.2.0/24
    podCIDRs:
    - 10.10.2.0/24
  status:
    addresses:
    - address: 10.80.1.21
      type: InternalIP
    conditions:
    - lastHeartbeatTime: "2026-11-20T10:01:00Z"
      lastTransitionTime: "2026-11-10T10:00:00Z"
      message: kubelet is posting ready status
      reason: KubeletReady
      status: "True"
      type: Ready
    nodeInfo:
      architecture: amd64
      containerRuntimeVersion: containerd://1.7.20
      kernelVersion: 10.0.20348.2700
      kubeletVersion: v1.30.5
      operatingSystem: windows
      osImage: Windows Server 2022 Datacenter
metadata:
  resourceVersion: "123456"
---
#pods
items:
- metadata:
    name: coredns-0
    namespace: kube-system
  spec:
    nodeName: lin-1
- metadata:
    name: antrea-agent-windows-7xk2p
    namespace: kube-system
  spec:
    containers:
    - command:
      - powershell
      image: antrea/antrea-windows:v2.1.0
      name: antrea-agent
    hostNetwork: true
    nodeName: win-1
    nodeSelector:
      kubernetes.io/os: windows
    securityContext:
      windowsOptions:
        hostProcess: true
        runAsUserName: NT AUTHORITY\SYSTEM
  status:
    phase: Running
- metadata:
    name: web-0
    namespace: default
  spec:
    containers:
    - image: example.com/web:1
      name: web
    nodeName: win-1
    nodeSelector:
      kubernetes.io/os: windows
  status:
    phase: Running
metadata:
  resourceVersion: "123456"
---
#daemonsets
items: []
metadata: {}
---
#configs
items: []
---
`

// antctlBundle is an unpacked bundle: the agents' archives are folders of their names.
func antctlBundle(t testing.TB, windows map[string]string) fstest.MapFS {
	t.Helper()
	m := fstest.MapFS{}
	const root = "support-bundles_20261120T100200Z"
	add := func(dir string, files map[string]string, eol string) {
		for name, content := range files {
			m[path.Join(root, dir, name)] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(content,
				"\n", eol)), ModTime: rke2At}
		}
	}
	add("agent_win-1.tar.gz", windows, "\r\n")
	add("agent_lin-1.tar.gz", linuxAgent(), "\n")
	add("controller.tar.gz", map[string]string{"controllerinfo": "x", "networkpolicies": "",
		"addressgroups": "", "appliedtogroups": ""}, "\n")
	add("", map[string]string{"clusterinfo": antctlClusterInfo, "failed_nodes": "win-9\n"}, "\n")
	return m
}
