package foreign

import (
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

// eksZip is the zip of a healthy EKS node as the log collector leaves it.
func eksZip(t testing.TB, changes ...string) fstest.MapFS {
	t.Helper()
	m := fstest.MapFS{}
	for name, content := range with(eksFilesOf(), changes...) {
		data := []byte(strings.ReplaceAll(content, "\n", "\r\n"))
		switch path.Ext(name) {
		case "", ".txt":
			if path.Base(name) != "kubeconfig" {
				data = utf16(t, content)
			}
		case ".json", ".log", ".conf":
			data = []byte(content)
		}
		if content == "" {
			data = nil
		}
		m[path.Join("system", name)] = &fstest.MapFile{Data: data, ModTime: collected}
	}
	return m
}

func eksFilesOf() map[string]string {
	return map[string]string{
		"sysinfo": eksSysinfo, "services": eksServices(),
		"volumes": "\nName           Used (GB)     Free (GB) Provider      Root                                               CurrentLocation\n----           ---------     --------- --------      ----                                               ---------------\nC                  35.27         44.73 FileSystem    C:\\                                            log-collector\nD                                      FileSystem    D:\\                                                          \n\n\n",
		"system-eventlogs.csv": `#TYPE Selected.System.Diagnostics.Eventing.Reader.EventLogRecord
"TimeCreated","LevelDisplayName","MachineName","Message"
"9/3/2024 9:58:12 AM","Information","EC2AMAZ-7H3KQ2L","The Software Protection service entered the stopped state."
"9/3/2024 4:43:25 AM","Information","EC2AMAZ-7H3KQ2L","The kube-proxy service entered the running state.

See ""services""."
"9/2/2024 11:43:25 PM","Information","EC2AMAZ-7H3KQ2L","The operating system started."
`,
		"application-eventlogs.csv":         "#TYPE Selected.System.Diagnostics.Eventing.Reader.EventLogRecord\n\"TimeCreated\",\"LevelDisplayName\",\"MachineName\",\"Message\"\n\"9/3/2024 9:50:12 AM\",\"Information\",\"EC2AMAZ-7H3KQ2L\",\"Windows Error Reporting\"\n",
		"installed-64bit-apps.txt":          "\n\nDisplayName     : AWS Tools for Windows\nDisplayVersion  : 3.15\n",
		"firewall/firewall-Public":          "\n\nName                  : kubelet\nDisplayName           : kubelet\nEnabled               : True\n",
		"containerd/containerd-version.txt": "Client:\n  Version:  1.7.28\n  Revision: b98a3aace656320842a23f4a392a33f46af97866\n  Go version: go1.23.8\n\nServer:\n  Version:  1.7.28\n  Revision: b98a3aace656320842a23f4a392a33f46af97866\n  UUID: 1a2b\n",
		"containerd/containerd-images.txt": eksImages(
			"mcr.microsoft.com/oss/kubernetes/pause:3.9"),
		"containerd/containerd-containers.txt": "CONTAINER                                                           IMAGE                                         RUNTIME                  \n3ec84399dd2a4ebfb7a01ceb50777cd43ec84399dd2a4ebfb7a01ceb50777cd4    mcr.microsoft.com/oss/kubernetes/pause:3.9    io.containerd.runhcs.v1    \n7a0b9e0c175247aebd343e8e81463b037a0b9e0c175247aebd343e8e81463b03    registry.example.com/boarding/web:7           io.containerd.runhcs.v1    \n",
		"containerd/containerd-namespaces.txt": "NAME   LABELS \nk8s.io        \n",
		"kubelet/kubelet-service.csv":          eksKubeletCSV,
		"kubelet/kubeconfig":                   "apiVersion: v1\nkind: Config\nclusters:\n- name: kubernetes\n  cluster:\n    certificate-authority: C:\\ProgramData\\Amazon\\EKS\\cluster_ca.crt\n    server: https://ABCDEF.gr7.eu-central-1.eks.amazonaws.com\ncontexts:\n- name: kubelet\n  context: {cluster: kubernetes, user: kubelet}\ncurrent-context: kubelet\nusers:\n- name: kubelet\n  user:\n    exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws-iam-authenticator, args: [token, -i, boarding]}\n",
		"kubelet/kubelet-config.json":          "{\"kind\":\"KubeletConfiguration\",\"apiVersion\":\"kubelet.config.k8s.io/v1beta1\",\"clusterDomain\":\"cluster.local\",\"clusterDNS\":[\"172.20.0.10\"],\"hairpinMode\":\"hairpin-veth\",\"cgroupsPerQOS\":false,\"enforceNodeAllocatable\":[],\"resolvConf\":\"\",\"kubeReserved\":{\"memory\":\"1Gi\"},\"systemReserved\":{\"memory\":\"1Gi\"}}\n",
		"kube-proxy/kube-proxy-service.csv":    "#TYPE System.Diagnostics.Eventing.Reader.EventLogRecord\n\"Message\",\"Id\",\"Version\",\"Level\",\"ProviderName\",\"LogName\",\"MachineName\",\"TimeCreated\",\"LevelDisplayName\"\n\"I0903 04:43:25.100000    4036 flags.go:64] FLAG: --hostname-override=\"\"ip-10-60-3-117.eu-central-1.compute.internal\"\"\",\"0\",,\"4\",\"kube-proxy\",\"EKS\",\"EC2AMAZ-7H3KQ2L\",\"9/3/2024 4:43:25 AM\",\"Information\"\n",
		"cni/vpc-bridge.conf":                  "{\"cniVersion\":\"0.4.0\",\"name\":\"vpc\",\"type\":\"vpc-bridge\",\"capabilities\":{\"portMappings\":true},\"eniMACAddress\":\"06:5e:2c:9a:41:d7\",\"eniIPAddresses\":[\"10.60.3.117/24\"],\"gatewayIPAddress\":\"10.60.3.1\",\"vpcCIDRs\":[\"10.60.0.0/16\"],\"serviceCIDR\":\"172.20.0.0/16\",\"dns\":{\"nameservers\":[\"172.20.0.10\"],\"search\":[\"{%namespace%}.svc.cluster.local\",\"svc.cluster.local\",\"cluster.local\"]}}\n",
		"eks/vpc-bridge.log":                   "2024-09-03T04:44:12Z [INFO] Executing ADD.\n",
		"eks/EKS-Bootstrap.log":                "2024-09-03 04:43:00Z bootstrap complete\n",
		"events/System.evtx":                   "ElfFile\x00",
		"network/hns/network.txt":              "\nName              Type     ID                                   AddressPrefix\n----              ----     --                                   -------------\nnat               NAT      C87176FF-2CC6-4E01-B124-333F743FAAE0\nvpcbr065E2C9A41D7 L2Bridge DC79C3CA-EA3C-4249-A9DE-935B2476D8F8\n\n\n" + vpcNetworks,
		"network/hns/networkdetailed.txt":      "",
		"network/hns/endpoint.txt":             "\nIPAddress  MacAddress        IsRemoteEndpoint State\n---------  ----------        ---------------- -----\n10.60.3.24 00-15-5D-78-C2-1B                      2\n\n\n" + vpcEndpoint("10.60.0.0/16", "172.20.0.0/16"),
		"network/hns/policy.txt":               "{ \"ID\": \"F1E2D3C4-0001-4D5B-8F3E-1D2C3B4A5968\", \"Policies\": [ { \"Type\": \"ELB\", \"VIPs\": [ \"172.20.0.10\" ], \"ExternalPort\": 53, \"InternalPort\": 53, \"Protocol\": 17, \"IsDSR\": false } ], \"References\": [ \"/endpoints/6D8C8B20-29C6-4815-941C-2A91D488E231\" ] }\n",
		"network/ports.txt":                    "ITEM LIST\n===========\n\n    Port name             : AAAA\n\nCommand list-vmswitch-port succeeded!\n",
		"network/ip.txt":                       eksIP,
		"network/routes.txt":                   "===========================================================================\nIPv4 Route Table\n===========================================================================\nActive Routes:\nNetwork Destination        Netmask          Gateway       Interface  Metric\n          0.0.0.0          0.0.0.0        10.60.3.1      10.60.3.117     25\n        10.60.3.0    255.255.255.0         On-link       10.60.3.117    281\n  169.254.169.254  255.255.255.255        10.60.3.1      10.60.3.117     50\n===========================================================================\nPersistent Routes:\n  None\n",
	}
}

func eksImages(pause string) string {
	rows := [][6]string{
		{"REF", "TYPE", "DIGEST", "SIZE", "PLATFORMS", "LABELS"},
		{pause, "application/vnd.docker.distribution.manifest.list.v2+json",
			"sha256:" + strings.Repeat("b", 64), "104.2 MiB", "windows/amd64",
			"io.cri-containerd.image=managed,io.cri-containerd.pinned=pinned"},
		{"registry.example.com/boarding/web:7",
			"application/vnd.docker.distribution.manifest.v2+json", "sha256:" + strings.Repeat("c",
				64), "2.1 GiB", "windows/amd64", "io.cri-containerd.image=managed"},
		{"sha256:" + strings.Repeat("d", 64),
			"application/vnd.docker.distribution.manifest.v2+json", "sha256:" + strings.Repeat("c",
				64), "2.1 GiB", "windows/amd64", "io.cri-containerd.image=managed"},
	}
	var width [6]int
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], len(cell)+1)
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			b.WriteString(cell + strings.Repeat(" ", width[i]-len(cell)))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func eksServices() string {
	names := []string{"BFE", "containerd", "CoreMessagingRegistrar", "CryptSvc", "csi-proxy",
		"DcomLaunch", "Dhcp", "Dnscache", "EventLog", "EventSystem", "hns", "iphlpsvc", "kubelet",
		"kube-proxy", "LSM", "mpssvc", "netprofm", "NlaSvc", "nsi", "nvagent", "Power", "ProfSvc",
		"RpcSs", "vmcompute", "W32Time"}
	b := strings.Builder{}
	b.WriteString("\n\n")
	for _, name := range names {
		b.WriteString("Name                : " + name + "\nDisplayName         : " + name +
			" service\nStatus              : Running\nDependentServices   : {}\nServicesDependedOn  : {RpcSs}\nCanPauseAndContinue : False\nCanShutdown         : False\nCanStop             : True\nServiceType         : Win32OwnProcess\n\n")
	}
	b.WriteString(
		"Name                : AppIDSvc\nDisplayName         : Application Identity\nStatus              : Stopped\nServiceType         : Win32ShareProcess\n\n\n")
	return b.String()
}

const eksSysinfo = `
Host Name:                 EC2AMAZ-7H3KQ2L
OS Name:                   Microsoft Windows Server 2019 Datacenter
OS Version:                10.0.17763 N/A Build 17763
OS Manufacturer:           Microsoft Corporation
OS Configuration:          Standalone Server
OS Build Type:             Multiprocessor Free
Registered Owner:          EC2
Registered Organization:   Amazon.com
Product ID:                00430-00000-00000-AA000
Original Install Date:     9/3/2024, 4:38:40 AM
System Boot Time:          9/3/2024, 4:41:12 AM
System Manufacturer:       Amazon EC2
System Model:              m5.large
System Type:               x64-based PC
Processor(s):              1 Processor(s) Installed.
                           [01]: Intel64 Family 6 Model 85 Stepping 7 GenuineIntel ~2500 Mhz
BIOS Version:              Amazon EC2 1.0, 10/16/2017
Windows Directory:         C:\Windows
System Directory:          C:\Windows\system32
Boot Device:               \Device\HarddiskVolume1
System Locale:             en-us;English (United States)
Input Locale:              en-us;English (United States)
Time Zone:                 (UTC) Coordinated Universal Time
Total Physical Memory:     7,946 MB
Available Physical Memory: 4,096 MB
Virtual Memory: Max Size:  12,042 MB
Virtual Memory: Available: 6,900 MB
Virtual Memory: In Use:    5,142 MB
Page File Location(s):     C:\pagefile.sys
Domain:                    WORKGROUP
Logon Server:              N/A
Hotfix(s):                 2 Hotfix(s) Installed.
                           [01]: KB5039886
                           [02]: KB5041578
Network Card(s):           1 NIC(s) Installed.
                           [01]: Amazon Elastic Network Adapter
                                 Connection Name: Ethernet 3
                                 DHCP Enabled:    Yes
                                 IP address(es)
                                 [01]: 10.60.3.117
Hyper-V Requirements:      A hypervisor has been detected. Features required for Hyper-V will not be displayed.
`

const eksKubeletCSV = `#TYPE System.Diagnostics.Eventing.Reader.EventLogRecord
"Message","Id","Version","Qualifiers","Level","ProviderName","LogName","MachineName","TimeCreated","LevelDisplayName"
"I0903 09:57:00.100000    3652 kubelet.go:2406] ""SyncLoop (probe)"" probe=""readiness""","0",,"0","4","kubelet","EKS","EC2AMAZ-7H3KQ2L","9/3/2024 9:57:00 AM","Information"
"I0903 04:43:22.100000    3652 kubelet_node_status.go:79] ""Successfully registered node"" node=""ip-10-60-3-117.eu-central-1.compute.internal""","0",,"0","4","kubelet","EKS","EC2AMAZ-7H3KQ2L","9/3/2024 4:43:22 AM","Information"
"I0903 04:43:21.100000    3652 server.go:484] ""Kubelet version"" kubeletVersion=""v1.31.13-eks-113cf36""
","0",,"0","4","kubelet","EKS","EC2AMAZ-7H3KQ2L","9/3/2024 4:43:21 AM","Information"
`

const vpcNetworks = `[
    { "ID": "C87176FF-2CC6-4E01-B124-333F743FAAE0", "Name": "nat", "Type": "nat", "Subnets": [ { "AddressPrefix": "172.22.64.0/20", "GatewayAddress": "172.22.64.1" } ], "Version": 38654705666 },
    { "ID": "DC79C3CA-EA3C-4249-A9DE-935B2476D8F8", "Name": "vpcbr065E2C9A41D7", "Type": "L2Bridge", "ManagementIP": "10.60.3.117", "NetworkAdapterName": "Ethernet 3", "Subnets": [ { "AddressPrefix": "10.60.3.0/24", "GatewayAddress": "10.60.3.1" } ], "Version": 38654705666 }
]
`

func vpcEndpoint(exceptions ...string) string {
	return `{ "ID": "6D8C8B20-29C6-4815-941C-2A91D488E231", "Name": "cid-f640cf4b010a", "VirtualNetwork": "DC79C3CA-EA3C-4249-A9DE-935B2476D8F8", "VirtualNetworkName": "vpcbr065E2C9A41D7", "IPAddress": "10.60.3.24", "PrefixLength": 24, "GatewayAddress": "10.60.3.1", "MacAddress": "00-15-5D-78-C2-1B", "State": 2, "DNSServerList": "172.20.0.10", "DNSSuffix": "boarding.svc.cluster.local,svc.cluster.local,cluster.local", "Policies": [ { "Type": "OutBoundNAT", "ExceptionList": [ "` + strings.Join(exceptions, `", "`) + `" ] }, { "Type": "ROUTE", "DestinationPrefix": "172.20.0.0/16", "NeedEncap": true } ] }
`
}

const eksIP = `
Windows IP Configuration


==============================================================================
Network Information for Compartment 1 (ACTIVE)
==============================================================================
   Host Name . . . . . . . . . . . . : EC2AMAZ-7H3KQ2L
   Primary Dns Suffix  . . . . . . . : 
   Node Type . . . . . . . . . . . . : Hybrid
   IP Routing Enabled. . . . . . . . : No
   WINS Proxy Enabled. . . . . . . . : No
   DNS Suffix Search List. . . . . . : eu-central-1.ec2-utilities.amazonaws.com
                                       eu-central-1.compute.internal

Ethernet adapter vEthernet (Ethernet 3):

   Connection-specific DNS Suffix  . : eu-central-1.compute.internal
   Description . . . . . . . . . . . : Hyper-V Virtual Ethernet Adapter
   Physical Address. . . . . . . . . : 06-5E-2C-9A-41-D7
   DHCP Enabled. . . . . . . . . . . : Yes
   IPv4 Address. . . . . . . . . . . : 10.60.3.117(Preferred) 
   Subnet Mask . . . . . . . . . . . : 255.255.255.0
   Default Gateway . . . . . . . . . : 10.60.3.1
   DNS Servers . . . . . . . . . . . : 10.60.0.2
   NetBIOS over Tcpip. . . . . . . . : Enabled

==============================================================================
Network Information for Compartment 2
==============================================================================
   Host Name . . . . . . . . . . . . : EC2AMAZ-7H3KQ2L
   Primary Dns Suffix  . . . . . . . : 

Ethernet adapter vEthernet (cid-f640cf4b010a):

   Connection-specific DNS Suffix  . : boarding.svc.cluster.local
   Description . . . . . . . . . . . : Hyper-V Virtual Ethernet Container Adapter
   Physical Address. . . . . . . . . : 00-15-5D-78-C2-1B
   DHCP Enabled. . . . . . . . . . . : No
   IPv4 Address. . . . . . . . . . . : 10.60.3.24(Preferred) 
   Subnet Mask . . . . . . . . . . . : 255.255.255.0
   Default Gateway . . . . . . . . . : 10.60.3.1
   DNS Servers . . . . . . . . . . . : 172.20.0.10
   NetBIOS over Tcpip. . . . . . . . : Enabled
`
