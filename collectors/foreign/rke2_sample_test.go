package foreign

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

var rke2At = time.Date(2026, 11, 20, 10, 2, 0, 0, time.UTC)

// rawCopies are the files that Rancher's script copies; all others are output of
// commands, which it writes as UTF-8 with a byte order mark and CR LF.
var rawCopies = []string{"config/", "certs/", "containerd/config.toml", "containerd/containerd.log",
	"k8s/components/kube", "eventlogs/csi-proxy.log"}

func rke2Recording(t testing.TB, root string, files map[string]string) fstest.MapFS {
	t.Helper()
	m := fstest.MapFS{}
	for name, content := range files {
		data := []byte("\ufeff" + strings.ReplaceAll(content, "\n", "\r\n"))
		for _, raw := range rawCopies {
			if strings.HasPrefix(name, raw) {
				data = []byte(content)
			}
		}
		m[path.Join(root, name)] = &fstest.MapFile{Data: data, ModTime: rke2At}
	}
	return m
}

// pemOf makes a certificate; a CA where it has no issuer.
func pemOf(t testing.TB, subject pkix.Name, from, to time.Time) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: subject, NotBefore: from,
		NotAfter: to, BasicConstraintsValid: true, IsCA: len(subject.Organization) == 0}
	parent := leaf
	if !leaf.IsCA {
		parent = &x509.Certificate{SerialNumber: big.NewInt(2),
			Subject: pkix.Name{CommonName: "rke2-client-ca@1700000000"}, NotBefore: from,
			NotAfter: to}
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, parent, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func kubeletCertificate(t testing.TB, to time.Time) string {
	return pemOf(t, pkix.Name{Organization: []string{"system:nodes"},
		CommonName: "system:node:win-rke2-1"}, to.AddDate(-1, 0, 0), to)
}

const systeminfoEnglish = `
Host Name:                 WIN-RKE2-1
OS Name:                   Microsoft Windows Server 2022 Datacenter
OS Version:                10.0.20348 N/A Build 20348
OS Manufacturer:           Microsoft Corporation
OS Configuration:          Member Server
OS Build Type:             Multiprocessor Free
Registered Owner:          Windows User
Registered Organization:   
Product ID:                00454-60000-00001-AA123
Original Install Date:     1/12/2026, 8:14:00 AM
System Boot Time:          11/17/2026, 9:12:11 AM
System Manufacturer:       VMware, Inc.
System Model:              VMware20,1
System Type:               x64-based PC
Processor(s):              2 Processor(s) Installed.
                           [01]: Intel64 Family 6 Model 85 Stepping 7 GenuineIntel ~2494 Mhz
                           [02]: Intel64 Family 6 Model 85 Stepping 7 GenuineIntel ~2494 Mhz
BIOS Version:              VMware, Inc. VMW201.00V.20829224.B64.2211211842, 11/21/2022
Windows Directory:         C:\Windows
System Directory:          C:\Windows\system32
Boot Device:               \Device\HarddiskVolume1
System Locale:             en-us;English (United States)
Input Locale:              en-us;English (United States)
Time Zone:                 (UTC) Coordinated Universal Time
Total Physical Memory:     16,383 MB
Available Physical Memory: 9,812 MB
Virtual Memory: Max Size:  18,815 MB
Virtual Memory: Available: 11,042 MB
Virtual Memory: In Use:    7,773 MB
Page File Location(s):     C:\pagefile.sys
Domain:                    WORKGROUP
Logon Server:              \\WIN-RKE2-1
Hotfix(s):                 3 Hotfix(s) Installed.
                           [01]: KB5044281
                           [02]: KB5012170
                           [03]: KB5043167
Network Card(s):           1 NIC(s) Installed.
                           [01]: vmxnet3 Ethernet Adapter
                                 Connection Name: Ethernet
                                 DHCP Enabled:    No
                                 IP address(es)
                                 [01]: 10.70.8.47
Hyper-V Requirements:      A hypervisor has been detected. Features required for Hyper-V will not be displayed.
`

const systeminfoChinese = `
主机名:           WIN-ZH-1
OS 名称:          Microsoft Windows Server 2019 Datacenter
OS 版本:          10.0.17763 暂缺 Build 17763
OS 制造商:        Microsoft Corporation
OS 配置:          成员服务器
OS 构件类型:      Multiprocessor Free
注册的所有人:     Windows 用户
注册的组织:       
产品 ID:          00430-00000-00000-AA123
初始安装日期:     2026/1/12, 8:14:00
系统启动时间:     2026/11/17, 17:12:11
系统制造商:       Microsoft Corporation
系统型号:         Virtual Machine
系统类型:         x64-based PC
处理器:           安装了 1 个处理器。
                  [01]: Intel64 Family 6 Model 85 Stepping 7 GenuineIntel ~2494 Mhz
BIOS 版本:        American Megatrends Inc. 090007 , 2018/5/18
Windows 目录:     C:\Windows
系统目录:         C:\Windows\system32
启动设备:         \Device\HarddiskVolume1
系统区域设置:     zh-cn;中文(中国)
输入法区域设置:   zh-cn;中文(中国)
时区:             (UTC+08:00) 北京，重庆，香港特别行政区，乌鲁木齐
物理内存总量:     8,191 MB
可用的物理内存:   4,000 MB
虚拟内存: 最大值: 9,471 MB
虚拟内存: 可用:   5,000 MB
虚拟内存: 使用中: 4,471 MB
页面文件位置:     C:\pagefile.sys
域:               WORKGROUP
登录服务器:       \\WIN-ZH-1
修补程序:         安装了 2 个修补程序。
                  [01]: KB5044277
                  [02]: KB5012170
网卡:             安装了 1 个 NIC。
                  [01]: Microsoft Hyper-V Network Adapter
`

const rke2Network = `
Name         Type    ID                                   AddressPrefix
----         ----    --                                   -------------
flannel.4096 Overlay 7C1A2F10-3F38-4E5B-9C1B-0E6C2F1E8A11              


{
    "ActivityId":  "F2A9B1B0-0001-4D5B-8F3E-1D2C3B4A5968",
    "CurrentEndpointCount":  1,
    "DNSServerCompartment":  3,
    "DrMacAddress":  "00-15-5D-11-22-33",
    "Extensions":  [ { "Id": "E7C3B2F0-F3C5-48DF-AF2B-10FED6D72E7A", "IsEnabled": true, "Name": "Microsoft Azure VFP Switch Extension" } ],
    "Health":  { "LastErrorCode": 0, "LastUpdateTime": 134081497200000000 },
    "ID":  "7C1A2F10-3F38-4E5B-9C1B-0E6C2F1E8A11",
    "ManagementIP":  "10.70.8.47",
    "MaxConcurrentEndpoints":  1,
    "Name":  "flannel.4096",
    "NetworkAdapterName":  "Ethernet",
    "Policies":  [ { "Type": "HostRoute" } ],
    "State":  1,
    "Subnets":  [ { "AddressPrefix": "10.42.3.0/24", "GatewayAddress": "10.42.3.1", "ID": "A1", "Policies": [ { "Type": "VSID", "VSID": 4096 } ] } ],
    "Type":  "Overlay",
    "Version":  55834574851
}
`

const rke2Endpoint = `

IPAddress          : 10.42.3.7
VirtualNetworkName : flannel.4096
IsRemoteEndpoint   : 
State              : 3
EncapOverhead      : 50
SharedContainers   : {b5a1c0de}



{
    "ID":  "89958F54-0001-4D5B-8F3E-1D2C3B4A5968",
    "Name":  "b5a1c0de_flannel.4096",
    "VirtualNetwork":  "7C1A2F10-3F38-4E5B-9C1B-0E6C2F1E8A11",
    "VirtualNetworkName":  "flannel.4096",
    "IPAddress":  "10.42.3.7",
    "PrefixLength":  24,
    "GatewayAddress":  "10.42.3.1",
    "MacAddress":  "00-15-5D-BB-6E-B2",
    "DNSServerList":  "10.43.0.10",
    "DNSSuffix":  "default.svc.cluster.local,svc.cluster.local,cluster.local",
    "State":  3,
    "EncapOverhead":  50,
    "SharedContainers":  [ "b5a1c0de" ],
    "Policies":  [
        { "Type": "OutBoundNAT", "ExceptionList": [ "10.42.0.0/16", "10.43.0.0/16" ] },
        { "Type": "ROUTE", "DestinationPrefix": "10.43.0.0/16", "NeedEncap": true },
        { "Type": "PA", "PA": "10.70.8.47" }
    ],
    "Version":  55834574851
}
`

const rke2CNI = `{
  "name": "flannel.4096",
  "cniVersion": "1.0.0",
  "plugins": [
    {
      "type": "flannel",
      "capabilities": { "portMappings": true, "dns": true },
      "delegate": {
        "type": "win-overlay",
        "apiVersion": 2,
        "Policies": [
          { "Name": "EndpointPolicy", "Value": { "Type": "OutBoundNAT", "Settings": { "Exceptions": [ "10.42.0.0/16", "10.43.0.0/16" ] } } },
          { "Name": "EndpointPolicy", "Value": { "Type": "SDNRoute", "Settings": { "DestinationPrefix": "10.43.0.0/16", "NeedEncap": true } } },
          { "Name": "EndpointPolicy", "Value": { "Type": "ProviderAddress", "Settings": { "ProviderAddress": "10.70.8.47" } } }
        ]
      }
    }
  ]
}
`

const rke2ConfigTOML = `version = 2
root = "C:\\var\\lib\\rancher\\rke2\\agent\\containerd"
state = "C:\\run\\k3s\\containerd"

[grpc]
  address = "//./pipe/containerd-containerd"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "index.docker.io/rancher/mirrored-pause:3.6"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "C:\\var\\lib\\rancher\\rke2\\bin"
    conf_dir = "C:\\var\\lib\\rancher\\rke2\\agent\\etc\\cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "runhcs-wcow-process"
`

const crictlInfo = `{
  "status": {
    "conditions": [
      { "type": "RuntimeReady", "status": true, "reason": "", "message": "" },
      { "type": "NetworkReady", "status": true, "reason": "", "message": "" }
    ]
  },
  "cniconfig": { "PluginDirs": [ "C:\\var\\lib\\rancher\\rke2\\bin" ] },
  "config": {
    "containerd": { "defaultRuntimeName": "runhcs-wcow-process" },
    "sandboxImage": "registry.k8s.io/pause:3.9",
    "containerdEndpoint": "//./pipe/containerd-containerd"
  },
  "golang": "go1.22.6",
  "lastCNILoadStatus": "OK",
  "lastCNILoadStatus.default": "OK"
}
`

const rke2IPConfig = `
Windows IP Configuration


==============================================================================
Network Information for Compartment 1 (ACTIVE)
==============================================================================
   Host Name . . . . . . . . . . . . : WIN-RKE2-1
   Primary Dns Suffix  . . . . . . . : 
   Node Type . . . . . . . . . . . . : Hybrid
   IP Routing Enabled. . . . . . . . : No
   WINS Proxy Enabled. . . . . . . . : No

Ethernet adapter vEthernet (Ethernet):

   Connection-specific DNS Suffix  . : 
   Description . . . . . . . . . . . : Hyper-V Virtual Ethernet Adapter
   Physical Address. . . . . . . . . : 00-50-56-B3-41-0C
   DHCP Enabled. . . . . . . . . . . : No
   IPv4 Address. . . . . . . . . . . : 10.70.8.47(Preferred) 
   Subnet Mask . . . . . . . . . . . : 255.255.255.0
   Default Gateway . . . . . . . . . : 10.70.8.1
   DNS Servers . . . . . . . . . . . : 10.70.0.53
   NetBIOS over Tcpip. . . . . . . . : Enabled
`

// rke2Healthy is a node with flannel on Windows Server 2022, as the present script records it.
func rke2Healthy(t testing.TB) map[string]string {
	t.Helper()
	line := func(s string) string { return "I1120 10:01:30.000000    4120 " + s + "\n" }
	return map[string]string{
		"system/systeminfo":    systeminfoEnglish,
		"system/uptime":        "\n\nDays              : 3\nHours             : 0\nMinutes           : 49\nSeconds           : 49\nMilliseconds      : 12\nTicks             : 2621890124567\nTotalDays         : 3.03\n\n",
		"system/env":           "\nName                           Value                                                                                            \n----                           -----                                                                                            \nALLUSERSPROFILE                C:\\ProgramData                                                                                   \nPath                           C:\\Windows\\system32;C:\\Windows;C:\\Windows\\System32\\Wbem;C:\\Windows\\System32\\WindowsPowerShell\\v...\nProgramFiles(x86)              C:\\Program Files (x86)                                                                           \n\n",
		"system/ps":            processTable(rke2Processes...),
		"system/services":      serviceList(rke2Services...),
		"system/freememory":    "\n\n\nFreePhysicalMemory=10047488\n\n\n\n",
		"system/freediskspace": "\nName           Used (GB)     Free (GB) Provider      Root                                               CurrentLocation\n----           ---------     --------- --------      ----                                               ---------------\nAlias                                  Alias                                                                          \nC                  38.12         88.88 FileSystem    C:\\                                     rancher\\log-collector\nCert                                   Certificate   \\                                                               \n\n\nCaption  FreeSpace    Size          \n\nC:       95434174464  136365211648  \n\n\n",
		"system/volumes":       "\nName           Used (GB)     Free (GB) Provider      Root                                               CurrentLocation\n----           ---------     --------- --------      ----                                               ---------------\nC                  38.12         88.88 FileSystem    C:\\                                     rancher\\log-collector\nD                                      FileSystem    D:\\                                                             \n\n\n",

		"services/rke2-status.txt": "\n\nName                : rke2\nRequiredServices    : {}\nCanPauseAndContinue : False\nCanShutdown         : True\nCanStop             : True\nDisplayName         : Rancher Kubernetes Engine v2\nDependentServices   : {}\nMachineName         : .\nServiceName         : rke2\nServicesDependedOn  : {}\nServiceHandle       : SafeServiceHandle\nStatus              : Running\nServiceType         : Win32OwnProcess\nStartType           : Automatic\nSite                : \nContainer           : \n\n",

		"containerd/ctr-version.txt":   "Client:\n  Version:  v1.7.20-k3s1\n  Revision: abc\n  Go version: go1.22.6\n\nServer:\n  Version:  v1.7.20-k3s1\n  Revision: abc\n  UUID: 1a2b\n",
		"containerd/crictl-info.txt":   "crictl.exe : time=\"2026-11-20T10:01:40Z\" level=warning msg=\"runtime connect using default endpoints\"\nAt C:\\win-log-collect-rke2.ps1:340 char:9\n" + crictlInfo,
		"containerd/crictl-images.txt": "IMAGE                                    TAG                 IMAGE ID            SIZE\nregistry.k8s.io/pause                    3.9                 e6f1816883972       311kB\n",
		"containerd/crictl-pods.txt":   "POD ID              CREATED             STATE               NAME                NAMESPACE           ATTEMPT             RUNTIME\nb5a1c0de00112       2 days ago          Ready               web-0               default             0                   (default)\n",
		"containerd/crictl-ps.txt":     "CONTAINER           IMAGE               CREATED             STATE               NAME                ATTEMPT             POD ID              POD\nc0ffee0011223       0123456789abc       2 days ago          Running             web                 0                   b5a1c0de00112       web-0\n",
		"containerd/config.toml": strings.Replace(rke2ConfigTOML,
			"index.docker.io/rancher/mirrored-pause:3.6", "registry.k8s.io/pause:3.9", 1),
		"containerd/containerd.log": "time=\"2026-11-17T09:14:00Z\" level=info msg=\"containerd successfully booted in 0.3s\"\n",

		"config/rke2/config.yaml":           "server: https://10.70.8.10:9345\ntoken: K10aa::server:bb\n",
		"config/rke2/00-rke2-defaults.conf": "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nclusterDNS:\n- 10.43.0.10\nclusterDomain: cluster.local\n",
		"config/cni/07-flannel.conflist":    rke2CNI,
		"config/wins/config":                "white_list:\n  processPaths: []\n",

		"certs/rke2/client-kubelet.crt": kubeletCertificate(t, rke2At.AddDate(0, 8, 0)),
		"certs/rke2/serving-kubelet.crt": pemOf(t, pkix.Name{Organization: []string{"rke2"},
			CommonName: "win-rke2-1"}, rke2At.AddDate(0, -4, 0), rke2At.AddDate(0, 8, 0)),
		"certs/rke2/client-ca.crt": pemOf(t,
			pkix.Name{CommonName: "rke2-client-ca@1700000000"}, rke2At.AddDate(-1, 0, 0),
			rke2At.AddDate(9, 0, 0)),
		"certs/rke2/server-ca.crt": pemOf(t,
			pkix.Name{CommonName: "rke2-server-ca@1700000000"}, rke2At.AddDate(-1, 0, 0),
			rke2At.AddDate(9, 0, 0)),

		"eventlogs/system.json": eventsJSON(t, serviceEvent(rke2At.Add(-time.Hour),
			"The Windows Update service entered the stopped state."),
			serviceEvent(rke2At.Add(-30*24*time.Hour),
				"The Host Network Service service terminated unexpectedly.")),
		"eventlogs/application.json": eventsJSON(t, map[string]any{"Id": 1, "Level": 4,
			"ProviderName": "rke2", "LogName": "Application", "Message": nil,
			"TimeCreated": map[string]any{"value": fmt.Sprintf("/Date(%d)/",
				rke2At.Add(-2*time.Hour).UnixMilli()), "DateTime": "Friday"}}),
		"eventlogs/security.json":  "",
		"eventlogs/hns-admin.json": "",
		"eventlogs/rke2-service.txt": `
ReplacementStrings                                                                              TimeWritten           
------------------                                                                              -----------           
{Running kube-proxy --cluster-cidr=10.42.0.0/16 --conntrack-max-per-core=0                      11/17/2026 9:14:40 AM 
--enable-dsr=false --feature-gates=WinOverlay=true,WinDSR=false --hostname-override=win-rke2-1                        
--kubeconfig=C:\var\lib\rancher\rke2\agent\kubeproxy.kubeconfig --network-name=flannel.4096                           
--proxy-mode=kernelspace --source-vip=10.42.3.2}                                                                      
{Running kubelet --cluster-dns=10.43.0.10 --cluster-domain=cluster.local                        11/17/2026 9:14:31 AM 
--config-dir=C:\var\lib\rancher\rke2\agent\etc\kubelet.conf.d --hostname-override=win-rke2-1                          
--node-ip=10.70.8.47}                                                                                                 

`,
		"k8s/components/kubelet.log": line(
			`kubelet.go:100] "Kubelet version" kubeletVersion="v1.30.5+rke2r1"`) +
			line(`server.go:1] "Started"`),
		"k8s/components/kube-proxy.log":          line(`proxier.go:100] "Syncing"`),
		"k8s/components/rke2-cmdline.txt":        "\nCommandLine                                       \n-----------                                       \nC:\\usr\\local\\bin\\rke2.exe agent service           \n\n\n",
		"k8s/containerlogs/web-c0ffee001122.log": "hello\n",

		"network/hns/network.txt":         rke2Network,
		"network/hns/networkdetailed.txt": rke2Network[strings.Index(rke2Network, "{"):],
		"network/hns/endpoint.txt":        rke2Endpoint,
		"network/hns/policy.txt":          "[\n    { \"ID\": \"AAAAAAAA-0001-4D5B-8F3E-1D2C3B4A5968\", \"References\": [ \"/endpoints/89958f54-0001-4d5b-8f3e-1d2c3b4a5968\" ], \"Policies\": [ { \"Type\": \"ELB\", \"VIPs\": [ \"10.43.0.10\" ], \"ExternalPort\": 53, \"InternalPort\": 53, \"Protocol\": 17 } ], \"State\": 2, \"Version\": 55834574851 }\n]\n",
		"network/hnsdiaglistall":          "Networks:\nName             ID\n----------------------\nflannel.4096     7C1A2F10-3F38-4E5B-9C1B-0E6C2F1E8A11\n",
		"network/ipconfigall.txt":         rke2IPConfig,
		"network/networkadapter":          "\nName                      InterfaceDescription                    ifIndex Status       MacAddress             LinkSpeed\n----                      --------------------                    ------- ------       ----------             ---------\nvEthernet (Ethernet)      Hyper-V Virtual Ethernet Adapter             12 Up           00-50-56-B3-41-0C        10 Gbps\n",
		"network/networkroutes":           "\nifIndex DestinationPrefix                              NextHop                                  RouteMetric ifMetric PolicyStore\n------- -----------------                              -------                                  ----------- -------- -----------\n12      0.0.0.0/0                                      10.70.8.1                                          0 25       ActiveStore\n12      10.70.8.0/24                                   0.0.0.0                                          256 25       ActiveStore\n",
		"network/ipv4routes.txt":          "===========================================================================\nActive Routes:\n          0.0.0.0          0.0.0.0        10.70.8.1       10.70.8.47     25\n",
		"network/ipv4subinterfaces":       "\n   MTU  MediaSenseState   Bytes In  Bytes Out  Interface\n------  ---------------  ---------  ---------  -------------\n4294967295                1          0     181770  Loopback Pseudo-Interface 1\n  1500                1  1434529053  338190347  vEthernet (Ethernet)\n\n",
		"network/vfpports.txt":            "ITEM LIST\n===========\n\n    Port name             : AAAA\n\nCommand list-vmswitch-port succeeded!\n",
		"network/system-env-proxy.txt":    "",
	}
}
