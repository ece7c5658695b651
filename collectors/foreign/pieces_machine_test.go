package foreign

import (
	"strings"
	"testing"
)

func TestWhatTheMachinesOwnToolsShow(t *testing.T) {
	const service = "kind: Service\napiVersion: v1\nmetadata:\n  name: hello\nspec:\n  type: NodePort\n"
	for _, row := range []struct{ name, content, evidence, want string }{
		{"the drives of Get-PSDrive", "Name           Used (GB)     Free (GB) Provider      Root             CurrentLocation\n" +
			"----           ---------     --------- --------      ----             ---------------\n" +
			"C                  126.5           0.5 FileSystem    C:\\                             k\n" +
			"Cert                                   Certificate   \\\n",
			"disks-part.json", `[{"drive":"C:","totalBytes":136365211648,"freeBytes":536870912}]`},
		{"the drives of Get-Volume", "DriveLetter FriendlyName FileSystemType DriveType HealthStatus OperationalStatus SizeRemaining      Size\n" +
			"----------- ------------ -------------- --------- ------------ ----------------- -------------      ----\n" +
			"C           Windows      NTFS           Fixed     Healthy      OK                       400 MB    126 GB\n",
			"disks-part.json", `"fileSystem":"NTFS","totalBytes":135291469824,"freeBytes":419430400`},
		{"the drives of CIM", "DeviceID  : C:\nFreeSpace : 419430400\nSize      : 135291469824\n",
			"disks-part.json", `"totalBytes":135291469824,"freeBytes":419430400`},
		{"features of dism", "Features listing for package : Microsoft-Windows-Foundation-Package~31bf3856ad364e35~amd64~~10.0.17763.1\n\n" +
			"Feature Name : Containers\nState : Disabled\n\nFeature Name : Microsoft-Hyper-V\nState : Enabled\n",
			"features-part.json", `{"Containers":"available","Hyper-V":"installed"}`},
		{"one feature of dism", "Feature Name : Containers\nDisplay Name : Containers\nDescription : Provides services\n" +
			"Restart Required : Possible\nState : Disabled\n", "features-part.json", `{"Containers":"available"}`},
		{"a table of dism", "Features listing for package : Microsoft-Windows-Foundation-Package~31bf3856ad364e35~amd64~~10.0.17763.1\n\n" +
			"------------- | --------\nFeature Name  | State   \n------------- | --------\nContainers    | Disabled\n", "features-part.json", `{"Containers":"available"}`},
		{"a service of CIM", "Name      : kubelet\nStatus    : OK\nExitCode  : 1067\nPathName  : C:\\k\\nssm.exe\nStartMode : Auto\nState     : Stopped\n", "services-part.json",
			`"name":"kubelet","state":"stopped","startType":"automatic"`},
		{"a task", "\nFolder: \\\nHostName:      AKSWIN000000\nTaskName:      \\k8s-restart-job\nLast Result:   1\n", "services.json", `schtasks shows \k8s-restart-job, 1`},
		{"a ticket", "\nCurrent LogonId is 0:0x2587c9\n\nCached Tickets: (1)\n\n#0>\tClient: webapp01$ @ CONTOSO.COM\n\tServer: krbtgt/CONTOSO.COM @ CONTOSO.COM\n", "security.json",
			"klist shows Client: webapp01$ @ CONTOSO.COM, Server: krbtgt"},
		{"an error below klist", "Current LogonId is 0:0x2587c9\nklist failed with 0xc0000022/-1073741790: {Access Denied}\n", "logs/other/a", "0xc0000022"}, // microsoft/SDN issue 339
		{"an exported key", "Windows Registry Editor Version 5.00\n\n[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\kubelet\\Parameters]\n" +
			"\"AppParameters\"=\"--network-plugin=cni\"\n", "services.json", `AppParameters"="--network-plugin=cni`},
		{"a counter", "Timestamp                 CounterSamples\n---------                 --------------\n6/18/2019 2:39:56 PM      \\\\w1\\memory\\available mbytes :\n" +
			"                          812\n", "memory.json", "available mbytes :, 812"},
		{"groups of objects", "Count Name           ProcessName\n----- ----           -----------\n 2260 Bound, 10684   node\n", "processes.json", "2260 Bound, 10684 node"}, // microsoft/WSL issue 3951
		{"counts of netstat", "Interface Statistics\n\n                           Received            Sent\n\nErrors                            7               0\n", "adapters.json", "Errors 7 0"},
		{"tests of Pester", "Describing Kubernetes processes are running\n [-] There is 1 running kubelet.exe process 13ms\n   Expected exactly 1, but got 0.\n", "features.json",
			"There is 1 running kubelet.exe process"},
		{"packets that were dropped", "<wfpdiag>\n\t<item>\n\t\t<remotePort>53</remotePort>\n\t\t<type>FWPM_NET_EVENT_TYPE_CLASSIFY_DROP</type>\n\t</item>\n</wfpdiag>\n", "firewall.json",
			"53, FWPM_NET_EVENT_TYPE_CLASSIFY_DROP"},
		{"files that dir lists", "04/18/2019  01:27 AM                 4 azure-vnet.json.lock\n04/13/2019  05:07 AM               803 azure.json\n", "files.json",
			"azure-vnet.json.lock, azure.json"}, // Azure/azure-container-networking issue 339
		{"metrics", "# TYPE windows_service_state gauge\nwindows_service_state{name=\"kubelet\",state=\"stopped\"} 1\n", "services.json", `metrics shows windows_service_state{`},
		{"what the kubelet has left", `{"node":{"nodeName":"w1","memory":{"availableBytes":1048576},"fs":{"availableBytes":2048}},"pods":[]}`, "services.json",
			"node_memory_available_bytes 1048576, node_fs_available_bytes 2048"},
		{"an account", "\nUSER INFORMATION\n----------------\n\nUser Name           SID     \n=================== ========\nnt authority\\system S-1-5-18\n", "security.json",
			`whoami shows nt authority\system S-1-5-18`},
		{"set of cmd", "ALLUSERSPROFILE=C:\\ProgramData\nCOMPUTERNAME=WIN-1\nwindir=C:\\Windows\n", "env.json", `"COMPUTERNAME":"WIN-1"`},
		{"drives of the network", "Status       Local     Remote                    Network\n\n-------------\nDisconnected Y:        \\\\10.0.0.5\\data           Microsoft Windows Network\n",
			"files.json", `net use shows Disconnected Y: \\10.0.0.5\data`},
		{"typeperf", "\"(PDH-CSV 4.0)\",\"\\\\w1\\Memory\\Available MBytes\"\n\"02/08/2024 09:05:11.012\",\"112.000000\"\n", "memory.json", `02/08/2024 09:05:11.012","112.000000`},
		{"packets", "15:56:02.730319 IP es7.44042 > rke2-coredns.kube-system.svc.cluster.local.53: 8127+ A? google.de. (68)\n", "probes/dns.json", // rancher/rke2 issue 3924
			"a capture of packets shows 15:56:02.730319 IP es7.44042"},
		{"the clock", "Leap Indicator: 3(not synchronized)\nStratum: 0 (unspecified)\nSource: Free-running System Clock\n",
			"time.json", `{"service":"running","source":"Free-runningSystemClock"}`},
		{"the environment", "PS C:\\> dir env:\n\nName              Value\n----              -----\nALLUSERSPROFILE   C:\\ProgramData\n" +
			"COMPUTERNAME      WIN-1\nHTTP_PROXY        http://proxy.corp:8080\nwindir            C:\\Windows\n", "env.json",
			`{"ALLUSERSPROFILE":"C:\\ProgramData","COMPUTERNAME":"WIN-1","HTTP_PROXY":"http://proxy.corp:8080","windir":"C:\\Windows"}`},
		{"an environment with a value that is cut is a part", "Name              Value\n----              -----\nALLUSERSPROFILE   C:\\ProgramData\n" +
			"COMPUTERNAME      WIN-1\nNO_PROXY          10.0.0.0/8,10.96...\nwindir            C:\\Windows\n", "env.json", "that is not all of the environment"},
		{"some variables are a part", "Name           Value\n----           -----\nCOMPUTERNAME   WIN-1\nNODE_IP        10.0.0.4\n",
			"env-part.json", `{"COMPUTERNAME":"WIN-1","NODE_IP":"10.0.0.4"}`},
		{"a size with the decimal mark of Europe", "DeviceID  : C:\nFreeSpace : 0,5 GB\nSize      : 127 GB\n", "disks-part.json", `"freeBytes":536870912`},
		{"a size that could be two numbers", "DeviceID  : C:\nFreeSpace : 1,024 GB\nSize      : 127 GB\n", "disks.json", "none of the files shows"},
		{"exclusions that only administrators see", "ExclusionPath             : {N/A: Must be an administrator to view exclusions}\n" +
			"ExclusionProcess          : {N/A: Must be an administrator to view exclusions}\nDisableRealtimeMonitoring : False\n",
			"security.json", "none of the files shows"},
		{"Defender without any exclusion", "ExclusionPath             : {}\nExclusionProcess          : {}\nDisableRealtimeMonitoring : False\n",
			"security-part.json", `"defender":{"running":true,`},
		{"no environment in another table", "Name           Value\n----           -----\nMaxClockSkew   5\n",
			"env.json", "none of the files shows"},
		{"Defender", "ExclusionPath             : {C:\\ProgramData\\docker}\nExclusionProcess          : {dockerd.exe}\n" +
			"DisableRealtimeMonitoring : False\n", "security-part.json",
			`"defender":{"running":true,"exclusions":{"paths":["C:\\ProgramData\\docker"],"processes":["dockerd.exe"]}}`},
		{"a list of exclusions that is cut", "ExclusionPath    : {C:\\a, C:\\b, C:\\c, C:\\d...}\nExclusionProcess : {dockerd.exe}\n",
			"security.json", "none of the files shows"},
		{"crictl's version of the runtime", "Version:  0.1.0\nRuntimeName:  containerd\nRuntimeVersion:  v1.6.8\n",
			"cri.json", `{"runtimeName":"containerd","runtimeVersion":"v1.6.8"}`},
		{"ctr's version of containerd", "Client:\n  Version:  v1.6.8\n  Revision: 9cd3357b\n\nServer:\n  Version:  v1.6.8\n  Revision: 9cd3357b\n",
			"cri.json", `{"runtimeName":"containerd","runtimeVersion":"v1.6.8"}`},
		{"the free bytes of a drive", "C:\\>fsutil volume diskfree c:\nTotal free bytes        :     419,430,400 (400.0 MB)\n" +
			"Total bytes             : 135,291,469,824 (126.0 GB)\nTotal quota free bytes  :     419,430,400 (400.0 MB)\n",
			"disks-part.json", `[{"drive":"C:","totalBytes":135291469824,"freeBytes":419430400}]`},
		{"a drive that no command names", "Total # of free bytes        : 419430400\nTotal # of bytes             : 135291469824\n",
			"disks.json", "none of the files shows"},
		{"the settings of the boot loader", "Windows Boot Loader\n-------------------\nidentifier              {current}\n" +
			"testsigning             Yes\nhypervisorlaunchtype    Off\n", "features.json", "bcdedit shows testsigning Yes, hypervisorlaunchtype Off"},
		{"the proxy of WinHTTP", "\nCurrent WinHTTP proxy settings:\n\n    Proxy Server(s) :  proxy.corp:3128\n    Bypass List     :  (none)\n",
			"env.json", "netsh winhttp shows Proxy Server(s) : proxy.corp:3128"},
		{"neighbors of arp", "Interface: 10.0.0.5 --- 0xe\n  Internet Address      Physical Address      Type\n" +
			"  10.0.0.1              12-34-56-78-9a-bc     dynamic\n", "routes.json", "arp shows 10.0.0.1 12-34-56-78-9a-bc"},
		{"neighbors of PowerShell", "ifIndex IPAddress LinkLayerAddress  State       PolicyStore\n------- --------- ----------------  -----       -----------\n" +
			"14      10.0.0.1  00-00-00-00-00-00 Unreachable ActiveStore\n", "routes.json", "10.0.0.1 00-00-00-00-00-00 Unreachable"},
		{"switches of Hyper-V", "PS C:\\> Get-VMSwitch\n\nName   SwitchType NetAdapterInterfaceDescription\n" +
			"----   ---------- ------------------------------\nnat    Internal\n", "hns-networks.json", "Get-VMSwitch shows nat Internal"},
		{"the network address translation", "Name                             : ICS1\nExternalIPInterfaceAddressPrefix :\n" +
			"InternalIPInterfaceAddressPrefix : 172.31.0.1/20\n", "hns-networks.json", "Get-NetNat shows ICS1 172.31.0.1/20"},
		{"answers of Resolve-DnsName", "Name           Type TTL Section IPAddress\n----           ---- --- ------- ---------\n" +
			"mysql.default  A    5   Answer  192.168.70.251\n", "probes/dns.json", "mysql.default A 192.168.70.251"},
		{"a failure of Resolve-DnsName can be searched", "Resolve-DnsName : mysql : DNS name does not exist\nAt line:1 char:1\n" +
			"+ Resolve-DnsName mysql\n", "logs/other/a", "DNS name does not exist"},
		{"what netsh dumps of an interface", "# IPv4 Configuration\npushd interface ipv4\nreset\n" +
			`set interface interface="Ethernet 2" forwarding=enabled mtu=1450` + "\n" +
			`add address name="Ethernet 2" address=10.0.0.5 mask=255.255.255.0` + "\npopd\n",
			"adapters-part.json", `{"name":"Ethernet2","mtu":1450,"addresses":["10.0.0.5/24"]`},
		{"a certificate of certutil", "X509 Certificate:\nIssuer:\n    CN=kubernetes\n\n NotBefore: 3/1/2024 8:12 AM\n NotAfter: 3/1/2025 8:12 AM\n\n" +
			"Subject:\n    CN=system:node:win-1\n    O=system:nodes\n  Name Hash(sha1): 0f\n", "certificates-part.json",
			`"subject":"CN=system:node:win-1,O=system:nodes","issuer":"CN=kubernetes","notBefore":"2024-03-01T08:12:00Z","notAfter":"2025-03-01T08:12:00Z"`},
		{"a date of another language has no order", "X509 Certificate:\nSubject:\n    CN=a\n NotAfter: 01/03/2025 08:12\n", "certificates.json", "shows CN=a;"},
		{"the command line of a process", "CommandLine\n" + `"C:\k\kubelet.exe" --hostname-override=win-1 --windows-service` + "\n",
			"processes-part.json", `"name":"kubelet.exe","args":["--hostname-override=win-1","--windows-service"]`},
		{"the columns of wmic beside a command line", "CommandLine                        Name         ProcessId\n" +
			"c:\\k\\kubelet.exe --windows-service   kubelet.exe  4460\n", "processes-part.json", `"args":["--windows-service"]}`},
		{"a line of a script is no process", "C:\\k\\kubelet.exe --hostname-override=$env:NODE --v=4\nerror: x\n", "processes.json", "none of the files shows"},
		{"a service in the registry", "\nHKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\kubelet\\Parameters\n" +
			"    AppParameters    REG_EXPAND_SZ    --network-plugin=cni\n", "services.json", "reg query shows AppParameters REG_EXPAND_SZ --network-plugin=cni"},
		{"services that are started", "These Windows services are started:\n\n   containerd\n   Host Network Service\n\nThe command completed successfully.\n",
			"services.json", "net start shows containerd, Host Network Service;"},
		{"requests for certificates", "NAME        AGE   SIGNERNAME   REQUESTOR   CONDITION\ncsr-4hgzr   10m   kubernetes.io/x   system:node:w   Pending\n",
			"certificates.json", "csr-4hgzr 10m kubernetes.io/x system:node:w Pending"},
		{"interfaces of netsh", "Configuration for interface \"vEthernet (Ethernet)\"\n    DHCP enabled:                         Yes\n" +
			"    IP Address:                           10.0.0.5\n", "adapters.json", `"vEthernet (Ethernet)", IP Address: 10.0.0.5`},
		{"routes of netsh", "Publish  Type      Met  Prefix                    Idx  Gateway/Interface Name\n" +
			"-------  --------  ---  ------------------------  ---  ------------------------\nNo       Manual    0    0.0.0.0/0                  14  10.0.0.1\n",
			"routes.json", "netsh show route shows 0.0.0.0/0 14 10.0.0.1"},
		{"DNS servers of PowerShell", "InterfaceAlias               Interface Address ServerAddresses\n                             Index     Family\n" +
			"--------------               --------- ------- ---------------\nEthernet                            14 IPv4    {10.0.0.2}\n",
			"dns-client.json", "Ethernet 14 IPv4 {10.0.0.2}"},
		{"files of a folder", "\n    Directory: C:\\etc\\cni\\net.d\n\nMode   LastWriteTime   Length Name\n----   -------------   ------ ----\n" +
			"-a---- 11/27/2026   3:14 AM  1080 10-flannel.conf\n", "files.json", "a list of files shows 10-flannel.conf"},
		{"a ping", "Pinging 10.96.0.10 with 32 bytes of data:\nRequest timed out.\n\nPing statistics for 10.96.0.10:\n" +
			"    Packets: Sent = 4, Received = 0, Lost = 4 (100% loss),\n", "probes/reach.json", "Lost = 4 (100% loss)"},
		{"firewall rules have what services have", "Name        : kubelet\nDisplayName : kubelet\nEnabled     : True\nDirection   : Inbound\nAction      : Allow\nStatus      : OK\n",
			"services.json", "none of the files shows"},
		{"Windows of CIM", "BuildNumber Version\n----------- -------\n17763       10.0.17763\n", "os.json", `"build":17763`},
		{"containerd's own version", "containerd github.com/containerd/containerd v1.6.8 9cd3357b7fd7\n", "cri.json", `{"runtimeName":"containerd","runtimeVersion":"v1.6.8"}`},
		{"the shims of shimdiag", "k8s.io-" + strings.Repeat("1f3a9c7d", 8) + "\n", "compute.json", `"shims":[{`},
		{"features with their boxes", "Display Name          Name         Install State\n------------          ----         -------------\n" +
			"[ ] Containers        Containers   Available\n", "features-part.json", `{"Containers":"available"}`},
		{"Services of kubectl", "NAME         TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)         AGE\n" +
			"kube-dns     ClusterIP   10.96.0.10   <none>        53/UDP,53/TCP   10d\n", "api/services.json", "kube-dns ClusterIP 10.96.0.10"},
		{"flannel's ConfigMap in a manifest", "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: kube-flannel-cfg\n  namespace: kube-flannel\n" +
			"data:\n  net-conf.json: |\n    {\"Network\":\"10.244.0.0/16\",\"Backend\":{\"Type\":\"vxlan\"}}\n", "api/configmaps.json", "kube-flannel-cfg"},
		{"a Service without its status", service + "  clusterIP: 10.101.77.12\n  ports:\n  - port: 80\n    nodePort: 30080\n", "api/services.json", `"nodePort":30080`},
		// windows-machine-config-operator 451
		{"the network of OpenShift", "kind: Network\napiVersion: config.openshift.io/v1\nmetadata:\n  name: cluster\n  uid: a1\nspec:\n  networkType: OVNKubernetes\n---\n" +
			"kind: Network\napiVersion: operator.openshift.io/v1\nmetadata:\n  name: cluster\n  uid: a2\nspec:\n  defaultNetwork:\n    type: OVNKubernetes\n" +
			"    ovnKubernetesConfig:\n      hybridOverlayConfig:\n        hybridOverlayVXLANPort: 9898\n", "api/networks.json", `"hybridOverlayVXLANPort":9898`},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, tree := looseTree(t, loose(map[string]string{"a": row.content}))
			got := strings.Join(strings.Fields(written(tree, row.evidence)), " ")
			if !strings.Contains(got, row.want) && !strings.Contains(strings.ReplaceAll(got, " ", ""), row.want) {
				t.Errorf("%s is\n%s\nwant\n%s", row.evidence, got, row.want)
			}
		})
	}
}
